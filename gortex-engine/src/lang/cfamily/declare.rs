//! Declarations of C and C++: functions, variables, fields, parameters.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::declarator::{Declared, bare, declared, split_qualified, typed};
use super::expr::{path_before_name, type_text};
use super::refs::{initializer, scopes};
use super::types::{anonymous_type, members, mention, mention_in, type_as};
use super::{is_caps, is_cpp, is_keyword, plus};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage, Visibility, flag};
use crate::facts::walker::{NewDef, Walker, one_line};
use crate::lang::common::arg_count;

/// What a declaration can't see in itself.
#[derive(Clone, Copy, Default)]
pub(super) struct Around<'t> {
    /// The `template<..>` around it.
    pub(super) outer: Option<Node<'t>>,
    /// The access label above it, inside a class.
    pub(super) access: Option<Visibility>,
}

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    Type,
    Function,
}

fn place(w: &Walker<'_>) -> Place {
    match w.owner_kind() {
        Some(kind) if kind.is_type() => Place::Type,
        Some(kind) if kind.is_callable() => Place::Function,
        _ if w.in_function() => Place::Function,
        _ => Place::File,
    }
}

/// Storage words and qualifiers in front of a declaration.
#[derive(Default)]
struct Words {
    is_static: bool,
    is_extern: bool,
    is_const: bool,
}

fn words(w: &Walker<'_>, node: Node<'_>) -> Words {
    let mut words = Words::default();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "storage_class_specifier" => match w.text(child) {
                "static" => words.is_static = true,
                "extern" => words.is_extern = true,
                _ => {}
            },
            "type_qualifier" => words.is_const |= matches!(w.text(child), "const" | "constexpr" | "constinit"),
            _ => {}
        }
    }
    words
}

pub(super) fn seen(w: &Walker<'_>, around: Around<'_>, is_static: bool) -> (Visibility, u16) {
    match (place(w), around.access) {
        (Place::Function, _) => (Visibility::Private, 0),
        (Place::Type, Some(access)) => (access, if access == Visibility::Public { flag::EXPORTED } else { 0 }),
        (Place::Type, None) => (Visibility::Public, flag::EXPORTED),
        (Place::File, _) if is_static => (Visibility::Private, 0),
        (Place::File, _) => (Visibility::Public, flag::EXPORTED),
    }
}

/// A function with a body, or `= default`, `= delete`.
pub(in crate::lang) fn function(w: &mut Walker<'_>, node: Node<'_>) {
    function_in(w, node, Around::default());
}

pub(super) fn function_in(w: &mut Walker<'_>, node: Node<'_>, around: Around<'_>) {
    let found = node.field("declarator").and_then(declared);
    match found {
        Some(found) if found.any_function.is_some() => callable(w, node, found, around),
        // A macro or a broken head took the place of the function; what is inside is still there.
        _ => w.visit_children(node),
    }
}

/// Macros of test frameworks whose arguments name the test.
fn is_test_macro(name: &str) -> bool {
    matches!(
        name,
        "TEST"
            | "TEST_F"
            | "TEST_P"
            | "TYPED_TEST"
            | "TYPED_TEST_P"
            | "BOOST_AUTO_TEST_CASE"
            | "BOOST_FIXTURE_TEST_CASE"
            | "START_TEST"
    )
}

