//! Conventions of code that is older than modules: `require`, `exports`, prototypes; and test runners.
//!
//! Knows them by name only, as every reader of such code does.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::refs::last_function;
use super::{Value, classes, define_hidden, defs, first_named, key, modifiers, modules, patterns, peeled, string_text, value};
use crate::facts::model::{Kind, NONE, Role, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker, clip, one_line};

const TITLE_BYTES: usize = 80;

/// The specifier of `require("m")`.
fn require_source<'t>(walker: &Walker<'_>, node: Node<'t>) -> Option<Node<'t>> {
    if node.kind() != "call_expression" {
        return None;
    }
    let function = node.field("function")?;
    let known = match function.kind() {
        "identifier" => walker.text(function) == "require",
        "import" => true,
        _ => false,
    };
    let arguments = node.field("arguments").filter(|_| known)?;
    first_named(arguments).filter(|first| first.kind() == "string")
}

/// `require("m")` behind `await`, and behind what compilers put around it.
fn module_source<'t>(walker: &Walker<'_>, node: Node<'t>) -> Option<Node<'t>> {
    let node = peeled(node);
    if node.kind() == "await_expression" {
        return require_source(walker, peeled(first_named(node)?));
    }
    if node.kind() != "call_expression" {
        return None;
    }
    let direct = require_source(walker, node);
    // An `import()` that nobody waits for is a promise, not the module.
    if direct.is_some() {
        return direct.filter(|_| node.field("function").is_some_and(|function| function.kind() == "identifier"));
    }
    let function = node.field("function")?;
    let interop = function.kind() == "identifier" && walker.text(function).starts_with('_');
    let arguments = node.field("arguments").filter(|list| interop && list.kind() == "arguments")?;
    require_source(walker, first_named(arguments)?)
}

/// `const name = require("m")`, `const { a, b: c } = require("m")`, `= require("m").a`; says whether the declarator was one.
pub(super) fn required(walker: &mut Walker<'_>, name: Node<'_>, init: Node<'_>) -> bool {
    let node = peeled(init);
    if node.kind() == "member_expression" {
        let (Some(object), Some(property)) = (node.field("object"), node.field("property")) else {
            return false;
        };
        let Some(source) = module_source(walker, object).filter(|_| name.kind() == "identifier") else { return false };
        let (module, member, alias) = (string_text(walker, source), walker.text(property), walker.text(name));
        walker.import(property, module, member, alias, default_flag(member));
        return true;
    }
    let Some(source) = module_source(walker, node) else { return false };
    let module = string_text(walker, source);
    match name.kind() {
        "identifier" => {
            let alias = walker.text(name);
            walker.import(source, module, "", alias, import_flag::MODULE);
        }
        "object_pattern" => walker.for_children(name, |walker, child| required_name(walker, child, source, module)),
        _ => return false,
    }
    true
}

fn default_flag(name: &str) -> u16 {
    if name == "default" { import_flag::DEFAULT } else { 0 }
}

fn required_name(walker: &mut Walker<'_>, node: Node<'_>, source: Node<'_>, module: &str) {
    let (place, target) = match node.kind() {
        "shorthand_property_identifier_pattern" => (node, node),
        "object_assignment_pattern" => {
            if let Some(right) = node.field("right") {
                walker.visit(right);
            }
            let Some(left) = node.field("left") else { return };
            (left, left)
        }
        "pair_pattern" => {
            let (Some(name), Some(target)) = (node.field("key"), node.field("value")) else { return };
            (name, target)
        }
        "rest_pattern" => {
            if let Some(inner) = first_named(node) {
                let alias = walker.text(inner);
                walker.import(source, module, "", alias, import_flag::MODULE);
            }
            return;
        }
        _ => return,
    };
    let (place, name) = key(walker, place);
    if matches!(target.kind(), "identifier" | "shorthand_property_identifier_pattern") {
        let alias = walker.text(target);
        return walker.import(place, module, name, alias, default_flag(name));
    }
    walker.import(place, module, name, "", default_flag(name));
    let local = walker.in_function() || walker.in_block();
    let into = if local {
        patterns::Into::Bind { hoists: false, at: node.end_byte() }
    } else {
        patterns::Into::Define { kind: Kind::Constant, flags: 0 }
    };
    patterns::pattern(walker, target, None, NONE, into);
}

