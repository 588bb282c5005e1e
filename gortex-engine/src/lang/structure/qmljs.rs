//! QML: objects with an id, their properties, signals and functions.

use tree_sitter::Node;

use super::{BASE, call, child, define, import, named};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::nodes::named_children;
use crate::lang::{Language, common};

/// QML.
pub(in crate::lang) static QML: Language = Language {
    name: "qml",
    extensions: &["qml"],
    grammar: || tree_sitter_qmljs::LANGUAGE.into(),
    table: &[
        ("ui_import", Hook(|walker, node| node.field("source").into_iter().for_each(|path| import(walker, path)))),
        ("ui_object_definition", Hook(object)),
        ("ui_property", Hook(|walker, node| define(walker, node, Kind::Property, node.field("name"), None))),
        ("ui_signal", Hook(|walker, node| define(walker, node, Kind::Property, node.field("name"), None))),
        ("function_declaration", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("class_declaration", Hook(|walker, node| named(walker, node, Kind::Class))),
        ("method_definition", Hook(|walker, node| named(walker, node, Kind::Method))),
        ("enum_declaration", Hook(enumeration)),
        (
            "call_expression",
            Hook(|walker, node| {
                let args = node.field("arguments").map(common::arg_count);
                call(walker, node, node.field("function"), &["identifier", "property_identifier"], args);
            }),
        ),
    ],
    ..BASE
};

/// An object is known by its `id`, if it has one.
fn object(walker: &mut Walker<'_>, node: Node<'_>) {
    let body = node.field("initializer");
    let id = body
        .into_iter()
        .flat_map(named_children)
        .find(|part| part.kind() == "ui_binding" && part.field("name").is_some_and(|name| walker.text(name) == "id"));
    let name = id.and_then(|id| id.field("value")).and_then(|value| child(value, &["identifier"]));
    let Some(name) = name else { return walker.visit_children(node) };
    let def = walker.define(NewDef::new(Kind::Element, node, name).body(body));
    if let Some(said) = node.field("type_name") {
        let text = walker.intern(walker.text(said));
        walker.def_mut(def).ty = text;
    }
    walker.in_def(def, |walker| walker.visit_children_except(node, &[id]));
}

fn enumeration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return };
    let def = walker.define(NewDef::new(Kind::Enum, node, name).body(node.field("body")));
    walker.in_def(def, |walker| {
        for member in node.field("body").into_iter().flat_map(named_children) {
            if member.kind() == "identifier" {
                walker.define(NewDef::new(Kind::EnumMember, member, member));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn objects_and_calls() {
        check_facts(
            "qml",
            r#"
import QtQuick 2.0
import "util.js" as Util
//     ^ import util.js||
Item {
    id: root
//      ^ def element root
    property int count: 0
//               ^ def property root.count
    signal clicked(int x)
//         ^ def property root.clicked
    function helper(a) { return Util.go(a) }
//           ^ def function root.helper
//                                   ^ call ?.go
    Rectangle {
        onClicked: { helper(2) }
//                   ^ call helper
    }
}
"#,
        );
    }
}
