//! Groovy, as far as its grammar reads it.

use super::{BASE, call, import, named};

use crate::facts::model::Kind;
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::{Language, common};

/// Groovy.
pub(in crate::lang) static GROOVY: Language = Language {
    name: "groovy",
    extensions: &["groovy", "gradle", "gvy"],
    file_names: &["Jenkinsfile"],
    implicit_self: true,
    grammar: || tree_sitter_groovy::LANGUAGE.into(),
    table: &[
        ("import_declaration", Hook(|walker, node| node.named_child(0).into_iter().for_each(|name| import(walker, name)))),
        ("class_declaration", Hook(|walker, node| named(walker, node, Kind::Class))),
        ("interface_declaration", Hook(|walker, node| named(walker, node, Kind::Interface))),
        ("enum_declaration", Hook(|walker, node| named(walker, node, Kind::Enum))),
        ("method_declaration", Hook(|walker, node| named(walker, node, Kind::Method))),
        ("constructor_declaration", Hook(|walker, node| named(walker, node, Kind::Constructor))),
        ("function_definition", Hook(|walker, node| named(walker, node, Kind::Function))),
        (
            "field_declaration",
            Hook(|walker, node| {
                let name = node.field("declarator").and_then(|one| one.field("name"));
                super::define(walker, node, Kind::Field, name, None);
            }),
        ),
        (
            "method_invocation",
            Hook(|walker, node| {
                let args = node.field("arguments").map(common::arg_count);
                let name = node.field("name");
                match (node.field("object"), name) {
                    (Some(object), Some(name)) => {
                        let before = walker.expr(crate::facts::model::ExprKind::Unknown, "", crate::facts::model::NONE, object);
                        let usage = walker.result_use();
                        walker.call(name, before, args, usage);
                        walker.visit_children_except(node, &[Some(name)]);
                    }
                    _ => call(walker, node, name, &["identifier"], args),
                }
            }),
        ),
    ],
    ..BASE
};

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn classes_and_calls() {
        check_facts(
            "groovy",
            r"
import a.b.C;
//     ^ import a.b.C||
class Foo extends Bar {
//    ^ def class Foo
  int x = 1;
  //  ^ def field Foo.x
  def run(int a) { helper(a); other.go(); }
  //  ^ def method Foo.run
  //               ^ call helper
  //                                ^ call ?.go
  void helper(int a) { }
  //   ^ def method Foo.helper
}
",
        );
    }
}
