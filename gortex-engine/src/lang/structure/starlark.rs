//! Starlark: build files of Bazel and Buck. A call at the top with a `name` makes a target of that name.

use tree_sitter::Node;

use super::{BASE, call, child, named};
use crate::facts::model::{Kind, NONE, import_flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::{Language, common};

/// Starlark.
pub(in crate::lang) static STARLARK: Language = Language {
    name: "starlark",
    extensions: &["bzl", "bazel", "star", "sky"],
    file_names: &["BUILD", "WORKSPACE", "BUCK", "Tiltfile"],
    line_comment: "#",
    grammar: || tree_sitter_starlark::LANGUAGE.into(),
    table: &[
        ("function_definition", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("parameters", Hook(parameters)),
        ("assignment", Hook(assignment)),
        ("call", Hook(invoked)),
    ],
    ..BASE
};

fn parameters(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, part| {
        let name = if part.kind() == "identifier" { Some(part) } else { part.field("name") };
        if let Some(name) = name {
            walker.bind(name, None, NONE, name.start_byte());
        }
        walker.visit(part);
    });
}

fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("left").filter(|name| name.kind() == "identifier") {
        if walker.in_function() {
            walker.bind(name, None, NONE, name.start_byte());
        } else {
            let constant = !walker.text(name).contains(char::is_lowercase);
            walker.define(NewDef::new(if constant { Kind::Constant } else { Kind::Variable }, node, name));
        }
    }
    walker.visit_children(node);
}

fn invoked(walker: &mut Walker<'_>, node: Node<'_>) {
    let (function, arguments) = (node.field("function"), node.field("arguments"));
    if function.is_some_and(|function| walker.text(function) == "load") {
        if let Some(list) = arguments {
            loaded(walker, list);
        }
        return;
    }
    let args = arguments.map(common::arg_count);
    let top = node.parent().and_then(|statement| statement.parent()).is_some_and(|above| above.kind() == "module");
    match arguments.filter(|_| top).and_then(|list| target_name(walker, list)) {
        Some(name) => {
            let def = walker.define(NewDef::new(Kind::Target, node, name).body(arguments));
            walker.in_def(def, |walker| call(walker, node, function, &["identifier"], args));
        }
        None => call(walker, node, function, &["identifier"], args),
    }
}

/// `load("//a:b.bzl", "x", y = "z")` takes in names one by one.
fn loaded(walker: &mut Walker<'_>, list: Node<'_>) {
    let Some(label) = list.named_child(0).and_then(|text| child(text, &["string_content"])) else { return };
    let module = walker.text(label);
    let mut any = false;
    walker.for_children(list, |walker, part| {
        let value = if part.kind() == "keyword_argument" { part.field("value") } else { Some(part) };
        let name = value.and_then(|value| child(value, &["string_content"])).filter(|name| *name != label);
        let Some(name) = name else { return };
        let (text, alias) = (walker.text(name), part.field("name").map(|alias| walker.text(alias)));
        walker.import(name, module, text, alias.unwrap_or(text), 0);
        any = true;
    });
    if !any {
        walker.import(label, module, "", "", import_flag::MODULE);
    }
}

/// The text of `name = ".."` among arguments.
fn target_name<'t>(walker: &Walker<'_>, arguments: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = arguments.walk();
    let said = arguments.named_children(&mut cursor).find(|argument| {
        argument.kind() == "keyword_argument" && argument.field("name").is_some_and(|name| walker.text(name) == "name")
    })?;
    child(said.field("value")?, &["string_content"])
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn rules_and_targets() {
        check_facts(
            "starlark",
            r#"
load("//tools:defs.bzl", "my_rule")
#                         ^ import //tools:defs.bzl|my_rule|my_rule
LIMIT = 10
# <- def constant LIMIT
def _impl(ctx):
#   ^ def function _impl
    helper(ctx.attr.x)
#   ^ call helper
    native.glob(name = "no target")
#          ^ call ?.glob
cc_library(
# <- call cc_library
    name = "core",
#           ^ def target core
    srcs = ["a.cc"],
)
"#,
        );
    }
}
