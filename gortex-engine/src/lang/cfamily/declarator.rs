//! Declarators: what a declaration declares, found on the way down to its name.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::DEPTH;
use crate::facts::walker::{Walker, one_line};

/// What stands at the bottom of a declarator, and what was met on the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'t> {
    /// The node of the name, qualifiers included.
    pub(super) name: Node<'t>,
    /// The function declarator that makes the name a function.
    pub(super) function: Option<Node<'t>>,
    /// A function declarator on the way, also that of a pointer to a function.
    pub(super) any_function: Option<Node<'t>>,
    /// The initial value.
    pub(super) value: Option<Node<'t>>,
    /// Pointer and reference marks, outermost first.
    pub(super) marks: [u8; 4],
}

/// A type's text with what the declarator adds: pointers, references, the parameters of a pointed-to function.
pub(super) fn typed(w: &Walker<'_>, found: &Declared<'_>, base: &str) -> String {
    if let (None, Some(pointed)) = (found.function, found.any_function) {
        let parameters = pointed.field("parameters").map_or("", |list| w.text(list));
        return format!("{base} (*){}", one_line(parameters, 120));
    }
    let mut text = base.to_owned();
    let marks: String = found.marks.iter().take_while(|mark| **mark != 0).map(|mark| *mark as char).collect();
    if !text.is_empty() && !marks.is_empty() {
        text.push(' ');
        text.push_str(&marks);
    }
    text
}

/// Follows a declarator to its name.
pub(super) fn declared(node: Node<'_>) -> Option<Declared<'_>> {
    let mut found = Declared { name: node, function: None, any_function: None, value: None, marks: [0; 4] };
    let mut node = node;
    for _ in 0..DEPTH {
        let next = match node.kind() {
            "init_declarator" => {
                found.value = node.field("value");
                node.field("declarator")
            }
            "pointer_declarator" | "reference_declarator" | "array_declarator" | "pointer_type_declarator" => {
                found.function = None;
                let mark = match node.kind() {
                    "array_declarator" => 0,
                    "reference_declarator" => b'&',
                    _ => b'*',
                };
                if let Some(free) = found.marks.iter_mut().find(|mark| **mark == 0) {
                    *free = mark;
                }
                last_declarator(node)
            }
            "function_declarator" => {
                found.function = Some(node);
                found.any_function = Some(node);
                let inner = node.field("declarator");
                // `T * __attribute__((x)) f(void)` is read as a function named `__attribute__` that is followed by a call.
                let call = node
                    .named_child(node.named_child_count().saturating_sub(1) as u32)
                    .filter(|last| last.kind() == "call_expression");
                match (inner, call) {
                    (Some(inner), Some(call)) if inner.kind() == "identifier" => call.field("function").or(Some(inner)),
                    (inner, _) => inner,
                }
            }
            "parenthesized_declarator" | "attributed_declarator" | "variadic_declarator" => last_declarator(node),
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "operator_name"
            | "destructor_name"
            | "template_function"
            | "structured_binding_declarator"
            | "primitive_type" => {
                found.name = node;
                return Some(found);
            }
            "operator_cast" => {
                found.name = node;
                found.function = node.field("declarator");
                found.any_function = found.function;
                return Some(found);
            }
            _ => return None,
        };
        node = next?;
    }
    None
}

fn last_declarator(node: Node<'_>) -> Option<Node<'_>> {
    node.field("declarator").or_else(|| {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .filter(|child| {
                child.kind().ends_with("declarator") || child.kind().ends_with("identifier") || child.kind() == "operator_name"
            })
            .last()
    })
}

/// The last segment of a qualified name, and the name before it.
pub(super) fn split_qualified(node: Node<'_>) -> (Node<'_>, Option<Node<'_>>) {
    let mut name = node;
    let mut scope = None;
    for _ in 0..DEPTH {
        if name.kind() != "qualified_identifier" {
            break;
        }
        let Some(inner) = name.field("name") else { break };
        scope = name.field("scope").or(scope);
        name = inner;
    }
    (name, scope)
}

/// The bare identifier in a name that may carry template arguments.
pub(super) fn bare(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "template_type" | "template_function" | "template_method" => node.field("name").unwrap_or(node),
        "dependent_name" | "dependent_type" => node.named_child(0).map_or(node, bare_once),
        _ => node,
    }
}

fn bare_once(node: Node<'_>) -> Node<'_> {
    node.field("name").unwrap_or(node)
}
