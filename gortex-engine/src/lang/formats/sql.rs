//! SQL: tables with their columns, views, indexes, procedures, triggers and types, and mentions of tables.
//!
//! A mention is written as it stands, with its schema; which table that is, is for `link` to say. A name that a query gives
//! itself (`WITH x AS`, an alias) is none.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::super::marked::SQL_TEXT;
use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, child, children, inside};
use crate::facts::model::{ExprKind, Kind, NONE, Role};
use crate::facts::walker::{NewDef, Walker};

/// SQL.
pub(in crate::lang) static SQL: Language = Language {
    name: "sql",
    extensions: &["sql", "ddl", "pgsql", "psql", "mysql"],
    line_comment: "--",
    grammar: || tree_sitter_sequel::LANGUAGE.into(),
    table: &[("program", Action::Hook(program))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep statements nest.
const NESTING: usize = 120;

fn program(walker: &mut Walker<'_>, root: Node<'_>) {
    let mut local = Vec::new();
    common_tables(walker, root, &mut local, 0);
    let mut sql = Sql { book: Book::new(), local };
    sql.visit(walker, root, 0);
}

/// Names that queries give their own parts.
fn common_tables(walker: &Walker<'_>, node: Node<'_>, into: &mut Vec<String>, depth: usize) {
    for inner in children(node) {
        if inner.kind() == "cte"
            && let Some(name) = child(inner, "identifier")
        {
            into.push(bare(walker.text(name)).to_lowercase());
        }
        if depth < NESTING {
            common_tables(walker, inner, into, depth + 1);
        }
    }
}

#[derive(Debug)]
struct Sql<'t> {
    book: Book<'t>,
    local: Vec<String>,
}

impl<'t> Sql<'t> {
    fn visit(&mut self, walker: &mut Walker<'_>, node: Node<'t>, depth: usize) {
        if depth > NESTING {
            return;
        }
        let kind = match node.kind() {
            "create_table" => Kind::Table,
            "create_view" | "create_materialized_view" => Kind::View,
            "create_function" | "create_procedure" => Kind::Function,
            "create_trigger" => Kind::Trigger,
            "create_type" => Kind::TypeAlias,
            "create_index" => return self.index(walker, node, depth),
            "alter_table" => return self.alter(walker, node, depth),
            "column_definition" => return self.column(walker, node, depth),
            "object_reference" => return self.mention(walker, node, Role::Read),
            "insert" | "update" | "delete" => return self.change(walker, node, depth),
            // What is invoked or how a column is qualified says nothing of tables.
            "invocation" | "field" | "all_fields" => return self.without_reference(walker, node, depth),
            _ => return self.below(walker, node, None, depth),
        };
        let Some(reference) = child(node, "object_reference") else { return self.below(walker, node, None, depth) };
        let def = self.define(walker, kind, node, reference);
        inside(walker, def, |walker| self.below(walker, node, Some(reference), depth));
    }

    fn below(&mut self, walker: &mut Walker<'_>, node: Node<'t>, except: Option<Node<'t>>, depth: usize) {
        for inner in children(node).into_iter().filter(|inner| except.is_none_or(|except| except.id() != inner.id())) {
            self.visit(walker, inner, depth + 1);
        }
    }

    fn without_reference(&mut self, walker: &mut Walker<'_>, node: Node<'t>, depth: usize) {
        self.below(walker, node, child(node, "object_reference"), depth);
    }

    /// A definition under the last part of its name; the schema in front of it is its owner.
    fn define(&mut self, walker: &mut Walker<'_>, kind: Kind, node: Node<'t>, reference: Node<'t>) -> Option<u32> {
        if walker.is_embedded() {
            return None;
        }
        let name = reference.field("name").unwrap_or(reference);
        let text = bare(walker.text(name)).to_owned();
        let body = ["column_definitions", "create_query", "function_body", "enum_elements"];
        let body = body.iter().find_map(|kind| child(node, kind));
        // A statement's comment stands above the statement.
        let statement = node.parent().filter(|parent| parent.kind() == "statement");
        let new = NewDef { doc_above: statement, ..NewDef::new(kind, node, name).body(body) };
        let def = self.book.define(walker, new, &text)?;
        if let Some(schema) = reference.field("schema") {
            let schema = walker.intern(bare(walker.text(schema)));
            walker.def_mut(def).owner_type = schema;
        }
        Some(def)
    }

    fn index(&mut self, walker: &mut Walker<'_>, node: Node<'t>, depth: usize) {
        let def = node.field("column").filter(|_| !walker.is_embedded()).and_then(|name| {
            let text = bare(walker.text(name)).to_owned();
            self.book.define(walker, NewDef::new(Kind::Index, node, name), &text)
        });
        inside(walker, def, |walker| self.below(walker, node, None, depth));
    }

    fn column(&mut self, walker: &mut Walker<'_>, node: Node<'t>, depth: usize) {
        let Some(name) = node.field("name").filter(|_| !walker.is_embedded()) else { return };
        let text = bare(walker.text(name)).to_owned();
        if let Some(def) = self.book.define(walker, NewDef::new(Kind::Column, node, name), &text)
            && let Some(ty) = node.field("type").or_else(|| node.field("custom_type"))
        {
            let ty = walker.intern(walker.text(ty));
            walker.def_mut(def).ty = ty;
        }
        let custom = node.field("custom_type");
        for inner in children(node).into_iter().filter(|inner| custom.is_none_or(|custom| custom.id() != inner.id())) {
            self.visit(walker, inner, depth + 1);
        }
    }

    /// `ALTER TABLE t ADD COLUMN c` defines a column of `t` away from it.
    fn alter(&mut self, walker: &mut Walker<'_>, node: Node<'t>, depth: usize) {
        let reference = child(node, "object_reference");
        if let Some(reference) = reference {
            self.mention(walker, reference, Role::Write);
        }
        self.below(walker, node, reference, depth);
    }

    /// What a statement changes is written to; the rest of it is read.
    fn change(&mut self, walker: &mut Walker<'_>, node: Node<'t>, depth: usize) {
        let target = child(node, "object_reference").or_else(|| child(child(node, "relation")?, "object_reference"));
        if let Some(target) = target {
            self.mention(walker, target, Role::Write);
        }
        for inner in children(node) {
            match target {
                Some(target) if inner.id() == target.id() => {}
                Some(target) if target.parent().is_some_and(|parent| parent.id() == inner.id()) => {
                    self.below(walker, inner, Some(target), depth);
                }
                _ => self.visit(walker, inner, depth + 1),
            }
        }
    }

    fn mention(&mut self, walker: &mut Walker<'_>, node: Node<'t>, role: Role) {
        let Some(name) = node.field("name") else { return };
        let text = bare(walker.text(name));
        let full = match node.field("schema") {
            Some(schema) => format!("{}.{text}", bare(walker.text(schema))),
            None if self.local.contains(&text.to_lowercase()) => return,
            None => text.to_owned(),
        };
        // In a string of a program the name is none of the program's.
        let recv = if walker.is_embedded() { walker.expr(ExprKind::Typed, SQL_TEXT, NONE, name) } else { NONE };
        walker.reference_named(name, &full, role, recv);
    }
}

/// A name without the quotes of any dialect.
fn bare(text: &str) -> &str {
    text.trim_matches(['"', '`', '[', ']'])
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn tables_columns_and_what_mentions_them() {
        check_facts(
            "sql",
            r"
CREATE TABLE IF NOT EXISTS app.users (
--                             ^ def table app.users
  id INT PRIMARY KEY,
-- <- def column app.users.id
  `org_id` INT REFERENCES orgs(id)
-- <- def column app.users.org_id
--                        ^ value orgs
);
CREATE VIEW active AS SELECT u.name FROM app.users u JOIN orgs ON orgs.id = u.org_id;
--          ^ def view active
--                                           ^ value app.users
--                                                        ^ value orgs
CREATE INDEX idx ON app.users (id);
--           ^ def index idx
--                      ^ value app.users
WITH orgs2 AS (SELECT 1) SELECT * FROM orgs2;
INSERT INTO users (id) SELECT id FROM other;
--          ^ write users
--                                    ^ value other
UPDATE users SET id = 1;
--     ^ write users
ALTER TABLE users ADD COLUMN age INT;
--          ^ write users
--                           ^ def column age
CREATE FUNCTION f(a int) RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql;
--              ^ def function f
",
        );
    }
}
