//! Cap'n Proto: structs, interfaces and their methods.

use tree_sitter::Node;

use super::{BASE, import, titled};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::Language;
use crate::lang::nodes::child_of_kind;

/// Cap'n Proto.
pub(in crate::lang) static CAPNP: Language = Language {
    name: "capnp",
    extensions: &["capnp"],
    line_comment: "#",
    grammar: || arborium_capnp::language().into(),
    table: &[
        ("import_path", Hook(import)),
        ("const", Hook(|walker, node| titled(walker, node, Kind::Constant, &["const_identifier"], ""))),
        ("struct", Hook(|walker, node| titled(walker, node, Kind::Struct, &["type_identifier"], "field"))),
        ("enum", Hook(|walker, node| titled(walker, node, Kind::Enum, &["enum_identifier"], "enum_field"))),
        ("enum_field", Hook(|walker, node| titled(walker, node, Kind::EnumMember, &["enum_member"], ""))),
        ("interface", Hook(|walker, node| titled(walker, node, Kind::Interface, &["type_identifier"], "method"))),
        ("method", Hook(|walker, node| titled(walker, node, Kind::Method, &["method_identifier"], ""))),
        ("field", Hook(field)),
        ("union_field", Hook(field)),
        ("annotation", Hook(|walker, node| titled(walker, node, Kind::Annotation, &["annotation_definition_identifier"], ""))),
    ],
    ..BASE
};

/// A field; what nests in a struct without a name of its own is a struct, an enumeration or a choice.
fn field(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child_of_kind(node, "field_identifier") {
        walker.define(NewDef::new(Kind::Field, node, name));
    } else {
        walker.visit_children(node);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn structs_and_interfaces() {
        check_facts(
            "capnp",
            r#"
@0xdbb9ad1f14bf0b36;
using Other = import "other.capnp";
#                    ^ import other.capnp||
const limit :Int32 = 10;
#     ^ def constant limit
struct Person {
#      ^ def struct Person
  id @0 :UInt32;
# ^ def field Person.id
  union { a @2 :Void; }
#         ^ def field Person.a
  enum Kind { home @0; }
#      ^ def enum Person.Kind
#             ^ def enum_member Person.Kind.home
}
interface Svc { get @0 (id :UInt32) -> (p :Person); }
#         ^ def interface Svc
#               ^ def method Svc.get
"#,
        );
    }
}
