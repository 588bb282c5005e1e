//! C#.
//!
//! A file's first namespace is its package and no definition; a further one is a definition under its full name. A primary
//! constructor is a member named like its type, and a record's parameters are its properties. A method with `this` before its
//! first parameter stays a member of the class it is written in and keeps the parameter's type as its owner.
//!
//! Knows no project: which parts a partial class has and what a `using` brings in is for `link` to say.

mod values;

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use self::values::*;
use super::common::{UsageKinds, arg_count};
use super::tree::*;
use super::{Action, Family, Hooks, Language, Tier};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage, Visibility, flag, import_flag};
use crate::facts::walker::{NewDef, Walker};

/// C#.
pub(super) static CSHARP: Language = Language {
    name: "csharp",
    tier: Tier::Deep,
    family: Family::CSharp,
    extensions: &["cs", "csx"],
    file_names: &[],
    line_comment: "//",
    keywords: "abstract as base bool break byte case catch char checked class const continue decimal default delegate do \
        double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface \
        internal is lock long namespace new null object operator out override params private protected public readonly ref \
        return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong \
        unchecked unsafe ushort using virtual void volatile while",
    signatures: &["class T { $ {} }", "interface T { $; }", "$ {}"],
    hoists: false,
    implicit_self: true,
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    table: &[
        ("using_directive", Action::Hook(using_directive)),
        ("file_scoped_namespace_declaration", Action::Hook(namespace)),
        ("namespace_declaration", Action::Hook(namespace)),
        ("extern_alias_directive", Action::Skip),
        ("class_declaration", Action::Hook(type_declaration)),
        ("struct_declaration", Action::Hook(type_declaration)),
        ("record_declaration", Action::Hook(type_declaration)),
        ("interface_declaration", Action::Hook(type_declaration)),
        ("enum_declaration", Action::Hook(type_declaration)),
        ("delegate_declaration", Action::Hook(delegate)),
        ("enum_member_declaration", Action::Hook(enum_member)),
        ("method_declaration", Action::Hook(callable)),
        ("constructor_declaration", Action::Hook(callable)),
        ("destructor_declaration", Action::Hook(callable)),
        ("operator_declaration", Action::Hook(callable)),
        ("conversion_operator_declaration", Action::Hook(callable)),
        ("local_function_statement", Action::Hook(callable)),
        ("property_declaration", Action::Hook(property)),
        ("indexer_declaration", Action::Hook(property)),
        ("event_declaration", Action::Hook(property)),
        ("field_declaration", Action::Hook(fields)),
        ("event_field_declaration", Action::Hook(fields)),
        ("attribute", Action::Hook(attribute)),
        ("attribute_argument", Action::Hook(argument)),
        ("preproc_if", Action::Hook(preproc)),
        ("preproc_elif", Action::Hook(preproc)),
        ("block", Action::Scope),
        ("for_statement", Action::Scope),
        ("using_statement", Action::Scope),
        ("fixed_statement", Action::Scope),
        ("switch_section", Action::Scope),
        ("switch_expression_arm", Action::Scope),
        ("query_expression", Action::Scope),
        ("foreach_statement", Action::Hook(foreach)),
        ("catch_clause", Action::Scope),
        ("catch_declaration", Action::Hook(typed_name)),
        ("variable_declaration", Action::Hook(local_variables)),
        ("declaration_expression", Action::Hook(typed_name)),
        ("declaration_pattern", Action::Hook(typed_name)),
        ("recursive_pattern", Action::Hook(recursive_pattern)),
        ("var_pattern", Action::Hook(typed_name)),
        ("type_pattern", Action::Hook(typed_name)),
        ("from_clause", Action::Hook(from_clause)),
        ("let_clause", Action::Hook(let_clause)),
        ("join_clause", Action::Hook(join_clause)),
        ("lambda_expression", Action::Hook(lambda)),
        ("anonymous_method_expression", Action::Hook(lambda)),
        ("invocation_expression", Action::Hook(call)),
        ("object_creation_expression", Action::Hook(creation)),
        ("implicit_object_creation_expression", Action::Hook(implicit_creation)),
        ("with_expression", Action::Hook(with_expression)),
        ("anonymous_object_creation_expression", Action::Hook(anonymous_object)),
        ("array_creation_expression", Action::Hook(array_creation)),
        ("member_access_expression", Action::Hook(member_access)),
        ("conditional_access_expression", Action::Hook(conditional_access)),
        ("member_binding_expression", Action::Hook(member_access)),
        ("assignment_expression", Action::Hook(assignment)),
        ("postfix_unary_expression", Action::Hook(step)),
        ("prefix_unary_expression", Action::Hook(step)),
        ("argument", Action::Hook(argument)),
        ("cast_expression", Action::Hook(typed_value)),
        ("as_expression", Action::Hook(typed_value)),
        ("is_expression", Action::Hook(typed_value)),
        ("typeof_expression", Action::Hook(typed_value)),
        ("default_expression", Action::Hook(typed_value)),
        ("sizeof_expression", Action::Hook(typed_value)),
        ("labeled_statement", Action::Hook(labeled)),
        ("goto_statement", Action::Skip),
        ("identifier", Action::Hook(identifier)),
        ("implicit_parameter", Action::Skip),
        ("generic_name", Action::Hook(plain_type)),
        ("qualified_name", Action::Hook(plain_type)),
        ("alias_qualified_name", Action::Hook(plain_type)),
        ("nullable_type", Action::Hook(plain_type)),
        ("type_argument_list", Action::Hook(type_arguments)),
    ],
    usage: UsageKinds {
        transparent: &["parenthesized_expression", "await_expression", "argument", "cast_expression", "as_expression"],
        statement: &["expression_statement"],
        assignment: &["variable_declarator", "variable_declaration", "assignment_expression", "property_declaration"],
        returns: &["return_statement", "arrow_expression_clause", "yield_statement"],
        argument: &["argument_list"],
        condition: &["while_statement", "do_statement", "switch_statement"],
        spawn: &[],
        defer: &[],
    },
    hooks: Hooks { expr: Some(expr), signature_start: Some(signature_start), finish: Some(mark_test_classes), ..Hooks::NONE },
};