/// A function or method, with or without a body.
fn callable(w: &mut Walker<'_>, node: Node<'_>, found: Declared<'_>, around: Around<'_>) {
    let Some(head) = found.function.or(found.any_function) else { return };
    let parameters = head.field("parameters");
    let body = node.field("body");
    let ty = node.field("type");
    if ty.is_none()
        && body.is_some()
        && found.name.kind() == "identifier"
        && is_caps(w.text(found.name))
        && w.enclosing_type().is_none()
    {
        return macro_function(w, node, found.name, parameters, body);
    }
    let (name, scope) = split_qualified(found.name);
    let bare_name = bare(name);
    if is_no_name(w, bare_name) {
        // A broken head; what is inside is still there.
        return w.visit_children(node);
    }
    let text = match name.kind() {
        "operator_cast" => {
            one_line(w.slice(name.start_byte(), name.field("declarator").map_or(name.end_byte(), |end| end.start_byte())), 80)
        }
        "operator_name" => {
            w.text(name).split_ascii_whitespace().collect::<Vec<_>>().join(if w.text(name).contains('"') { "" } else { " " })
        }
        _ => w.text(bare_name).to_owned(),
    };
    let class = match scope {
        Some(scope) => w.text(bare(scope)).to_owned(),
        None if place(w) == Place::Type => w.string(w.def(w.owner()).name).to_owned(),
        None => String::new(),
    };
    let member = scope.is_some() || place(w) == Place::Type;
    let kind = match (member, text == class) {
        (true, true) => Kind::Constructor,
        (true, false) => Kind::Method,
        (false, _) => Kind::Function,
    };
    let words = words(w, node);
    let (visibility, exported) = seen(w, around, words.is_static);
    let mut flags = exported;
    if place(w) == Place::Type && words.is_static {
        flags |= flag::STATIC;
    }
    flags |= tail_flags(w, node, head, body.is_some());
    let mut new = NewDef::new(kind, node, bare_name).body(body).visibility(visibility).flags(flags);
    new.first = around.outer;
    let def = w.define_named(new, &text);
    if let Some(scope) = scope {
        let owner = w.intern(w.text(bare(scope)));
        w.def_mut(def).owner_type = owner;
    }
    let start = start_of_macros(w, around.outer.unwrap_or(node).start_byte());
    w.def_mut(def).start = start as u32;
    let trailing = child_of_kind(head, "trailing_return_type");
    let result = match (trailing.and_then(|node| node.named_child(0)), ty) {
        (Some(trailing), _) => one_line(w.text(trailing), 200),
        (None, Some(ty)) => typed(w, &found, &type_text(w, ty)),
        (None, None) => String::new(),
    };
    let result = w.intern(&result);
    w.def_mut(def).ty = result;
    w.owned_by(def, |w| {
        if let Some(ty) = ty {
            type_as(w, ty, Role::ReturnType);
        }
        if let Some(trailing) = trailing {
            w.for_children(trailing, |w, ty| mention(w, ty, Role::ReturnType));
        }
        if found.name.kind() == "qualified_identifier" {
            scopes(w, found.name);
        }
        if let Some(parameters) = parameters {
            parameter_types(w, parameters, Role::ParamType);
        }
    });
    w.in_def(def, |w| {
        let (count, variadic) = parameters.map_or((0, false), |list| bind_parameters(w, list));
        let row = w.def_mut(def);
        row.params = count;
        row.flags |= if variadic { flag::VARIADIC } else { 0 };
        let declarator = node.field("declarator");
        w.visit_children_except(node, &[ty, declarator]);
    });
}

/// `override`, `= 0`, `= delete`, and whether there is a body at all.
fn tail_flags(w: &Walker<'_>, node: Node<'_>, head: Node<'_>, has_body: bool) -> u16 {
    let mut flags = 0;
    let mut cursor = head.walk();
    let overrides =
        head.named_children(&mut cursor).any(|child| child.kind() == "virtual_specifier" && w.text(child) == "override");
    if overrides {
        flags |= flag::OVERRIDE;
    }
    let defaulted = child_of_kind(node, "default_method_clause").is_some();
    if !has_body && !defaulted && child_of_kind(node, "try_statement").is_none() {
        flags |= flag::DECLARATION;
    }
    flags
}

pub(super) fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

/// Whether what a broken parse took for a name can't be one.
pub(super) fn is_no_name(w: &Walker<'_>, name: Node<'_>) -> bool {
    let text = w.text(name);
    let identifier = matches!(name.kind(), "identifier" | "field_identifier" | "type_identifier");
    identifier && (text == "$" || (is_keyword(text) && !text.starts_with("__")) && !is_c_name(w, text))
}

