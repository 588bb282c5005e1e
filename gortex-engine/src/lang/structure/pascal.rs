//! Pascal and Delphi: units, classes and routines.

use tree_sitter::Node;

use super::{BASE, call, child, define, include, named};
use crate::facts::model::{Kind, NONE, Role, flag};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::common::Fields as _;
use crate::lang::nodes::has_child;
use crate::lang::{Language, common};

/// Pascal.
pub(in crate::lang) static PASCAL: Language = Language {
    name: "pascal",
    extensions: &["pas", "dpr", "lpr", "dpk"],
    implicit_self: true,
    grammar: || tree_sitter_pascal::LANGUAGE.into(),
    table: &[
        ("unit", Hook(unit)),
        ("program", Hook(unit)),
        ("library", Hook(unit)),
        ("declUses", Hook(uses)),
        ("declType", Hook(type_declaration)),
        ("declEnumValue", Hook(|walker, node| named(walker, node, Kind::EnumMember))),
        ("declField", Hook(|walker, node| named(walker, node, Kind::Field))),
        ("declProp", Hook(|walker, node| named(walker, node, Kind::Property))),
        ("declConst", Hook(|walker, node| variable(walker, node, Kind::Constant))),
        ("declVar", Hook(|walker, node| variable(walker, node, Kind::Variable))),
        ("declArg", Hook(bound)),
        ("declProc", Hook(|walker, node| routine(walker, node, node, flag::DECLARATION))),
        (
            "defProc",
            Hook(|walker, node| match node.field("header") {
                Some(header) => routine(walker, node, header, 0),
                None => walker.visit_children(node),
            }),
        ),
        (
            "exprCall",
            Hook(|walker, node| {
                let args = node.field("args").map(common::arg_count);
                call(walker, node, node.field("entity"), &["identifier"], args);
            }),
        ),
        ("statement", Hook(statement)),
    ],
    ..BASE
};

/// The unit is what `uses` of other files names.
fn unit(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child(node, &["moduleName"]) {
        let text = walker.text(name);
        walker.package(text);
    }
    walker.visit_children(node);
}

fn uses(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.for_children(node, |walker, part| {
        if part.kind() == "moduleName" {
            include(walker, part);
        }
    });
}

fn type_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = node.field("name") else { return walker.visit_children(node) };
    let said = node.field("type");
    let body = said.map(|said| if said.kind() == "type" { said.named_child(0).unwrap_or(said) } else { said });
    let kind = match body.map(|body| (body, body.kind())) {
        Some((body, "declClass")) if has_child(body, "kRecord") => Kind::Struct,
        Some((_, "declClass")) => Kind::Class,
        Some((_, "declIntf")) => Kind::Interface,
        Some((_, "declEnum")) => Kind::Enum,
        _ => Kind::TypeAlias,
    };
    let def = walker.define(NewDef::new(kind, node, name).body(said.filter(|_| kind != Kind::TypeAlias)));
    if let Some(body) = body {
        walker.for_children(body, |walker, part| {
            if part.kind() == "typeref" {
                let text = walker.text(part);
                walker.supertype(def, "", part, text, Role::Extends, false);
            }
        });
    }
    walker.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
}

fn routine(walker: &mut Walker<'_>, node: Node<'_>, header: Node<'_>, flags: u16) {
    let Some(name) = header.field("name") else { return walker.visit_children(node) };
    // `TShape.Area` is a method of that class, written outside of it.
    let owner = name.field("lhs");
    let name = name.field("rhs").unwrap_or(name);
    let in_type = owner.is_some() || walker.owner_kind().is_some_and(Kind::is_type);
    let kind = match in_type {
        true if has_child(header, "kConstructor") => Kind::Constructor,
        true => Kind::Method,
        false => Kind::Function,
    };
    let def = walker.define(NewDef::new(kind, node, name).body(node.field("body")).flags(flags));
    if let Some(owner) = owner {
        let text = walker.intern(walker.text(owner));
        walker.def_mut(def).owner_type = text;
    }
    walker.in_def(def, |walker| {
        if let Some(args) = header.field("args") {
            walker.visit_children(args);
        }
        walker.visit_children_except(node, &[Some(header), Some(name)]);
    });
}

fn variable(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    if walker.in_function() { bound(walker, node) } else { define(walker, node, kind, node.field("name"), None) }
}

/// A parameter or local variable, so that nothing outside is meant by its name.
fn bound(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = node.field("name") {
        walker.bind(name, None, NONE, name.start_byte());
    }
}

/// A statement that is a name alone calls what it names.
fn statement(walker: &mut Walker<'_>, node: Node<'_>) {
    match node.named_child(0) {
        Some(only) if node.named_child_count() == 1 && matches!(only.kind(), "identifier" | "exprDot") => {
            call(walker, node, Some(only), &["identifier"], None);
        }
        _ => walker.visit_children(node),
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn units_classes_and_calls() {
        check_facts(
            "pascal",
            r"
unit Shapes;
interface
uses SysUtils;
//   ^ import SysUtils||
type
  TColor = (Red, Green);
//^ def enum TColor
//          ^ def enum_member TColor.Red
//               ^ def enum_member TColor.Green
  TShape = class(TObject)
//^ def class TShape
//               ^ extends TShape TObject
  private
    FName: string;
//  ^ def field TShape.FName
  public
    constructor Create(AName: string);
//              ^ def constructor TShape.Create
    property Name: string read FName;
//           ^ def property TShape.Name
  end;
const Limit = 10;
//    ^ def constant Limit
implementation
procedure Run(X: Integer);
//        ^ def function Run
var Y: Integer;
begin
  Helper(X);
//^ call Helper
  S.Draw(1);
//  ^ call ?.Draw
  Done;
//^ call Done
  Y := X;
end;
function TShape.Area: Double;
//              ^ def method TShape.Area
begin
  Result := Compute(FName);
//          ^ call Compute
end;
end.
",
        );
    }
}
