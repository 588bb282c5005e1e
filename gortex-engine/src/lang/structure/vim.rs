//! Vim script: functions, commands and what calls them.

use tree_sitter::Node;

use super::{BASE, call, child, define, import, include};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::Language;
use crate::lang::common::Fields as _;

/// Vim script.
pub(in crate::lang) static VIM: Language = Language {
    name: "vim",
    extensions: &["vim", "vimrc"],
    file_names: &[".vimrc", "vimrc", "_vimrc", ".gvimrc", ".exrc"],
    line_comment: "\"",
    grammar: || arborium_vim::language().into(),
    table: &[
        ("function_definition", Hook(function)),
        ("command_statement", Hook(|walker, node| define(walker, node, Kind::Function, node.field("name"), None))),
        ("let_statement", Hook(variable)),
        ("source_statement", Hook(|walker, node| node.field("file").into_iter().for_each(|path| include(walker, path)))),
        (
            "runtime_statement",
            Hook(|walker, node| {
                if let Some(list) = child(node, &["filenames"]) {
                    walker.for_children(list, import);
                }
            }),
        ),
        (
            "call_expression",
            Hook(|walker, node| {
                let args = node.named_child_count().saturating_sub(1);
                call(walker, node, node.field("function"), &["identifier", "scoped_identifier"], Some(args));
            }),
        ),
    ],
    ..BASE
};

fn function(walker: &mut Walker<'_>, node: Node<'_>) {
    let head = child(node, &["function_declaration"]);
    let Some(name) = head.and_then(|head| head.field("name")) else { return walker.visit_children(node) };
    let def = walker.define(NewDef::new(Kind::Function, node, name).body(child(node, &["body"])));
    walker.in_def(def, |walker| walker.visit_children_except(node, &[head]));
}

/// Names of the script and of the editor; what a function keeps is its own.
fn variable(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.named_child(0).filter(|name| matches!(name.kind(), "identifier" | "scoped_identifier")) {
        Some(name) if !walker.in_function() || walker.text(name).starts_with("g:") => {
            walker.define(NewDef::new(Kind::Variable, node, name));
            walker.visit_children_except(node, &[Some(name)]);
        }
        _ => walker.visit_children(node),
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn functions_and_calls() {
        check_facts(
            "vim",
            r#"
let g:limit = 10
"   ^ def variable g:limit
function! s:Helper(x) abort
"         ^ def function s:Helper
  call foo#bar#Run(a:x)
"      ^ call foo#bar#Run
  let y = 2
endfunction
command! -nargs=1 Foo call MyRun(<args>)
"                 ^ def function Foo
autocmd BufRead * call s:Helper(1)
"                      ^ call s:Helper
source other.vim
"      ^ import other.vim||
"#,
        );
    }
}
