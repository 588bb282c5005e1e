//! Prisma schemas: models, their fields and what the fields are of.

use tree_sitter::Node;

use super::{BASE, child, define};
use crate::facts::model::{Kind, NONE, Role};
use crate::facts::walker::{NewDef, Walker};
use crate::lang::Action::Hook;
use crate::lang::Language;

/// Prisma.
pub(in crate::lang) static PRISMA: Language = Language {
    name: "prisma",
    extensions: &["prisma"],
    grammar: || tree_sitter_prisma::LANGUAGE.into(),
    table: &[
        ("datasource_declaration", Hook(|walker, node| block(walker, node, Kind::Section))),
        ("generator_declaration", Hook(|walker, node| block(walker, node, Kind::Section))),
        ("model_declaration", Hook(|walker, node| block(walker, node, Kind::Struct))),
        ("view_declaration", Hook(|walker, node| block(walker, node, Kind::Struct))),
        ("type_declaration", Hook(|walker, node| block(walker, node, Kind::Struct))),
        ("enum_declaration", Hook(|walker, node| block(walker, node, Kind::Enum))),
        ("column_declaration", Hook(column)),
        ("enumeral", Hook(member)),
    ],
    ..BASE
};

fn block(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind) {
    define(walker, node, kind, child(node, &["identifier"]), child(node, &["statement_block", "enum_block"]));
}

fn member(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.define(NewDef::new(Kind::EnumMember, node, node));
}

fn column(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = child(node, &["identifier"]) else { return };
    let def = walker.define(NewDef::new(Kind::Field, node, name));
    let Some(said) = child(node, &["column_type"]) else { return };
    let text = walker.intern(walker.text(said));
    walker.def_mut(def).ty = text;
    if let Some(named) = child(said, &["identifier"]) {
        walker.in_def(def, |walker| {
            walker.reference(named, Role::FieldType, NONE);
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn models_and_fields() {
        check_facts(
            "prisma",
            r"
generator client { provider = 1 }
//        ^ def section client
model User {
//    ^ def struct User
  id    Int    @id @default(autoincrement())
//^ def field User.id
  posts Post[]
//^ def field User.posts
//      ^ field Post
}
enum Role {
//   ^ def enum Role
  ADMIN
//^ def enum_member Role.ADMIN
}
model Post { id Int @id }
//    ^ def struct Post
//           ^ def field Post.id
",
        );
    }
}
