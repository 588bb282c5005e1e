//! Items: definitions, the attributes and comments above them, and the blocks they stand in.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::types;
use super::{exprs, patterns, tokens};
use crate::facts::model::{Kind, NONE, Role, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, strip_comment};

/// What stands above an item in its list.
#[derive(Debug, Default)]
struct Above<'t> {
    attributes: Vec<Node<'t>>,
    comments: Vec<Node<'t>>,
}

impl Above<'_> {
    fn clear(&mut self) {
        self.attributes.clear();
        self.comments.clear();
    }
}

/// What an item must know of the `impl` or trait around it.
#[derive(Debug, Clone, Default)]
struct Around<'a> {
    /// The bare name of the type an `impl` is for.
    owner_type: Option<&'a str>,
    /// Inside an `impl` of a trait.
    of_trait: bool,
    /// Inside a trait or an `impl`.
    member: bool,
    /// The visibility that members have without saying so.
    inherited: Option<Visibility>,
    /// Flags for everything inside.
    flags: u16,
    /// Inside a macro call that wraps items.
    wrapped: bool,
}

/// `source_file` and `declaration_list`.
pub(super) fn list(walker: &mut Walker<'_>, node: Node<'_>) {
    items(walker, node, &Around::default());
}

/// An item met outside a list of items.
pub(super) fn bare(walker: &mut Walker<'_>, node: Node<'_>) {
    dispatch(walker, node, &Above::default(), &Around::default());
}

/// A block: a scope of statements whose last one may be its value.
pub(super) fn block(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        items(walker, node, &Around::default());
        // The value's expression is entered while the block's own names are in scope.
        if let Some(tail) = exprs::tail(node) {
            walker.expr_of(tail);
        }
    });
}

fn items<'a>(walker: &mut Walker<'a>, list: Node<'_>, around: &Around<'a>) {
    let tail = (list.kind() == "block").then(|| exprs::tail(list)).flatten();
    let mut inner_docs = Vec::new();
    let mut above = Above::default();
    each(walker, list, &mut above, |walker, node, above| {
        if is_inner_doc(walker, node) {
            inner_docs.push(strip_comment(walker.text(node)));
            return;
        }
        if node.kind() == "expression_statement" && tail.is_some_and(|tail| node.named_child(0) == Some(tail)) {
            // A last statement without semicolon is the block's value, also where the grammar calls it a statement.
            leading_attributes(walker, above);
            return walker.visit_children(node);
        }
        walker_item(walker, node, above, around);
    });
    if list.kind() == "source_file" {
        if !inner_docs.is_empty() {
            walker.file_doc(&inner_docs.join("\n"));
        }
        if is_test_file(walker, list) {
            walker.rows.defs.iter_mut().for_each(|def| def.flags |= flag::IN_TEST);
        }
    } else if !inner_docs.is_empty() && list.kind() == "declaration_list" {
        let owner = walker.owner();
        if owner != NONE && walker.def(owner).doc.is_empty() && walker.def(owner).kind() == Kind::Module {
            walker.doc_inside(owner, &inner_docs.join("\n"));
        }
    }
}

