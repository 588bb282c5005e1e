//! Apex, the language of Salesforce: classes, their members, triggers.

use tree_sitter::Node;

use super::{BASE, named};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Visibility, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::nodes::child_of_kind;
use crate::lang::{Language, common};

/// Apex.
pub(in crate::lang) static APEX: Language = Language {
    name: "apex",
    extensions: &["cls", "apex", "trigger"],
    implicit_self: true,
    grammar: || tree_sitter_sfapex::apex::LANGUAGE.into(),
    table: &[
        ("class_declaration", Hook(|walker, node| class(walker, node, Kind::Class))),
        ("interface_declaration", Hook(|walker, node| class(walker, node, Kind::Interface))),
        ("enum_declaration", Hook(|walker, node| named(walker, node, Kind::Enum))),
        ("enum_constant", Hook(|walker, node| named(walker, node, Kind::EnumMember))),
        ("trigger_declaration", Hook(|walker, node| named(walker, node, Kind::Trigger))),
        ("field_declaration", Hook(field)),
        ("constructor_declaration", Hook(|walker, node| member(walker, node, Kind::Constructor))),
        ("method_declaration", Hook(|walker, node| member(walker, node, Kind::Method))),
        ("formal_parameter", Hook(bound)),
        ("local_variable_declaration", Hook(|walker, node| walker.visit_children(node))),
        ("variable_declarator", Hook(bound)),
        ("method_invocation", Hook(invoked)),
        ("object_creation_expression", Hook(created)),
    ],
    ..BASE
};

fn class(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let test = if modified(walker, node, "istest") { flag::TEST } else { 0 };
    let def = walker.define(NewDef::new(kind, node, name).body(node.field("body")).flags(test));
    for (part, role) in [("superclass", Role::Extends), ("interfaces", Role::Implements)] {
        let list = node.child_by_field_name(part).map(|list| child_of_kind(list, "type_list").unwrap_or(list));
        if let Some(list) = list {
            walker.for_children(list, |walker, above| {
                let text = walker.text(above);
                walker.supertype(def, "", above, text, role, false);
            });
        }
    }
    walker.in_def(def, |walker| walker.visit_field(node, "body"));
}

/// Whether a modifier or annotation of a declaration has this word; Apex knows no case.
fn modified(walker: &Walker<'_>, node: Node<'_>, word: &str) -> bool {
    child_of_kind(node, "modifiers")
        .is_some_and(|list| walker.text(list).split(|c: char| !c.is_alphanumeric()).any(|part| part.eq_ignore_ascii_case(word)))
}

fn visibility(walker: &Walker<'_>, node: Node<'_>) -> Visibility {
    let said = |word| modified(walker, node, word);
    match () {
        () if said("public") || said("global") => Visibility::Public,
        () if said("protected") => Visibility::Protected,
        () => Visibility::Private,
    }
}

fn field(walker: &mut Walker<'_>, node: Node<'_>) {
    let kind = if child_of_kind(node, "accessor_list").is_some() { Kind::Property } else { Kind::Field };
    let visibility = visibility(walker, node);
    let declarator = node.field("declarator");
    let Some(name) = declarator.and_then(|declarator| declarator.field("name")) else { return walker.visit_children(node) };
    let def = walker.define(NewDef::new(kind, node, name).visibility(visibility));
    if let Some(said) = node.field("type") {
        let text = walker.intern(walker.text(said));
        walker.def_mut(def).ty = text;
    }
    walker.in_def(def, |walker| {
        if let Some(value) = declarator.and_then(|declarator| declarator.field("value")) {
            walker.visit(value);
        }
    });
}

fn member(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let test = if modified(walker, node, "istest") || modified(walker, node, "testmethod") { flag::TEST } else { 0 };
    let visibility = visibility(walker, node);
    let new = NewDef::new(kind, node, name).body(node.field("body")).visibility(visibility).flags(test);
    let def = walker.define(new);
    walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
}

fn bound(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        let said = node.field("type").map(|said| walker.text(said));
        walker.bind(name, said, NONE, name.start_byte());
    }
    walker.visit_field(node, "value");
}

fn invoked(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        let before = match node.field("object") {
            Some(object) => walker.expr(ExprKind::Unknown, "", NONE, object),
            None => NONE,
        };
        let usage = walker.result_use();
        walker.call(name, before, node.field("arguments").map(common::arg_count), usage);
    }
    walker.visit_children(node);
}

fn created(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(said) = node.field("type").filter(|said| said.kind() == "type_identifier") {
        let reference = walker.reference(said, Role::Instantiate, NONE);
        let usage = walker.result_use();
        walker.call_detail(reference, node.field("arguments").map(common::arg_count), usage);
    }
    walker.visit_children(node);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn classes_and_calls() {
        check_facts(
            "apex",
            r"
public with sharing class Foo extends Bar implements Baz {
//                        ^ def class Foo
//                                    ^ extends Foo Bar
//                                                   ^ implements Foo Baz
    private static final Integer LIMIT_X = 10;
//                               ^ def field Foo.LIMIT_X
    public String name { get; set; }
//                ^ def property Foo.name
    public Foo(Integer x) { }
//         ^ def constructor Foo.Foo
    public static void run(Integer a) {
//                     ^ def method Foo.run
        helper(a);
//      ^ call helper
        Util.go(new Acc(1));
//           ^ call ?.go
//                  ^ instantiate Acc
    }
    enum Color { RED }
//       ^ def enum Foo.Color
//               ^ def enum_member Foo.Color.RED
}
",
        );
    }
}
