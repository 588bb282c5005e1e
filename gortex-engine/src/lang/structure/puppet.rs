//! Puppet: classes, defined types, functions and the resources they declare.

use tree_sitter::Node;

use super::{BASE, call, child, define};
use crate::facts::model::{Kind, NONE, Role};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::{Language, common};

/// Puppet.
pub(in crate::lang) static PUPPET: Language = Language {
    name: "puppet",
    extensions: &["pp"],
    line_comment: "#",
    grammar: || tree_sitter_puppet::LANGUAGE.into(),
    table: &[
        ("class_definition", Hook(class)),
        ("defined_resource_type", Hook(|walker, node| titled(walker, node, Kind::Class))),
        ("function_declaration", Hook(|walker, node| titled(walker, node, Kind::Function))),
        ("include_statement", Hook(include)),
        ("resource_declaration", Hook(resource)),
        (
            "function_call",
            Hook(|walker, node| {
                let args = common::arg_count(node).saturating_sub(1);
                call(walker, node, node.named_child(0), &["identifier", "class_identifier"], Some(args));
            }),
        ),
    ],
    ..BASE
};

fn titled(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    define(walker, node, kind, child(node, &["class_identifier", "identifier"]), child(node, &["block"]));
}

fn class(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = child(node, &["class_identifier", "identifier"]) else { return walker.visit_children(node) };
    let above = child(node, &["class_inherits"]).and_then(|part| part.named_child(0));
    let def = walker.define(NewDef::new(Kind::Class, node, name).body(child(node, &["block"])));
    if let Some(above) = above {
        let text = walker.text(above);
        walker.supertype(def, "", above, text, Role::Extends, false);
    }
    walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
}

fn include(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, class| {
        if matches!(class.kind(), "class_identifier" | "identifier") {
            walker.reference(class, Role::Instantiate, NONE);
        }
    });
}

/// `file { '/etc/x': .. }` is a resource of that title.
fn resource(walker: &mut Walker<'_>, node: Node<'_>) {
    let title = node.field("title").and_then(|title| child(title, &["string_content"]));
    let Some(title) = title else { return walker.visit_children(node) };
    let def = walker.define(NewDef::new(Kind::Resource, node, title));
    if let Some(said) = node.field("type") {
        let text = walker.intern(walker.text(said));
        walker.def_mut(def).ty = text;
    }
    walker.in_def(def, |walker| walker.visit_children(node));
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn classes_and_resources() {
        check_facts(
            "puppet",
            r"
class apache::server (String $port = '80') inherits apache::base {
#     ^ def class apache::server
#                                                   ^ extends apache::server apache::base
  include apache::ssl
#         ^ instantiate apache::ssl
  file { '/etc/x': ensure => present }
#         ^ def resource apache::server./etc/x
  notice(helper($x))
# ^ call notice
#        ^ call helper
}
define apache::vhost ($docroot) { }
#      ^ def class apache::vhost
function apache::f(Integer $a) >> Integer { $a }
#        ^ def function apache::f
",
        );
    }
}