/// The signature begins after the attributes.
fn signature_start(node: Node<'_>, name: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let mut parts = node.children(&mut cursor);
    let first = parts.find(|child| child.kind() != "attribute_list" && !child.is_extra() && !child.kind().starts_with("preproc"));
    first.map_or(name.start_byte(), |first| first.start_byte())
}

// ----- file level

fn using_directive(walker: &mut Walker<'_>, node: Node<'_>) {
    let alias = node.field("name");
    let Some(target) = last_named(node).filter(|target| alias.is_none_or(|alias| alias.id() != target.id())) else { return };
    let text = line(walker, target);
    let text = text.strip_prefix("global::").unwrap_or(&text).to_owned();
    let everywhere = if has_word(node, "global") { import_flag::REEXPORT } else { 0 };
    let Some(alias) = alias else {
        let of_type = if has_word(node, "static") { import_flag::STATIC } else { 0 };
        return walker.import(target, &text, "", "", import_flag::WILDCARD | of_type | everywhere);
    };
    let bare = without_arguments(&text, '<', '>');
    let (module, name) = bare.rsplit_once('.').unwrap_or(("", &bare));
    let alias = walker.text(alias);
    walker.import(target, module, name, alias, everywhere);
}

fn namespace(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let text = line(walker, name).into_owned();
    let body = node.field("body");
    let inner = body.unwrap_or(node);
    let nested = walker.owner_kind() == Some(Kind::Module) || has_namespace_around(node);
    if walker.rows.header.package.is_empty() && !nested {
        walker.package(&text);
        return walker.visit_children_except(inner, &[Some(name)]);
    }
    let outer = match walker.owner() {
        NONE => walker.string(walker.rows.header.package).to_owned(),
        owner => walker.string(walker.def(owner).name).to_owned(),
    };
    let full = if nested { format!("{outer}.{text}") } else { text };
    let new = NewDef::new(Kind::Module, node, name).body(body).visibility(Visibility::Public).flags(flag::EXPORTED);
    let def = walker.define_named(new, &full);
    walker.in_def(def, |walker| walker.visit_children_except(inner, &[Some(name)]));
}

fn has_namespace_around(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), Node::parent).any(|above| above.kind() == "namespace_declaration")
}

/// What stands under a condition; the condition's own names are the compiler's.
fn preproc(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.visit_children_except(node, &[node.field("condition")]);
}