/// Key words of C++ that are ordinary names in C.
fn is_c_name(w: &Walker<'_>, text: &str) -> bool {
    const WORDS: &[&str] = &[
        "class",
        "typename",
        "template",
        "this",
        "new",
        "delete",
        "namespace",
        "using",
        "public",
        "private",
        "protected",
        "virtual",
        "operator",
        "throw",
        "try",
        "catch",
        "explicit",
        "decltype",
        "noexcept",
        "asm",
        "defined",
    ];
    text == "override" || text == "defined" || (!is_cpp(w) && WORDS.contains(&text))
}

/// The start of macros that stand before a definition on its line: `API static int f(..)`.
fn start_of_macros(w: &Walker<'_>, start: usize) -> usize {
    let line = memchr::memrchr(b'\n', &w.source[..start]).map_or(0, |end| end + 1);
    let before = w.slice(line, start);
    let mut depth = 0;
    let mut seen_word = false;
    for word in before.split_inclusive(['(', ')', ' ', '\t', ',']) {
        let text = word.trim_end_matches(['(', ')', ' ', '\t', ',']);
        if depth == 0 && !text.is_empty() && !is_caps(text) && !text.starts_with("__") {
            return start;
        }
        seen_word |= !text.is_empty();
        match word.as_bytes().last() {
            Some(b'(') => depth += 1,
            Some(b')') => depth -= 1,
            _ => {}
        }
    }
    if seen_word && depth == 0 { line + (before.len() - before.trim_start().len()) } else { start }
}

/// `TEST(Suite, Name) { .. }`, `SYSCALL_DEFINE3(open, ..) { .. }`: the arguments name the function.
fn macro_function(
    w: &mut Walker<'_>,
    node: Node<'_>,
    macro_name: Node<'_>,
    parameters: Option<Node<'_>>,
    body: Option<Node<'_>>,
) {
    let mut cursor = node.walk();
    let arguments: Vec<Node<'_>> =
        parameters.map(|list| list.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()).unwrap_or_default();
    let test = is_test_macro(w.text(macro_name));
    let taken = if test { 2 } else { 1 };
    let text = arguments.iter().take(taken).map(|argument| w.text(*argument)).collect::<Vec<_>>().join(".");
    let Some(first) = arguments.first() else { return w.visit_children(node) };
    let flags = flag::DECORATED | if test { flag::TEST } else { 0 };
    let new = NewDef::new(Kind::Function, node, *first).body(body).flags(flags).visibility(Visibility::Private);
    let def = w.define_named(new, &text);
    w.owned_by(def, |w| {
        let row = w.reference(macro_name, Role::Call, NONE);
        w.call_detail(row, Some(arguments.len()), Usage::Unknown);
        if test && w.text(macro_name) != "TEST" {
            // The suite is a fixture class.
            w.visit(*first);
        }
    });
    w.in_def(def, |w| {
        w.def_mut(def).params = 0;
        if let Some(body) = body {
            w.visit(body);
        }
    });
}

/// Parameters and result types of function types that nobody binds.
pub(in crate::lang) fn stray_parameters(w: &mut Walker<'_>, node: Node<'_>) {
    parameter_types(w, node, Role::Type);
}

/// Visits the types and defaults of a parameter list.
pub(super) fn parameter_types(w: &mut Walker<'_>, list: Node<'_>, role: Role) {
    w.for_children(list, |w, parameter| {
        if let Some(ty) = parameter.field("type") {
            type_as(w, ty, role);
        }
        if let Some(found) = parameter.field("declarator").and_then(declared) {
            if let Some(inner) = found.any_function.and_then(|function| function.field("parameters")) {
                w.visit(inner);
            }
        } else if let Some(declarator) = parameter.field("declarator") {
            w.visit(declarator);
        }
        if let Some(value) = parameter.field("default_value") {
            w.expr_of(value);
            w.visit(value);
        }
    });
}

