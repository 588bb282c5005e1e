//! OCaml's patterns, types and expressions.
//!
//! Binding a function has its own definition; everything else that a pattern names is a local.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::items::bind_parameter;
use crate::facts::model::{ExprKind, NONE, Role, import_flag};
use crate::facts::walker::Walker;
use crate::lang::nodes::{child_of_kind, derived, line, named_children, over, receiver};

// ----- names

/// A module path with dots.
pub(super) fn module_text(walker: &Walker<'_>, node: Node<'_>) -> String {
    line(walker, node).split_whitespace().collect()
}

/// The expression of a module path: a chain of names.
fn module_expr(walker: &mut Walker<'_>, path: Node<'_>) -> u32 {
    let mut names = Vec::new();
    let mut at = path;
    for _ in 0..32 {
        if let Some(name) = child_of_kind(at, "module_name") {
            names.push(name);
        }
        match named_children(at).into_iter().find(|child| child.kind().ends_with("module_path")) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    let mut base = NONE;
    for name in names.into_iter().rev() {
        let kind = if base == NONE { ExprKind::Name } else { ExprKind::Member };
        base = walker.expr(kind, walker.text(name), base, name);
    }
    base
}

/// Name and module of `A.B.name`.
fn path(node: Node<'_>) -> (Option<Node<'_>>, Option<Node<'_>>) {
    let parts = named_children(node);
    let module = parts.iter().copied().find(|part| part.kind().ends_with("module_path"));
    let name = parts.iter().copied().rfind(|part| !part.kind().ends_with("module_path"));
    (module, name)
}

/// Records a mention of a possibly qualified name.
fn mention(walker: &mut Walker<'_>, node: Node<'_>, role: Role) -> Option<u32> {
    let (module, name) = path(node);
    let name = name?;
    let recv = module.map_or(NONE, |module| module_expr(walker, module));
    let text = match name.kind() {
        "parenthesized_operator" => name.named_child(0).map_or("", |operator| walker.text(operator)),
        _ => walker.text(name),
    };
    if is_standard(text) {
        return None;
    }
    Some(walker.reference_named(name, text, role, recv))
}

/// Operators of the language itself.
fn is_standard(name: &str) -> bool {
    matches!(
        name,
        "+" | "-"
            | "*"
            | "/"
            | "="
            | "<"
            | ">"
            | "<="
            | ">="
            | "<>"
            | "=="
            | "!="
            | "^"
            | "@"
            | "::"
            | "&&"
            | "||"
            | "|>"
            | "@@"
            | ":="
            | "!"
            | "mod"
            | "+."
            | "-."
            | "*."
            | "/."
            | "**"
            | "land"
            | "lor"
            | "lxor"
            | "lsl"
            | "lsr"
            | "asr"
            | "or"
            | "&"
    )
}

pub(super) fn value(walker: &mut Walker<'_>, node: Node<'_>) {
    mention(walker, node, Role::Read);
}

pub(super) fn module_mention(walker: &mut Walker<'_>, node: Node<'_>) {
    mention(walker, node, Role::Read);
}

pub(super) fn module_type_mention(walker: &mut Walker<'_>, node: Node<'_>) {
    mention(walker, node, Role::Type);
}

// ----- types

pub(super) fn plain_type(walker: &mut Walker<'_>, node: Node<'_>) {
    types(walker, node, Role::Type);
}

/// The name of a type without its arguments, which stand in front; of a function what it gives.
pub(super) fn type_text(walker: &Walker<'_>, node: Node<'_>) -> String {
    let mut at = node;
    for _ in 0..32 {
        at = match at.kind() {
            "constructed_type" => match named_children(at).last() {
                Some(last) => *last,
                None => break,
            },
            "parenthesized_type" => match at.named_child(0) {
                Some(inner) => inner,
                None => break,
            },
            _ => break,
        };
    }
    if at.kind() == "type_constructor_path" { module_text(walker, at) } else { String::new() }
}

/// Records the mentions in a type.
pub(super) fn types(walker: &mut Walker<'_>, node: Node<'_>, role: Role) {
    match node.kind() {
        "type_constructor_path" => {
            let is_basic = matches!(
                walker.text(node),
                "int" | "string" | "bool" | "unit" | "float" | "char" | "list" | "array" | "option" | "bytes" | "exn" | "ref"
            );
            if !is_basic {
                mention(walker, node, role);
            }
        }
        "type_variable" | "label_name" => {}
        "function_type" => {
            let last = node.field("codomain");
            walker.for_children(node, |walker, child| {
                let role = match last {
                    Some(last) if last.id() == child.id() && role == Role::ParamType => Role::ReturnType,
                    _ => role,
                };
                let role = if child.kind() == "function_type" { Role::ParamType } else { role };
                walker.nested(|walker| types(walker, child, role));
            });
        }
        "constructed_type" => {
            let parts = named_children(node);
            for (at, part) in parts.iter().enumerate() {
                let role = if at + 1 == parts.len() { role } else { Role::GenericArg };
                walker.nested(|walker| types(walker, *part, role));
            }
        }
        _ => walker.nested(|walker| walker.for_children(node, |walker, child| types(walker, child, role))),
    }
}

// ----- patterns

/// Binds the names of a pattern; the value goes to a name that stands alone.
pub(super) fn bind_pattern(walker: &mut Walker<'_>, pattern: Node<'_>, ty: &str, init: u32, at: usize) {
    match pattern.kind() {
        "value_pattern" | "value_name" => {
            walker.bind(pattern, Some(ty), init, at);
        }
        "typed_pattern" => {
            let ty = pattern.field("type");
            let text = ty.map(|ty| type_text(walker, ty)).unwrap_or_default();
            if let Some(ty) = ty {
                types(walker, ty, Role::ParamType);
            }
            if let Some(inner) = pattern.field("pattern") {
                walker.nested(|walker| bind_pattern(walker, inner, &text, init, at));
            }
        }
        "parenthesized_pattern" => {
            for inner in named_children(pattern) {
                walker.nested(|walker| bind_pattern(walker, inner, ty, init, at));
            }
        }
        "alias_pattern" => {
            for inner in named_children(pattern) {
                let init = if inner.kind() == "value_pattern" { init } else { NONE };
                walker.nested(|walker| bind_pattern(walker, inner, ty, init, at));
            }
        }
        "constructor_path" => {
            mention(walker, pattern, Role::Read);
        }
        "field_pattern" => {
            let parts = named_children(pattern);
            let inner = parts.iter().copied().find(|part| part.kind() != "field_path");
            if let Some(found) = parts.first().copied().filter(|part| part.kind() == "field_path") {
                field(walker, None, found, Role::Read);
                if let (None, Some(name)) = (inner, child_of_kind(found, "field_name")) {
                    walker.bind(name, None, NONE, at);
                }
            }
            if let Some(inner) = inner {
                walker.nested(|walker| bind_pattern(walker, inner, "", NONE, at));
            }
        }
        "module_path" | "type_constructor_path" | "constant" | "number" | "string" | "character" => {}
        _ => {
            for inner in named_children(pattern) {
                walker.nested(|walker| bind_pattern(walker, inner, "", NONE, at));
            }
        }
    }
}

pub(super) fn match_case(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        let pattern = node.field("pattern");
        if let Some(pattern) = pattern {
            bind_pattern(walker, pattern, "", NONE, pattern.end_byte());
        }
        walker.visit_children_except(node, &[pattern]);
    });
}

