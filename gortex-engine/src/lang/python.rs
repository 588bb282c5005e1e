//! Python.
//!
//! A name is defined by being assigned, so definitions are not declarations: the first assignment in a module or a class
//! body is the definition, the first `self.x = …` is the field, and in a function every assignment is a binding unless
//! `global` or `nonlocal` says otherwise. Decorators decide what a function is.
//!
//! Knows no types beyond what is written down, and no other module.

mod bind;
mod expr;
#[cfg(test)]
mod tests;
mod types;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::expr::receiver;
use super::children::named;
use super::common::{UsageKinds, arg_count};
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{Kind, NONE, Role, Usage, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, one_line};

/// Python.
pub(super) static PYTHON: Language = Language {
    name: "python",
    tier: Tier::Deep,
    family: Family::Python,
    extensions: &["py", "pyi", "pyw"],
    file_names: &[],
    line_comment: "#",
    keywords: "False None True and as assert async await break class continue def del elif else except finally for from \
        global if import in is lambda nonlocal not or pass raise return try while with yield",
    signatures: &["$:\n    pass\n"],
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_python::LANGUAGE.into(),
    table: &[
        ("module", Action::Hook(module)),
        ("function_definition", Action::Hook(|w, node| function(w, node, None))),
        ("class_definition", Action::Hook(|w, node| class(w, node, None))),
        ("decorated_definition", Action::Hook(decorated)),
        ("assignment", Action::Hook(bind::assignment)),
        ("augmented_assignment", Action::Hook(bind::augmented)),
        ("named_expression", Action::Hook(bind::walrus)),
        ("for_statement", Action::Hook(bind::for_loop)),
        ("with_item", Action::Hook(bind::with_item)),
        ("except_clause", Action::Hook(bind::except)),
        ("case_clause", Action::Hook(bind::case_clause)),
        ("global_statement", Action::Hook(bind::declared_elsewhere)),
        ("nonlocal_statement", Action::Hook(bind::declared_elsewhere)),
        ("list_comprehension", Action::Hook(bind::comprehension)),
        ("set_comprehension", Action::Hook(bind::comprehension)),
        ("dictionary_comprehension", Action::Hook(bind::comprehension)),
        ("generator_expression", Action::Hook(bind::comprehension)),
        ("lambda", Action::Hook(|w, node| lambda(w, node, None))),
        ("type_alias_statement", Action::Hook(types::alias_statement)),
        ("type", Action::Hook(|w, node| types::mention(w, node, Role::Type))),
        ("call", Action::Hook(call)),
        ("attribute", Action::Hook(attribute)),
        ("identifier", Action::Hook(identifier)),
        ("keyword_argument", Action::Hook(|w, node| w.visit_field(node, "value"))),
        ("if_statement", Action::Hook(if_statement)),
        ("yield", Action::Hook(yields)),
        ("return_statement", Action::Hook(returned)),
        ("import_statement", Action::Hook(import)),
        ("import_from_statement", Action::Hook(import_from)),
        ("future_import_statement", Action::Hook(import_from)),
        ("dotted_name", Action::Skip),
    ],
    usage: UsageKinds {
        transparent: &["parenthesized_expression", "await", "not_operator", "boolean_operator"],
        statement: &["expression_statement"],
        assignment: &["assignment", "augmented_assignment", "named_expression", "as_pattern", "with_item"],
        returns: &["return_statement"],
        argument: &["argument_list", "keyword_argument"],
        condition: &["if_statement", "elif_clause", "while_statement", "assert_statement", "if_clause", "comparison_operator"],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks { expr: Some(expr::expr), ..Hooks::NONE },
};

/// Claimed names that are defined under a definition.
const DEFINED: u8 = 0;
/// Claimed names that a class body defines anywhere, collected before its methods are walked.
const IN_BODY: u8 = 1;
/// Claimed names that a function takes from outside.
const ELSEWHERE: u8 = 2;

/// Decorators that neither call nor register what they stand on.
const PLAIN_DECORATORS: &[&str] = &[
    "staticmethod",
    "classmethod",
    "property",
    "cached_property",
    "setter",
    "getter",
    "deleter",
    "abstractmethod",
    "abstractproperty",
    "override",
    "overload",
    "final",
    "wraps",
    "cache",
    "lru_cache",
    "contextmanager",
    "asynccontextmanager",
    "dataclass",
    "total_ordering",
    "runtime_checkable",
    "unique",
    "no_type_check",
];

/// Where a statement stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Module,
    Class,
    Function,
}