/// Binds parameters; returns their number and whether there are any number of them.
pub(super) fn bind_parameters(w: &mut Walker<'_>, list: Node<'_>) -> (u16, bool) {
    let mut count = 0u16;
    let mut cursor = list.walk();
    let mut variadic = list
        .children(&mut cursor)
        .any(|child| matches!(child.kind(), "..." | "variadic_parameter" | "variadic_parameter_declaration"));
    w.for_children(list, |w, parameter| match parameter.kind() {
        "identifier" => {
            count += 1;
            w.bind(parameter, None, NONE, parameter.end_byte());
        }
        "parameter_declaration" | "optional_parameter_declaration" | "variadic_parameter_declaration" => {
            let ty = parameter.field("type");
            let declarator = parameter.field("declarator");
            if declarator.is_none() && ty.is_some_and(|ty| w.text(ty) == "void") {
                return;
            }
            count = count.saturating_add(1);
            variadic |= parameter.kind().starts_with("variadic");
            let Some(found) = declarator.and_then(declared) else { return };
            let text = ty.map(|ty| typed(w, &found, &type_text(w, ty)));
            let init = parameter.field("default_value").map_or(NONE, |value| w.expr_of(value));
            let shown = text.as_deref().filter(|text| !text.starts_with("auto"));
            w.bind(found.name, shown, init, parameter.end_byte());
        }
        _ => {}
    });
    (count, variadic)
}

pub(super) fn declarators(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children_by_field_name("declarator", &mut cursor).collect()
}

/// Variables, prototypes and locals.
pub(in crate::lang) fn declaration(w: &mut Walker<'_>, node: Node<'_>) {
    declaration_in(w, node, Around::default());
}

pub(super) fn declaration_in(w: &mut Walker<'_>, node: Node<'_>, around: Around<'_>) {
    let ty = node.field("type");
    let found: Vec<Declared<'_>> = declarators(node).into_iter().filter_map(declared).collect();
    let place = place(w);
    if place == Place::Function {
        return locals(w, node, ty, &found);
    }
    if found.is_empty() {
        return w.visit_children(node);
    }
    let words = words(w, node);
    let mut first = true;
    for one in found {
        if one.function.is_some() && one.value.is_none() {
            if first {
                callable(w, node, one, around);
            } else {
                other_prototype(w, node, one, around);
            }
        } else {
            variable(w, node, one, ty, &words, around, first);
        }
        first = false;
    }
}

/// The second and further functions of `int f(void), g(void);`.
fn other_prototype(w: &mut Walker<'_>, node: Node<'_>, found: Declared<'_>, around: Around<'_>) {
    let (visibility, exported) = seen(w, around, words(w, node).is_static);
    let kind = if place(w) == Place::Type { Kind::Method } else { Kind::Function };
    let new = NewDef::new(kind, node, found.name).visibility(visibility).flags(exported | flag::DECLARATION);
    let def = w.define(new);
    let list = found.function.and_then(|function| function.field("parameters"));
    let Some(list) = list else { return };
    w.owned_by(def, |w| parameter_types(w, list, Role::ParamType));
    w.in_def(def, |w| {
        let (count, variadic) = bind_parameters(w, list);
        let row = w.def_mut(def);
        row.params = count;
        row.flags |= if variadic { flag::VARIADIC } else { 0 };
    });
}

