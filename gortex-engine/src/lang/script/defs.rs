//! Functions, variables and object literals: what gets a name from where it stands.
//!
//! Knows names and places. Whether a variable is a definition or a local is the walker's scope to say: inside a function or a
//! block it is a binding unless its value is a function or class.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::patterns::{self, Into};
use super::{Outer, Value, classes, commonjs, define_hidden, is_function, key, modifiers, refs, types, value};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Visibility, flag};
use crate::facts::walker::{NewDef, Walker};

/// `function name() {}`, also generators and TypeScript's bodiless signatures.
pub(super) fn function_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    declared_function(walker, node, Outer::default());
}

/// [`function_declaration`] inside `export` or `declare`.
pub(super) fn declared_function<'t>(walker: &mut Walker<'_>, node: Node<'t>, outer: Outer<'t>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let mut new = outer.new_def(Kind::Function, node, name);
    if node.kind() == "function_signature" {
        new = new.flags(flag::DECLARATION);
    }
    enter_function(walker, new, node);
}

/// A function expression or arrow function that nothing names from outside.
pub(super) fn function_value(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.field("name") {
        Some(name) => {
            let (flags, _) = modifiers(walker, node);
            let text = walker.text(name);
            let new = NewDef::new(Kind::Function, node, name).body(node.field("body")).flags(flags);
            let def = define_hidden(walker, new, text);
            function_inside(walker, Some(def), node);
        }
        None => function_inside(walker, None, node),
    }
}

/// Defines a function under the node's own name and visits it.
pub(super) fn enter_function<'t>(walker: &mut Walker<'_>, new: NewDef<'t>, function: Node<'t>) -> u32 {
    let (flags, _) = modifiers(walker, function);
    let new = new.body(function.field("body")).flags(flags);
    let def = walker.define(new);
    function_inside(walker, Some(def), function);
    def
}

/// [`enter_function`] under a name that bare names around do not mean.
pub(super) fn enter_hidden<'t>(walker: &mut Walker<'_>, new: NewDef<'t>, name: &str, function: Node<'t>) -> u32 {
    let (flags, _) = modifiers(walker, function);
    let new = new.body(function.field("body")).flags(flags);
    let def = define_hidden(walker, new, name);
    function_inside(walker, Some(def), function);
    def
}

/// Visits parameters, types and body of a function, as `def` or as a lambda.
pub(super) fn function_inside(walker: &mut Walker<'_>, def: Option<u32>, node: Node<'_>) {
    match def {
        Some(def) => walker.in_def(def, |walker| function_parts(walker, Some(def), node)),
        None => walker.in_lambda(|walker| function_parts(walker, None, node)),
    }
}

fn function_parts(walker: &mut Walker<'_>, def: Option<u32>, node: Node<'_>) {
    // The name of a bound function expression is known inside it only.
    if let (Some(def), Some(name)) = (def, node.field("name"))
        && is_function(node)
    {
        let text = walker.text(name);
        let own = walker.expr(ExprKind::LocalDef, text, def, name);
        walker.bind(name, None, own, node.start_byte());
    }
    if let Some(parameters) = node.field("type_parameters") {
        types::type_parameters(walker, parameters);
    }
    let (mut count, mut variadic) = (0, false);
    if let Some(parameters) = node.field("parameters") {
        (count, variadic) = patterns::parameters(walker, node, parameters, def);
    } else if let Some(parameter) = node.field("parameter") {
        let given = walker.given(node, 0);
        walker.bind(parameter, None, given, parameter.end_byte());
        count = 1;
    }
    if let Some(result) = node.field("return_type") {
        types::visit_type(walker, result, Role::ReturnType);
        if let Some(def) = def {
            types::set_type(walker, def, result);
        }
    }
    if let Some(def) = def {
        let row = walker.def_mut(def);
        row.params = count as u16;
        if variadic {
            row.flags |= flag::VARIADIC;
        }
    }
    if let Some(body) = node.field("body") {
        walker.within(node, |walker| walker.visit(body));
        if body.kind() != "statement_block" {
            walker.returns(body);
        }
    }
}

/// `return value`.
pub(super) fn returned(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children(node);
    if let Some(value) = super::first_named(node) {
        walker.returns(value);
    }
}

/// `const`, `let`, `var`, `using`.
pub(super) fn declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    declared_variables(walker, node, Outer::default());
}

/// [`declaration`] inside `export` or `declare`.
pub(super) fn declared_variables<'t>(walker: &mut Walker<'_>, node: Node<'t>, outer: Outer<'t>) {
    let word = node.child(0).map_or("", |word| word.kind());
    let mut cursor = node.walk();
    let single = node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator").count() == 1;
    // A loop's counters are the loop's own, even where `var` leaks them.
    let counter = walker.around(1) == "for_statement";
    walker.for_children(node, |walker, child| {
        if child.kind() != "variable_declarator" {
            return walker.visit(child);
        }
        let whole = if single { outer.node.unwrap_or(node) } else { child };
        let (var, constant) = (word == "var", word != "let" && word != "var");
        let variable = Variable { node: child, whole, hoists: var, constant, counter, flags: outer.flags };
        walker.within(child, |walker| declarator(walker, variable));
    });
}

