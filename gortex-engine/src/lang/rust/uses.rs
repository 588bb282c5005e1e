//! `use` trees and `extern crate`: one import row per leaf.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::items;
use crate::facts::model::import_flag;
use crate::facts::walker::Walker;

/// `use a::{b, c as d, e::*, self};`
pub(super) fn use_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let flags = if items::has_visibility(node) { import_flag::REEXPORT } else { 0 };
    if let Some(argument) = node.field("argument") {
        let mut prefix = Vec::new();
        leaf(walker, argument, &mut prefix, flags);
    }
}

/// `extern crate a as b;`
pub(super) fn extern_crate(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return };
    let reexport = if items::has_visibility(node) { import_flag::REEXPORT } else { 0 };
    let alias = node.field("alias").map_or(walker.text(name), |alias| walker.text(alias));
    let module = walker.text(name);
    walker.import(name, module, "", alias, import_flag::MODULE | reexport);
}

fn leaf<'a>(walker: &mut Walker<'a>, node: Node<'_>, prefix: &mut Vec<&'a str>, flags: u16) {
    let before = prefix.len();
    match node.kind() {
        "use_list" => walker.visit_with(node, |walker, node| {
            walker.for_children(node, |walker, child| leaf(walker, child, prefix, flags));
        }),
        "scoped_use_list" => {
            if let Some(path) = node.field("path") {
                segments(walker, path, prefix);
            }
            if let Some(list) = node.field("list") {
                leaf(walker, list, prefix, flags);
            }
        }
        "use_wildcard" => {
            let path = node.named_child(0);
            if let Some(path) = path {
                segments(walker, path, prefix);
            }
            let place = path.map_or(node, last_segment);
            walker.import(place, &prefix.join("::"), "", "", flags | import_flag::WILDCARD);
        }
        "use_as_clause" => {
            let Some(path) = node.field("path") else { return };
            let alias = node.field("alias").map_or("", |alias| walker.text(alias));
            // `use Trait as _` brings in the trait's methods under no name.
            name(walker, path, prefix, Some(if alias == "_" { "" } else { alias }), flags);
        }
        "self" | "super" | "crate" | "identifier" | "scoped_identifier" => name(walker, node, prefix, None, flags),
        _ => {}
    }
    prefix.truncate(before);
}

/// One imported name, or the module itself for a last `self`.
fn name<'a>(walker: &mut Walker<'a>, node: Node<'_>, prefix: &mut Vec<&'a str>, alias: Option<&str>, flags: u16) {
    segments(walker, node, prefix);
    let place = last_segment(node);
    if matches!(place.kind(), "self" | "super" | "crate") {
        if place.kind() == "self" && prefix.len() > 1 {
            prefix.pop();
        }
        let own = prefix.last().copied().unwrap_or("");
        walker.import(place, &prefix.join("::"), "", alias.unwrap_or(own), flags | import_flag::MODULE);
        return;
    }
    let Some(last) = prefix.pop() else { return };
    walker.import(place, &prefix.join("::"), last, alias.unwrap_or(last), flags);
}

/// Appends the segments of a path, outermost first.
pub(super) fn segments<'a>(walker: &Walker<'a>, node: Node<'_>, into: &mut Vec<&'a str>) {
    let from = into.len();
    let mut at = Some(node);
    while let Some(node) = at {
        if node.kind() == "scoped_identifier" {
            into.extend(node.field("name").map(|name| walker.text(name)));
            at = node.field("path");
        } else {
            into.push(walker.text(node));
            at = None;
        }
    }
    into[from..].reverse();
}

fn last_segment(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "scoped_identifier" => node.field("name").unwrap_or(node),
        _ => node,
    }
}