/// `require("m")` in any other place; says whether the call was one.
pub(super) fn bare_require(walker: &mut Walker<'_>, node: Node<'_>) -> bool {
    let Some(source) = require_source(walker, node) else { return false };
    let module = string_text(walker, source);
    walker.import(source, module, "", "", import_flag::MODULE);
    true
}

// ----- exports and prototypes

/// `exports`, `module.exports`.
fn is_exports(walker: &Walker<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" => walker.text(node) == "exports",
        "member_expression" => is_module_exports(walker, node),
        _ => false,
    }
}

fn is_module_exports(walker: &Walker<'_>, node: Node<'_>) -> bool {
    node.field("property").is_some_and(|property| walker.text(property) == "exports")
        && node.field("object").is_some_and(|object| walker.text(object) == "module")
}

/// The module definition around, or [`NONE`].
fn module_around(walker: &Walker<'_>) -> u32 {
    let mut at = walker.owner();
    while at != NONE && walker.def(at).kind() != Kind::Module {
        at = walker.def(at).parent;
    }
    at
}

/// An assignment to a member that defines or exports something; says whether it did.
pub(super) fn assigned(walker: &mut Walker<'_>, whole: Node<'_>, left: Node<'_>, right: Node<'_>) -> bool {
    let (Some(object), Some(property)) = (left.field("object"), left.field("property")) else {
        return false;
    };
    if is_module_exports(walker, left) {
        whole_export(walker, whole, right);
        return true;
    }
    if is_exports(walker, object) {
        let name = walker.text(property);
        named_export(walker, whole, property, name, right);
        return true;
    }
    if walker.text(property) == "prototype" {
        return prototype(walker, object, right);
    }
    if object.kind() == "member_expression"
        && let (Some(class), Some(last)) = (object.field("object"), object.field("property"))
        && walker.text(last) == "prototype"
    {
        walker.visit(class);
        let owner = last_segment(walker, class);
        member_outside(walker, whole, property, right, owner, 0);
        return true;
    }
    // `(window as any).name = function ..`
    function_on_object(walker, whole, peeled(object), property, right)
}

fn last_segment<'a>(walker: &Walker<'a>, node: Node<'_>) -> &'a str {
    walker.text(node.field("property").unwrap_or(node))
}

/// A member of a type that is declared outside of it.
fn member_outside(walker: &mut Walker<'_>, whole: Node<'_>, property: Node<'_>, init: Node<'_>, owner: &str, flags: u16) {
    let (place, name) = key(walker, property);
    let (parent, owner_type) = (module_around(walker), walker.intern(owner));
    let new = NewDef::new(Kind::Method, whole, place).visibility(Visibility::Public).flags(flags);
    match value(walker, init) {
        Value::Function(function) => {
            let (flags, _) = modifiers(walker, function);
            let def = define_hidden(walker, new.body(function.field("body")).flags(flags), name);
            (walker.def_mut(def).parent, walker.def_mut(def).owner_type) = (parent, owner_type);
            defs::function_inside(walker, Some(def), function);
        }
        _ => {
            let def = define_hidden(walker, NewDef { kind: Kind::Field, ..new }, name);
            (walker.def_mut(def).parent, walker.def_mut(def).owner_type) = (parent, owner_type);
            defs::initial(walker, def, init);
        }
    }
}

/// `Name.prototype = ..`.
fn prototype(walker: &mut Walker<'_>, class: Node<'_>, right: Node<'_>) -> bool {
    let owner = last_segment(walker, class);
    let inner = peeled(right);
    match inner.kind() {
        "object" => {
            walker.visit(class);
            walker.for_children(inner, |walker, child| match child.kind() {
                "pair" => {
                    if let (Some(name), Some(init)) = (child.field("key"), child.field("value")) {
                        member_outside(walker, child, name, init, owner, 0);
                    }
                }
                "method_definition" => {
                    let from = walker.rows.defs.len() as u32;
                    defs::method(walker, child, None, false);
                    if (from as usize) < walker.rows.defs.len() {
                        let (parent, owner_type) = (module_around(walker), walker.intern(owner));
                        (walker.def_mut(from).parent, walker.def_mut(from).owner_type) = (parent, owner_type);
                    }
                }
                _ => walker.visit(child),
            });
            true
        }
        // `Object.create(Base.prototype)`, `new Base()`
        "call_expression" | "new_expression" => {
            let base = match inner.field("constructor") {
                Some(constructor) => Some(constructor),
                None => inner.field("arguments").and_then(first_named).and_then(|first| {
                    let property = first.field("property")?;
                    (walker.text(property) == "prototype").then(|| first.field("object"))?
                }),
            };
            if let Some(base) = base.filter(|base| matches!(base.kind(), "identifier" | "member_expression")) {
                let place = base.field("property").unwrap_or(base);
                let text = walker.text(base);
                walker.supertype(NONE, owner, place, text, Role::Extends, false);
            }
            walker.visit(class);
            walker.visit(right);
            true
        }
        _ => false,
    }
}

