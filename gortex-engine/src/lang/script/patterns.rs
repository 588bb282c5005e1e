//! What binds names: parameters, destructuring, loops, `catch`.
//!
//! One walk over a pattern serves three uses ([`Into`]): it binds locals, defines file-level variables or writes to names that
//! exist already.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{classes, key, refs, string_text, types};
use crate::facts::model::{ExprKind, Kind, NONE, Role};
use crate::facts::walker::{NewDef, Walker};

/// What becomes of a pattern's names.
#[derive(Clone, Copy)]
pub(super) enum Into {
    /// Locals, visible from `at`; hoisted ones in the whole function.
    Bind {
        /// `var`.
        hoists: bool,
        /// End of the declaration.
        at: usize,
    },
    /// Definitions of the file.
    Define {
        /// Constant or variable.
        kind: Kind,
        /// Flags of the statement.
        flags: u16,
    },
    /// Assignments.
    Write,
}

/// Visits formal parameters in the scope of their function; returns their number and whether the last takes the rest.
pub(super) fn parameters(walker: &mut Walker<'_>, function: Node<'_>, node: Node<'_>, def: Option<u32>) -> (usize, bool) {
    let (mut count, mut variadic) = (0, false);
    walker.for_children(node, |walker, child| {
        if child.is_extra() {
            return;
        }
        let typed = matches!(child.kind(), "required_parameter" | "optional_parameter");
        let name = if typed { child.field("pattern").or_else(|| child.field("name")) } else { Some(child) };
        let Some(name) = name else { return walker.visit_children(child) };
        count += usize::from(name.kind() != "this");
        variadic |= name.kind() == "rest_pattern";
        parameter(walker, child, name, typed, |walker| walker.given(function, count.saturating_sub(1)));
        if let Some(def) = def
            && typed
            && name.kind() == "identifier"
            && walker.def(def).kind() == Kind::Constructor
            && is_property(child)
        {
            classes::parameter_property(walker, child, name, def);
        }
    });
    (count, variadic)
}

fn is_property(parameter: Node<'_>) -> bool {
    let mut cursor = parameter.walk();
    parameter.children(&mut cursor).any(|word| matches!(word.kind(), "accessibility_modifier" | "readonly" | "override_modifier"))
}

fn parameter<'a>(
    walker: &mut Walker<'a>,
    node: Node<'_>,
    name: Node<'_>,
    typed: bool,
    given: impl FnOnce(&mut Walker<'a>) -> u32,
) {
    let into = Into::Bind { hoists: false, at: node.end_byte() };
    if !typed {
        let given = if name.kind() == "rest_pattern" { NONE } else { given(walker) };
        return pattern(walker, name, None, given, into);
    }
    walker.for_children(node, |walker, child| {
        if child.kind() == "decorator" {
            walker.visit(child);
        }
    });
    let annotation = node.field("type");
    if let Some(annotation) = annotation {
        types::visit_type(walker, annotation, Role::ParamType);
    }
    let init = node.field("value");
    let expr = match init {
        Some(init) => walker.expr_of(init),
        None if annotation.is_none() && name.kind() != "rest_pattern" => given(walker),
        None => NONE,
    };
    pattern(walker, name, annotation, expr, into);
    if let Some(init) = init {
        walker.visit(init);
    }
}

/// Walks a pattern whose value has the type `annotation` (an annotation or type node) and is given by `base`.
pub(super) fn pattern(walker: &mut Walker<'_>, node: Node<'_>, annotation: Option<Node<'_>>, base: u32, into: Into) {
    walker.nested(|walker| one_pattern(walker, node, annotation, base, into));
}

fn one_pattern(walker: &mut Walker<'_>, node: Node<'_>, annotation: Option<Node<'_>>, base: u32, into: Into) {
    match node.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => leaf(walker, node, annotation, base, into),
        "object_pattern" => {
            let base = typed_base(walker, node, annotation, base);
            walker.for_children(node, |walker, child| property(walker, child, annotation, base, into));
        }
        "array_pattern" => {
            let base = typed_base(walker, node, annotation, base);
            elements(walker, node, base, into);
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            let (Some(left), right) = (node.field("left"), node.field("right")) else { return };
            let default = right.map_or(NONE, |right| walker.expr_of(right));
            pattern(walker, left, annotation, if base == NONE { default } else { base }, into);
            if let Some(right) = right {
                walker.visit(right);
            }
        }
        "rest_pattern" => {
            if let Some(inner) = super::first_named(node) {
                pattern(walker, inner, annotation, NONE, into);
            }
        }
        "this" | "comment" | "undefined" => {}
        // Only an assignment can have these: `[this.a, b[0]] = pair`.
        _ => refs::written(walker, node),
    }
}