fn place(w: &Walker<'_>) -> Place {
    match w.owner_kind() {
        None => Place::Module,
        Some(kind) if kind.is_type() => Place::Class,
        Some(_) => Place::Function,
    }
}

/// Visibility and the export mark by the leading underscores.
fn seen(name: &str, member: bool) -> (Visibility, u16) {
    if name.len() > 4 && name.starts_with("__") && name.ends_with("__") {
        (Visibility::Public, flag::EXPORTED)
    } else if name.starts_with("__") {
        (Visibility::Private, 0)
    } else if name.starts_with('_') {
        (if member { Visibility::Protected } else { Visibility::Internal }, 0)
    } else {
        (Visibility::Public, flag::EXPORTED)
    }
}

fn module(w: &mut Walker<'_>, node: Node<'_>) {
    if let Some(text) = docstring(w, node) {
        w.file_doc(&text);
    }
    w.visit_children(node);
}

/// The text of a docstring that opens a block, each line trimmed.
fn docstring(w: &Walker<'_>, block: Node<'_>) -> Option<String> {
    let first = named(block).find(|child| !child.is_extra())?;
    let string = (first.kind() == "expression_statement").then(|| first.named_child(0)).flatten()?;
    if string.kind() != "string" {
        return None;
    }
    let from = string.named_child(0)?.end_byte();
    let last = string.named_child(string.named_child_count().checked_sub(1)? as u32)?;
    let lines: Vec<&str> = w.slice(from, last.start_byte().max(from)).trim().lines().map(str::trim).collect();
    Some(lines.join("\n"))
}

/// What decorators say about the definition below them.
#[derive(Default)]
struct Marks {
    flags: u16,
    is_static: bool,
    fixture: bool,
}

fn decorator_target(node: Node<'_>) -> Option<Node<'_>> {
    let inner = node.named_child(0)?;
    if inner.kind() == "call" { inner.field("function") } else { Some(inner) }
}

/// The last segment of a dotted expression.
fn last_segment(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "identifier" => Some(node),
        "attribute" => node.field("attribute"),
        "subscript" => last_segment(node.field("value")?),
        "generic_type" => node.named_child(0),
        _ => None,
    }
}

fn marks(w: &Walker<'_>, decorated: Option<Node<'_>>) -> Marks {
    let mut marks = Marks::default();
    let Some(decorated) = decorated else { return marks };
    for decorator in named(decorated).filter(|child| child.kind() == "decorator") {
        let name = decorator_target(decorator).and_then(last_segment).map_or("", |node| w.text(node));
        match name {
            "staticmethod" => {
                marks.flags |= flag::STATIC;
                marks.is_static = true;
            }
            "classmethod" => marks.flags |= flag::STATIC,
            "abstractmethod" | "overload" => marks.flags |= flag::DECLARATION,
            "abstractproperty" => marks.flags |= flag::DECLARATION | flag::ACCESSOR,
            "override" => marks.flags |= flag::OVERRIDE,
            "setter" | "getter" | "deleter" => marks.flags |= flag::ACCESSOR,
            "fixture" => marks.fixture = true,
            _ if name.ends_with("property") => marks.flags |= flag::ACCESSOR,
            _ => {}
        }
        if !PLAIN_DECORATORS.contains(&name) {
            marks.flags |= flag::DECORATED;
        }
    }
    marks
}

fn visit_decorators(w: &mut Walker<'_>, decorated: Option<Node<'_>>, own_name: &str) {
    let Some(decorated) = decorated else { return };
    w.for_children(decorated, |w, decorator| {
        if decorator.kind() != "decorator" {
            return;
        }
        let Some(target) = decorator_target(decorator) else { return };
        let arguments = decorator.named_child(0).and_then(|call| call.field("arguments"));
        match target.kind() {
            "identifier" => {
                let row = w.reference(target, Role::Attribute, NONE);
                w.call_detail(row, arguments.and_then(count), Usage::Unknown);
            }
            "attribute" => {
                let (object, name) = (target.field("object"), target.field("attribute"));
                let (Some(object), Some(name)) = (object, name) else { return };
                // `@x.setter` speaks of the member being defined.
                if w.text(object) == own_name {
                    return;
                }
                let recv = receiver(w, object);
                let row = w.reference(name, Role::Attribute, recv);
                w.call_detail(row, arguments.and_then(count), Usage::Unknown);
                w.visit(object);
            }
            _ => return w.visit_children(decorator),
        }
        if let Some(arguments) = arguments {
            w.visit(arguments);
        }
    });
}

