//! `import` and `export`.
//!
//! Knows specifiers as written.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{Outer, Value, classes, defs, first_named, string_text, types, value};
use crate::facts::model::{Kind, NONE, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, strip_comment};

/// The file: its own comment, then everything.
pub(super) fn program(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(first) = node.named_child(0).filter(|first| first.kind() == "comment") {
        let text = walker.text(first);
        let about_file = ["@file", "@module", "@packageDocumentation"].iter().any(|mark| text.contains(mark));
        let apart = first
            .next_named_sibling()
            .is_none_or(|next| next.kind() == "import_statement" || next.start_position().row > first.end_position().row + 1);
        let legal = ["opyright", "icense", "eslint-", "@ts-", "@flow"].iter().any(|mark| text.contains(mark));
        if about_file || (apart && !legal) {
            walker.file_doc(&strip_comment(text));
        }
    }
    walker.visit_children(node);
}

/// `#!/usr/bin/env node`.
pub(super) fn hash_bang(walker: &mut Walker<'_>, _node: Node<'_>) {
    walker.mark_script();
}

/// `if (require.main === module)` marks a file that runs by itself.
pub(super) fn if_statement(walker: &mut Walker<'_>, node: Node<'_>) {
    if walker.owner() == NONE
        && let Some(condition) = node.field("condition").map(|condition| walker.text(condition))
        && condition.len() < 100
        && (condition.contains("require.main") || condition.contains("import.meta.main"))
    {
        walker.mark_script();
    }
    walker.visit_children(node);
}

fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(4).any(|child| !child.is_named() && child.kind() == word)
}

fn type_only(node: Node<'_>) -> u16 {
    if has_word(node, "type") || has_word(node, "typeof") { import_flag::TYPE_ONLY } else { 0 }
}

/// The text of a name, which may be a string.
fn name_text<'a>(walker: &Walker<'a>, node: Node<'_>) -> &'a str {
    if node.kind() == "string" { string_text(walker, node) } else { walker.text(node) }
}

/// `import ...`.
pub(super) fn import_statement(walker: &mut Walker<'_>, node: Node<'_>) {
    let types = type_only(node);
    let source = node.field("source");
    let module = source.map_or("", |source| string_text(walker, source));
    let mut named = false;
    walker.for_children(node, |walker, child| match child.kind() {
        "import_clause" => {
            named = true;
            import_clause(walker, child, source, module, types);
        }
        "import_require_clause" => {
            named = true;
            let (Some(alias), Some(source)) = (first_named(child), child.field("source")) else { return };
            let (alias, module) = (walker.text(alias), string_text(walker, source));
            walker.import(source, module, "", alias, import_flag::MODULE | types);
        }
        _ => {}
    });
    if !named && let Some(source) = source {
        walker.import(source, module, "", "", import_flag::MODULE);
    }
}

fn import_clause(walker: &mut Walker<'_>, clause: Node<'_>, source: Option<Node<'_>>, module: &str, types: u16) {
    walker.for_children(clause, |walker, child| match child.kind() {
        "identifier" => {
            let alias = walker.text(child);
            walker.import(child, module, "default", alias, import_flag::DEFAULT | types);
        }
        "namespace_import" => {
            let Some(alias) = first_named(child) else { return };
            let text = walker.text(alias);
            walker.import(source.unwrap_or(alias), module, "", text, import_flag::MODULE | types);
        }
        "named_imports" => walker.for_children(child, |walker, specifier| {
            let Some(name) = specifier.field("name") else { return };
            let text = name_text(walker, name);
            let alias = specifier.field("alias").map_or(text, |alias| walker.text(alias));
            let default = if text == "default" { import_flag::DEFAULT } else { 0 };
            walker.import(name, module, text, alias, default | types | type_only(specifier));
        }),
        _ => {}
    });
}

/// `import("m")`; says whether the call was one.
pub(super) fn dynamic_import(walker: &mut Walker<'_>, node: Node<'_>) -> bool {
    if node.field("function").is_none_or(|function| function.kind() != "import") {
        return false;
    }
    if let Some(arguments) = node.field("arguments") {
        match first_named(arguments).filter(|first| first.kind() == "string") {
            Some(source) => {
                let module = string_text(walker, source);
                walker.import(source, module, "", "", import_flag::MODULE);
            }
            None => walker.visit(arguments),
        }
    }
    true
}

/// `export ...`.
pub(super) fn export_statement(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(source) = node.field("source") {
        return reexport(walker, node, source);
    }
    let default = has_default(node);
    let flags = flag::EXPORTED | if default { flag::DEFAULT_EXPORT } else { 0 };
    let outer = Outer { node: Some(node), flags };
    if let Some(declaration) = node.field("declaration") {
        return walker.within(declaration, |walker| types::declared(walker, declaration, outer));
    }
    if let Some(value) = node.field("value") {
        return export_default(walker, node, value, flags);
    }
    let assigned = has_word(node, "=");
    walker.for_children(node, |walker, child| match child.kind() {
        "export_clause" => walker.for_children(child, |walker, specifier| {
            let Some(name) = specifier.field("name") else { return };
            let text = name_text(walker, name);
            let exported = specifier.field("alias").map_or(text, |alias| name_text(walker, alias));
            walker.export(name, text, exported);
        }),
        "identifier" if assigned => {
            let text = walker.text(child);
            walker.export(child, text, "default");
        }
        // `export as namespace Name` names no definition.
        "identifier" | "comment" => {}
        "decorator" => walker.visit(child),
        _ if assigned => export_default(walker, node, child, flag::EXPORTED | flag::DEFAULT_EXPORT),
        _ => types::declared(walker, child, outer),
    });
}