/// A variable or constant of the file, a namespace or a class.
fn variable(
    w: &mut Walker<'_>,
    node: Node<'_>,
    found: Declared<'_>,
    ty: Option<Node<'_>>,
    words: &Words,
    around: Around<'_>,
    first: bool,
) {
    if is_no_name(w, bare(split_qualified(found.name).0)) {
        return w.visit_children_except(node, &[Some(found.name), ty]);
    }
    let in_type = place(w) == Place::Type;
    if let Some(lambda) = found.value.filter(|value| value.kind() == "lambda_expression") {
        return plus::named_lambda(w, node, found.name, lambda);
    }
    let anonymous = if first { ty.and_then(|ty| type_as_field(w, ty)) } else { None };
    let (name, scope) = split_qualified(found.name);
    let kind = match (in_type || scope.is_some(), words.is_const && found.marks[0] != b'*') {
        (true, _) => Kind::Field,
        (false, true) => Kind::Constant,
        (false, false) => Kind::Variable,
    };
    let (visibility, exported) = seen(w, around, words.is_static);
    let mut flags = exported;
    if words.is_extern && found.value.is_none() {
        flags |= flag::DECLARATION;
    }
    if in_type && words.is_static {
        flags |= flag::STATIC;
    }
    let base = anonymous.unwrap_or_else(|| ty.map_or_else(String::new, |ty| type_text(w, ty)));
    let text = typed(w, &found, &base);
    let init = initial(w, found.value, &text);
    let mut new = NewDef::new(kind, node, bare(name)).visibility(visibility).flags(flags);
    new.first = around.outer;
    let def = w.define(new);
    let owner = scope.map(|scope| w.intern(w.text(bare(scope))));
    let shown = if text.starts_with("auto") { w.intern("") } else { w.intern(&text) };
    let row = w.def_mut(def);
    row.ty = shown;
    row.init = init;
    row.owner_type = owner.unwrap_or(row.owner_type);
    w.owned_by(def, |w| {
        if scope.is_some() {
            scopes(w, found.name);
        }
        if let Some(ty) = ty.filter(|ty| first && ty.field("body").is_none()) {
            type_as(w, ty, if in_type { Role::FieldType } else { Role::Type });
        }
        rest_of_declarator(w, found);
        if let Some(value) = found.value {
            let made = w.expr(ExprKind::Typed, &base, NONE, value);
            initializer(w, value, made, 0);
        }
    });
}

/// A type with a body stands beside what it declares; an anonymous one gets a number, which is returned.
fn type_as_field(w: &mut Walker<'_>, ty: Node<'_>) -> Option<String> {
    ty.field("body")?;
    if ty.field("name").is_some() {
        type_as(w, ty, Role::Type);
        return None;
    }
    Some(anonymous_type(w, ty))
}

/// Array sizes and parameter types that stand in a declarator.
pub(super) fn rest_of_declarator(w: &mut Walker<'_>, found: Declared<'_>) {
    if let Some(parameters) = found.any_function.and_then(|function| function.field("parameters")) {
        w.visit(parameters);
    }
}

/// The expression of an initial value; `T x(..)` and `T x{..}` make a `T`.
fn initial(w: &mut Walker<'_>, value: Option<Node<'_>>, ty: &str) -> u32 {
    let Some(value) = value else { return NONE };
    match value.kind() {
        "argument_list" | "initializer_list" if !ty.is_empty() && !ty.starts_with("auto") => {
            w.expr(ExprKind::Typed, ty, NONE, value)
        }
        _ => w.expr_of(value),
    }
}

/// Local variables.
fn locals(w: &mut Walker<'_>, node: Node<'_>, ty: Option<Node<'_>>, found: &[Declared<'_>]) {
    let base = match ty {
        Some(ty) => {
            let made = found.first().and_then(|first| first.value);
            let makes = is_cpp(w) && made.is_some_and(|value| matches!(value.kind(), "argument_list" | "initializer_list"));
            let anonymous = (ty.field("name").is_none() && !found.is_empty()).then(|| type_as_field(w, ty)).flatten();
            if anonymous.is_none() {
                let row = type_as(w, ty, if makes { Role::Instantiate } else { Role::Type });
                if let (Some(row), true, Some(value)) = (row, makes, made) {
                    w.call_detail(row, Some(arg_count(value)), Usage::Assigned);
                }
            }
            anonymous.unwrap_or_else(|| type_text(w, ty))
        }
        None => String::new(),
    };
    for one in found {
        if let Some(function) = one.function.filter(|_| one.value.is_none()) {
            local_prototype(w, *one, function, &base);
            continue;
        }
        if let Some(lambda) = one.value.filter(|value| value.kind() == "lambda_expression") {
            plus::named_lambda(w, node, one.name, lambda);
            continue;
        }
        let text = typed(w, one, &base);
        let init = initial(w, one.value, &text);
        rest_of_declarator(w, *one);
        if let Some(value) = one.value {
            let made = w.expr(ExprKind::Typed, &base, NONE, value);
            initializer(w, value, made, 0);
        }
        let declared = Some(text.as_str()).filter(|text| !text.is_empty() && !text.starts_with("auto"));
        if one.name.kind() == "structured_binding_declarator" {
            plus::structured(w, one.name, init, node.end_byte());
        } else {
            w.bind(one.name, declared, init, one.value.map_or(node.end_byte(), |value| value.end_byte()));
        }
    }
    if let Some(value) = node.field("value") {
        // `if (T x = f())`: the value is a child of the declaration itself.
        w.visit(value);
        if let Some(one) = found.first() {
            let init = w.expr_of(value);
            let text = typed(w, one, &base);
            let declared = Some(text.as_str()).filter(|text| !text.is_empty() && !text.starts_with("auto"));
            w.bind(one.name, declared, init, value.end_byte());
        }
    }
}