fn decorated(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(inner) = node.field("definition") else { return w.visit_children(node) };
    match inner.kind() {
        "function_definition" => function(w, inner, Some(node)),
        "class_definition" => class(w, inner, Some(node)),
        _ => w.visit_children(node),
    }
}

fn is_test_name(name: &str) -> bool {
    name.strip_prefix("test").is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()))
}

fn function(w: &mut Walker<'_>, node: Node<'_>, outer: Option<Node<'_>>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let text = w.text(name);
    let body = node.field("body");
    let marks = marks(w, outer);
    let place = place(w);
    let owner = w.owner();
    let (visibility, exported) = seen(text, place == Place::Class);
    let mut flags = marks.flags;
    if place != Place::Function {
        flags |= exported;
    }
    if node.child(0).is_some_and(|first| first.kind() == "async") {
        flags |= flag::ASYNC;
    }
    if body.is_some_and(is_stub) {
        flags |= flag::DECLARATION;
    }
    let mut kind = Kind::Function;
    if place == Place::Class {
        kind = if text == "__init__" { Kind::Constructor } else { Kind::Method };
        if matches!(text, "__new__" | "__init_subclass__" | "__class_getitem__") {
            flags |= flag::STATIC;
        }
        let class = w.def(owner);
        let test_class = class.has(flag::TEST);
        if class.flags & (flag::TEST | flag::IN_TEST) != 0 {
            flags |= flag::IN_TEST;
        }
        if test_class && is_test_name(text) && !marks.fixture {
            flags |= flag::TEST;
        }
    } else if place == Place::Module {
        w.claim(NONE, DEFINED, text);
        if (text.starts_with("test_") || text == "test") && !marks.fixture {
            flags |= flag::TEST;
        }
    } else if w.def(owner).flags & (flag::TEST | flag::IN_TEST) != 0 {
        flags |= flag::IN_TEST;
    }
    let mut new = NewDef::new(kind, node, name).body(body).visibility(visibility).flags(flags);
    new.first = outer;
    let def = w.define(new);
    if let Some(text) = body.and_then(|body| docstring(w, body)) {
        w.doc_inside(def, &text);
    }
    let parameters = node.field("parameters");
    let result = node.field("return_type");
    // Defaults, annotations and decorators are evaluated outside.
    w.owned_by(def, |w| {
        visit_decorators(w, outer, text);
        if let Some(parameters) = parameters {
            bind::parameter_mentions(w, parameters);
        }
        if let Some(result) = result {
            types::mention(w, result, Role::ReturnType);
        }
    });
    if let Some(result) = result {
        let ty = types::text(w, result);
        w.def_mut(def).ty = w.intern(&ty);
    }
    let receiver = (place == Place::Class && !marks.is_static).then_some(owner);
    w.in_def(def, |w| {
        if let Some(generics) = node.field("type_parameters") {
            types::parameters(w, generics);
        }
        let (count, variadic) = parameters.map_or((0, false), |list| bind::parameters(w, node, list, receiver));
        let row = w.def_mut(def);
        row.params = count;
        if variadic {
            row.flags |= flag::VARIADIC;
        }
        if let Some(body) = body {
            w.visit(body);
        }
    });
}

/// `return value`.
fn returned(w: &mut Walker<'_>, node: Node<'_>) {
    w.visit_children(node);
    if let Some(value) = node.named_child(0) {
        w.returns(value);
    }
}

/// Whether a body is nothing but `...`, maybe under a docstring.
fn is_stub(body: Node<'_>) -> bool {
    let mut only_ellipsis = false;
    for child in named(body).filter(|child| !child.is_extra()) {
        match (child.kind() == "expression_statement").then(|| child.named_child(0)).flatten().map(|inner| inner.kind()) {
            Some("ellipsis") => only_ellipsis = true,
            Some("string") => {}
            _ => return false,
        }
    }
    only_ellipsis
}