fn has_default(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == "default")
}

fn reexport(walker: &mut Walker<'_>, node: Node<'_>, source: Node<'_>) {
    let module = string_text(walker, source);
    let flags = import_flag::REEXPORT | type_only(node);
    let mut named = false;
    walker.for_children(node, |walker, child| match child.kind() {
        "namespace_export" => {
            named = true;
            let Some(alias) = first_named(child) else { return };
            let text = name_text(walker, alias);
            walker.import(source, module, "", text, import_flag::MODULE | flags);
        }
        "export_clause" => {
            named = true;
            walker.for_children(child, |walker, specifier| {
                let Some(name) = specifier.field("name") else { return };
                let text = name_text(walker, name);
                let alias = specifier.field("alias").map_or(text, |alias| name_text(walker, alias));
                let default = if text == "default" { import_flag::DEFAULT } else { 0 };
                walker.import(name, module, text, alias, default | flags | type_only(specifier));
            });
        }
        _ => {}
    });
    if !named {
        walker.import(source, module, "", "", import_flag::WILDCARD | flags);
    }
}

/// The value of `export default` or of `module.exports =`, `whole` being the statement.
pub(super) fn export_default(walker: &mut Walker<'_>, whole: Node<'_>, init: Node<'_>, flags: u16) {
    let inner = super::peeled(init);
    if inner.kind() == "identifier" && inner.id() == init.id() {
        let text = walker.text(inner);
        return walker.export(inner, text, "default");
    }
    // A thing without a name is called what importers call it.
    let place = keyword(whole).unwrap_or(init);
    let new = |kind| NewDef::new(kind, whole, place).flags(flags).visibility(Visibility::Public);
    match value(walker, init) {
        Value::Function(function) => {
            let name = function.field("name").unwrap_or(place);
            let text = if name.id() == place.id() { "default" } else { walker.text(name) };
            defs::enter_hidden(walker, NewDef { name: Some(name), ..new(Kind::Function) }, text, function);
        }
        Value::Class(class) => {
            let name = class.field("name").unwrap_or(place);
            let text = if name.id() == place.id() { "default" } else { walker.text(name) };
            let new = NewDef { name: Some(name), ..new(Kind::Class) }.body(class.field("body"));
            let def = super::define_hidden(walker, new, text);
            classes::class_inside(walker, class, def, Some(whole));
        }
        Value::Wrapped(call, function) => {
            let text = function.field("name").map_or("default", |name| walker.text(name));
            let new = new(Kind::Function).body(function.field("body"));
            let def = super::define_hidden(walker, new, text);
            defs::wrapped(walker, call, function, def);
        }
        found => {
            let mut new = new(Kind::Constant);
            if let Value::Object(object) = found {
                new = new.body(Some(object));
            }
            let def = super::define_hidden(walker, new, "default");
            defs::initial(walker, def, init);
        }
    }
}

fn keyword(statement: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = statement.walk();
    statement.children(&mut cursor).find(|child| child.kind() == "default")
}

/// `import Name = Some.Other;`.
pub(super) fn import_alias(walker: &mut Walker<'_>, node: Node<'_>) {
    declared_import_alias(walker, node, Outer::default());
}

/// [`import_alias`] inside `export`.
pub(super) fn declared_import_alias<'t>(walker: &mut Walker<'_>, node: Node<'t>, outer: Outer<'t>) {
    let (Some(name), Some(target)) = (node.named_child(0), node.named_child(1)) else { return };
    let def = walker.define(outer.new_def(Kind::Constant, node, name));
    let init = walker.expr_of(target);
    walker.def_mut(def).init = init;
    walker.owned_by(def, |walker| walker.visit(target));
}

/// After the walk: what `export { name }` says of definitions above, and what is private for want of it.
pub(super) fn finish(walker: &mut Walker<'_>, _root: Node<'_>) {
    let rows = &mut walker.rows;
    let is_module = !rows.imports.is_empty() || !rows.exports.is_empty() || rows.defs.iter().any(|def| def.has(flag::EXPORTED));
    let mut names: Vec<_> = rows.exports.iter().map(|row| (row.local, row.exported)).collect();
    names.sort_unstable();
    let default = walker.intern("default");
    let defs = &mut walker.rows.defs;
    for index in 0..defs.len() {
        let parent = defs.get(defs[index].parent as usize).map(|parent| parent.kind());
        let def = &mut defs[index];
        if parent.is_none() && def.owner_type.is_empty() && def.kind() != Kind::Method {
            let from = names.partition_point(|(local, _)| *local < def.name);
            for (_, exported) in names[from..].iter().take_while(|(local, _)| *local == def.name) {
                def.flags |= flag::EXPORTED | if *exported == default { flag::DEFAULT_EXPORT } else { 0 };
            }
        }
        if def.has(flag::EXPORTED) {
            def.visibility = Visibility::Public as u8;
        } else if def.visibility() == Visibility::Unknown && (is_module || parent.is_some()) {
            def.visibility = Visibility::Private as u8;
        }
    }
}
