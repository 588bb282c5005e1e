//! Declarations: functions by their equations, types with their parts, classes and instances.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{EXPORTED, WITH_PARTS, pattern, types};
use crate::facts::model::{Kind, NONE, Role, Visibility, flag};
use crate::facts::walker::{NewDef, Walker, one_line, strip_comment};

/// What stands between the parentheses of an operator's name.
fn bare_name(node: Node<'_>) -> Node<'_> {
    if node.kind() == "prefix_id" { node.named_child(0).unwrap_or(node) } else { node }
}

/// Whether the module offers a name of the top level; `of` is the type that it is a part of.
fn is_exported(w: &mut Walker<'_>, name: &str, of: Option<&str>) -> bool {
    // Without a header or without a list everything is exported.
    let all = w.is_claimed(NONE, EXPORTED, "") || w.rows.exports.is_empty();
    all || w.is_claimed(NONE, EXPORTED, name) || of.is_some_and(|of| w.is_claimed(NONE, WITH_PARTS, of))
}

fn seen(w: &mut Walker<'_>, name: &str, of: Option<&str>) -> (Visibility, u16) {
    if is_exported(w, name, of) { (Visibility::Public, flag::EXPORTED) } else { (Visibility::Private, 0) }
}

/// The comment for documentation above a declaration.
fn haddock(w: &Walker<'_>, node: Node<'_>) -> Option<String> {
    if !w.comment_before(node.start_byte()) {
        return None;
    }
    // The one above the first declaration belongs to the imports or to the header.
    let above = node.prev_sibling().or_else(|| {
        let before = node.parent()?.prev_sibling()?;
        if before.kind() == "haddock" { Some(before) } else { before.child(before.child_count().saturating_sub(1)) }
    })?;
    let attached = node.start_position().row.saturating_sub(above.end_position().row) <= 1;
    (above.kind() == "haddock" && attached).then(|| strip_comment(w.text(above)))
}

/// Enters a definition with its documentation.
fn define(w: &mut Walker<'_>, new: NewDef<'_>) -> u32 {
    let doc = haddock(w, new.node);
    let def = w.define(new);
    if let Some(doc) = doc {
        w.doc_inside(def, &doc);
    }
    def
}

/// The kind and flags of a function where it stands.
fn function_kind(w: &mut Walker<'_>, name: &str) -> (Kind, Visibility, u16) {
    match w.owner_kind() {
        None => {
            let (visibility, flags) = seen(w, name, None);
            (Kind::Function, visibility, flags)
        }
        Some(Kind::Trait) => {
            let class = w.string(w.def(w.owner()).name).to_owned();
            let (visibility, flags) = seen(w, name, Some(&class));
            (Kind::Method, visibility, flags)
        }
        Some(_) => (Kind::Function, Visibility::Unknown, 0),
    }
}

/// `f, g :: Int -> T`: begins the definitions of its names.
pub(super) fn signature(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(ty) = node.field("type") else { return w.visit_children(node) };
    let names: Vec<Node<'_>> = match (node.field("name"), node.field("names")) {
        (Some(name), None) => vec![name],
        (_, Some(list)) => {
            let mut cursor = list.walk();
            list.named_children(&mut cursor).collect()
        }
        _ => {
            // `(x :: T)` as an expression.
            w.visit_children_except(node, &[Some(ty)]);
            return types::mention(w, ty, Role::Type);
        }
    };
    let (arrows, result) = types::shape(w, ty);
    for (at, name) in names.into_iter().map(bare_name).enumerate() {
        let (kind, visibility, flags) = function_kind(w, w.text(name));
        let flags = flags | if kind == Kind::Method { flag::DECLARATION } else { 0 };
        let def = define(w, NewDef::new(kind, node, name).visibility(visibility).flags(flags));
        let text = w.intern(&result);
        let row = w.def_mut(def);
        (row.params, row.ty) = (arrows, text);
        if at == 0 {
            w.owned_by(def, |w| types::mention(w, ty, Role::ReturnType));
        }
    }
}

/// The definition that an equation belongs to: the one of its name right before it.
fn known(w: &Walker<'_>, name: &str) -> Option<u32> {
    let owner = w.owner();
    let mut siblings = w.rows.defs.iter().enumerate().rev().filter(|(_, row)| row.parent == owner);
    let mut found = siblings.by_ref().take(64);
    let is_it =
        |row: &crate::facts::model::DefRow| row.kind().is_callable() && row.owner_type.is_empty() && w.string(row.name) == name;
    found.find(|(_, row)| is_it(row)).map(|(at, _)| at as u32)
}

/// Enters a function, or lengthens the one that an earlier equation or signature began.
fn equation(w: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, params: u16, constant: bool) -> u32 {
    let text = w.text(name);
    if let Some(def) = known(w, text) {
        let (end, line) = (node.end_byte() as u32, node.end_position().row as u32 + 1);
        let row = w.def_mut(def);
        (row.end, row.end_line) = (end.max(row.end), line.max(row.end_line));
        return def;
    }
    let (kind, visibility, flags) = function_kind(w, text);
    let kind = if constant && kind == Kind::Function { Kind::Constant } else { kind };
    let body = node.field("match");
    let def = define(w, NewDef::new(kind, node, name).body(body).visibility(visibility).flags(flags));
    w.def_mut(def).params = params;
    def
}

