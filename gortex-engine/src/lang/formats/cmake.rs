//! CMake: targets, functions, macros and variables, folders and files that are taken in, and mentions of all of these.
//!
//! Targets, functions and macros are known everywhere in a build, so `link` looks them up in the whole repository.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{FORMAT, child, children, link_to, unquote};
use crate::facts::model::{Kind, NONE, Role, import_flag};
use crate::facts::walker::{NewDef, Walker};

/// CMake.
pub(in crate::lang) static CMAKE: Language = Language {
    name: "cmake",
    extensions: &["cmake"],
    file_names: &["CMakeLists.txt"],
    grammar: || tree_sitter_cmake::LANGUAGE.into(),
    table: &[("source_file", Action::Hook(|walker, root| commands(walker, root, 0)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep blocks nest.
const NESTING: usize = 60;
/// Words of `target_link_libraries` and its relatives that name no target.
const WORDS: &[&str] = &["PRIVATE", "PUBLIC", "INTERFACE", "LINK_PRIVATE", "LINK_PUBLIC", "debug", "optimized", "general"];

fn commands(walker: &mut Walker<'_>, node: Node<'_>, depth: usize) {
    for inner in children(node) {
        match inner.kind() {
            "normal_command" => command(walker, inner),
            "function_def" => callable(walker, inner, Kind::Function, "function_command", depth),
            "macro_def" => callable(walker, inner, Kind::Macro, "macro_command", depth),
            _ if depth < NESTING => commands(walker, inner, depth + 1),
            _ => {}
        }
    }
}

fn arguments(node: Node<'_>) -> Vec<Node<'_>> {
    let list = child(node, "argument_list").map(children).unwrap_or_default();
    list.into_iter().filter(|argument| argument.kind() == "argument").collect()
}

fn callable(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind, head: &str, depth: usize) {
    let body = child(node, "body");
    let def = child(node, head).and_then(|head| arguments(head).first().copied()).map(|name| {
        let text = walker.text(name).to_owned();
        walker.define_named(NewDef::new(kind, node, name).body(body), &text)
    });
    super::inside(walker, def, |walker| {
        if let Some(body) = body.filter(|_| depth < NESTING) {
            commands(walker, body, depth + 1);
        }
    });
}

fn command(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(word) = child(node, "identifier") else { return };
    let args = arguments(node);
    let first = args.first().copied();
    let name = walker.text(word).to_ascii_lowercase();
    match name.as_str() {
        "add_library" | "add_executable" | "add_custom_target" => define(walker, node, first, Kind::Target),
        // A variable inside a function or macro is nobody else's.
        "set" | "option" if walker.owner() == NONE => define(walker, node, first, Kind::Variable),
        "project" => define(walker, node, first, Kind::Module),
        "target_link_libraries" | "add_dependencies" => {
            for argument in &args {
                if !WORDS.contains(&walker.text(*argument)) {
                    target(walker, *argument);
                }
            }
        }
        _ if name.starts_with("target_") => first.into_iter().for_each(|argument| target(walker, argument)),
        "add_subdirectory" => {
            if let Some(argument) = first {
                let path = format!("{}/CMakeLists.txt", unquote(walker.text(argument)).trim_end_matches('/'));
                link_to(walker, argument, &path);
            }
        }
        "include" => {
            if let Some(argument) = first {
                let text = unquote(walker.text(argument)).replace("${CMAKE_CURRENT_SOURCE_DIR}/", "./");
                walker.import(argument, &text, "", "", import_flag::MODULE);
            }
        }
        _ => {
            walker.reference_named(word, walker.text(word), Role::Read, NONE);
        }
    }
    for argument in args {
        variables(walker, argument, 0);
    }
}

fn define(walker: &mut Walker<'_>, node: Node<'_>, name: Option<Node<'_>>, kind: Kind) {
    let Some(name) = name else { return };
    let text = unquote(walker.text(name)).to_owned();
    if !text.contains('$') && walker.claim(NONE, kind as u8, &text) {
        walker.define_named(NewDef::new(kind, node, name), &text);
    }
}

fn target(walker: &mut Walker<'_>, argument: Node<'_>) {
    let text = unquote(walker.text(argument)).to_owned();
    if !text.contains('$') {
        walker.reference_named(argument, &text, Role::Read, NONE);
    }
}

fn variables(walker: &mut Walker<'_>, node: Node<'_>, depth: usize) {
    for inner in children(node) {
        if inner.kind() == "variable" {
            walker.reference(inner, Role::Read, NONE);
        } else if depth < NESTING {
            variables(walker, inner, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn targets_functions_and_variables() {
        check_facts(
            "cmake",
            r"
project(foo)
#       ^ def module foo
set(SRC a.c b.c)
#   ^ def variable SRC
add_library(core STATIC ${SRC})
#           ^ def target core
#                         ^ value SRC
target_link_libraries(app PRIVATE core)
#                     ^ value app
#                                 ^ value core
function(my_fn a)
#        ^ def function my_fn
  set(INNER 1)
endfunction()
macro(my_mac)
#     ^ def macro my_mac
endmacro()
my_fn(1 2)
# <- value my_fn
add_subdirectory(sub)
#                ^ import sub/CMakeLists.txt||
include(cmake/x.cmake)
#       ^ import cmake/x.cmake||
",
        );
    }
}
