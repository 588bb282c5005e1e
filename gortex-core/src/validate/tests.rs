//! Every rule of the validator, each met by a table broken in just that way.

use serde_json::{Value, json};

use crate::facade::FieldKind::Object;
use crate::facade::PublicField;
use crate::operation::{ArgsInfo, FieldSpec, Fixed, LegacyOnly};
use crate::testing::SOUND;
use crate::{At, Container, Effect, FacadeSpec, Operation, Registry, Surface};

const OPTIONS: &[PublicField] = &[PublicField::new("options", Object, "")];
const TABLE: &[FacadeSpec] = &[
    FacadeSpec::new("look", Effect::Read, "Looks.").fields(OPTIONS),
    FacadeSpec::new("put", Effect::LocalWrite, "Puts.").fields(OPTIONS),
];
const PUT: Operation = Operation { facade: "put", name: "down", legacy: "put_down", effect: Effect::LocalWrite, ..SOUND };
const BASELINE: &str = "look\tnear\tlook_near\tread\t\t\nput\tdown\tput_down\tlocal_write\t\t\n";
const SURFACE: Surface = Surface { facades: TABLE, baseline: Some(BASELINE), pending: &[], version: "v" };

/// The rules that a table breaks, with the places, sorted.
fn broken(surface: Surface, operations: &[Operation]) -> Vec<String> {
    let operations: Vec<&'static Operation> = operations.iter().map(|operation| &*Box::leak(Box::new(*operation))).collect();
    let (_, violations) = Registry::inspect(surface, operations);
    violations.iter().map(|found| format!("{} {}", found.at, found.rule)).collect()
}

/// One broken operation beside the sound ones breaks exactly these rules.
#[track_caller]
fn check(operation: Operation, rules: &[&str]) {
    let surface = Surface { baseline: None, ..SURFACE };
    assert_eq!(broken(surface, &[SOUND, PUT, operation]), rules);
}

const ODD: Operation = Operation { name: "odd", legacy: "look_odd", at: "odd.rs:7", ..SOUND };

#[test]
fn a_sound_table_is_silent() {
    assert_eq!(broken(SURFACE, &[SOUND, PUT]), Vec::<String>::new());
    check(ODD, &[]);
}

#[test]
fn duplicate_operation() {
    check(Operation { name: "near", ..ODD }, &["odd.rs:7 duplicate_operation"]);
}

#[test]
fn unknown_facade() {
    check(Operation { facade: "lock", ..ODD }, &["odd.rs:7 unknown_facade"]);
}

#[test]
fn duplicate_facade() {
    const TWICE: &[FacadeSpec] = &[TABLE[0], TABLE[1], TABLE[0]];
    assert_eq!(broken(Surface { facades: TWICE, ..SURFACE }, &[SOUND, PUT]), ["surface duplicate_facade"]);
}

#[test]
fn names_and_summaries() {
    check(Operation { name: "Odd", ..ODD }, &["odd.rs:7 bad_name"]);
    check(Operation { legacy: "", ..ODD }, &["odd.rs:7 bad_name"]);
    check(Operation { summary: " ", ..ODD }, &["odd.rs:7 no_summary"]);
}

#[test]
fn mixed_effects() {
    check(Operation { effect: Effect::LocalWrite, ..ODD }, &["odd.rs:7 mixed_effects"]);
}

#[test]
fn effect_exceeded() {
    check(Operation { needs: &[None, Some(Effect::SessionWrite)], ..ODD }, &["odd.rs:7 effect_exceeded"]);
    let writer = Operation { needs: &[Some(Effect::LocalWrite)], at: "odd.rs:7", name: "odd", legacy: "odd", ..PUT };
    check(writer, &[]);
}

#[test]
fn unguarded_variant() {
    let uses: &[Option<Effect>] = &[Some(Effect::LocalWrite)];
    check(Operation { uses, ..ODD }, &["odd.rs:7 unguarded_variant"]);
    check(Operation { uses, fixed: &[("deep", Fixed::Bool(false))], ..ODD }, &[]);
}

#[test]
fn fixed_arguments() {
    check(Operation { fixed: &[("dep", Fixed::Bool(false))], ..ODD }, &["odd.rs:7 fixed_unknown"]);
    check(Operation { fixed: &[("deep", Fixed::Str("no"))], ..ODD }, &["odd.rs:7 fixed_type"]);
    check(Operation { fixed: &[("deep", Fixed::Bool(true)), ("how", Fixed::Str("é"))], ..ODD }, &[]);
}

/// A schema of nothing.
fn no_schema() -> Value {
    json!({"type": "object", "properties": {}})
}

const fn field(name: &'static str, at: &'static [At]) -> FieldSpec {
    FieldSpec { name, at, flatten: None }
}

#[test]
fn fields_share_neither_name_nor_place() {
    const TWICE: &[FieldSpec] = &[field("a", &[]), field("a", &[])];
    const SHARED: &[FieldSpec] = &[field("a", &[At::In(Container::Options, Some("b"))]), field("b", &[])];
    let odd = |fields| Operation { args: Some(ArgsInfo { fields, schema: no_schema }), ..ODD };
    check(odd(TWICE), &["odd.rs:7 duplicate_field"]);
    check(odd(SHARED), &["odd.rs:7 shared_place"]);
}

