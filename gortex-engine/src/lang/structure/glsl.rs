//! GLSL and HLSL: C's shapes without its pointers.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{BASE, call, declared, define, include, named};
use crate::facts::model::Kind;
use crate::facts::walker::Walker;
use crate::lang::Action::Hook;
use crate::lang::{Action, Language, common};

/// GLSL.
pub(in crate::lang) static GLSL: Language = Language {
    name: "glsl",
    extensions: &["glsl", "vert", "frag", "geom", "comp", "tesc", "tese"],
    grammar: || tree_sitter_glsl::LANGUAGE_GLSL.into(),
    table: TABLE,
    ..BASE
};

/// HLSL.
pub(in crate::lang) static HLSL: Language = Language {
    name: "hlsl",
    extensions: &["hlsl", "hlsli", "fx", "fxh", "usf", "ush"],
    grammar: || tree_sitter_hlsl::LANGUAGE_HLSL.into(),
    table: TABLE,
    ..BASE
};

const TABLE: &[(&str, Action)] = &[
    ("preproc_include", Hook(|walker, node| node.field("path").into_iter().for_each(|path| include(walker, path)))),
    ("preproc_def", Hook(|walker, node| named(walker, node, Kind::Macro))),
    ("preproc_function_def", Hook(|walker, node| named(walker, node, Kind::Macro))),
    ("struct_specifier", Hook(|walker, node| named(walker, node, Kind::Struct))),
    ("field_declaration", Hook(|walker, node| define(walker, node, Kind::Field, declared(node), None))),
    ("declaration", Hook(declaration)),
    ("function_definition", Hook(|walker, node| define(walker, node, Kind::Function, declared(node), node.field("body")))),
    (
        "call_expression",
        Hook(|walker, node| {
            let args = node.field("arguments").map(common::arg_count);
            call(walker, node, node.field("function"), &["identifier", "field_identifier"], args);
        }),
    ),
];

/// Outside of functions a variable is worth a definition, inside it is a local.
fn declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    match declared(node) {
        Some(name) if !walker.in_function() => define(walker, node, Kind::Variable, Some(name), None),
        Some(name) => {
            walker.bind(name, None, crate::facts::model::NONE, name.end_byte());
            walker.visit_children_except(node, &[Some(name)]);
        }
        None => walker.visit_children(node),
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn declarations_and_calls() {
        check_facts(
            "glsl",
            r"
uniform vec3 light;
//           ^ def variable light
struct Ray { vec3 o; };
//     ^ def struct Ray
//                ^ def field Ray.o
#define PI 3.14
//      ^ def macro PI
float helper(float x) { return sin(x); }
//    ^ def function helper
//                             ^ call sin
void main() { float y = helper(PI); }
//   ^ def function main
//                      ^ call helper
",
        );
    }
}
