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
            // What bounds it is looked up by its name.
            let text = walker.text(name);
            walker.bind(name, Some(text), NONE, 0);
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

/// Records the type parameters of a definition or `impl`, with what bounds them there. `slot` tells a parameter's position among
/// the arguments of the type around.
pub(super) fn record<'a>(walker: &mut Walker<'a>, whole: Node<'_>, slot: impl Fn(&'a str, u32) -> u32) {
    let mut cursor = whole.walk();
    let clauses: Vec<Node<'_>> = whole.named_children(&mut cursor).filter(|child| child.kind() == "where_clause").collect();
    let parameters = whole.field("type_parameters");
    let mut position = 0;
    let declared = parameters.iter().flat_map(|list| children(*list)).map(|child| (child, true));
    let said = clauses.iter().flat_map(|clause| children(*clause)).map(|child| (child, false));
    for (child, declares) in declared.chain(said) {
        let name = match child.kind() {
            "type_parameter" | "const_parameter" => child.field("name"),
            "where_predicate" => child.field("left").filter(|left| left.kind() == "type_identifier"),
            _ => None,
        };
        let Some(name) = name else { continue };
        let bounds = child.field("bounds").map_or("", |bounds| walker.text(bounds).trim_start_matches(':').trim());
        let name = walker.text(name);
        let at = if declares { slot(name, position) } else { NONE };
        position += u32::from(declares);
        walker.generic(name, bounds, whole, at);
    }
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The arguments of a type, lifetimes left out.
pub(super) fn argument_texts<'a>(walker: &Walker<'a>, of: Node<'_>) -> Vec<&'a str> {
    let arguments = of.field("type_arguments").map(children).unwrap_or_default();
    let types = arguments.into_iter().filter(|child| child.kind() != "lifetime" && !child.is_extra());
    types.map(|child| walker.text(child)).collect()
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