/// Calls `each` for every named child that is no attribute or comment, with those that stand above it.
fn each<'a, 't>(
    walker: &mut Walker<'a>,
    list: Node<'t>,
    above: &mut Above<'t>,
    mut each: impl FnMut(&mut Walker<'a>, Node<'t>, &Above<'t>),
) {
    let mut last_row = list.start_position().row;
    let mut cursor = list.walk();
    if !cursor.goto_first_child() {
        return;
    }
    loop {
        let child = cursor.node();
        match child.kind() {
            "attribute_item" => above.attributes.push(child),
            "line_comment" | "block_comment" => {
                if is_inner_doc(walker, child) {
                    each(walker, child, above);
                } else if child.start_position().row > last_row || child.start_byte() == 0 {
                    // A comment that trails something belongs to that.
                    above.comments.push(child);
                }
            }
            _ if child.is_named() || child.is_missing() => {
                each(walker, child, above);
                above.clear();
                last_row = child.end_position().row;
            }
            _ => last_row = child.end_position().row,
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
    leading_attributes(walker, above);
}

/// Visits attributes that belong to no definition.
fn leading_attributes(walker: &mut Walker<'_>, above: &Above<'_>) {
    above.attributes.iter().for_each(|attribute| walker.visit(*attribute));
}

fn is_inner_doc(walker: &Walker<'_>, node: Node<'_>) -> bool {
    node.is_extra() && {
        let text = walker.source.get(node.start_byte()..).unwrap_or_default();
        text.starts_with(b"//!") || text.starts_with(b"/*!")
    }
}

/// The documentation above an item: its doc comments, or else the plain comments that touch it.
fn doc(walker: &Walker<'_>, node: Node<'_>, above: &Above<'_>) -> String {
    let is_doc = |node: &&Node<'_>| {
        let text = walker.text(**node);
        (text.starts_with("///") && !text.starts_with("////")) || (text.starts_with("/**") && !text.starts_with("/***"))
    };
    let mut found: Vec<&Node<'_>> = above.comments.iter().filter(is_doc).collect();
    if found.is_empty() {
        let first =
            above.attributes.first().map_or(node, |first| if first.start_byte() < node.start_byte() { *first } else { node });
        let mut row = first.start_position().row;
        for comment in above.comments.iter().rev().filter(|comment| comment.start_byte() < first.start_byte()) {
            if comment.end_position().row + 1 < row {
                break;
            }
            row = comment.start_position().row;
            found.push(comment);
        }
        found.reverse();
    }
    let lines: Vec<String> = found.iter().map(|comment| strip_comment(walker.text(**comment))).collect();
    lines.join("\n")
}

fn walker_item<'a>(walker: &mut Walker<'a>, node: Node<'_>, above: &Above<'_>, around: &Around<'a>) {
    if is_item(node.kind()) {
        walker.visit_with(node, |walker, node| dispatch(walker, node, above, around));
    } else {
        leading_attributes(walker, above);
        walker.visit(node);
    }
}

fn is_item(kind: &str) -> bool {
    matches!(
        kind,
        "function_item"
            | "function_signature_item"
            | "impl_item"
            | "trait_item"
            | "struct_item"
            | "union_item"
            | "enum_item"
            | "type_item"
            | "associated_type"
            | "const_item"
            | "static_item"
            | "mod_item"
            | "macro_definition"
            | "macro_invocation"
    )
}

fn dispatch<'a>(walker: &mut Walker<'a>, node: Node<'_>, above: &Above<'_>, around: &Around<'a>) {
    match node.kind() {
        "function_item" | "function_signature_item" => function(walker, node, above, around),
        "impl_item" => impl_item(walker, node, above),
        "trait_item" => trait_item(walker, node, above, around),
        "struct_item" => structure(walker, node, Kind::Struct, above, around),
        "union_item" => structure(walker, node, Kind::Union, above, around),
        "enum_item" => structure(walker, node, Kind::Enum, above, around),
        "type_item" | "associated_type" => type_alias(walker, node, above, around),
        "const_item" | "static_item" => constant(walker, node, above, around),
        "mod_item" => module(walker, node, above, around),
        "macro_definition" => macro_definition(walker, node, above, around),
        "macro_invocation" => {
            leading_attributes(walker, above);
            let within = Around { wrapped: true, ..around.clone() };
            tokens::item_macro(walker, node, |walker, root| items(walker, root, &within));
        }
        _ => {}
    }
}

// ----- what every definition has

/// Enters the definition; its attributes are visited by [`inside`].
fn enter<'a>(walker: &mut Walker<'a>, new: NewDef<'_>, above: &Above<'_>, around: &Around<'a>) -> u32 {
    let mut new = new;
    let attributes = attribute_flags(walker, above);
    new.flags |= attributes | around.flags | inherited_flags(walker);
    if around.of_trait {
        new.flags |= flag::OVERRIDE;
    } else if new.visibility == Visibility::Public {
        new.flags |= flag::EXPORTED;
    }
    let text = doc(walker, new.node, above);
    new.first = above.attributes.first().copied();
    // The documentation is collected here; a node without earlier siblings keeps the walker from looking again.
    new.doc_above = new.node.child(0).or(Some(new.node));
    let name = new.name.map_or("", |name| walker.text(name));
    let def = walker.define_named(new, name);
    walker.doc_inside(def, &text);
    if let Some(owner) = around.owner_type {
        let owner = walker.intern(owner);
        walker.def_mut(def).owner_type = owner;
    }
    def
}