fn lambda(w: &mut Walker<'_>, node: Node<'_>, named: Option<(Node<'_>, Node<'_>)>) {
    let parameters = node.field("parameters");
    let body = node.field("body");
    let class = (place(w) == Place::Class).then(|| w.owner());
    let walk = |w: &mut Walker<'_>| {
        let counted = parameters.map_or((0, false), |list| bind::parameters(w, node, list, class));
        if let Some(body) = body {
            w.visit(body);
        }
        counted
    };
    let mentions = |w: &mut Walker<'_>| {
        if let Some(parameters) = parameters {
            bind::parameter_mentions(w, parameters);
        }
    };
    let Some((name, statement)) = named else {
        mentions(w);
        return w.in_scope(|w| {
            walk(w);
        });
    };
    let kind = if class.is_some() { Kind::Method } else { Kind::Function };
    let (visibility, exported) = seen(w.text(name), class.is_some());
    let exported = if place(w) == Place::Function { 0 } else { exported };
    let def = w.define(bind::with_comment(w, NewDef::new(kind, statement, name).visibility(visibility).flags(exported)));
    w.owned_by(def, mentions);
    w.in_def(def, |w| {
        let (count, variadic) = walk(w);
        w.def_mut(def).params = count;
        if variadic {
            w.def_mut(def).flags |= flag::VARIADIC;
        }
    });
}

/// Bases that make a class something else.
fn class_kind(name: &str) -> Option<Kind> {
    match name {
        "Protocol" => Some(Kind::Interface),
        "Enum" | "IntEnum" | "StrEnum" | "Flag" | "IntFlag" | "TextChoices" | "IntegerChoices" => Some(Kind::Enum),
        _ if name.ends_with("Enum") => Some(Kind::Enum),
        _ => None,
    }
}

fn class(w: &mut Walker<'_>, node: Node<'_>, outer: Option<Node<'_>>) {
    let Some(name) = node.field("name") else { return w.visit_children(node) };
    let text = w.text(name);
    let body = node.field("body");
    let bases = node.field("superclasses");
    let place = place(w);
    let (visibility, exported) = seen(text, place == Place::Class);
    let mut flags = marks(w, outer).flags & (flag::DECORATED | flag::OVERRIDE);
    if place != Place::Function {
        flags |= exported;
    }
    if place == Place::Module {
        w.claim(NONE, DEFINED, text);
    }
    let mut kind = Kind::Class;
    let mut test = text.starts_with("Test") || text.ends_with("Test") || text.ends_with("Tests");
    let mut members = Vec::new();
    if let Some(body) = body {
        body_names(w, body, &mut members);
    }
    if let Some(bases) = bases {
        w.for_children(bases, |w, base| {
            let base = last_segment(base).map_or("", |node| w.text(node));
            kind = class_kind(base).unwrap_or(kind);
            test |= base.ends_with("TestCase");
        });
    }
    if test && (text.ends_with("TestCase") || members.iter().any(|name| is_test_name(name))) {
        flags |= flag::TEST;
    }
    let mut new = NewDef::new(kind, node, name).body(body).visibility(visibility).flags(flags);
    new.first = outer;
    let def = w.define(new);
    for member in members {
        w.claim(def, IN_BODY, member);
    }
    if let Some(text) = body.and_then(|body| docstring(w, body)) {
        w.doc_inside(def, &text);
    }
    w.owned_by(def, |w| {
        visit_decorators(w, outer, text);
        if let Some(bases) = bases {
            w.for_children(bases, |w, base| superclass(w, base, def));
        }
    });
    w.in_def(def, |w| {
        if let Some(generics) = node.field("type_parameters") {
            types::parameters(w, generics);
        }
        if let Some(body) = body {
            w.visit(body);
        }
    });
}

/// Names that stand directly in a class body: methods, and attributes with a plain name.
fn body_names<'a>(w: &Walker<'a>, body: Node<'_>, out: &mut Vec<&'a str>) {
    for child in named(body) {
        let named = match child.kind() {
            "function_definition" | "class_definition" => child.field("name"),
            "decorated_definition" => child.field("definition").and_then(|inner| inner.field("name")),
            "expression_statement" => child
                .named_child(0)
                .filter(|inner| inner.kind() == "assignment")
                .and_then(|inner| inner.field("left"))
                .filter(|left| left.kind() == "identifier"),
            _ => None,
        };
        out.extend(named.map(|node| w.text(node)));
    }
}

fn superclass(w: &mut Walker<'_>, base: Node<'_>, def: u32) {
    let named = match base.kind() {
        "subscript" => base.field("value").unwrap_or(base),
        _ => base,
    };
    let Some(name) = last_segment(named) else { return w.visit(base) };
    let text = one_line(w.text(named), 200);
    w.supertype(def, "", name, &text, Role::Extends, false);
    if let Some(object) = named.field("object") {
        w.visit(object);
    }
    if base.kind() == "subscript" {
        w.for_children(base, |w, child| {
            if child.id() != named.id() {
                types::mention(w, child, Role::GenericArg);
            }
        });
    }
}

