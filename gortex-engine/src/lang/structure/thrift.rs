//! Thrift: types, services and their functions.

use tree_sitter::Node;

use super::{BASE, child, import, titled};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::{Hook, Skip};
use crate::lang::Language;
use crate::lang::nodes::named_children;

/// Thrift.
pub(in crate::lang) static THRIFT: Language = Language {
    name: "thrift",
    extensions: &["thrift"],
    grammar: || arborium_thrift::language().into(),
    table: &[
        ("include_statement", Hook(|walker, node| child(node, &["string"]).into_iter().for_each(|path| import(walker, path)))),
        ("const_definition", Hook(|walker, node| titled(walker, node, Kind::Constant, &["identifier"], ""))),
        ("typedef_definition", Hook(|walker, node| titled(walker, node, Kind::TypeAlias, &["typedef_identifier"], ""))),
        ("enum_definition", Hook(enumeration)),
        ("struct_definition", Hook(|walker, node| titled(walker, node, Kind::Struct, &["identifier"], "field"))),
        ("exception_definition", Hook(|walker, node| titled(walker, node, Kind::Struct, &["identifier"], "field"))),
        ("union_definition", Hook(|walker, node| titled(walker, node, Kind::Union, &["identifier"], "field"))),
        ("service_definition", Hook(|walker, node| titled(walker, node, Kind::Service, &["identifier"], "function_definition"))),
        ("function_definition", Hook(function)),
        ("field", Hook(field)),
        ("parameters", Skip),
    ],
    ..BASE
};

fn enumeration(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut names = named_children(node).into_iter().filter(|part| part.kind() == "identifier");
    let Some(name) = names.next() else { return };
    let def = walker.define(NewDef::new(Kind::Enum, node, name));
    walker.in_def(def, |walker| {
        for name in names {
            walker.define(NewDef::new(Kind::EnumMember, name, name));
        }
    });
}

fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child(node, &["identifier"]) {
        walker.define(NewDef::new(Kind::Method, node, name));
    }
}

fn field(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child(node, &["identifier"]) {
        let def = walker.define(NewDef::new(Kind::Field, node, name));
        if let Some(said) = child(node, &["type"]) {
            let text = walker.intern(walker.text(said));
            walker.def_mut(def).ty = text;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn types_and_services() {
        check_facts(
            "thrift",
            r#"
include "shared.thrift"
//      ^ import shared.thrift||
const i32 LIMIT = 10
//        ^ def constant LIMIT
enum Color { RED = 1, GREEN }
//   ^ def enum Color
//           ^ def enum_member Color.RED
//                    ^ def enum_member Color.GREEN
struct User { 1: required Id id }
//     ^ def struct User
//                           ^ def field User.id
service Svc extends shared.Base {
//      ^ def service Svc
  User get(1: Id id),
//     ^ def method Svc.get
}
"#,
        );
    }
}