/// Runs `body` inside a definition, after its attributes.
fn inside<'a>(walker: &mut Walker<'a>, def: u32, above: &Above<'_>, body: impl FnOnce(&mut Walker<'a>)) {
    walker.in_def(def, |walker| {
        leading_attributes(walker, above);
        body(walker);
    });
}

fn inherited_flags(walker: &Walker<'_>) -> u16 {
    match walker.owner() {
        NONE => 0,
        owner if walker.def(owner).flags & (flag::IN_TEST | flag::TEST) != 0 => flag::IN_TEST,
        _ => 0,
    }
}

fn attribute_flags(walker: &Walker<'_>, above: &Above<'_>) -> u16 {
    let mut flags = 0;
    for item in &above.attributes {
        let Some(attribute) = item.named_child(0) else { continue };
        let path = tokens::attribute_path(attribute);
        let name = path.map_or("", |path| walker.text(path));
        let last = name.rsplit("::").next().unwrap_or("").trim();
        if tokens::is_test_attribute(last) {
            flags |= flag::TEST;
        }
        if is_cfg_test(walker, attribute) {
            flags |= flag::IN_TEST;
        }
        if !tokens::is_inert(name) {
            flags |= flag::DECORATED;
        }
    }
    flags
}

/// `cfg(test)` or `cfg(all(.., test, ..))`: built for tests only.
fn is_cfg_test(walker: &Walker<'_>, attribute: Node<'_>) -> bool {
    if tokens::attribute_path(attribute).is_none_or(|path| walker.text(path) != "cfg") {
        return false;
    }
    let Some(arguments) = attribute.field("arguments") else { return false };
    let holds_test = |tree: Node<'_>| {
        let mut cursor = tree.walk();
        tree.named_children(&mut cursor).any(|child| child.kind() == "identifier" && walker.text(child) == "test")
    };
    let all = arguments.named_child(0).is_some_and(|first| walker.text(first) == "all");
    if all {
        arguments.named_child(1).is_some_and(holds_test)
    } else {
        arguments.named_child_count() == 1 && holds_test(arguments)
    }
}

fn is_test_file(walker: &Walker<'_>, root: Node<'_>) -> bool {
    let mut cursor = root.walk();
    let mut inner = root.named_children(&mut cursor).filter(|child| child.kind() == "inner_attribute_item");
    inner.any(|item| item.named_child(0).is_some_and(|attribute| is_cfg_test(walker, attribute)))
}

/// Whether an item carries a visibility.
pub(super) fn has_visibility(node: Node<'_>) -> bool {
    visibility_node(node).is_some()
}

fn visibility_node(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).take(3).find(|child| child.kind() == "visibility_modifier")
}

fn visibility(walker: &Walker<'_>, node: Node<'_>, around: &Around<'_>) -> Visibility {
    visibility_node(node).map_or(around.inherited.unwrap_or(Visibility::Private), |node| written_visibility(walker, node))
}

fn written_visibility(walker: &Walker<'_>, node: Node<'_>) -> Visibility {
    let text = walker.text(node);
    if text == "pub" {
        Visibility::Public
    } else if text.strip_prefix("pub").is_some_and(|rest| rest.trim_start_matches([' ', '(']).starts_with("self")) {
        Visibility::Private
    } else {
        Visibility::Internal
    }
}

// ----- the items

