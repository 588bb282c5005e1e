//! What JavaScript, JSX, TypeScript and TSX share: one table, split by what each grammar has, and the hooks behind it.
//!
//! The idea: a function, class or object literal gets its name from what it is bound to. So every hook that meets a value asks
//! [`value`] what the value is at heart (casts, parentheses and well-known wrappers peeled off) before it decides whether
//! there is a definition, a binding or just an expression.
//!
//! Knows one file's syntax; what a module specifier leads to is for `link` to say.

mod classes;
mod commonjs;
mod defs;
mod exprs;
mod modules;
mod patterns;
mod refs;
mod types;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::Action::{self, Descend, Hook, Scope, Skip};
use super::Hooks;
use super::common::UsageKinds;
use crate::facts::model::{NONE, Role, Visibility, flag};
use crate::facts::walker::{NewDef, Walker};

/// Words that can't be names.
pub(super) const KEYWORDS: &str = "await break case catch class const continue debugger default delete do else enum export extends false finally \
        for function if implements import in instanceof interface let new null package private protected public return \
        static super switch this throw true try typeof var void while with yield";

/// Rows of a table.
type Rows<const N: usize> = [(&'static str, Action); N];

/// What every one of the grammars has.
const SHARED: Rows<48> = [
    ("arguments", Descend),
    ("array_pattern", Hook(patterns::assigned)),
    ("arrow_function", Hook(defs::function_value)),
    ("return_statement", Hook(defs::returned)),
    ("assignment_expression", Hook(refs::assignment)),
    ("augmented_assignment_expression", Hook(refs::augmented)),
    ("break_statement", Skip),
    ("call_expression", Hook(refs::call)),
    ("catch_clause", Hook(patterns::catch)),
    ("class", Hook(classes::class_value)),
    ("class_declaration", Hook(classes::class_declaration)),
    ("class_static_block", Hook(classes::static_block)),
    ("comment", Skip),
    ("continue_statement", Skip),
    ("decorator", Hook(refs::decorator)),
    ("export_statement", Hook(modules::export_statement)),
    ("expression_statement", Hook(refs::expression_statement)),
    ("for_in_statement", Hook(patterns::for_in)),
    ("for_statement", Scope),
    ("function_declaration", Hook(defs::function_declaration)),
    ("function_expression", Hook(defs::function_value)),
    ("generator_function", Hook(defs::function_value)),
    ("generator_function_declaration", Hook(defs::function_declaration)),
    ("hash_bang_line", Hook(modules::hash_bang)),
    ("identifier", Hook(refs::identifier)),
    ("if_statement", Hook(modules::if_statement)),
    ("import", Skip),
    ("import_statement", Hook(modules::import_statement)),
    ("lexical_declaration", Hook(defs::declaration)),
    ("member_expression", Hook(refs::member)),
    ("meta_property", Skip),
    ("method_definition", Hook(defs::stray_method)),
    ("new_expression", Hook(refs::new)),
    ("number", Skip),
    ("object", Hook(defs::object)),
    ("object_pattern", Hook(patterns::assigned)),
    ("program", Hook(modules::program)),
    ("property_identifier", Skip),
    ("regex", Skip),
    ("shorthand_property_identifier", Action::Name(Role::Read)),
    ("statement_block", Scope),
    ("statement_identifier", Skip),
    ("string", Skip),
    ("super", Skip),
    ("switch_body", Scope),
    ("this", Skip),
    ("update_expression", Hook(refs::update)),
    ("variable_declaration", Hook(defs::declaration)),
];

/// What the grammars with JSX have.
const JSX_ONLY: Rows<5> = [
    ("jsx_attribute", Descend),
    ("jsx_closing_element", Skip),
    ("jsx_opening_element", Hook(refs::jsx_opening)),
    ("jsx_self_closing_element", Hook(refs::jsx_opening)),
    ("jsx_text", Skip),
];

/// What only the JavaScript grammar has.
const UNTYPED_ONLY: Rows<1> = [("using_declaration", Hook(defs::declaration))];

/// What the TypeScript grammars have.
const TYPED_ONLY: Rows<26> = [
    ("abstract_class_declaration", Hook(classes::class_declaration)),
    ("ambient_declaration", Hook(types::ambient)),
    ("array_type", Hook(types::plain_type)),
    ("conditional_type", Hook(types::scoped_type)),
    ("constructor_type", Hook(types::scoped_type)),
    ("enum_declaration", Hook(types::enumeration)),
    ("function_signature", Hook(defs::function_declaration)),
    ("function_type", Hook(types::scoped_type)),
    ("generic_type", Hook(types::plain_type)),
    ("import_alias", Hook(modules::import_alias)),
    ("interface_declaration", Hook(types::interface)),
    ("internal_module", Hook(types::namespace)),
    ("intersection_type", Hook(types::plain_type)),
    ("literal_type", Skip),
    ("module", Hook(types::namespace)),
    ("nested_identifier", Hook(refs::member)),
    ("nested_type_identifier", Hook(types::plain_type)),
    ("object_type", Hook(types::scoped_type)),
    ("predefined_type", Skip),
    ("tuple_type", Hook(types::plain_type)),
    ("type_alias_declaration", Hook(types::alias)),
    ("type_annotation", Hook(types::plain_type)),
    ("type_arguments", Hook(types::type_arguments)),
    ("type_identifier", Action::Name(Role::Type)),
    ("type_parameters", Hook(types::type_parameters)),
    ("union_type", Hook(types::plain_type)),
];

/// What TypeScript has where TSX has elements: `<T>value`.
const ANGLED_ONLY: Rows<1> = [("type_assertion", Hook(types::type_assertion))];

/// The table of JavaScript, with JSX or without: one grammar reads both.
pub(super) const JAVASCRIPT_TABLE: Rows<54> = joined(joined::<48, 5, 53>(SHARED, JSX_ONLY), UNTYPED_ONLY);
/// The table of TypeScript.
pub(super) const TYPESCRIPT_TABLE: Rows<75> = joined(joined::<48, 26, 74>(SHARED, TYPED_ONLY), ANGLED_ONLY);
/// The table of TSX.
pub(super) const TSX_TABLE: Rows<79> = joined(joined::<48, 26, 74>(SHARED, TYPED_ONLY), JSX_ONLY);

const fn joined<const A: usize, const B: usize, const N: usize>(first: Rows<A>, second: Rows<B>) -> Rows<N> {
    assert!(A + B == N, "the length of a joined table");
    let mut out = [("", Descend); N];
    let mut at = 0;
    while at < N {
        out[at] = if at < A { first[at] } else { second[at - A] };
        at += 1;
    }
    out
}

/// What stands around a call.
pub(super) const USAGE: UsageKinds = UsageKinds {
    transparent: &[
        "parenthesized_expression",
        "await_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "type_assertion",
        "ternary_expression",
        "binary_expression",
        "unary_expression",
    ],
    statement: &["expression_statement"],
    assignment: &[
        "variable_declarator",
        "assignment_expression",
        "augmented_assignment_expression",
        "field_definition",
        "public_field_definition",
    ],
    returns: &["return_statement", "arrow_function"],
    argument: &["arguments"],
    condition: &["if_statement", "while_statement", "do_statement", "for_statement", "switch_statement"],
    spawn: &[],
    defer: &[],
};

/// The hooks of all four.
pub(super) const HOOKS: Hooks = Hooks {
    expr: Some(exprs::expr),
    signature_start: Some(signature_start),
    is_attribute: Some(is_decorator),
    finish: Some(modules::finish),
    ..Hooks::NONE
};

/// A signature begins behind the decorators.
fn signature_start(definition: Node<'_>, _name: Node<'_>) -> usize {
    let mut cursor = definition.walk();
    if cursor.goto_first_child() {
        loop {
            let child = cursor.node();
            if child.kind() != "decorator" && !child.is_extra() {
                return child.start_byte();
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    definition.start_byte()
}

fn is_decorator(node: Node<'_>) -> bool {
    node.kind() == "decorator"
}

/// What a declaration inherits from the statement around it.
#[derive(Clone, Copy, Default)]
struct Outer<'t> {
    /// `export ...`, `declare ...`, or the statement of an assignment: the definition's range is this.
    node: Option<Node<'t>>,
    /// Flags that come from it.
    flags: u16,
}

impl<'t> Outer<'t> {
    /// A new definition with this around it.
    fn new_def(self, kind: crate::facts::model::Kind, node: Node<'t>, name: Node<'t>) -> NewDef<'t> {
        let new = NewDef::new(kind, self.node.unwrap_or(node), name).flags(self.flags);
        if self.flags & flag::EXPORTED == 0 { new } else { new.visibility(Visibility::Public) }
    }
}

/// What a value is at heart.
enum Value<'t> {
    /// A function or arrow function.
    Function(Node<'t>),
    /// A class expression.
    Class(Node<'t>),
    /// An object literal.
    Object(Node<'t>),
    /// A call of a well-known wrapper (`memo`, `useCallback`, ...) around a function: the call, then the function.
    Wrapped(Node<'t>, Node<'t>),
    /// Anything else.
    Other,
}

/// Parentheses, casts and `!` peeled off.
fn peeled(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    loop {
        let inner = match node.kind() {
            "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "instantiation_expression" => first_named(node),
            "type_assertion" => node.named_child(node.named_child_count().saturating_sub(1) as u32),
            _ => return node,
        };
        let Some(inner) = inner else { return node };
        node = inner;
    }
}

/// The first child that is neither anonymous nor a comment.
fn first_named(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !child.is_extra())
}

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function")
}

/// Wrappers that give back the function they are given, so that the variable is that function by all a reader cares for.
const WRAPPERS: &[&str] = &[
    "memo",
    "forwardRef",
    "observer",
    "useCallback",
    "useEvent",
    "useEffectEvent",
    "useMemoizedFn",
    "debounce",
    "throttle",
    "memoize",
    "once",
    "asyncHandler",
    "catchAsync",
    "curry",
    "cache",
];

fn value<'t>(walker: &Walker<'_>, node: Node<'t>) -> Value<'t> {
    let node = peeled(node);
    match node.kind() {
        "arrow_function" | "function_expression" | "generator_function" => Value::Function(node),
        "class" => Value::Class(node),
        "object" => Value::Object(node),
        "call_expression" => wrapped(walker, node),
        _ => Value::Other,
    }
}

fn wrapped<'t>(walker: &Walker<'_>, call: Node<'t>) -> Value<'t> {
    let mut inner = call;
    // `memo(forwardRef(function Name() {}))`
    loop {
        let callee = inner.field("function");
        let name = callee.and_then(|callee| match callee.kind() {
            "identifier" => Some(callee),
            "member_expression" => callee.field("property"),
            _ => None,
        });
        let name = name.map_or("", |name| walker.text(name));
        if name != "freeze" && !WRAPPERS.contains(&name) {
            return Value::Other;
        }
        let Some(first) = inner.field("arguments").and_then(first_named) else { return Value::Other };
        match first.kind() {
            "object" if name == "freeze" => return Value::Object(first),
            "call_expression" => inner = first,
            _ if is_function(first) => return Value::Wrapped(call, first),
            _ => return Value::Other,
        }
    }
}

/// The text of a key, and the node to point at: strings lose their quotes.
fn key<'t, 'a>(walker: &Walker<'a>, node: Node<'t>) -> (Node<'t>, &'a str) {
    if node.kind() == "string" {
        return (node.named_child(0).unwrap_or(node), string_text(walker, node));
    }
    (node, walker.text(node))
}

/// A string literal's text without its quotes.
fn string_text<'a>(walker: &Walker<'a>, node: Node<'_>) -> &'a str {
    walker.slice(node.start_byte() + 1, node.end_byte().saturating_sub(1))
}

/// Enters a definition that bare names of the scope around do not mean (a method of a local object, a title).
fn define_hidden(walker: &mut Walker<'_>, new: NewDef<'_>, name: &str) -> u32 {
    let mut def = NONE;
    walker.in_scope(|walker| def = walker.define_named(new, name));
    def
}

/// What the words before a name say: flags and visibility.
fn modifiers(walker: &Walker<'_>, node: Node<'_>) -> (u16, Option<Visibility>) {
    let mut flags = 0;
    let mut visibility = None;
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return (0, None);
    }
    loop {
        if matches!(cursor.field_name(), Some("name" | "property" | "parameters" | "parameter" | "body" | "pattern")) {
            break;
        }
        match cursor.node().kind() {
            "async" => flags |= flag::ASYNC,
            "static" => flags |= flag::STATIC,
            "static get" => flags |= flag::STATIC | flag::ACCESSOR,
            "get" | "set" => flags |= flag::ACCESSOR,
            "*" => flags |= flag::GENERATOR,
            "abstract" | "declare" => flags |= flag::DECLARATION,
            "override_modifier" => flags |= flag::OVERRIDE,
            "decorator" => flags |= flag::DECORATED,
            "accessibility_modifier" => {
                visibility = Some(match walker.text(cursor.node()) {
                    "private" => Visibility::Private,
                    "protected" => Visibility::Protected,
                    _ => Visibility::Public,
                });
            }
            _ => {}
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
    (flags, visibility)
}