/// Objects whose members are everybody's.
const GLOBALS: &[&str] = &["window", "globalThis", "global", "self", "root"];

/// `name.property = function ..`; anything else assigned is a mere assignment.
fn function_on_object(walker: &mut Walker<'_>, whole: Node<'_>, object: Node<'_>, property: Node<'_>, right: Node<'_>) -> bool {
    if !matches!(object.kind(), "identifier" | "member_expression") {
        return false;
    }
    let Value::Function(function) = value(walker, right) else { return false };
    let name = walker.text(property);
    let owner = last_segment(walker, object);
    let new = NewDef::new(Kind::Method, whole, property).visibility(Visibility::Public);
    if object.kind() == "identifier" && GLOBALS.contains(&owner) {
        let flags = flag::EXPORTED;
        exported_function(walker, NewDef { kind: Kind::Function, ..new }.flags(flags), name, function);
        return true;
    }
    walker.visit(object);
    let capital = owner.starts_with(char::is_uppercase);
    if walker.in_function() && !capital {
        defs::enter_hidden(walker, new, name, function);
        return true;
    }
    member_outside(walker, whole, property, right, owner, if capital { flag::STATIC } else { 0 });
    true
}

fn exported_function<'t>(walker: &mut Walker<'_>, new: NewDef<'t>, name: &str, function: Node<'t>) {
    let (flags, _) = modifiers(walker, function);
    let def = define_hidden(walker, new.body(function.field("body")).flags(flags), name);
    let parent = module_around(walker);
    walker.def_mut(def).parent = parent;
    defs::function_inside(walker, Some(def), function);
}

/// `module.exports = ..`.
fn whole_export(walker: &mut Walker<'_>, whole: Node<'_>, right: Node<'_>) {
    let inner = peeled(right);
    match inner.kind() {
        "object" => walker.for_children(inner, |walker, child| exported_member(walker, child)),
        "assignment_expression" => {
            let Some(last) = rightmost(inner) else { return walker.visit(right) };
            if last.kind() == "identifier" {
                let text = walker.text(last);
                walker.export(last, text, "default");
            }
            walker.visit(right);
        }
        "call_expression" if require_source(walker, inner).is_some() => {
            if let Some(source) = require_source(walker, inner) {
                let module = string_text(walker, source);
                walker.import(source, module, "", "", import_flag::WILDCARD | import_flag::REEXPORT);
                // What the other module is as a whole, this one is too.
                walker.import(source, module, "default", "default", import_flag::DEFAULT | import_flag::REEXPORT);
            }
        }
        _ => modules::export_default(walker, whole, right, flag::EXPORTED | flag::DEFAULT_EXPORT),
    }
}

fn rightmost(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    while node.kind() == "assignment_expression" {
        node = peeled(node.field("right")?);
    }
    Some(node)
}

/// A member of the object given to `module.exports`.
fn exported_member(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.kind() {
        "shorthand_property_identifier" => {
            let text = walker.text(node);
            walker.export(node, text, text);
        }
        "pair" => {
            let (Some(name), Some(init)) = (node.field("key"), node.field("value")) else { return };
            let (place, text) = key(walker, name);
            named_export(walker, node, place, text, init);
        }
        "method_definition" => {
            let from = walker.rows.defs.len() as u32;
            defs::method(walker, node, None, false);
            if (from as usize) < walker.rows.defs.len() {
                let row = walker.def_mut(from);
                row.flags |= flag::EXPORTED;
                if !row.has(flag::ACCESSOR) {
                    row.kind = Kind::Function as u8;
                }
            }
        }
        "spread_element" => match first_named(node).and_then(|inner| require_source(walker, inner)) {
            Some(source) => {
                let module = string_text(walker, source);
                walker.import(source, module, "", "", import_flag::WILDCARD | import_flag::REEXPORT);
                // What the other module is as a whole, this one is too.
                walker.import(source, module, "default", "default", import_flag::DEFAULT | import_flag::REEXPORT);
            }
            None => walker.visit(node),
        },
        _ => walker.visit(node),
    }
}