fn function<'a>(walker: &mut Walker<'a>, node: Node<'_>, above: &Above<'_>, around: &Around<'a>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let parameters = node.field("parameters");
    let mut receiver = false;
    let mut count = 0;
    let mut flags = if body.is_none() { flag::DECLARATION } else { 0 };
    if let Some(parameters) = parameters {
        let mut cursor = parameters.walk();
        for child in parameters.named_children(&mut cursor).filter(|child| !child.is_extra()) {
            match child.kind() {
                "attribute_item" => {}
                "self_parameter" => receiver = true,
                "parameter" if child.field("pattern").is_some_and(|pattern| pattern.kind() == "self") => {
                    receiver = true;
                }
                kind => {
                    count += 1;
                    flags |= if kind == "variadic_parameter" { flag::VARIADIC } else { 0 };
                }
            }
        }
    }
    if around.member && !receiver {
        flags |= flag::STATIC;
    }
    let mut cursor = node.walk();
    let modifiers = node.named_children(&mut cursor).find(|child| child.kind() == "function_modifiers");
    if modifiers.is_some_and(|modifiers| walker.text(modifiers).split_ascii_whitespace().any(|word| word == "async")) {
        flags |= flag::ASYNC;
    }
    let kind = if around.member { Kind::Method } else { Kind::Function };
    let new = NewDef::new(kind, node, name).body(body).visibility(visibility(walker, node, around)).flags(flags);
    let def = enter(walker, new, above, around);
    walker.def_mut(def).params = count;
    if let Some(result) = node.field("return_type") {
        type_text(walker, def, result);
    }
    types::record(walker, node, |_, _| NONE);
    inside(walker, def, above, |walker| {
        walker.visit_field(node, "type_parameters");
        if let Some(parameters) = parameters {
            walker.for_children(parameters, |walker, child| parameter(walker, child));
        }
        types::visit_field(walker, node, "return_type", Role::ReturnType);
        where_clauses(walker, node);
        walker.visit_field(node, "body");
    });
}

fn parameter(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.kind() {
        "parameter" => {
            let ty = node.field("type");
            if let Some(pattern) = node.field("pattern") {
                patterns::bind(walker, pattern, patterns::Origin { ty, ..patterns::Origin::at(node.end_byte()) });
            }
            if let Some(ty) = ty {
                types::visit(walker, ty, Role::ParamType);
            }
        }
        "self_parameter" => {}
        "variadic_parameter" | "attribute_item" => walker.visit_children(node),
        _ => types::visit(walker, node, Role::ParamType),
    }
}

fn where_clauses(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, child| {
        if child.kind() == "where_clause" {
            walker.visit(child);
        }
    });
}

fn type_text(walker: &mut Walker<'_>, def: u32, node: Node<'_>) {
    let text = crate::facts::walker::one_line(walker.text(node), 240);
    let text = walker.intern(&text);
    walker.def_mut(def).ty = text;
}

fn impl_item(walker: &mut Walker<'_>, node: Node<'_>, above: &Above<'_>) {
    let Some(of) = node.field("type") else { return walker.visit_children(node) };
    let owner = types::bare_name(walker, of);
    let target = node.field("trait");
    let flags = attribute_flags(walker, above) & flag::IN_TEST;
    leading_attributes(walker, above);
    let arguments = types::argument_texts(walker, of);
    types::record(walker, node, |name, _| arguments.iter().position(|known| *known == name).map_or(NONE, |at| at as u32));
    walker.in_scope(|walker| {
        walker.visit_field(node, "type_parameters");
        if let Some(target) = target {
            implemented(walker, node, target, owner);
        }
        types::visit(walker, of, Role::Type);
        where_clauses(walker, node);
        let around = Around {
            owner_type: Some(owner),
            of_trait: target.is_some(),
            member: true,
            inherited: target.map(|_| Visibility::Public),
            flags,
            wrapped: false,
        };
        if let Some(body) = node.field("body") {
            walker.visit_with(body, |walker, body| items(walker, body, &around));
        }
    });
}

fn implemented(walker: &mut Walker<'_>, node: Node<'_>, target: Node<'_>, owner: &str) {
    let mut cursor = node.walk();
    if node.children(&mut cursor).any(|child| child.kind() == "!") {
        return types::visit(walker, target, Role::Type);
    }
    supertype(walker, NONE, owner, target, Role::Implements);
}

/// Records a supertype; what is inside its arguments and in front of its name is visited, the name is the row's own.
fn supertype(walker: &mut Walker<'_>, sub: u32, sub_type: &str, target: Node<'_>, role: Role) {
    let (text, name) = types::without_arguments(walker, target);
    walker.supertype(sub, sub_type, name, text, role, false);
    let mut inner = target;
    while let Some(arguments) = inner.field("type_arguments").or_else(|| inner.field("type")) {
        if arguments.kind() == "type_arguments" {
            walker.visit(arguments);
            let Some(next) = inner.field("type") else { break };
            inner = next;
        } else {
            inner = arguments;
        }
    }
    if inner.field("path").is_some() {
        exprs::qualifier(walker, inner);
    }
}

