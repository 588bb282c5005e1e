//! VHDL: entities, architectures, subprograms, processes. Names are told without case.

use super::{BASE, child, define};

use crate::facts::model::Kind;
use crate::lang::Action::Hook;
use crate::lang::Language;
use crate::lang::common::Fields as _;

/// VHDL.
pub(in crate::lang) static VHDL: Language = Language {
    name: "vhdl",
    extensions: &["vhd", "vhdl"],
    line_comment: "--",
    grammar: || tree_sitter_vhdl::LANGUAGE.into(),
    table: &[
        ("entity_declaration", Hook(|walker, node| define(walker, node, Kind::Class, node.field("entity"), None))),
        (
            "architecture_definition",
            Hook(|walker, node| {
                define(walker, node, Kind::Module, node.field("architecture"), child(node, &["concurrent_block"]));
            }),
        ),
        (
            "subprogram_definition",
            Hook(|walker, node| {
                let head = child(node, &["function_specification", "procedure_specification"]);
                let name = head.and_then(|head| head.field("function").or_else(|| head.field("procedure")));
                define(walker, node, Kind::Function, name, child(node, &["sequential_block"]));
            }),
        ),
        (
            "process_statement",
            Hook(|walker, node| {
                let name = child(node, &["label_declaration"]).and_then(|label| label.named_child(0));
                define(walker, node, Kind::Function, name, child(node, &["sequential_block"]));
            }),
        ),
    ],
    ..BASE
};

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn units_and_subprograms() {
        check_facts(
            "vhdl",
            r"
entity adder is
--     ^ def class adder
end entity;
architecture rtl of adder is
--           ^ def module rtl
  function helper(x : integer) return integer is begin return x; end function;
  --       ^ def function rtl.helper
begin
  p: process(a) begin t <= a; end process;
  --<- def function rtl.p
end architecture;
",
        );
    }
}