// ----- modifiers

/// What the modifiers and attributes of a declaration say.
struct Modifiers {
    visibility: Option<Visibility>,
    flags: u16,
    is_const: bool,
}

fn modifiers(walker: &Walker<'_>, node: Node<'_>) -> Modifiers {
    let mut found = Modifiers { visibility: None, flags: 0, is_const: false };
    for child in named_children(node) {
        match child.kind() {
            "attribute_list" => found.flags |= attribute_flags(walker, child),
            "modifier" => match walker.text(child) {
                "public" => found.visibility = Some(Visibility::Public),
                "protected" => found.visibility = Some(Visibility::Protected),
                "internal" if found.visibility.is_none() => found.visibility = Some(Visibility::Internal),
                "private" if found.visibility.is_none() => found.visibility = Some(Visibility::Private),
                "static" => found.flags |= flag::STATIC,
                "const" => (found.is_const, found.flags) = (true, found.flags | flag::STATIC),
                "override" => found.flags |= flag::OVERRIDE,
                "async" => found.flags |= flag::ASYNC,
                _ => {}
            },
            _ => {}
        }
    }
    found
}

fn attribute_flags(walker: &Walker<'_>, list: Node<'_>) -> u16 {
    let mut flags = 0;
    for name in named_children(list).into_iter().filter_map(|attribute| attribute.field("name")) {
        let text = walker.text(type_name(name).unwrap_or(name));
        flags |= match text.strip_suffix("Attribute").unwrap_or(text) {
            "Fact" | "Theory" | "Test" | "TestCase" | "TestCaseSource" | "TestMethod" | "DataTestMethod" => {
                flag::TEST | flag::DECORATED
            }
            // Notes to readers and compilers: nothing runs differently for them.
            "Obsolete"
            | "SuppressMessage"
            | "MethodImpl"
            | "DebuggerDisplay"
            | "DebuggerStepThrough"
            | "EditorBrowsable"
            | "Conditional"
            | "Flags"
            | "CLSCompliant"
            | "ExcludeFromCodeCoverage" => 0,
            _ => flag::DECORATED,
        };
    }
    flags
}

/// The visibility of a declaration: said, or by the place it stands in.
fn visibility(walker: &Walker<'_>, said: Option<Visibility>) -> (Visibility, u16) {
    let by_place = match walker.owner_kind() {
        Some(Kind::Interface | Kind::Enum) => Visibility::Public,
        None | Some(Kind::Module) => Visibility::Internal,
        _ => Visibility::Private,
    };
    let visibility = said.unwrap_or(by_place);
    let is_exported = matches!(visibility, Visibility::Public | Visibility::Protected);
    (visibility, if is_exported { flag::EXPORTED } else { 0 })
}

fn attribute(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        types(walker, name, Role::Attribute, 0);
    }
    if let Some(arguments) = child_of_kind(node, "attribute_argument_list") {
        walker.visit(arguments);
    }
}

fn visit_attributes(walker: &mut Walker<'_>, node: Node<'_>) {
    for list in named_children(node).into_iter().filter(|child| child.kind() == "attribute_list") {
        walker.visit(list);
    }
}

// ----- types

fn type_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let kind = match node.kind() {
        "interface_declaration" => Kind::Interface,
        "enum_declaration" => Kind::Enum,
        "record_declaration" => Kind::Record,
        "struct_declaration" => Kind::Struct,
        _ => Kind::Class,
    };
    let said = modifiers(walker, node);
    let (visibility, exported) = visibility(walker, said.visibility);
    let body = node.field("body");
    let new = NewDef::new(kind, node, name).body(body).visibility(visibility).flags(said.flags | exported);
    let def = walker.define(new);
    walker.in_def(def, |walker| {
        visit_attributes(walker, node);
        type_parameters(walker, node);
        if let Some(list) = child_of_kind(node, "parameter_list") {
            primary_constructor(walker, list, name, kind == Kind::Record);
        }
        if let Some(list) = child_of_kind(node, "base_list") {
            base_list(walker, list, def, kind);
        }
        constraints(walker, node);
        if let Some(body) = body {
            walker.visit_children(body);
        }
    });
}

