//! The fish shell: functions, aliases and the commands they run.

use tree_sitter::Node;

use super::{BASE, call, define, include};
use crate::facts::model::Kind;
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::Language;
use crate::lang::common::Fields as _;
use crate::lang::nodes::named_children;

/// Fish.
pub(in crate::lang) static FISH: Language = Language {
    name: "fish",
    extensions: &["fish"],
    line_comment: "#",
    grammar: || arborium_fish::language().into(),
    table: &[
        ("function_definition", Hook(|walker, node| define(walker, node, Kind::Function, node.field("name"), None))),
        ("command", Hook(command)),
    ],
    ..BASE
};

fn command(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let arguments = &named_children(node)[1..];
    let text = |at: usize| arguments.get(at).map(|argument| walker.text(*argument));
    match (walker.text(name), text(0)) {
        ("source" | ".", Some(_)) => include(walker, arguments[0]),
        ("alias", Some(_)) => {
            walker.define(NewDef::new(Kind::Function, node, arguments[0]));
        }
        ("set", Some(option)) if option.starts_with('-') && option.contains(['g', 'U']) && arguments.len() > 1 => {
            walker.define(NewDef::new(Kind::Variable, node, arguments[1]));
            arguments[2..].iter().for_each(|argument| walker.visit(*argument));
        }
        ("set", _) => walker.visit_children(node),
        _ => call(walker, node, Some(name), &["word"], Some(arguments.len())),
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn functions_and_commands() {
        check_facts(
            "fish",
            r"
source util.fish
#      ^ import util.fish||
set -g LIMIT 10
#      ^ def variable LIMIT
function helper --description 'Doc'
#        ^ def function helper
    git status
#   ^ call git
end
function run
#        ^ def function run
    set -l y (helper 2)
#             ^ call helper
end
alias ll 'ls -l'
#     ^ def function ll
",
        );
    }
}
