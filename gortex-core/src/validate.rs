//! The boot validator: every rule the compiler can't see, checked before anything is served.
//!
//! All violations are returned at once, each with the place of the offending handler (or baseline line), so that one
//! start shows all there is to mend. A rule is a function; the list of them is `RULES`.
//!
//! Knows nothing of requests: it reads tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use crate::extract::coerce;
use crate::facade::{Discriminator, FacadeSpec};
use crate::operation::Operation;
use crate::place::places;
use crate::registry::{Row, Surface};

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Violation {
    /// `file:line` of the handler, or `baseline:line`, or `surface`.
    pub at: String,
    /// The rule, as one stable word.
    pub rule: &'static str,
    /// What is wrong, with the values.
    pub message: String,
}

impl Violation {
    /// A violation of a rule at a place.
    pub(crate) fn new(rule: &'static str, message: impl Into<String>, at: impl Into<String>) -> Self {
        Self { at: at.into(), rule, message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: [{}] {}", self.at, self.rule, self.message)
    }
}

/// Everything that is wrong with a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootFailure(pub Vec<Violation>);

impl fmt::Display for BootFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the operation registry is broken in {} places:", self.0.len())?;
        self.0.iter().try_for_each(|violation| writeln!(f, "  {violation}"))
    }
}

impl std::error::Error for BootFailure {}

/// What the rules read.
struct Tables<'t> {
    surface: &'t Surface,
    rows: &'t [Row],
    operations: &'t [&'static Operation],
}

impl Tables<'_> {
    /// The operations that public tools serve.
    fn public(&self) -> impl Iterator<Item = &'static Operation> {
        self.operations.iter().copied().filter(|operation| operation.legacy_only.is_none())
    }

    /// Whether a baseline row is on the pending list, by legacy name or by operation.
    fn is_pending(&self, row: &Row) -> bool {
        let id = format!("{}.{}", row.facade, row.operation);
        self.surface.pending.iter().any(|name| *name == row.legacy || *name == id)
    }

    /// The public operation registered for a row.
    fn registered(&self, row: &Row) -> Option<&'static Operation> {
        self.public().find(|operation| operation.facade == row.facade && operation.name == row.operation)
    }
}