/// `T x(a);` in a function reads as a prototype; in C++ it is a variable, its parameters are values.
fn local_prototype(w: &mut Walker<'_>, found: Declared<'_>, function: Node<'_>, base: &str) {
    let Some(list) = function.field("parameters") else { return };
    let mut cursor = list.walk();
    let values = is_cpp(w)
        && list.named_child_count() > 0
        && list
            .named_children(&mut cursor)
            .all(|child| child.kind() == "parameter_declaration" && child.named_child_count() == 1);
    if !values {
        return parameter_types(w, list, Role::ParamType);
    }
    w.for_children(list, |w, child| {
        let Some(value) = child.named_child(0) else { return };
        match value.kind() {
            "type_identifier" | "qualified_identifier" => {
                let name = split_qualified(value).0;
                let recv = path_before_name(w, value);
                w.reference(bare(name), Role::Read, recv);
                scopes(w, value);
            }
            _ => w.visit(value),
        }
    });
    let text = typed(w, &found, base);
    w.bind(found.name, Some(&text), NONE, function.end_byte());
}

/// Members of a struct, union or class.
pub(in crate::lang) fn field(w: &mut Walker<'_>, node: Node<'_>) {
    field_in(w, node, Around::default());
}

pub(super) fn field_in(w: &mut Walker<'_>, node: Node<'_>, around: Around<'_>) {
    let ty = node.field("type");
    let declarators = declarators(node);
    if declarators.is_empty() {
        // A nested type, or an anonymous union whose members are the type's own.
        return match ty {
            Some(ty) if ty.kind() != "enum_specifier" && ty.field("name").is_none() && ty.field("body").is_some() => {
                if let Some(body) = ty.field("body") {
                    members(w, body, around.access);
                }
            }
            Some(ty) => mention_in(w, ty, Role::Type, around),
            None => w.visit_children(node),
        };
    }
    let words = words(w, node);
    let mut cursor = node.walk();
    let values: Vec<Node<'_>> = node.children_by_field_name("default_value", &mut cursor).collect();
    let mut first = true;
    for (index, declarator) in declarators.iter().enumerate() {
        let Some(mut found) = declared(*declarator) else { continue };
        if found.function.is_some() {
            if first {
                callable(w, node, found, around);
            } else {
                other_prototype(w, node, found, around);
            }
        } else {
            let until = declarators.get(index + 1).map_or(node.end_byte(), |next| next.start_byte());
            found.value =
                values.iter().copied().find(|value| value.start_byte() >= declarator.end_byte() && value.end_byte() <= until);
            variable(w, node, found, ty, &words, around, first);
        }
        first = false;
    }
}

/// The path in front of a qualified name, for those outside this file.
pub(super) fn scope_text(w: &Walker<'_>, node: Node<'_>) -> String {
    let (name, _) = split_qualified(node);
    let text = w.slice(node.start_byte(), name.start_byte());
    text.trim_end_matches("::").split_ascii_whitespace().collect()
}

/// The expression of the path in front of a qualified name.
pub(super) fn scope_expr(w: &mut Walker<'_>, node: Node<'_>) -> u32 {
    path_before_name(w, node)
}
