//! Protocol buffers: messages, fields, enums, services and their calls; types are mentioned by the name as it is written, which
//! `link` looks up by the rules of the language, innermost scope first.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::super::{Action, Hooks, Language};
use super::{FORMAT, child, children, unquote};
use crate::facts::model::{Kind, NONE, Role, import_flag};
use crate::facts::walker::{NewDef, Walker};

/// Protocol buffers.
pub(in crate::lang) static PROTO: Language = Language {
    name: "protobuf",
    extensions: &["proto"],
    line_comment: "//",
    grammar: || tree_sitter_proto::LANGUAGE.into(),
    table: &[("source_file", Action::Hook(|walker, root| body(walker, root, 0)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep messages nest.
const NESTING: usize = 60;

fn body(walker: &mut Walker<'_>, node: Node<'_>, depth: usize) {
    if depth > NESTING {
        return;
    }
    for inner in children(node) {
        match inner.kind() {
            "package" => {
                if let Some(name) = child(inner, "full_ident") {
                    walker.package(walker.text(name));
                }
            }
            "import" => {
                if let Some(path) = inner.field("path") {
                    walker.import(path, unquote(walker.text(path)), "", "", import_flag::MODULE);
                }
            }
            "message" => named(walker, inner, Kind::Struct, "message_name", depth),
            "enum" => named(walker, inner, Kind::Enum, "enum_name", depth),
            "service" => named(walker, inner, Kind::Service, "service_name", depth),
            "rpc" => rpc(walker, inner),
            "field" | "map_field" | "oneof_field" => field(walker, inner),
            "enum_field" => {
                if let Some(name) = child(inner, "identifier") {
                    walker.define(NewDef::new(Kind::EnumMember, inner, name));
                }
            }
            "oneof" | "group" => body(walker, inner, depth + 1),
            "extend" => {
                if let Some(name) = child(inner, "full_ident") {
                    walker.reference(name, Role::Type, NONE);
                }
            }
            _ => {}
        }
    }
}

fn named(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind, name: &str, depth: usize) {
    let Some(name) = child(node, name) else { return };
    let inner = child(node, "message_body").or_else(|| child(node, "enum_body"));
    let first = children(node).into_iter().find(|inner| inner.kind() == "rpc");
    let def = walker.define(NewDef::new(kind, node, name).body(inner.or(first)));
    walker.owned_by(def, |walker| body(walker, inner.unwrap_or(node), depth + 1));
}

fn field(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = child(node, "identifier") else { return };
    let def = walker.define(NewDef::new(Kind::Field, node, name));
    if let Some(ty) = child(node, "type") {
        let text = walker.intern(walker.text(ty));
        walker.def_mut(def).ty = text;
        if let Some(named) = child(ty, "message_or_enum_type") {
            walker.owned_by(def, |walker| {
                walker.reference(named, Role::FieldType, NONE);
            });
        }
    }
}

fn rpc(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = child(node, "rpc_name") else { return };
    let def = walker.define(NewDef::new(Kind::Method, node, name));
    let types = children(node).into_iter().filter(|inner| inner.kind() == "message_or_enum_type");
    walker.owned_by(def, |walker| {
        for (ty, role) in types.zip([Role::ParamType, Role::ReturnType]) {
            walker.reference(ty, role, NONE);
            if role == Role::ReturnType {
                let text = walker.intern(walker.text(ty));
                walker.def_mut(def).ty = text;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn messages_enums_and_services() {
        check_facts(
            "protobuf",
            r#"
package a.b;
import "c/d.proto";
//     ^ import c/d.proto||
message User {
//      ^ def struct User
  string name = 1;
//       ^ def field User.name
  repeated c.d.Org orgs = 2;
//         ^ field c.d.Org
//                 ^ def field User.orgs
  map<string, Inner> m = 3;
//            ^ field Inner
//                   ^ def field User.m
  oneof x { int32 y = 4; }
//                ^ def field User.y
  message Inner { }
//        ^ def struct User.Inner
  enum E { A = 0; }
//     ^ def enum User.E
//         ^ def enum_member User.E.A
}
service Svc { rpc Get (User) returns (stream User) {} }
//      ^ def service Svc
//                ^ def method Svc.Get
//                     ^ parameter_type User
//                                           ^ return_type User
extend User { }
//     ^ type User
"#,
        );
    }
}