// ----- expressions

pub(super) fn lambda(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_lambda(|walker| {
        for parameter in named_children(node).into_iter().filter(|child| child.kind() == "parameter") {
            bind_parameter(walker, parameter);
        }
        walker.visit_field(node, "body");
    });
}

/// `function A -> .. | B -> ..`.
pub(super) fn cases(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_lambda(|walker| walker.visit_children(node));
}

pub(super) fn for_loop(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.in_scope(|walker| {
        let name = node.field("name");
        if let Some(name) = name {
            walker.bind(name, None, NONE, name.end_byte());
        }
        walker.visit_children_except(node, &[name]);
    });
}

/// `M.(..)`, `let open M in ..`: the names of `M` first, in this definition.
pub(super) fn local_open(walker: &mut Walker<'_>, node: Node<'_>) {
    let module = child_of_kind(node, "module_path");
    if let Some(module) = module {
        let text = module_text(walker, module);
        walker.import(module, &text, "", "", import_flag::WILDCARD);
    }
    walker.visit_children_except(node, &[module]);
}

pub(super) fn application(walker: &mut Walker<'_>, node: Node<'_>) {
    let usage = walker.result_use();
    let mut cursor = node.walk();
    let count = node.children_by_field_name("argument", &mut cursor).count();
    let function = node.field("function");
    if let Some(function) = function {
        match function.kind() {
            "value_path" | "constructor_path" => {
                if let Some(row) = mention(walker, function, Role::Call) {
                    walker.call_detail(row, Some(count), usage);
                }
            }
            _ => walker.visit(function),
        }
    }
    let function = function.map(|function| function.id());
    walker.for_children(node, |walker, child| {
        if Some(child.id()) != function && child.kind() != "label_name" {
            walker.visit(child);
        }
    });
}

/// Operators that are somebody's definitions; `x |> f` and `f @@ x` call `f`.
pub(super) fn infix(walker: &mut Walker<'_>, node: Node<'_>) {
    let (left, right) = (node.field("left"), node.field("right"));
    let operator = node.field("operator");
    let word = operator.map_or("", |operator| walker.text(operator));
    if let Some(operator) = operator.filter(|_| !is_standard(word)) {
        let row = walker.reference(operator, Role::Call, NONE);
        walker.call_detail(row, Some(2), crate::facts::model::Usage::Unknown);
    }
    for (side, calls) in [(left, word == "@@"), (right, word == "|>")] {
        match side {
            Some(side) if calls && side.kind() == "value_path" => {
                if let Some(row) = mention(walker, side, Role::Call) {
                    walker.call_detail(row, Some(1), crate::facts::model::Usage::Unknown);
                }
            }
            Some(side) => walker.visit(side),
            None => {}
        }
    }
}

