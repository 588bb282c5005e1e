//! Solidity: contracts and what stands in them.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{BASE, call, child, include, named};
use crate::facts::model::{Kind, Role, Visibility, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::Language;

/// Solidity.
pub(in crate::lang) static SOLIDITY: Language = Language {
    name: "solidity",
    extensions: &["sol"],
    implicit_self: true,
    grammar: || tree_sitter_solidity::LANGUAGE.into(),
    table: &[
        ("import_directive", Hook(import_directive)),
        ("contract_declaration", Hook(|walker, node| contract(walker, node, Kind::Class))),
        ("interface_declaration", Hook(|walker, node| contract(walker, node, Kind::Interface))),
        ("library_declaration", Hook(|walker, node| contract(walker, node, Kind::Class))),
        ("state_variable_declaration", Hook(|walker, node| named(walker, node, Kind::Field))),
        ("struct_declaration", Hook(|walker, node| named(walker, node, Kind::Struct))),
        ("struct_member", Hook(|walker, node| named(walker, node, Kind::Field))),
        ("enum_declaration", Hook(|walker, node| named(walker, node, Kind::Enum))),
        (
            "enum_value",
            Hook(|walker, node| {
                walker.define(NewDef::new(Kind::EnumMember, node, node));
            }),
        ),
        ("event_definition", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("error_declaration", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("modifier_definition", Hook(|walker, node| named(walker, node, Kind::Method))),
        ("function_definition", Hook(function)),
        ("modifier_invocation", Hook(modifier)),
        ("call_expression", Hook(|walker, node| invoked(walker, node, "function"))),
        ("emit_statement", Hook(|walker, node| invoked(walker, node, "name"))),
    ],
    ..BASE
};

/// Without names all of a file is taken in, with names those alone.
fn import_directive(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(source) = node.field("source") else { return };
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> = node.children_by_field_name("import_name", &mut cursor).collect();
    if names.is_empty() {
        return include(walker, source);
    }
    let module = walker.text(source).trim_matches(['"', '\'']);
    for name in names {
        let alias = name.next_named_sibling().filter(|_| name.next_sibling().is_some_and(|word| word.kind() == "as"));
        let (text, alias) = (walker.text(name), alias.map(|alias| walker.text(alias)));
        walker.import(name, module, text, alias.unwrap_or(text), 0);
    }
}

fn contract(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let def = walker.define(NewDef::new(kind, node, name).body(body));
    walker.for_children(node, |walker, part| {
        if part.kind() == "inheritance_specifier"
            && let Some(above) = part.field("ancestor")
        {
            let text = walker.text(above);
            walker.supertype(def, "", above, text, Role::Extends, false);
        }
    });
    walker.in_def(def, |walker| walker.visit_field(node, "body"));
}

fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let visibility = match child(node, &["visibility"]).map(|said| walker.text(said)) {
        Some("public" | "external") => Visibility::Public,
        Some("internal") => Visibility::Protected,
        Some("private") => Visibility::Private,
        _ => Visibility::Unknown,
    };
    let kind = if walker.owner_kind().is_some_and(Kind::is_type) { Kind::Method } else { Kind::Function };
    let declaration = if body.is_none() { flag::DECLARATION } else { 0 };
    let def = walker.define(NewDef::new(kind, node, name).body(body).visibility(visibility).flags(declaration));
    walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
}

fn modifier(walker: &mut Walker<'_>, node: Node<'_>) {
    call(walker, node, child(node, &["identifier"]), &["identifier"], None);
}

fn invoked(walker: &mut Walker<'_>, node: Node<'_>, field: &str) {
    let mut cursor = node.walk();
    let args = node.named_children(&mut cursor).filter(|part| part.kind() == "call_argument").count();
    call(walker, node, node.child_by_field_name(field), &["identifier"], Some(args));
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn contracts_and_calls() {
        check_facts(
            "solidity",
            r#"
import "./B.sol";
//     ^ import ./B.sol||
contract Foo is B {
//       ^ def class Foo
//              ^ extends Foo B
  uint public count;
  //          ^ def field Foo.count
  event Moved(uint x);
  //    ^ def method Foo.Moved
  modifier onlyOwner() { _; }
  //       ^ def method Foo.onlyOwner
  function run(uint x) external onlyOwner { helper(x); emit Moved(x); b.go(); }
  //       ^ def method Foo.run
  //                            ^ call onlyOwner
  //                                        ^ call helper
  //                                                        ^ call Moved
  //                                                                    ^ call ?.go
  enum C { Red }
  //   ^ def enum Foo.C
  //       ^ def enum_member Foo.C.Red
}
"#,
        );
    }
}