fn trait_item<'a>(walker: &mut Walker<'a>, node: Node<'_>, above: &Above<'_>, around: &Around<'a>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let seen = visibility(walker, node, around);
    let def = enter(walker, NewDef::new(Kind::Trait, node, name).body(body).visibility(seen), above, around);
    let within = Around { member: true, inherited: Some(seen), ..Around::default() };
    types::record(walker, node, |_, position| position);
    inside(walker, def, above, |walker| {
        walker.visit_field(node, "type_parameters");
        if let Some(bounds) = node.field("bounds") {
            walker.for_children(bounds, |walker, bound| {
                if matches!(
                    bound.kind(),
                    "type_identifier" | "scoped_type_identifier" | "generic_type" | "higher_ranked_trait_bound"
                ) {
                    supertype(walker, def, "", bound, Role::Extends);
                }
            });
        }
        where_clauses(walker, node);
        if let Some(body) = body {
            walker.visit_with(body, |walker, body| items(walker, body, &within));
        }
    });
}

fn structure<'a>(walker: &mut Walker<'a>, node: Node<'_>, kind: Kind, above: &Above<'_>, around: &Around<'a>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let body = node.field("body");
    let seen = visibility(walker, node, around);
    let brace = body.filter(|body| body.kind() != "ordered_field_declaration_list");
    let def = enter(walker, NewDef::new(kind, node, name).body(brace).visibility(seen), above, around);
    types::record(walker, node, |_, position| position);
    inside(walker, def, above, |walker| {
        walker.visit_field(node, "type_parameters");
        where_clauses(walker, node);
        if let Some(body) = body {
            let inherited = if kind == Kind::Enum { seen } else { Visibility::Private };
            members(walker, body, inherited);
        }
    });
}

/// Fields or variants.
fn members(walker: &mut Walker<'_>, list: Node<'_>, inherited: Visibility) {
    let around = Around { inherited: Some(inherited), ..Around::default() };
    if list.kind() == "ordered_field_declaration_list" {
        return positional(walker, list, &around);
    }
    walker.visit_with(list, |walker, list| {
        each(walker, list, &mut Above::default(), |walker, node, above| match node.kind() {
            "field_declaration" => field(walker, node, above, &around),
            "enum_variant" => variant(walker, node, above, &around),
            _ => walker.visit(node),
        });
    });
}

fn field<'a>(walker: &mut Walker<'a>, node: Node<'_>, above: &Above<'_>, around: &Around<'a>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let def = enter(walker, NewDef::new(Kind::Field, node, name).visibility(visibility(walker, node, around)), above, around);
    if let Some(ty) = node.field("type") {
        type_text(walker, def, ty);
        inside(walker, def, above, |walker| types::visit(walker, ty, Role::FieldType));
    }
}

/// The fields of a tuple struct or variant are named by their position.
fn positional<'a>(walker: &mut Walker<'a>, list: Node<'_>, around: &Around<'a>) {
    let mut position = 0;
    let mut written = None;
    each(walker, list, &mut Above::default(), |walker, node, above| {
        if node.kind() == "visibility_modifier" {
            written = Some(written_visibility(walker, node));
            return;
        }
        let seen = written.take().or(around.inherited).unwrap_or(Visibility::Private);
        let flags = inherited_flags(walker) | attribute_flags(walker, above);
        let new = NewDef { name: None, ..NewDef::new(Kind::Field, node, node) };
        let exported = if seen == Visibility::Public { flag::EXPORTED } else { 0 };
        let new = NewDef { first: above.attributes.first().copied(), ..new.visibility(seen).flags(flags | exported) };
        let def = walker.define_named(new, &position.to_string());
        position += 1;
        type_text(walker, def, node);
        inside(walker, def, above, |walker| types::visit(walker, node, Role::FieldType));
    });
}

fn variant<'a>(walker: &mut Walker<'a>, node: Node<'_>, above: &Above<'_>, around: &Around<'a>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let seen = visibility(walker, node, around);
    let def = enter(walker, NewDef::new(Kind::EnumMember, node, name).visibility(seen), above, around);
    inside(walker, def, above, |walker| {
        if let Some(body) = node.field("body") {
            members(walker, body, seen);
        }
        if let Some(value) = node.field("value") {
            walker.visit(value);
            let init = walker.expr_of(value);
            walker.def_mut(def).init = init;
        }
    });
}

