//! Idris: types, interfaces and signatures. Application has no node of its own, so that calls are not told.

use super::{BASE, import, named};
use crate::facts::model::Kind;
use crate::lang::Action::{Hook, Skip};
use crate::lang::Language;
use crate::lang::common::Fields as _;
use crate::lang::nodes::child_of_kind;

/// Idris.
pub(in crate::lang) static IDRIS: Language = Language {
    name: "idris",
    extensions: &["idr", "lidr"],
    line_comment: "--",
    grammar: || arborium_idris::language().into(),
    table: &[
        (
            "module",
            Hook(|walker, node| {
                if let Some(name) = node.field("name") {
                    let text = walker.text(name);
                    walker.package(text);
                }
            }),
        ),
        ("import", Hook(|walker, node| node.field("module").into_iter().for_each(|name| import(walker, name)))),
        ("data", Hook(|walker, node| named(walker, node, Kind::Enum))),
        ("record", Hook(|walker, node| named(walker, node, Kind::Record))),
        ("constructor", Hook(|walker, node| named(walker, node, Kind::Constructor))),
        ("record_field", Hook(|walker, node| super::define(walker, node, Kind::Field, child_of_kind(node, "loname"), None))),
        (
            "interface",
            Hook(|walker, node| {
                let name = child_of_kind(node, "interface_head").and_then(|head| head.field("name"));
                super::define(walker, node, Kind::Interface, name, child_of_kind(node, "interface_body"));
            }),
        ),
        ("signature", Hook(|walker, node| named(walker, node, Kind::Function))),
        ("rhs", Skip),
    ],
    ..BASE
};

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn declarations() {
        check_facts(
            "idris",
            r"
module Main
import Data.List
--     ^ import Data.List||
data Shape = Circle Double | Square
--   ^ def enum Shape
record Point where
--     ^ def record Point
  constructor MkPoint
--            ^ def constructor Point.MkPoint
  x : Int
--^ def field Point.x
interface Area a where
--        ^ def interface Area
  area : a -> Int
--^ def method Area.area
helper : Int -> Int
-- <- def function helper
helper x = x + 1
",
        );
    }
}