/// `exports.name = value`, or a key of the object given to `module.exports`.
fn named_export(walker: &mut Walker<'_>, whole: Node<'_>, place: Node<'_>, name: &str, right: Node<'_>) {
    let inner = peeled(right);
    let flags = flag::EXPORTED | if name == "default" { flag::DEFAULT_EXPORT } else { 0 };
    let new = NewDef::new(Kind::Function, whole, place).flags(flags).visibility(Visibility::Public);
    match value(walker, right) {
        Value::Function(function) => return exported_function(walker, new, name, function),
        Value::Class(class) => {
            let new = NewDef { kind: Kind::Class, ..new }.body(class.field("body"));
            let def = define_hidden(walker, new, name);
            walker.def_mut(def).parent = module_around(walker);
            return classes::class_inside(walker, class, def, None);
        }
        _ => {}
    }
    match inner.kind() {
        "identifier" => {
            let text = walker.text(inner);
            walker.export(inner, text, name);
        }
        "assignment_expression" => {
            if let Some(last) = rightmost(inner).filter(|last| last.kind() == "identifier") {
                let text = walker.text(last);
                walker.export(last, text, name);
            }
            walker.visit(right);
        }
        // `exports.a = void 0` only makes room; `__esModule` is a mark.
        "undefined" | "unary_expression" => {}
        _ if name == "__esModule" => {}
        _ => {
            if let Some(source) = module_source(walker, inner) {
                let module = string_text(walker, source);
                return walker.import(source, module, "", name, import_flag::MODULE | import_flag::REEXPORT);
            }
            if inner.kind() == "member_expression"
                && let (Some(object), Some(property)) = (inner.field("object"), inner.field("property"))
                && let Some(source) = module_source(walker, object)
            {
                let (module, member) = (string_text(walker, source), walker.text(property));
                return walker.import(property, module, member, name, default_flag(member) | import_flag::REEXPORT);
            }
            let def = define_hidden(walker, NewDef { kind: Kind::Constant, ..new }, name);
            walker.def_mut(def).parent = module_around(walker);
            defs::initial(walker, def, right);
        }
    }
}

// ----- tests

/// What runners call a test.
const TESTS: &[&str] = &["it", "test", "specify", "fit", "xit", "xtest"];
/// What may stand behind that.
const TEST_MODES: &[&str] = &["only", "skip", "todo", "concurrent", "sequential", "failing", "fails", "each", "for", "serial"];

/// The title and function of `test("title", function)`, if the call is one.
pub(super) fn test_case<'t>(walker: &Walker<'_>, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let mut callee = node.field("function")?;
    loop {
        match callee.kind() {
            "identifier" => break,
            "member_expression" => {
                let mode = callee.field("property")?;
                if !TEST_MODES.contains(&walker.text(mode)) {
                    return None;
                }
                callee = callee.field("object")?;
            }
            // `test.each(table)("title", ..)`
            "call_expression" => {
                callee = callee.field("function").filter(|inner| inner.kind() == "member_expression")?;
            }
            _ => return None,
        }
    }
    if !TESTS.contains(&walker.text(callee)) {
        return None;
    }
    let arguments = node.field("arguments").filter(|list| list.kind() == "arguments")?;
    let title = first_named(arguments).filter(|first| matches!(first.kind(), "string" | "template_string"))?;
    Some((title, last_function(arguments)?))
}

/// Defines a test under its title and visits its function.
pub(super) fn enter_test(walker: &mut Walker<'_>, call: Node<'_>, title: Node<'_>, function: Node<'_>) {
    let text = string_text(walker, title);
    let name = if text.contains('\n') { one_line(text, TITLE_BYTES) } else { clip(text, TITLE_BYTES) };
    let (flags, _) = modifiers(walker, function);
    let place = if title.kind() == "string" { title.named_child(0).unwrap_or(title) } else { title };
    let new = NewDef::new(Kind::Function, call, place).body(function.field("body")).flags(flags | flag::TEST);
    let def = define_hidden(walker, new, &name);
    defs::function_inside(walker, Some(def), function);
}