fn walk_equation(w: &mut Walker<'_>, def: u32, node: Node<'_>, patterns: &[Node<'_>]) {
    w.in_def(def, |w| {
        for part in patterns {
            pattern::bind(w, *part);
        }
        w.for_children(node, |w, child| {
            if matches!(child.kind(), "match" | "local_binds") {
                w.visit(child);
            }
        });
    });
}

/// `f x y = body`, `x <+> y = body`.
pub(super) fn function(w: &mut Walker<'_>, node: Node<'_>) {
    let (name, patterns) = match node.field("name") {
        Some(name) => (bare_name(name), node.field("patterns").into_iter().collect::<Vec<_>>()),
        None => {
            let Some(infix) = node.named_child(0).filter(|child| child.kind() == "infix") else { return w.visit_children(node) };
            let Some(operator) = infix.field("operator") else { return w.visit_children(node) };
            let name = if operator.kind() == "infix_id" { operator.named_child(0).unwrap_or(operator) } else { operator };
            let sides = [infix.field("left_operand"), infix.field("right_operand")];
            (name, sides.into_iter().flatten().collect())
        }
    };
    let params = match patterns.as_slice() {
        [list] if list.kind() == "patterns" => list.named_child_count() as u16,
        other => other.len() as u16,
    };
    let def = equation(w, node, name, params, false);
    walk_equation(w, def, node, &patterns);
}

/// `x = value`, `(a, b) = value`, and in `do` also `x <- action`.
pub(super) fn bind(w: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name").map(bare_name) {
        let value = node.field("match").and_then(|part| part.field("expression"));
        let literal = value.is_some_and(|value| value.kind() == "literal");
        let def = equation(w, node, name, 0, literal);
        return walk_equation(w, def, node, &[]);
    }
    if let Some(expression) = node.field("expression") {
        super::mention(w, expression, true);
    }
    let parts = node.field("pattern");
    w.for_children(node, |w, child| {
        if matches!(child.kind(), "match" | "local_binds") {
            w.visit(child);
        }
    });
    let Some(parts) = parts else { return };
    if w.owner() != NONE {
        return pattern::bind(w, parts);
    }
    top_pattern(w, node, parts);
}

/// Names that a pattern defines outside of any function.
fn top_pattern(w: &mut Walker<'_>, node: Node<'_>, part: Node<'_>) {
    if part.kind() == "variable" {
        let (visibility, flags) = seen(w, w.text(part), None);
        w.define(NewDef::new(Kind::Variable, node, part).visibility(visibility).flags(flags));
        return;
    }
    w.nested(|w| w.for_children(part, |w, child| top_pattern(w, node, child)));
}

/// `data T = A { x :: Int } | B Int deriving (Eq)`, `newtype`.
pub(super) fn data(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let constructors = node.field("constructors").or_else(|| node.field("constructor"));
    let text = w.text(name);
    let (visibility, flags) = seen(w, text, None);
    let several = constructors.is_some_and(|list| list.kind() != "newtype_constructor" && list.named_child_count() > 1);
    let kind = if several { Kind::Enum } else { Kind::Struct };
    let def = define(w, NewDef::new(kind, node, name).body(constructors).visibility(visibility).flags(flags));
    w.owned_by(def, |w| {
        if let Some(list) = constructors {
            if list.kind() == "newtype_constructor" {
                constructor(w, list, text);
            } else {
                w.for_children(list, |w, child| constructor(w, child, text));
            }
        }
    });
    w.for_children(node, |w, child| {
        if child.kind() == "deriving" {
            deriving(w, def, child);
        }
    });
}

fn deriving(w: &mut Walker<'_>, def: u32, node: Node<'_>) {
    let Some(classes) = node.field("classes") else { return };
    if classes.kind() == "name" {
        return derived(w, def, classes);
    }
    w.for_children(classes, |w, class| derived(w, def, class));
}

fn derived(w: &mut Walker<'_>, def: u32, class: Node<'_>) {
    if let Some((text, _)) = types::head(w, class) {
        w.supertype(def, "", class, &one_line(text, 120), Role::Implements, false);
    }
}

/// One constructor with its fields; `of` is the type.
fn constructor(w: &mut Walker<'_>, node: Node<'_>, of: &str) {
    let inner = node.field("constructor").unwrap_or(node);
    let name = inner.field("name").or_else(|| node.field("name"));
    let name = name.or_else(|| inner.field("operator"));
    let Some(name) = name else { return };
    let (visibility, flags) = seen(w, w.text(name), Some(of));
    let def = define(w, NewDef::new(Kind::EnumMember, node, name).visibility(visibility).flags(flags));
    let mut fields = 0;
    parts(w, inner, name, of, &mut fields);
    w.def_mut(def).params = fields;
}