/// Whether an identifier is the receiver of the method around it.
fn is_self(w: &Walker<'_>, text: &str) -> bool {
    (text == "self" || text == "cls") && w.in_function() && w.enclosing_type().is_some()
}

fn identifier(w: &mut Walker<'_>, node: Node<'_>) {
    if !is_self(w, w.text(node)) {
        w.reference(node, Role::Read, NONE);
    }
}

fn attribute(w: &mut Walker<'_>, node: Node<'_>) {
    let (Some(object), Some(name)) = (node.field("object"), node.field("attribute")) else {
        return w.visit_children(node);
    };
    let recv = receiver(w, object);
    w.reference(name, Role::Read, recv);
    w.visit(object);
}

/// Number of arguments, unless some are spread.
fn count(list: Node<'_>) -> Option<usize> {
    if list.kind() != "argument_list" {
        return Some(1);
    }
    let spread = named(list).any(|child| matches!(child.kind(), "list_splat" | "dictionary_splat"));
    (!spread).then(|| arg_count(list))
}

fn call(w: &mut Walker<'_>, node: Node<'_>) {
    let Some(callee) = node.field("function") else { return w.visit_children(node) };
    let arguments = node.field("arguments");
    let args = arguments.and_then(count);
    let usage = w.result_use();
    match callee.kind() {
        // `super()` is a receiver; the call that matters follows it.
        "identifier" if w.text(callee) == "super" => {}
        "identifier" if !is_self(w, w.text(callee)) => {
            w.call(callee, NONE, args, usage);
        }
        "attribute" => {
            let (object, name) = (callee.field("object"), callee.field("attribute"));
            if let (Some(object), Some(name)) = (object, name) {
                let recv = receiver(w, object);
                w.call(name, recv, args, usage);
                w.visit(object);
            }
        }
        _ => w.visit(callee),
    }
    if let Some(arguments) = arguments {
        for (position, argument) in named(arguments).filter(|child| !child.is_extra()).enumerate() {
            if argument.kind() == "lambda" {
                let callee = w.expr_of(callee);
                w.hand(argument, callee, position);
            }
        }
        w.visit(arguments);
    }
}

fn yields(w: &mut Walker<'_>, node: Node<'_>) {
    let owner = w.owner();
    if w.owner_kind().is_some_and(Kind::is_callable) {
        w.def_mut(owner).flags |= flag::GENERATOR;
    }
    w.visit_children(node);
}

fn if_statement(w: &mut Walker<'_>, node: Node<'_>) {
    if place(w) == Place::Module {
        let condition = node.field("condition").filter(|condition| condition.kind() == "comparison_operator");
        if let Some(condition) = condition {
            let text = w.text(condition);
            if text.contains("__name__") && text.contains("__main__") && text.contains("==") {
                w.mark_script();
            }
        }
    }
    w.visit_children(node);
}

fn import(w: &mut Walker<'_>, node: Node<'_>) {
    w.for_children(node, |w, child| match child.kind() {
        "dotted_name" => {
            let alias = child.named_child(0).map_or("", |first| w.text(first));
            w.import(child, w.text(child), "", alias, import_flag::MODULE);
        }
        "aliased_import" => {
            let (Some(name), Some(alias)) = (child.field("name"), child.field("alias")) else {
                return;
            };
            w.import(name, w.text(name), "", w.text(alias), import_flag::MODULE);
        }
        _ => {}
    });
}

fn import_from(w: &mut Walker<'_>, node: Node<'_>) {
    let module = node.field("module_name");
    let from = module.map_or("__future__", |module| w.text(module));
    // Black and others write `from . import x` with blanks between the dots.
    let joined: String = if from.contains([' ', '\\', '\n']) { from.split_whitespace().collect() } else { String::new() };
    let from = if joined.is_empty() { from } else { joined.as_str() };
    w.for_children(node, |w, child| {
        if module.is_some_and(|module| module.id() == child.id()) {
            return;
        }
        match child.kind() {
            "dotted_name" => w.import(child, from, w.text(child), w.text(child), 0),
            "aliased_import" => {
                let (name, alias) = (child.field("name"), child.field("alias"));
                if let (Some(name), Some(alias)) = (name, alias) {
                    w.import(name, from, w.text(name), w.text(alias), 0);
                }
            }
            "wildcard_import" => w.import(child, from, "", "", import_flag::WILDCARD),
            _ => {}
        }
    });
}