/// Every rule.
const RULES: &[fn(&Tables<'_>, &mut Vec<Violation>)] = &[
    table_names,
    known_facades,
    names,
    duplicates,
    effects,
    capabilities,
    fixed_arguments,
    fields,
    split_variants,
    baseline_present,
    baseline_agrees,
    beyond_baseline,
    pending_list,
    roster,
];

/// Checks every rule; violations are sorted by place.
pub(crate) fn validate(surface: &Surface, rows: &[Row], operations: &[&'static Operation]) -> Vec<Violation> {
    let tables = Tables { surface, rows, operations };
    let mut found = Vec::new();
    for rule in RULES {
        rule(&tables, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

/// A facade table has every name once.
fn table_names(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    let mut seen = BTreeSet::new();
    for facade in tables.surface.facades {
        if !seen.insert(facade.name) {
            out.push(Violation::new("duplicate_facade", format!("the facade `{}` is declared twice", facade.name), "surface"));
        }
    }
}

/// An operation's facade exists.
fn known_facades(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    for operation in tables.public() {
        if tables.surface.facade(operation.facade).is_none() {
            let message = format!("`{}` names no facade of this surface", operation.facade);
            out.push(Violation::new("unknown_facade", message, operation.at));
        }
    }
}

/// Names are words, summaries are not empty, and a legacy-only variant says why.
fn names(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    let is_word = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.len() <= 64
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    for operation in tables.operations {
        for name in [operation.name, operation.legacy] {
            let left_out = operation.legacy_only.is_some() && name == operation.name;
            if !left_out && !is_word(name) {
                let message = format!("`{name}` is no name: lower-case letters, digits and `_`, at most 64");
                out.push(Violation::new("bad_name", message, operation.at));
            }
        }
        if operation.summary.trim().is_empty() {
            let message = format!("`{}` has no summary", operation.id());
            out.push(Violation::new("no_summary", message, operation.at));
        }
        if let Some(only) = operation.legacy_only {
            if only.rationale.trim().is_empty() || only.removal.trim().is_empty() {
                let message = format!("`{}` is legacy-only without rationale or removal", operation.legacy);
                out.push(Violation::new("legacy_only_unexplained", message, operation.at));
            }
            if !operation.facade.is_empty() || !operation.name.is_empty() {
                let message = format!("`{}` is legacy-only and names a public operation", operation.id());
                out.push(Violation::new("legacy_only_public", message, operation.at));
            }
        }
    }
}

/// No two entries claim the same operation.
fn duplicates(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    let mut seen: BTreeMap<(&str, &str), &Operation> = BTreeMap::new();
    for operation in tables.public() {
        if let Some(first) = seen.insert((operation.facade, operation.name), operation) {
            let message = format!("`{}` is also registered at {}", operation.id(), first.at);
            out.push(Violation::new("duplicate_operation", message, operation.at));
        }
    }
    let mut only: BTreeMap<&str, &Operation> = BTreeMap::new();
    for operation in tables.operations.iter().filter(|operation| operation.legacy_only.is_some()) {
        if let Some(first) = only.insert(operation.legacy, operation) {
            let message = format!("`{}` is also legacy-only at {}", operation.legacy, first.at);
            out.push(Violation::new("duplicate_operation", message, operation.at));
        }
    }
}

/// A facade has one effect.
fn effects(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    for operation in tables.public() {
        let Some(facade) = tables.surface.facade(operation.facade) else { continue };
        if facade.effect != operation.effect {
            let message = format!(
                "`{}` has effect `{}`, but every operation of `{}` has `{}`",
                operation.id(),
                operation.effect,
                facade.name,
                facade.effect
            );
            out.push(Violation::new("mixed_effects", message, operation.at));
        }
    }
}

/// A handler holds no capability that its operation does not grant, and one that it may hold is either fixed away or
/// granted to an operation of its own.
fn capabilities(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    for operation in tables.operations {
        for needs in operation.needs.iter().copied().flatten() {
            if !operation.effect.permits(Some(needs)) {
                let message =
                    format!("`{}` needs a capability of effect `{needs}`, its effect is `{}`", operation.id(), operation.effect);
                out.push(Violation::new("effect_exceeded", message, operation.at));
            }
        }
        for uses in operation.uses.iter().copied().flatten() {
            if operation.effect.permits(Some(uses)) || !operation.fixed.is_empty() {
                continue;
            }
            let separate =
                tables.operations.iter().any(|other| other.legacy == operation.legacy && other.effect.permits(Some(uses)));
            if !separate {
                let message = format!(
                    "`{}` can have effect `{uses}`, which neither a fixed argument nor another operation covers",
                    operation.id()
                );
                out.push(Violation::new("unguarded_variant", message, operation.at));
            }
        }
    }
}

/// A fixed argument exists and has a value of its type.
fn fixed_arguments(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    for operation in tables.operations.iter().filter(|operation| !operation.fixed.is_empty()) {
        let schema = operation.args.map(|args| (args.schema)());
        for (key, value) in operation.fixed {
            if !operation.fields().iter().any(|field| field.name == *key) {
                let message = format!("`{}` fixes `{key}`, which the handler does not take", operation.id());
                out.push(Violation::new("fixed_unknown", message, operation.at));
                continue;
            }
            let property = schema.as_ref().and_then(|schema| schema.get("properties")?.get(*key));
            let value = value.to_value();
            if property.is_some_and(|property| coerce(&value, property).as_ref() != Ok(&value)) {
                let message = format!("`{}` fixes `{key}` to {value}, which is not of its type", operation.id());
                out.push(Violation::new("fixed_type", message, operation.at));
            }
        }
    }
}

/// No two fields of a handler share a name or a public place.
fn fields(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    for operation in tables.operations {
        let fields = operation.fields();
        let mut seen = BTreeSet::new();
        for field in &fields {
            if !seen.insert(field.name) {
                let message = format!("`{}` has two arguments named `{}`", operation.id(), field.name);
                out.push(Violation::new("duplicate_field", message, operation.at));
            }
        }
        let Some(facade) = tables.surface.facade(operation.facade) else { continue };
        let mut taken = BTreeMap::new();
        for field in fields {
            for place in places(facade, operation.name, field) {
                if let Some(other) = taken.insert(place, field.name).filter(|other| *other != field.name) {
                    let message = format!("`{}` has `{other}` and `{}` both at `{place}`", operation.id(), field.name);
                    out.push(Violation::new("shared_place", message, operation.at));
                }
            }
        }
    }
}

/// The operations of one legacy tool are told apart by fixed arguments.
fn split_variants(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    let mut by_legacy: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
    for operation in tables.public() {
        by_legacy.entry(operation.legacy).or_default().push(operation);
    }
    for variants in by_legacy.values().filter(|variants| variants.len() > 1) {
        for (at, operation) in variants.iter().enumerate() {
            let other = variants.iter().enumerate().find(|(other, variant)| *other != at && !told_apart(operation, variant));
            if let Some((_, other)) = other {
                let message = format!(
                    "`{}` and `{}` both serve `{}` and no fixed argument tells them apart",
                    operation.id(),
                    other.id(),
                    operation.legacy
                );
                out.push(Violation::new("split_not_fixed", message, operation.at));
            }
        }
    }
}

/// Whether some argument is fixed to different values in both.
fn told_apart(a: &Operation, b: &Operation) -> bool {
    a.fixed.iter().any(|(key, value)| b.fixed_value(key).is_some_and(|other| other != *value))
}

/// Every legacy name of the baseline is registered or pending.
fn baseline_present(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    for row in tables.rows {
        let facade = tables.surface.facade(&row.facade);
        if tables.registered(row).is_none() && !tables.is_pending(row) && facade.is_some() {
            let message = format!("`{}.{}` (`{}`) is neither registered nor pending", row.facade, row.operation, row.legacy);
            out.push(Violation::new("unmapped_legacy", message, row.at()));
        }
    }
}

/// What is registered for a row is what the row says.
fn baseline_agrees(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    for row in tables.rows {
        let Some(operation) = tables.registered(row) else { continue };
        let id = operation.id();
        if operation.legacy != row.legacy {
            let message = format!("`{id}` serves `{}`, the baseline says `{}`", operation.legacy, row.legacy);
            out.push(Violation::new("other_legacy", message, operation.at));
        }
        if operation.effect != row.effect {
            let rule =
                if row.effect.is_mutating() && !operation.effect.is_mutating() { "mutator_as_reader" } else { "other_effect" };
            let message = format!("`{id}` has effect `{}`, the baseline says `{}`", operation.effect, row.effect);
            out.push(Violation::new(rule, message, operation.at));
        }
        if operation.hidden != row.hidden {
            let message = format!("`{id}` is {}hidden, the baseline says otherwise", if operation.hidden { "" } else { "not " });
            out.push(Violation::new("other_visibility", message, operation.at));
        }
        for (key, value) in &row.fixed {
            if operation.fixed_value(key).map(crate::operation::Fixed::to_value).as_ref() != Some(value) {
                let message = format!("`{id}` must fix `{key}` to {value}");
                out.push(Violation::new("unsafe_variant", message, operation.at));
            }
        }
    }
}

/// What is registered beyond the baseline is a variant of one of its tools.
fn beyond_baseline(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    if tables.surface.baseline.is_none() {
        return;
    }
    for operation in tables.public() {
        let in_baseline = tables.rows.iter().any(|row| row.facade == operation.facade && row.operation == operation.name);
        if in_baseline {
            continue;
        }
        let of_known_tool = tables.rows.iter().any(|row| row.legacy == operation.legacy);
        if !of_known_tool {
            let message = format!("`{}` serves `{}`, which the baseline does not know", operation.id(), operation.legacy);
            out.push(Violation::new("unknown_legacy", message, operation.at));
        } else if operation.fixed.is_empty() {
            let message = format!("`{}` is a variant of `{}` without a fixed argument", operation.id(), operation.legacy);
            out.push(Violation::new("split_not_fixed", message, operation.at));
        }
    }
}

/// The pending list names baseline rows, each once, and none that is registered.
fn pending_list(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    let mut seen = BTreeSet::new();
    for name in tables.surface.pending {
        if !seen.insert(*name) {
            out.push(Violation::new("pending_twice", format!("`{name}` is pending twice"), "pending"));
        }
        let meant: Vec<&Row> = tables
            .rows
            .iter()
            .filter(|row| *name == row.legacy || *name == format!("{}.{}", row.facade, row.operation))
            .collect();
        if meant.is_empty() {
            let message = format!("`{name}` is pending, but the baseline does not know it");
            out.push(Violation::new("pending_unknown", message, "pending"));
        }
        for operation in meant.into_iter().filter_map(|row| tables.registered(row)) {
            let message = format!("`{name}` is pending, but `{}` is registered", operation.id());
            out.push(Violation::new("pending_and_registered", message, operation.at));
        }
    }
}

/// The facade table and the operations name the same public tools.
fn roster(tables: &Tables<'_>, out: &mut Vec<Violation>) {
    let mut unknown = BTreeSet::new();
    for row in tables.rows {
        if tables.surface.facade(&row.facade).is_none() && unknown.insert(&row.facade) {
            let message = format!("the baseline names the facade `{}`, the surface does not have it", row.facade);
            out.push(Violation::new("roster_mismatch", message, row.at()));
        }
    }
    let served = |facade: &FacadeSpec| {
        tables.public().any(|operation| operation.facade == facade.name)
            || tables.rows.iter().any(|row| row.facade == facade.name)
    };
    for facade in tables.surface.facades {
        if facade.discriminator != Discriminator::Catalogue && !served(facade) {
            let message = format!("the facade `{}` has no operation", facade.name);
            out.push(Violation::new("roster_mismatch", message, "surface"));
        }
    }
}

#[cfg(test)]
mod tests;