fn parts(w: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, of: &str, count: &mut u16) {
    w.for_children(node, |w, child| {
        if child.id() == name.id() {
            return;
        }
        match child.kind() {
            "fields" | "record" | "binding_list" => w.nested(|w| parts(w, child, name, of, count)),
            "field" => {
                *count = count.saturating_add(1);
                field(w, child, of);
            }
            "prefix" | "function" => types::mention(w, child, Role::FieldType),
            "context" | "forall" => types::mention(w, child, Role::Type),
            _ => {
                *count = count.saturating_add(1);
                types::mention(w, child, Role::FieldType);
            }
        }
    });
}

fn field(w: &mut Walker<'_>, node: Node<'_>, of: &str) {
    let ty = node.field("type");
    let text = ty.map_or(String::new(), |ty| one_line(w.text(ty).trim_start_matches('!'), 120));
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
    for name in names {
        let (visibility, flags) = seen(w, w.text(name), Some(of));
        if !w.claim(w.owner(), super::WITH_PARTS, w.text(name)) {
            continue; // several constructors may share a field
        }
        let def = w.define(NewDef::new(Kind::Field, node, name).visibility(visibility).flags(flags));
        w.def_mut(def).ty = w.intern(&text);
    }
    if let Some(ty) = ty {
        types::mention(w, ty, Role::FieldType);
    }
}

/// `type Name a = ..`, `type family F a`.
pub(super) fn synonym(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return };
    let (visibility, flags) = seen(w, w.text(name), None);
    let def = define(w, NewDef::new(Kind::TypeAlias, node, name).visibility(visibility).flags(flags));
    if let Some(ty) = node.field("type") {
        let text = one_line(w.text(ty), 200);
        w.def_mut(def).ty = w.intern(&text);
        w.owned_by(def, |w| types::mention(w, ty, Role::Type));
    }
}

/// `class Context => C a where`.
pub(super) fn class(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let body = node.field("declarations");
    let (visibility, flags) = seen(w, w.text(name), None);
    let def = define(w, NewDef::new(Kind::Trait, node, name).body(body).visibility(visibility).flags(flags));
    if let Some(context) = node.field("context") {
        superclasses(w, def, context);
    }
    w.in_file_scope(|w| {
        w.owned_by(def, |w| {
            if let Some(body) = body {
                w.visit(body);
            }
        });
    });
}

fn superclasses(w: &mut Walker<'_>, def: u32, node: Node<'_>) {
    w.for_children(node, |w, child| match child.kind() {
        "apply" => {
            if let Some(class) = child.field("constructor").filter(|class| matches!(class.kind(), "name" | "qualified")) {
                w.supertype(def, "", class, &one_line(w.text(class), 120), Role::Extends, false);
            }
        }
        "parens" | "tuple" => w.nested(|w| superclasses(w, def, child)),
        _ => {}
    });
}

/// `instance C (T a) where`: its functions replace those of the class for the type.
pub(super) fn instance(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let patterns = node.field("patterns");
    let ty = patterns.and_then(|patterns| types::head(w, patterns)).map_or("", |(text, _)| text).to_owned();
    let class = node.field("id").unwrap_or(name);
    if !ty.is_empty() {
        w.supertype(NONE, &ty, class, &one_line(w.text(name), 120), Role::Implements, false);
    }
    if let Some(context) = node.field("context") {
        types::mention(w, context, Role::Type);
    }
    if let Some(patterns) = patterns {
        types::mention(w, patterns, Role::Type);
    }
    let Some(body) = node.field("declarations") else { return };
    let mut last: Option<(String, u32)> = None;
    w.for_children(body, |w, child| {
        let name = child.field("name").map(bare_name).or_else(|| {
            let infix = child.named_child(0).filter(|inner| inner.kind() == "infix")?;
            infix.field("operator")
        });
        let (Some(name), "function" | "bind") = (name, child.kind()) else { return };
        let text = w.text(name).to_owned();
        let def = match &last {
            Some((before, def)) if *before == text => *def,
            _ => {
                let part = child.field("match");
                let new = NewDef::new(Kind::Method, child, name).body(part).flags(flag::OVERRIDE | flag::EXPORTED);
                let def = define(w, new.visibility(Visibility::Public));
                w.def_mut(def).owner_type = w.intern(&ty);
                w.def_mut(def).params = child.field("patterns").map_or(0, |list| list.named_child_count() as u16);
                def
            }
        };
        let (end, line) = (child.end_byte() as u32, child.end_position().row as u32 + 1);
        let row = w.def_mut(def);
        (row.end, row.end_line) = (end, line);
        last = Some((text, def));
        let infix = child.named_child(0).filter(|inner| inner.kind() == "infix");
        let sides = infix.map(|infix| [infix.field("left_operand"), infix.field("right_operand")]);
        let patterns: Vec<Node<'_>> = child.field("patterns").into_iter().chain(sides.into_iter().flatten().flatten()).collect();
        walk_equation(w, def, child, &patterns);
    });
}