#[test]
fn variants_of_one_tool_are_told_apart() {
    check(Operation { legacy: "look_near", ..ODD }, &["odd.rs:7 split_not_fixed", "samples.rs:1 split_not_fixed"]);
    let near = Operation { fixed: &[("deep", Fixed::Bool(false))], ..SOUND };
    let odd = Operation { fixed: &[("deep", Fixed::Bool(true))], legacy: "look_near", ..ODD };
    assert_eq!(broken(SURFACE, &[near, odd, PUT]), Vec::<String>::new());
    let same = Operation { fixed: &[("deep", Fixed::Bool(false))], ..odd };
    assert_eq!(broken(SURFACE, &[near, same, PUT]), ["odd.rs:7 split_not_fixed", "samples.rs:1 split_not_fixed"]);
}

#[test]
fn legacy_only_says_why_and_is_not_public() {
    const ONLY: LegacyOnly = LegacyOnly { rationale: "counts", removal: "2.0" };
    let only = Operation { facade: "", name: "", legacy_only: Some(ONLY), ..ODD };
    check(only, &[]);
    let silent = LegacyOnly { rationale: "", ..ONLY };
    check(Operation { legacy_only: Some(silent), ..only }, &["odd.rs:7 legacy_only_unexplained"]);
    check(Operation { facade: "look", name: "odd", ..only }, &["odd.rs:7 legacy_only_public"]);
    let surface = Surface { baseline: None, ..SURFACE };
    assert_eq!(broken(surface, &[SOUND, PUT, only, only]), ["odd.rs:7 duplicate_operation"]);
}

#[test]
fn the_baseline_is_registered_or_pending() {
    assert_eq!(broken(SURFACE, &[SOUND]), ["baseline:2 unmapped_legacy"]);
    for pending in [&["put_down"], &["put.down"]] {
        assert_eq!(broken(Surface { pending, ..SURFACE }, &[SOUND]), Vec::<String>::new());
    }
}

#[test]
fn the_pending_list_is_true() {
    let pending =
        |names: &'static [&'static str], operations: &[Operation]| broken(Surface { pending: names, ..SURFACE }, operations);
    assert_eq!(pending(&["look_near"], &[SOUND, PUT]), ["samples.rs:1 pending_and_registered"]);
    assert_eq!(pending(&["look_far"], &[SOUND, PUT]), ["pending pending_unknown"]);
    assert_eq!(pending(&["put_down", "put_down"], &[SOUND]), ["pending pending_twice"]);
}

#[test]
fn what_is_registered_is_what_the_baseline_says() {
    let with = |near: Operation| broken(SURFACE, &[near, PUT]);
    assert_eq!(with(Operation { legacy: "look_close", ..SOUND }), ["samples.rs:1 other_legacy"]);
    assert_eq!(with(Operation { hidden: true, ..SOUND }), ["samples.rs:1 other_visibility"]);
    assert_eq!(
        with(Operation { effect: Effect::SessionWrite, ..SOUND }),
        ["samples.rs:1 mixed_effects", "samples.rs:1 other_effect"]
    );
    let put = Operation { effect: Effect::Read, ..PUT };
    assert_eq!(broken(SURFACE, &[SOUND, put]), ["samples.rs:1 mixed_effects", "samples.rs:1 mutator_as_reader"]);
    const FIXED: &str = "look\tnear\tlook_near\tread\t{\"deep\":false}\t\nput\tdown\tput_down\tlocal_write\t\t";
    let surface = Surface { baseline: Some(FIXED), ..SURFACE };
    assert_eq!(broken(surface, &[SOUND, PUT]), ["samples.rs:1 unsafe_variant"]);
    let fixed = Operation { fixed: &[("deep", Fixed::Bool(false))], ..SOUND };
    assert_eq!(broken(surface, &[fixed, PUT]), Vec::<String>::new());
}

#[test]
fn nothing_is_beyond_the_baseline_but_variants() {
    assert_eq!(broken(SURFACE, &[SOUND, PUT, ODD]), ["odd.rs:7 unknown_legacy"]);
    let bare = Operation { legacy: "put_down", facade: "put", effect: Effect::LocalWrite, ..ODD };
    assert!(broken(SURFACE, &[SOUND, PUT, bare]).contains(&"odd.rs:7 split_not_fixed".to_owned()));
}

#[test]
fn the_roster_and_the_operations_agree() {
    let surface = Surface { baseline: None, ..SURFACE };
    assert_eq!(broken(surface, &[SOUND]), ["surface roster_mismatch"]);
    const FOREIGN: &str =
        "look\tnear\tlook_near\tread\t\t\nput\tdown\tput_down\tlocal_write\t\t\nsee\ta\tb\tread\t\t\nsee\tc\td\tread\t\t";
    let surface = Surface { baseline: Some(FOREIGN), ..SURFACE };
    assert_eq!(broken(surface, &[SOUND, PUT]), ["baseline:3 roster_mismatch"]);
}

#[test]
fn a_malformed_baseline_is_reported() {
    let surface = Surface { baseline: Some("look\tnear"), ..SURFACE };
    assert_eq!(broken(surface, &[]), ["baseline:1 baseline_malformed", "surface roster_mismatch", "surface roster_mismatch"]);
}

#[test]
fn a_report_names_every_place() {
    let odd: &'static Operation = &Operation { facade: "lock", summary: "", ..ODD };
    let failure = Registry::build(Surface { baseline: None, ..SURFACE }, [odd]).expect_err("broken");
    let text = failure.to_string();
    assert!(text.contains("odd.rs:7: [unknown_facade]") && text.contains("odd.rs:7: [no_summary]"), "{text}");
    assert!(text.starts_with("the operation registry is broken in 4 places:"), "{text}");
}
