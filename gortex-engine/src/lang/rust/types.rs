//! Types as they are written: mentions by position, generic parameters and what bounds them.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::exprs;
use crate::facts::model::{NONE, Role};
use crate::facts::walker::Walker;

/// A type in no more precise position.
pub(super) fn plain(walker: &mut Walker<'_>, node: Node<'_>) {
    mention(walker, node, Role::Type);
}

/// Visits a type whose outermost name plays `role`.
pub(super) fn visit(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    walker.visit_with(node, |walker, node| mention(walker, node, role));
}

/// Visits the type in a field of `node`, if there is one.
pub(super) fn visit_field(walker: &mut Walker<'_>, node: Node<'_>, field: &str, role: Role) {
    if let Some(node) = node.child_by_field_name(field) {
        visit(walker, node, role);
    }
}

fn mention(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    match node.kind() {
        "type_identifier" | "identifier" => {
            let text = walker.text(node);
            if text != "Self" && !super::is_primitive(text) {
                walker.reference(node, role, NONE);
            }
        }
        "scoped_type_identifier" | "scoped_identifier" => {
            let Some(name) = node.field("name") else { return };
            let recv = exprs::qualifier(walker, node);
            walker.reference(name, role, recv);
        }
        "generic_type" | "generic_type_with_turbofish" => {
            visit_field(walker, node, "type", role);
            visit_field(walker, node, "type_arguments", Role::GenericArg);
        }
        "type_arguments" => walker.for_children(node, |walker, child| visit(walker, child, Role::GenericArg)),
        "type_binding" => {
            visit_field(walker, node, "type_arguments", Role::GenericArg);
            visit_field(walker, node, "type", Role::GenericArg);
        }
        "function_type" => {
            visit_field(walker, node, "trait", role);
            if let Some(parameters) = node.field("parameters") {
                walker.for_children(parameters, |walker, child| {
                    let of = child.field("type").unwrap_or(child);
                    visit(walker, of, Role::GenericArg);
                });
            }
            visit_field(walker, node, "return_type", Role::GenericArg);
        }
        "array_type" => {
            visit_field(walker, node, "element", role);
            walker.visit_field(node, "length");
        }
        "reference_type"
        | "pointer_type"
        | "tuple_type"
        | "bounded_type"
        | "abstract_type"
        | "dynamic_type"
        | "bracketed_type"
        | "qualified_type"
        | "higher_ranked_trait_bound"
        | "removed_trait_bound"
        | "use_bounds" => {
            walker.for_children(node, |walker, child| visit(walker, child, role));
        }
        "trait_bounds" => walker.for_children(node, |walker, child| visit(walker, child, Role::Type)),
        "type_parameters" => parameters(walker, node),
        "macro_invocation" => super::tokens::invocation(walker, node),
        "lifetime" | "metavariable" | "primitive_type" => {}
        _ => walker.visit_children(node),
    }
}

/// Type and const parameters are names of their definition's scope.
pub(super) fn parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| match child.kind() {
        "type_parameter" => {
            let Some(name) = child.field("name") else { return };
            let bound = child.field("bounds").and_then(|bounds| telling_bound(walker, bounds));
            walker.bind(name, bound, NONE, 0);
            walker.visit_field(child, "bounds");
            visit_field(walker, child, "default_type", Role::Type);
        }
        "const_parameter" => {
            let Some(name) = child.field("name") else { return };
            let ty = child.field("type");
            walker.bind(name, ty.map(|ty| walker.text(ty)), NONE, 0);
            visit_field(walker, child, "type", Role::Type);
            walker.visit_field(child, "value");
        }
        "attribute_item" => walker.visit(child),
        _ => {}
    });
}

/// Generic parameters with the bound that says most, of a definition and the `impl` around it.
#[derive(Debug, Default, Clone)]
pub(super) struct Generics<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Generics<'a> {
    /// Those of a definition, added to those around it.
    pub(super) fn of(walker: &Walker<'a>, node: Node<'_>, outer: &Generics<'a>) -> Generics<'a> {
        let mut found = outer.clone();
        let parameters = node.field("type_parameters");
        let mut cursor = node.walk();
        let clauses = node.named_children(&mut cursor).filter(|child| child.kind() == "where_clause");
        for holder in parameters.into_iter().chain(clauses) {
            let mut cursor = holder.walk();
            for child in holder.named_children(&mut cursor) {
                let name = child.field("name").or_else(|| child.field("left"));
                let bound = child.field("bounds").and_then(|bounds| telling_bound(walker, bounds));
                if let (Some(name), Some(bound)) = (name, bound) {
                    found.0.push((walker.text(name), bound));
                }
            }
        }
        found
    }

    /// The text of a type for a binding: of a bare generic parameter what bounds it, else as written.
    pub(super) fn text(&self, walker: &Walker<'a>, ty: Node<'_>) -> &'a str {
        let mut inner = ty;
        while inner.kind() == "reference_type" {
            let Some(next) = inner.field("type") else { break };
            inner = next;
        }
        if inner.kind() == "type_identifier" {
            let name = walker.text(inner);
            if let Some((_, bound)) = self.0.iter().rev().find(|(known, _)| *known == name) {
                return bound;
            }
        }
        walker.text(ty)
    }
}

/// The bound that says most about a parameter's members: the first that is not one of the ubiquitous marker traits.
fn telling_bound<'a>(walker: &Walker<'a>, bounds: Node<'_>) -> Option<&'a str> {
    let mut cursor = bounds.walk();
    let mut types = bounds
        .named_children(&mut cursor)
        .filter(|child| !matches!(child.kind(), "lifetime" | "removed_trait_bound") && !child.is_extra())
        .map(|child| walker.text(child));
    let first = types.next()?;
    let marker = |text: &&str| {
        matches!(*text, "Send" | "Sync" | "Copy" | "Clone" | "Debug" | "Default" | "Sized" | "Eq" | "PartialEq" | "Ord" | "Hash")
    };
    if !marker(&first) {
        return Some(first);
    }
    Some(types.find(|text| !marker(text)).unwrap_or(first))
}

/// The bare name of a type that an `impl` is for: no path, reference or generic arguments.
pub(super) fn bare_name<'a>(walker: &Walker<'a>, node: Node<'_>) -> &'a str {
    let mut node = node;
    loop {
        let inner = match node.kind() {
            "scoped_type_identifier" => node.field("name"),
            "generic_type" | "reference_type" | "pointer_type" => node.field("type"),
            "dynamic_type" | "abstract_type" => node.field("trait"),
            "bounded_type" | "higher_ranked_trait_bound" => (0..node.named_child_count() as u32)
                .filter_map(|index| node.named_child(index))
                .find(|child| !matches!(child.kind(), "lifetime" | "type_parameters")),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return walker.text(node),
        }
    }
}

/// The text of a type without its generic arguments, and the node of its name.
pub(super) fn without_arguments<'a, 't>(walker: &Walker<'a>, node: Node<'t>) -> (&'a str, Node<'t>) {
    let mut node = node;
    while let ("generic_type" | "generic_type_with_turbofish" | "higher_ranked_trait_bound", Some(inner)) =
        (node.kind(), node.field("type"))
    {
        node = inner;
    }
    let name = match node.kind() {
        "function_type" => node.field("trait"),
        "scoped_type_identifier" | "scoped_identifier" => node.field("name"),
        _ => None,
    };
    let name = name.unwrap_or(node);
    let from = if node.kind() == "function_type" { name } else { node };
    (walker.text(from), name)
}