fn leaf(walker: &mut Walker<'_>, node: Node<'_>, annotation: Option<Node<'_>>, init: u32, into: Into) {
    match into {
        Into::Bind { hoists, at } => {
            let ty = annotation.map(|annotation| types::type_text(walker, annotation));
            if hoists {
                walker.hoisted(|walker| {
                    walker.bind(node, ty.as_deref(), init, at);
                });
            } else {
                walker.bind(node, ty.as_deref(), init, at);
            }
        }
        Into::Define { kind, flags } => {
            let def = walker.define(NewDef::new(kind, node, node).flags(flags));
            walker.def_mut(def).init = init;
        }
        Into::Write => {
            walker.reference(node, Role::Write, NONE);
        }
    }
}

/// The expression that members are taken from.
fn typed_base(walker: &mut Walker<'_>, node: Node<'_>, annotation: Option<Node<'_>>, base: u32) -> u32 {
    let Some(annotation) = annotation else { return base };
    if types::object_type(annotation).is_some() {
        return base;
    }
    let text = types::type_text(walker, annotation);
    walker.expr(ExprKind::Typed, &text, NONE, node)
}

fn property(walker: &mut Walker<'_>, node: Node<'_>, annotation: Option<Node<'_>>, base: u32, into: Into) {
    let (name, target, default) = match node.kind() {
        "shorthand_property_identifier_pattern" => (node, node, None),
        "object_assignment_pattern" => {
            let Some(left) = node.field("left") else { return };
            (left, left, node.field("right"))
        }
        "pair_pattern" => {
            let (Some(name), Some(target)) = (node.field("key"), node.field("value")) else { return };
            if name.kind() == "computed_property_name" {
                walker.visit_children(name);
            }
            (name, target, None)
        }
        _ => return pattern(walker, node, None, NONE, into),
    };
    let (_, text) = key(walker, name);
    let ty = annotation.and_then(types::object_type).and_then(|object| member_type(walker, object, text));
    let computed = matches!(name.kind(), "computed_property_name" | "object_pattern" | "array_pattern");
    let member = if base == NONE || computed { NONE } else { walker.expr(ExprKind::Member, text, base, node) };
    pattern(walker, target, ty, member, into);
    if let Some(default) = default {
        walker.visit(default);
    }
}

/// The annotation of a member of an object type.
fn member_type<'t>(walker: &Walker<'_>, object: Node<'t>, name: &str) -> Option<Node<'t>> {
    let mut cursor = object.walk();
    let mut members = object.named_children(&mut cursor);
    let found = members
        .find(|member| member.kind() == "property_signature" && member.field("name").is_some_and(|key| walker.text(key) == name));
    found?.field("type")
}

fn elements(walker: &mut Walker<'_>, node: Node<'_>, base: u32, into: Into) {
    let mut slot = 0;
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return;
    }
    loop {
        let child = cursor.node();
        if child.kind() == "," {
            slot += 1;
        } else if child.is_named() && !child.is_extra() {
            let element = if base == NONE || child.kind() == "rest_pattern" {
                NONE
            } else {
                let element = walker.expr(ExprKind::Index, "", base, child);
                walker.expr_slot(element, slot);
                element
            };
            pattern(walker, child, None, element, into);
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
}

/// A pattern that stands alone: the left side of an assignment somewhere inside an expression.
pub(super) fn assigned(walker: &mut Walker<'_>, node: Node<'_>) {
    pattern(walker, node, None, NONE, Into::Write);
}

/// `for (const x of xs)`, `for (k in o)`.
pub(super) fn for_in(walker: &mut Walker<'_>, node: Node<'_>) {
    let (left, right) = (node.field("left"), node.field("right"));
    let word = node.field("kind").map(|word| word.kind());
    let keys = node.field("operator").is_some_and(|operator| operator.kind() == "in");
    if let Some(right) = right {
        walker.visit(right);
    }
    walker.in_scope(|walker| {
        if let Some(left) = left {
            let base = right.map_or(NONE, |right| walker.expr_of(right));
            let element = if keys {
                walker.expr(ExprKind::Literal, "string", NONE, left)
            } else if base == NONE {
                NONE
            } else {
                walker.expr(ExprKind::Element, "", base, left)
            };
            match word {
                Some(word) => {
                    let hoists = word == "var" && walker.in_function();
                    pattern(walker, left, None, element, Into::Bind { hoists, at: left.end_byte() });
                }
                None => pattern(walker, left, None, element, Into::Write),
            }
        }
        walker.visit_field(node, "body");
    });
}

/// `catch (error) {}`.
pub(super) fn catch(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        let annotation = node.field("type");
        if let Some(annotation) = annotation {
            types::visit_type(walker, annotation, Role::Type);
        }
        if let Some(parameter) = node.field("parameter") {
            pattern(walker, parameter, annotation, NONE, Into::Bind { hoists: false, at: parameter.end_byte() });
        }
        walker.visit_field(node, "body");
    });
}

/// The text of a string node, for keys written as strings in brackets.
pub(super) fn literal_key<'a>(walker: &Walker<'a>, node: Node<'_>) -> Option<&'a str> {
    (node.kind() == "string").then(|| string_text(walker, node))
}