/// What stands behind the colon of a type. An interface is told by its name; `link` knows better where it is ours.
fn base_list(walker: &mut Walker<'_>, list: Node<'_>, def: u32, kind: Kind) {
    if kind == Kind::Enum {
        return;
    }
    for base in named_children(list) {
        let (ty, arguments) = match base.kind() {
            "primary_constructor_base_type" => (base.field("type"), child_of_kind(base, "argument_list")),
            "argument_list" => (None, Some(base)),
            _ => (Some(base), None),
        };
        if let Some(ty) = ty {
            supertype(walker, def, ty, kind);
        }
        if let Some(arguments) = arguments {
            constructor_call(walker, arguments, "base", def);
        }
    }
}

fn supertype(walker: &mut Walker<'_>, def: u32, ty: Node<'_>, kind: Kind) {
    let Some(name) = type_name(ty) else { return types(walker, ty, Role::Type, 0) };
    let text = line(walker, ty);
    let bare = walker.text(name);
    let is_interface = bare.starts_with('I') && bare[1..].starts_with(char::is_uppercase);
    let role = if is_interface && kind != Kind::Interface { Role::Implements } else { Role::Extends };
    walker.supertype(def, "", name, &without_arguments(&text, '<', '>'), role, false);
    type_arguments_within(walker, ty, 0);
}

fn delegate(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return };
    let said = modifiers(walker, node);
    let (visibility, exported) = visibility(walker, said.visibility);
    let def = walker.define(NewDef::new(Kind::TypeAlias, node, name).visibility(visibility).flags(said.flags | exported));
    walker.in_def(def, |walker| {
        visit_attributes(walker, node);
        type_parameters(walker, node);
        if let Some(ty) = node.field("type") {
            types(walker, ty, Role::ReturnType, 0);
        }
        if let Some(list) = node.field("parameters") {
            bind_parameters(walker, list);
        }
    });
}

fn enum_member(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return };
    let flags = flag::STATIC | flag::EXPORTED;
    let def = walker.define(NewDef::new(Kind::EnumMember, node, name).visibility(Visibility::Public).flags(flags));
    let owner = walker.owner();
    walker.def_mut(def).ty = if owner == NONE { walker.intern("") } else { walker.def(owner).name };
    walker.owned_by(def, |walker| {
        visit_attributes(walker, node);
        walker.visit_field(node, "value");
    });
}

// ----- members

/// One parameter: its node, name, declared type and the words before it.
struct Parameter<'t> {
    node: Node<'t>,
    name: Node<'t>,
    ty: Option<Node<'t>>,
    is_rest: bool,
}