fn type_alias<'a>(walker: &mut Walker<'a>, node: Node<'_>, above: &Above<'_>, around: &Around<'a>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let ty = node.field("type");
    let flags = if ty.is_none() { flag::DECLARATION } else { 0 };
    let new = NewDef::new(Kind::TypeAlias, node, name).visibility(visibility(walker, node, around)).flags(flags);
    let def = enter(walker, new, above, around);
    if let Some(ty) = ty {
        type_text(walker, def, ty);
    }
    types::record(walker, node, |_, position| position);
    inside(walker, def, above, |walker| {
        walker.visit_field(node, "type_parameters");
        walker.visit_field(node, "bounds");
        types::visit_field(walker, node, "type", Role::Type);
        where_clauses(walker, node);
    });
}

fn constant<'a>(walker: &mut Walker<'a>, node: Node<'_>, above: &Above<'_>, around: &Around<'a>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let ty = node.field("type");
    let value = node.field("value");
    let visit = |walker: &mut Walker<'a>| {
        types::visit_field(walker, node, "type", Role::Type);
        walker.visit_field(node, "value");
    };
    let text = walker.text(name);
    if text == "_" || (walker.in_function() && !around.member) {
        leading_attributes(walker, above);
        visit(walker);
        if text != "_" {
            let init = value.map_or(NONE, |value| walker.expr_of(value));
            let ty = ty.map(|ty| walker.text(ty));
            // An item may be used before its line.
            walker.bind(name, ty, init, 0);
        }
        return;
    }
    let kind = if node.kind() == "static_item" { Kind::Variable } else { Kind::Constant };
    let flags = if value.is_none() { flag::DECLARATION } else { 0 };
    let flags = if around.member { flags | flag::STATIC } else { flags };
    let new = NewDef::new(kind, node, name).body(value).visibility(visibility(walker, node, around)).flags(flags);
    let def = enter(walker, new, above, around);
    if let Some(ty) = ty {
        type_text(walker, def, ty);
    }
    inside(walker, def, above, |walker| {
        visit(walker);
        if let Some(value) = value {
            let init = walker.expr_of(value);
            walker.def_mut(def).init = init;
        }
    });
}

fn module<'a>(walker: &mut Walker<'a>, node: Node<'_>, above: &Above<'_>, around: &Around<'a>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let Some(body) = node.field("body") else {
        leading_attributes(walker, above);
        let reexport = if has_visibility(node) { import_flag::REEXPORT } else { 0 };
        let text = walker.text(name);
        // `#[path = "unix/mod.rs"]` says where it is.
        let paths = above.attributes.iter().filter_map(|item| item.named_child(0));
        let mut paths = paths.filter(|one| tokens::attribute_path(*one).is_some_and(|path| walker.text(path) == "path"));
        let path = paths.find_map(|one| one.field("value")).map_or(text, |value| walker.text(value).trim_matches('"'));
        return walker.import(name, path, "", text, import_flag::SUBMODULE | reexport);
    };
    let new = NewDef::new(Kind::Module, node, name).body(Some(body)).visibility(visibility(walker, node, around));
    let def = enter(walker, new, above, around);
    inside(walker, def, above, |walker| walker.visit(body));
}

fn macro_definition<'a>(walker: &mut Walker<'a>, node: Node<'_>, above: &Above<'_>, around: &Around<'a>) {
    let Some(name) = node.field("name") else { return };
    let exported = above
        .attributes
        .iter()
        .any(|item| item.named_child(0).and_then(tokens::attribute_path).is_some_and(|path| walker.text(path) == "macro_export"));
    let seen = if exported { Visibility::Public } else { Visibility::Internal };
    let mut cursor = node.walk();
    let rule = node.named_children(&mut cursor).find(|child| child.kind() == "macro_rule");
    // The macro around may export it.
    let flags = if around.wrapped { flag::DECORATED } else { 0 };
    let new = NewDef::new(Kind::Macro, node, name).body(rule).visibility(seen).flags(flags);
    let def = enter(walker, new, above, around);
    inside(walker, def, above, |walker| {
        walker.for_children(node, |walker, child| {
            if child.kind() == "macro_rule" {
                walker.in_scope(|walker| walker.visit_field(child, "right"));
            }
        });
    });
}
