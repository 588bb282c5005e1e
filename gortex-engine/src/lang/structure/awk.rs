//! AWK: functions and calls.

use super::{BASE, call, child, include, named};
use crate::facts::model::Kind;
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::{Language, common};

/// AWK.
pub(in crate::lang) static AWK: Language = Language {
    name: "awk",
    extensions: &["awk", "gawk", "mawk"],
    line_comment: "#",
    grammar: || arborium_awk::language().into(),
    table: &[
        ("directive", Hook(|walker, node| child(node, &["string"]).into_iter().for_each(|path| include(walker, path)))),
        ("func_def", Hook(|walker, node| named(walker, node, Kind::Function))),
        (
            "func_call",
            Hook(|walker, node| {
                let args = child(node, &["args"]).map_or(0, common::arg_count);
                call(walker, node, node.field("name"), &["identifier"], Some(args));
            }),
        ),
    ],
    ..BASE
};

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn functions_and_calls() {
        check_facts(
            "awk",
            r#"
@include "util.awk"
#        ^ import util.awk||
function helper(x, y) { return x + y }
#        ^ def function helper
BEGIN { n = helper(1, 2); print (n) }
#           ^ call helper
/helper(1)/ { next }
"#,
        );
    }
}