/// One declarator with what the statement around it says.
#[derive(Clone, Copy)]
struct Variable<'t> {
    node: Node<'t>,
    /// The range of the definition.
    whole: Node<'t>,
    hoists: bool,
    constant: bool,
    counter: bool,
    flags: u16,
}

impl<'t> Variable<'t> {
    fn kind(self) -> Kind {
        if self.constant { Kind::Constant } else { Kind::Variable }
    }

    fn new_def(self, kind: Kind, name: Node<'t>) -> NewDef<'t> {
        Outer { node: Some(self.whole), flags: self.flags }.new_def(kind, self.node, name)
    }
}

fn declarator(walker: &mut Walker<'_>, variable: Variable<'_>) {
    let node = variable.node;
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let init = node.field("value");
    if let Some(init) = init
        && commonjs::required(walker, name, init)
    {
        return;
    }
    let local = variable.counter || walker.in_function() || (!variable.hoists && walker.in_block());
    if name.kind() != "identifier" {
        return destructured(walker, variable, name, init, local);
    }
    match init.map_or(Value::Other, |init| value(walker, init)) {
        Value::Function(function) => {
            let def = enter_function(walker, variable.new_def(Kind::Function, name), function);
            declared_type(walker, node, def, Role::Type);
        }
        Value::Wrapped(call, function) => {
            let (flags, _) = modifiers(walker, function);
            let new = variable.new_def(Kind::Function, name).body(function.field("body")).flags(flags);
            let def = walker.define(new);
            declared_type(walker, node, def, Role::Type);
            wrapped(walker, call, function, def);
        }
        Value::Class(class) => {
            let text = walker.text(name);
            let def = walker.define_named(variable.new_def(Kind::Class, name).body(class.field("body")), text);
            classes::class_inside(walker, class, def, None);
        }
        _ if local => local_variable(walker, variable, name, init),
        found => {
            let mut new = variable.new_def(variable.kind(), name);
            if let Value::Object(object) = found {
                new = new.body(Some(object));
            }
            let def = walker.define(new);
            declared_type(walker, node, def, Role::Type);
            if let Some(init) = init {
                initial(walker, def, init);
            }
        }
    }
}

/// Visits `memo(forwardRef(function ..))`, the function as `def`, the calls as the surroundings' own.
pub(super) fn wrapped(walker: &mut Walker<'_>, call: Node<'_>, function: Node<'_>, def: u32) {
    walker.within(call, |walker| {
        refs::callee(walker, call);
        let Some(arguments) = call.field("arguments") else { return };
        walker.within(arguments, |walker| {
            walker.for_children(arguments, |walker, argument| {
                if argument.id() == function.id() {
                    function_inside(walker, Some(def), function);
                } else if argument.byte_range().contains(&function.start_byte()) && argument.kind() == "call_expression" {
                    walker.nested(|walker| wrapped(walker, argument, function, def));
                } else {
                    walker.visit(argument);
                }
            });
        });
    });
}

/// Sets the declared type of a variable or field and visits its names.
pub(super) fn declared_type(walker: &mut Walker<'_>, node: Node<'_>, def: u32, role: Role) {
    let Some(annotation) = node.field("type") else { return };
    walker.owned_by(def, |walker| types::visit_type(walker, annotation, role));
    if !walker.def(def).kind().is_callable() {
        types::set_type(walker, def, annotation);
    }
}

/// Sets the initial value of a constant, variable, field or property and visits it; an object literal's keys become
/// properties of it.
pub(super) fn initial(walker: &mut Walker<'_>, def: u32, init: Node<'_>) {
    let expr = walker.expr_of(init);
    walker.def_mut(def).init = expr;
    let found = value(walker, init);
    walker.owned_by(def, |walker| match found {
        Value::Object(object) if properties_count(walker, def) => {
            // What stands around the literal (a cast's type, `Object.freeze`) is visited too.
            around_object(walker, init, object);
        }
        _ => walker.visit(init),
    });
}

fn around_object(walker: &mut Walker<'_>, node: Node<'_>, object: Node<'_>) {
    if node.id() == object.id() {
        return members(walker, object, true);
    }
    walker.within(node, |walker| {
        if node.kind() == "call_expression" {
            refs::callee(walker, node);
        }
        let from = if node.kind() == "call_expression" { node.field("arguments") } else { Some(node) };
        let Some(from) = from else { return };
        walker.for_children(from, |walker, child| {
            if child.byte_range().contains(&object.start_byte()) {
                walker.nested(|walker| around_object(walker, child, object));
            } else {
                walker.visit(child);
            }
        });
    });
}

/// Keys of tables in tables in tables are data, not names that anyone looks up.
const PROPERTY_LEVELS: usize = 3;

fn properties_count(walker: &Walker<'_>, def: u32) -> bool {
    let mut at = def;
    for _ in 0..PROPERTY_LEVELS {
        if walker.def(at).kind() != Kind::Property {
            return true;
        }
        at = walker.def(at).parent;
        if at == NONE {
            return true;
        }
    }
    false
}

fn local_variable(walker: &mut Walker<'_>, variable: Variable<'_>, name: Node<'_>, init: Option<Node<'_>>) {
    let annotation = variable.node.field("type");
    if let Some(annotation) = annotation {
        types::visit_type(walker, annotation, Role::Type);
    }
    let ty = annotation.map(|annotation| types::type_text(walker, annotation));
    let expr = init.map_or(NONE, |init| walker.expr_of(init));
    let at = variable.node.end_byte();
    if variable.hoists && walker.in_function() {
        walker.hoisted(|walker| {
            walker.bind(name, ty.as_deref(), expr, at);
        });
    } else {
        walker.bind(name, ty.as_deref(), expr, at);
    }
    if let Some(init) = init {
        walker.visit(init);
    }
}

fn destructured(walker: &mut Walker<'_>, variable: Variable<'_>, pattern: Node<'_>, init: Option<Node<'_>>, local: bool) {
    let base = init.map_or(NONE, |init| walker.expr_of(init));
    let annotation = variable.node.field("type");
    if let Some(annotation) = annotation {
        types::visit_type(walker, annotation, Role::Type);
    }
    let into = if local {
        Into::Bind { hoists: variable.hoists && walker.in_function(), at: variable.node.end_byte() }
    } else {
        Into::Define { kind: variable.kind(), flags: variable.flags }
    };
    patterns::pattern(walker, pattern, annotation, base, into);
    if let Some(init) = init {
        walker.visit(init);
    }
}

/// An object literal that is not the value of a file-level constant: only its functions are definitions.
pub(super) fn object(walker: &mut Walker<'_>, node: Node<'_>) {
    members(walker, node, false);
}

/// A method outside of class and object: broken code. Its body is still worth reading.
pub(super) fn stray_method(walker: &mut Walker<'_>, node: Node<'_>) {
    method(walker, node, None, false);
}

/// The members of an object literal; `named` when each key is a property of the definition around.
pub(super) fn members(walker: &mut Walker<'_>, object: Node<'_>, named: bool) {
    walker.for_children(object, |walker, child| match child.kind() {
        "method_definition" => method(walker, child, None, false),
        "pair" => pair(walker, child, named),
        "shorthand_property_identifier" => {
            if named {
                let def = walker.define(NewDef::new(Kind::Property, child, child).visibility(Visibility::Public));
                let text = walker.text(child);
                let own = walker.expr(ExprKind::Name, text, NONE, child);
                walker.def_mut(def).init = own;
            }
            walker.reference(child, Role::Read, NONE);
        }
        _ => walker.visit(child),
    });
}

fn pair(walker: &mut Walker<'_>, node: Node<'_>, named: bool) {
    let (Some(name), Some(init)) = (node.field("key"), node.field("value")) else {
        return walker.visit_children(node);
    };
    if name.kind() == "computed_property_name" {
        walker.visit_children(name);
    }
    let (place, text) = key(walker, name);
    let new = NewDef::new(Kind::Method, node, place).visibility(Visibility::Public);
    match value(walker, init) {
        Value::Function(function) => {
            enter_hidden(walker, new, text, function);
        }
        Value::Wrapped(call, function) => {
            let def = define_hidden(walker, new.body(function.field("body")), text);
            wrapped(walker, call, function, def);
        }
        found if named => {
            let mut new = NewDef { kind: Kind::Property, ..new };
            if let Value::Object(object) = found {
                new = new.body(Some(object));
            }
            let def = walker.define_named(new, text);
            initial(walker, def, init);
        }
        _ => walker.within(node, |walker| walker.visit(init)),
    }
}

/// A method with a body, of a class (`in_class`) or an object literal.
pub(super) fn method<'t>(walker: &mut Walker<'_>, node: Node<'t>, first: Option<Node<'t>>, in_class: bool) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let (flags, visibility) = modifiers(walker, node);
    if name.kind() == "computed_property_name" {
        walker.visit_children(name);
    }
    let (place, text) = key(walker, name);
    let kind = if in_class && text == "constructor" && flags & flag::STATIC == 0 { Kind::Constructor } else { Kind::Method };
    let default = if name.kind() == "private_property_identifier" { Visibility::Private } else { Visibility::Public };
    let mut new = NewDef::new(kind, node, place).body(node.field("body")).visibility(visibility.unwrap_or(default)).flags(flags);
    if matches!(node.kind(), "method_signature" | "abstract_method_signature") {
        new = new.flags(flag::DECLARATION);
    }
    new.first = first;
    new.doc_above = Some(node);
    let def = define_hidden(walker, new, text);
    function_inside(walker, Some(def), node);
}