/// `object#method`.
pub(super) fn invocation(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(object), Some(method)) = (node.field("object"), node.field("method")) else {
        return walker.visit_children(node);
    };
    let recv = receiver(walker, object);
    walker.reference(method, Role::Call, recv);
    walker.visit(object);
}

/// `new c`.
pub(super) fn creation(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(class) = child_of_kind(node, "class_path") {
        mention(walker, class, Role::Instantiate);
    }
}

/// `r.field`, `r.M.field`: a field is found by the type of `r`, by the module in front of it, or by its name in scope.
fn field(walker: &mut Walker<'_>, record: Option<Node<'_>>, field: Node<'_>, role: Role) {
    let (module, name) = path(field);
    let Some(name) = name else { return };
    let recv = match (module, record) {
        // Something inside the module: fields are no values of it.
        (Some(module), _) => {
            let base = module_expr(walker, module);
            over(walker, ExprKind::Index, "", base, module)
        }
        (None, Some(record)) => walker.expr_of(record),
        (None, None) => NONE,
    };
    // Never without: a field is no bare name, which would be a value.
    let recv = if recv == NONE { walker.expr(ExprKind::Unknown, "", NONE, name) } else { recv };
    walker.reference(name, role, recv);
}

pub(super) fn field_get(walker: &mut Walker<'_>, node: Node<'_>) {
    let record = node.field("record");
    if let Some(found) = node.field("field") {
        field(walker, record, found, Role::Read);
    }
    if let Some(record) = record {
        walker.visit(record);
    }
}

/// `r.field <- v`.
pub(super) fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    let target = node.named_child(0);
    match target.filter(|target| target.kind() == "field_get_expression") {
        Some(target) => {
            let record = target.field("record");
            if let Some(found) = target.field("field") {
                field(walker, record, found, Role::Write);
            }
            if let Some(record) = record {
                walker.visit(record);
            }
        }
        None => {
            if let Some(target) = target {
                walker.visit(target);
            }
        }
    }
    walker.visit_field(node, "body");
}

/// `{ field = v }`.
pub(super) fn field_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    let found = child_of_kind(node, "field_path");
    if let Some(found) = found {
        field(walker, None, found, Role::Write);
    }
    let body = node.field("body");
    match (body, found.and_then(|found| child_of_kind(found, "field_name"))) {
        (Some(body), _) => walker.visit(body),
        // `{ field }` takes the local of that name.
        (None, Some(name)) => {
            walker.reference(name, Role::Read, NONE);
        }
        _ => {}
    }
}

pub(super) fn expr(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let field = |name: &str| node.child_by_field_name(name);
    let literal = |walker: &mut Walker<'_>, name: &str| walker.expr(ExprKind::Literal, name, NONE, node);
    match node.kind() {
        "value_path" => {
            let (module, name) = path(node);
            let Some(name) = name else { return NONE };
            match module {
                Some(module) => {
                    let base = module_expr(walker, module);
                    over(walker, ExprKind::Member, walker.text(name), base, node)
                }
                None => walker.expr(ExprKind::Name, walker.text(name), NONE, node),
            }
        }
        "application_expression" => {
            let Some(function) = field("function") else { return NONE };
            if function.kind() == "new_expression" {
                return walker.expr_of(function);
            }
            derived(walker, ExprKind::Call, "", function, node)
        }
        "new_expression" => match child_of_kind(node, "class_path") {
            Some(class) => {
                let text = module_text(walker, class);
                walker.expr(ExprKind::New, &text, NONE, node)
            }
            None => NONE,
        },
        "method_invocation" => match (field("object"), field("method")) {
            (Some(object), Some(method)) => {
                let base = derived(walker, ExprKind::Member, walker.text(method), object, node);
                over(walker, ExprKind::Call, "", base, node)
            }
            _ => NONE,
        },
        "field_get_expression" => match (field("record"), field("field").and_then(|field| path(field).1)) {
            (Some(record), Some(name)) => derived(walker, ExprKind::Member, walker.text(name), record, node),
            _ => NONE,
        },
        "typed_expression" => match field("type") {
            Some(ty) => {
                let text = type_text(walker, ty);
                walker.expr(ExprKind::Typed, &text, NONE, node)
            }
            None => NONE,
        },
        "parenthesized_expression" => field("expression").map_or(NONE, |inner| walker.expr_of(inner)),
        "string" | "quoted_string" => literal(walker, "string"),
        "number" => literal(walker, "int"),
        "boolean" => literal(walker, "bool"),
        _ => NONE,
    }
}
