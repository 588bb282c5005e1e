//! GraphQL: types with their fields, operations, fragments and directives, and mentions of types.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{FORMAT, child, children};
use crate::facts::model::{Kind, NONE, Role, flag};
use crate::facts::walker::{NewDef, Walker};

/// GraphQL.
pub(in crate::lang) static GRAPHQL: Language = Language {
    name: "graphql",
    extensions: &["graphql", "gql", "graphqls"],
    grammar: || tree_sitter_graphql::LANGUAGE.into(),
    table: &[("source_file", Action::Hook(|walker, root| inner_nodes(walker, root, 0)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep selections nest.
const NESTING: usize = 100;
/// What the language itself offers.
const BUILTIN: &[&str] = &["Int", "Float", "String", "Boolean", "ID"];

fn inner_nodes(walker: &mut Walker<'_>, node: Node<'_>, depth: usize) {
    if depth < NESTING {
        for inner in children(node) {
            visit(walker, inner, depth + 1);
        }
    }
}

fn visit(walker: &mut Walker<'_>, node: Node<'_>, depth: usize) {
    let kind = match node.kind() {
        "object_type_definition" => Kind::Class,
        "interface_type_definition" => Kind::Interface,
        "union_type_definition" => Kind::Union,
        "enum_type_definition" => Kind::Enum,
        "input_object_type_definition" => Kind::Struct,
        "scalar_type_definition" => Kind::TypeAlias,
        "directive_definition" => Kind::Annotation,
        "operation_definition" | "fragment_definition" => Kind::Function,
        "field_definition" => Kind::Field,
        "input_value_definition" if walker.owner_kind() == Some(Kind::Struct) => Kind::Field,
        "enum_value_definition" => Kind::EnumMember,
        "named_type" => return named_type(walker, node),
        "fragment_spread" => return fragment(walker, node),
        // An extension adds fields to a type that is declared elsewhere.
        kind if kind.ends_with("_extension") => {
            if let Some(name) = child(node, "name") {
                walker.reference(name, Role::Type, NONE);
            }
            return inner_nodes(walker, node, depth);
        }
        // Fields that an operation selects are mentions whose type is not known here.
        "arguments" | "description" | "comment" | "directives" => return,
        _ => return inner_nodes(walker, node, depth),
    };
    let holder = child(node, "fragment_name").or_else(|| child(node, "enum_value")).unwrap_or(node);
    let Some(name) = child(holder, "name") else { return inner_nodes(walker, node, depth) };
    let body = ["fields_definition", "enum_values_definition", "input_fields_definition", "selection_set"];
    let body = body.iter().find_map(|kind| child(node, kind));
    let def = walker.define(NewDef::new(kind, node, name).body(body).flags(flag::EXPORTED));
    if let Some(text) = child(node, "description") {
        let text = walker.text(text).trim_matches('"').trim();
        walker.doc_inside(def, text);
    }
    walker.owned_by(def, |walker| inner_nodes(walker, node, depth));
}

fn named_type(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child(node, "name").filter(|name| !BUILTIN.contains(&walker.text(*name))) {
        let role = if walker.owner_kind() == Some(Kind::Field) { Role::FieldType } else { Role::Type };
        walker.reference(name, role, NONE);
    }
}

fn fragment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child(node, "fragment_name").and_then(|holder| child(holder, "name")) {
        walker.reference(name, Role::Read, NONE);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn types_fields_and_operations() {
        check_facts(
            "graphql",
            r#"
type User implements Node @key(fields: "id") {
#    ^ def class User
#                    ^ type Node
  friends(first: Int = 1): [User!]!
# ^ def field User.friends
#                           ^ field User
}
interface Node { id: ID! }
#         ^ def interface Node
#                ^ def field Node.id
enum Role { ADMIN }
#    ^ def enum Role
#           ^ def enum_member Role.ADMIN
union U = User | Post
#     ^ def union U
#         ^ type User
#                ^ type Post
scalar Date
#      ^ def type_alias Date
input In { a: Role }
#     ^ def struct In
#          ^ def field In.a
#             ^ field Role
extend type User { x: Date }
#           ^ type User
#                  ^ def field x
#                     ^ field Date
query GetUser($id: ID!) { user(id: $id) { ...F } }
#     ^ def function GetUser
#                                            ^ value F
fragment F on User { id }
#        ^ def function F
#             ^ type User
directive @key(fields: String) on OBJECT
#          ^ def annotation key
"#,
        );
    }
}