/// The parameters of a list; `params T[] rest` stands in the list itself.
fn parameters(list: Node<'_>) -> Vec<Parameter<'_>> {
    let nodes = named_children(list).into_iter().filter(|child| child.kind() == "parameter");
    let mut found: Vec<Parameter<'_>> = nodes
        .filter_map(|node| {
            let name = node.field("name")?;
            Some(Parameter { node, name, ty: node.field("type"), is_rest: false })
        })
        .collect();
    if let Some(name) = list.field("name") {
        found.push(Parameter { node: name, name, ty: list.field("type"), is_rest: true });
    }
    found
}

fn is_receiver(walker: &Walker<'_>, parameter: &Parameter<'_>) -> bool {
    let mut modifiers = named_children(parameter.node).into_iter().filter(|child| child.kind() == "modifier");
    modifiers.any(|modifier| walker.text(modifier) == "this")
}

/// Binds parameters and records their types and default values.
fn bind_parameters(walker: &mut Walker<'_>, list: Node<'_>) {
    for parameter in parameters(list) {
        let text = parameter.ty.map(|ty| line(walker, ty));
        walker.bind(parameter.name, text.as_deref(), NONE, parameter.node.end_byte());
        parameter_mentions(walker, &parameter);
    }
}

fn parameter_mentions(walker: &mut Walker<'_>, parameter: &Parameter<'_>) {
    if let Some(ty) = parameter.ty {
        types(walker, ty, Role::ParamType, 0);
    }
    if parameter.is_rest {
        return;
    }
    visit_attributes(walker, parameter.node);
    if let Some(value) = value_after_equals(parameter.node) {
        walker.visit(value);
    }
}

/// A primary constructor is a member named like its type. A record's parameters are its properties; those of a class can be
/// seen everywhere in it.
fn primary_constructor(walker: &mut Walker<'_>, list: Node<'_>, name: Node<'_>, is_record: bool) {
    let all = parameters(list);
    let variadic = if all.iter().any(|parameter| parameter.is_rest) { flag::VARIADIC } else { 0 };
    let mut new = NewDef::new(Kind::Constructor, list, list).visibility(Visibility::Public).flags(flag::EXPORTED | variadic);
    new.doc_above = Some(list);
    let def = walker.define_named(new, walker.text(name));
    walker.def_mut(def).params = u16::try_from(all.len()).unwrap_or(u16::MAX - 1);
    walker.owned_by(def, |walker| {
        for parameter in &all {
            parameter_mentions(walker, parameter);
        }
    });
    for parameter in all {
        let text = parameter.ty.map_or_else(String::new, |ty| line(walker, ty).into_owned());
        if is_record {
            let new = NewDef::new(Kind::Property, parameter.node, parameter.name);
            let field = walker.define(new.visibility(Visibility::Public).flags(flag::EXPORTED));
            walker.def_mut(field).ty = walker.intern(&text);
        } else {
            walker.bind(parameter.name, Some(&text), NONE, parameter.node.end_byte());
        }
    }
}

fn callable(walker: &mut Walker<'_>, node: Node<'_>) {
    let name = node.field("name").or_else(|| node.field("operator"));
    let ty = node.field("returns").or_else(|| node.field("type"));
    let Some(place) = name.or(ty) else { return walker.visit_children(node) };
    let kind = match node.kind() {
        "constructor_declaration" => Kind::Constructor,
        "local_function_statement" => Kind::Function,
        _ => Kind::Method,
    };
    let text = match node.kind() {
        "destructor_declaration" => format!("~{}", walker.text(place)),
        "operator_declaration" | "conversion_operator_declaration" => format!("operator {}", walker.text(place)),
        _ => walker.text(place).to_owned(),
    };
    let body = node.field("body");
    let list = node.field("parameters");
    let all = list.map(parameters).unwrap_or_default();
    let explicit = child_of_kind(node, "explicit_interface_specifier");
    let said = modifiers(walker, node);
    let (mut visibility, mut flags) = visibility(walker, said.visibility);
    flags |= said.flags;
    if explicit.is_some() {
        (visibility, flags) = (Visibility::Public, flags | flag::OVERRIDE | flag::EXPORTED);
    }
    if body.is_none() {
        flags |= flag::DECLARATION;
    }
    if all.iter().any(|parameter| parameter.is_rest) {
        flags |= flag::VARIADIC;
    }
    let receiver = all.first().filter(|first| is_receiver(walker, first)).and_then(|first| first.ty);
    let count = all.len() - usize::from(receiver.is_some());
    let def = walker.define_named(NewDef::new(kind, node, place).body(body).visibility(visibility).flags(flags), &text);
    let ty_text = ty.map_or_else(String::new, |ty| line(walker, ty).into_owned());
    let owner_text = receiver.map_or_else(String::new, |ty| receiver_text(walker, node, ty));
    let (ty_text, owner_text) = (walker.intern(&ty_text), walker.intern(owner_text.trim_end_matches('?')));
    let row = walker.def_mut(def);
    (row.params, row.ty, row.owner_type) = (u16::try_from(count).unwrap_or(u16::MAX - 1), ty_text, owner_text);
    walker.in_def(def, |walker| {
        visit_attributes(walker, node);
        type_parameters(walker, node);
        if let Some(ty) = ty {
            types(walker, ty, Role::ReturnType, 0);
        }
        if let Some(interface) = explicit.and_then(first_named) {
            types(walker, interface, Role::Type, 0);
        }
        if let Some(list) = list {
            bind_parameters(walker, list);
        }
        constraints(walker, node);
        if let Some(initializer) = child_of_kind(node, "constructor_initializer")
            && let (Some(list), Some(class)) = (child_of_kind(initializer, "argument_list"), walker.enclosing_type())
        {
            constructor_call(walker, list, if has_word(initializer, "this") { "this" } else { "base" }, class);
        }
        if let Some(body) = body {
            walker.visit(body);
        }
    });
}

/// `: this(..)`, `: base(..)` and the arguments behind a base class. Without arguments most constructors are not written down.
fn constructor_call(walker: &mut Walker<'_>, list: Node<'_>, word: &str, class: u32) {
    let (kind, name) = if word == "this" {
        (ExprKind::SelfRef, walker.string(walker.def(class).name).to_owned())
    } else {
        let mut bases = walker.rows.supers.iter().filter(|row| row.sub == class && row.role == Role::Extends as u8);
        let base = bases.next().map_or("", |row| walker.string(row.super_type));
        (ExprKind::Super, base.rsplit('.').next().unwrap_or(base).to_owned())
    };
    let args = arg_count(list);
    if !name.is_empty() && (args > 0 || kind == ExprKind::SelfRef) {
        let recv = walker.expr(kind, "", NONE, list);
        let row = walker.reference_named(list, &name, Role::Call, recv);
        walker.call_detail(row, Some(args), Usage::Discarded);
    }
    walker.visit(list);
}

/// A property, an indexer or an event with accessors.
fn property(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = node.field("type");
    let name = node.field("name");
    let mut cursor = node.walk();
    let this = node.children(&mut cursor).find(|child| child.kind() == "this");
    let Some(place) = name.or(this) else { return walker.visit_children(node) };
    let accessors = node.field("accessors");
    let value = node.field("value");
    let explicit = child_of_kind(node, "explicit_interface_specifier");
    let said = modifiers(walker, node);
    let (mut visibility, mut flags) = visibility(walker, said.visibility);
    flags |= said.flags;
    if explicit.is_some() {
        (visibility, flags) = (Visibility::Public, flags | flag::OVERRIDE | flag::EXPORTED);
    }
    let arrow = value.filter(|value| value.kind() == "arrow_expression_clause");
    let new = NewDef::new(Kind::Property, node, place).body(accessors.or(arrow)).visibility(visibility).flags(flags);
    let def = walker.define(new);
    let text = ty.map_or_else(String::new, |ty| line(walker, ty).into_owned());
    walker.def_mut(def).ty = walker.intern(&text);
    walker.in_def(def, |walker| {
        visit_attributes(walker, node);
        if let Some(ty) = ty {
            types(walker, ty, Role::FieldType, 0);
        }
        if let Some(interface) = explicit.and_then(first_named) {
            types(walker, interface, Role::Type, 0);
        }
        if let Some(list) = node.field("parameters") {
            bind_parameters(walker, list);
        }
        for accessor in accessors.map(named_children).unwrap_or_default() {
            walker.in_scope(|walker| {
                walker.bind_text("value", Some(&text), NONE, accessor.start_byte());
                visit_attributes(walker, accessor);
                walker.visit_field(accessor, "body");
            });
        }
        if let Some(value) = value {
            walker.visit(value);
        }
    });
}

/// A field or event declaration with one or several names.
fn fields(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(declaration) = child_of_kind(node, "variable_declaration") else { return walker.visit_children(node) };
    let Some(ty) = declaration.field("type") else { return };
    let said = modifiers(walker, node);
    let (visibility, exported) = visibility(walker, said.visibility);
    let kind = if said.is_const { Kind::Constant } else { Kind::Field };
    let mut is_first = true;
    for declarator in named_children(declaration).into_iter().filter(|child| child.kind() == "variable_declarator") {
        let Some(name) = declarator.field("name") else { continue };
        let value = value_after_equals(declarator);
        let new = NewDef::new(kind, node, name).body(value.and_then(large_value));
        let def = walker.define(new.visibility(visibility).flags(said.flags | exported));
        let text = line(walker, ty);
        let text = walker.intern(&text);
        walker.in_def(def, |walker| {
            if std::mem::take(&mut is_first) {
                visit_attributes(walker, node);
                types(walker, ty, Role::FieldType, 0);
            }
            let init = value.map_or(NONE, |value| walker.expr_of(value));
            let row = walker.def_mut(def);
            (row.ty, row.init) = (text, init);
            if let Some(value) = value {
                walker.visit(value);
            }
        });
    }
}

/// Where the signature of a field with a long value ends.
fn large_value(value: Node<'_>) -> Option<Node<'_>> {
    match value.kind() {
        "object_creation_expression" => value.field("initializer"),
        "lambda_expression" => value.field("body"),
        "initializer_expression"
        | "switch_expression"
        | "collection_expression"
        | "array_creation_expression"
        | "implicit_array_creation_expression" => Some(value),
        _ => None,
    }
}
