//! Objective-C: classes, protocols, methods by their first selector part, messages.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{BASE, call, child, declared, define, import};
use crate::facts::model::{ExprKind, Kind, NONE, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::{Language, common};

/// Objective-C.
pub(in crate::lang) static OBJC: Language = Language {
    name: "objc",
    extensions: &["m", "mm"],
    implicit_self: false,
    grammar: || tree_sitter_objc::LANGUAGE.into(),
    table: &[
        ("preproc_include", Hook(|walker, node| node.field("path").into_iter().for_each(|path| import(walker, path)))),
        ("preproc_def", Hook(|walker, node| super::named(walker, node, Kind::Macro))),
        ("protocol_declaration", Hook(|walker, node| define(walker, node, Kind::Interface, child(node, &["identifier"]), None))),
        ("class_interface", Hook(|walker, node| define(walker, node, Kind::Class, child(node, &["identifier"]), None))),
        ("class_implementation", Hook(|walker, node| define(walker, node, Kind::Class, child(node, &["identifier"]), None))),
        ("property_declaration", Hook(property)),
        ("method_declaration", Hook(|walker, node| method(walker, node, flag::DECLARATION))),
        ("method_definition", Hook(|walker, node| method(walker, node, 0))),
        ("struct_specifier", Hook(|walker, node| super::named(walker, node, Kind::Struct))),
        ("function_definition", Hook(|walker, node| define(walker, node, Kind::Function, declared(node), node.field("body")))),
        ("message_expression", Hook(message)),
        (
            "call_expression",
            Hook(|walker, node| {
                let args = node.field("arguments").map(common::arg_count);
                call(walker, node, node.field("function"), &["identifier", "field_identifier"], args);
            }),
        ),
    ],
    ..BASE
};

fn property(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut at = child(node, &["struct_declaration"]).and_then(|inner| child(inner, &["struct_declarator"]));
    for _ in 0..4 {
        if at.is_some_and(|at| at.kind() != "identifier") {
            at = at.and_then(|at| at.named_child(0));
        }
    }
    define(walker, node, Kind::Property, at, None);
}

fn method(walker: &mut Walker<'_>, node: Node<'_>, flags: u16) {
    let Some(name) = child(node, &["identifier"]) else { return walker.visit_children(node) };
    let is_static = if walker.text(node).starts_with('+') { flag::STATIC } else { 0 };
    let body = child(node, &["compound_statement"]);
    let def = walker.define(NewDef::new(Kind::Method, node, name).body(body).flags(flags | is_static));
    walker.in_def(def, |walker| {
        walker.for_children(node, |walker, part| {
            if part.kind() == "method_parameter"
                && let Some(name) = child(part, &["identifier"])
            {
                walker.bind(name, None, NONE, name.end_byte());
            } else if part.kind() == "compound_statement" {
                walker.visit(part);
            }
        });
    });
}

/// `[receiver name: ..]`: to itself it is a member of the class around, to a capitalised name one of that class.
fn message(walker: &mut Walker<'_>, node: Node<'_>) {
    let (receiver, name) = (node.field("receiver"), node.field("method"));
    if let (Some(receiver), Some(name)) = (receiver, name) {
        let text = walker.text(receiver);
        let before = match text {
            "self" => walker.expr(ExprKind::SelfRef, "", NONE, receiver),
            "super" => walker.expr(ExprKind::Super, "", NONE, receiver),
            _ if receiver.kind() == "identifier" => walker.expr(ExprKind::Name, text, NONE, receiver),
            _ => walker.expr(ExprKind::Unknown, "", NONE, receiver),
        };
        let usage = walker.result_use();
        walker.call(name, before, None, usage);
    }
    walker.visit_children(node);
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn classes_methods_and_messages() {
        check_facts(
            "objc",
            r#"
#import "Foo.h"
//      ^ import Foo.h||
@interface Foo : NSObject
//         ^ def class Foo
@property (nonatomic) int count;
//                        ^ def property Foo.count
+ (Foo *)make;
//       ^ def method Foo.make
@end
@implementation Foo
//              ^ def class Foo
- (void)run:(int)x { [self helper]; helper2(x); [x go]; }
//      ^ def method Foo.run
//                         ^ call self.helper
//                                  ^ call helper2
//                                                 ^ call %x.go
@end
int helper2(int x) { return x; }
//  ^ def function helper2
"#,
        );
    }
}
