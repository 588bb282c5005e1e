//! What the languages of lists share: what a list is its first symbol says, and a dialect says which symbols do what.
//!
//! Knows the shapes of forms, no single dialect. Lists that are quoted are data; lists of parameters and of bindings are
//! names, never calls.

use tree_sitter::Node;

use super::include;
use crate::facts::model::{ExprKind, Kind, NONE, Role, flag};
use crate::facts::walker::{NewDef, Walker};

/// The words of one dialect.
#[derive(Debug)]
pub(super) struct Dialect {
    /// The node kinds of lists.
    pub lists: &'static [&'static str],
    /// The node kind of symbols.
    pub symbol: &'static str,
    /// Words that define what their second element names.
    pub defines: &'static [(&'static str, Kind)],
    /// Words whose first list is parameters.
    pub lambdas: &'static [&'static str],
    /// Words whose first list is bindings, each a name and a value.
    pub binds: &'static [&'static str],
    /// Words whose first list is one name and what it runs over.
    pub each: &'static [&'static str],
    /// Words whose lists are clauses.
    pub clauses: &'static [&'static str],
    /// Words of the language itself that call nothing of a program.
    pub special: &'static [&'static str],
    /// Words whose elements are data.
    pub data: &'static [&'static str],
    /// Words that take in modules.
    pub imports: &'static [&'static str],
    /// Words whose definitions are tests.
    pub tests: &'static [&'static str],
}

impl Dialect {
    fn is_list(&self, node: Node<'_>) -> bool {
        self.lists.contains(&node.kind())
    }

    fn is_symbol(&self, node: Node<'_>) -> bool {
        node.kind() == self.symbol
    }
}

/// One list.
pub(super) fn form(walker: &mut Walker<'_>, node: Node<'_>, dialect: &Dialect) {
    // A list begins with its bracket; some grammars give the words of the language no node of their own.
    let Some(head) = node.child(1) else { return };
    let word = walker.text(head);
    let rest = super::super::tree::named_children(node);
    let rest = if rest.first() == Some(&head) { &rest[1..] } else { &rest[..] };
    let defined = dialect.defines.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind);
    if head.is_named() && !dialect.is_symbol(head) {
        return qualified(walker, node, head, rest);
    }
    match defined {
        Some(kind) => definition(walker, node, kind, word, rest, dialect),
        None if dialect.data.contains(&word) => {}
        None if dialect.imports.contains(&word) => imports(walker, rest),
        None if dialect.lambdas.contains(&word) => walker.in_scope(|walker| {
            names(walker, rest.first().copied(), dialect);
            visit_all(walker, rest.get(1..).unwrap_or_default());
        }),
        None if dialect.binds.contains(&word) => walker.in_scope(|walker| bindings(walker, rest, dialect)),
        None if dialect.each.contains(&word) => walker.in_scope(|walker| {
            if let Some(list) = rest.first() {
                let parts = super::super::tree::named_children(*list);
                names(walker, parts.first().copied(), dialect);
                visit_all(walker, parts.get(1..).unwrap_or_default());
            }
            visit_all(walker, rest.get(1..).unwrap_or_default());
        }),
        None if dialect.clauses.contains(&word) => {
            for part in rest {
                if dialect.is_list(*part) { walker.visit_children(*part) } else { walker.visit(*part) }
            }
        }
        // Arithmetic and comparison are the language's.
        None if dialect.special.contains(&word) || !word.contains(char::is_alphabetic) => visit_all(walker, rest),
        None => {
            let usage = walker.result_use();
            walker.call(head, NONE, Some(rest.len()), usage);
            visit_all(walker, rest);
        }
    }
}

/// A call of a name of another package, or a list that begins with something computed.
fn qualified(walker: &mut Walker<'_>, node: Node<'_>, head: Node<'_>, rest: &[Node<'_>]) {
    let Some(name) = head.child_by_field_name("symbol") else { return walker.visit_children(node) };
    let before = walker.expr(ExprKind::Unknown, "", NONE, head);
    let usage = walker.result_use();
    walker.call(name, before, Some(rest.len()), usage);
    visit_all(walker, rest);
}

fn visit_all(walker: &mut Walker<'_>, nodes: &[Node<'_>]) {
    for node in nodes {
        walker.visit(*node);
    }
}

/// Binds the names of a parameter list; a parameter with a default is a list that begins with its name.
pub(super) fn names(walker: &mut Walker<'_>, node: Option<Node<'_>>, dialect: &Dialect) {
    let Some(node) = node else { return };
    if dialect.is_symbol(node) {
        walker.bind(node, None, NONE, node.start_byte());
        return;
    }
    walker.for_children(node, |walker, part| {
        if dialect.is_symbol(part) {
            walker.bind(part, None, NONE, part.start_byte());
        } else if let Some(first) = part.named_child(0).filter(|first| dialect.is_symbol(*first)) {
            walker.bind(first, None, NONE, first.start_byte());
        }
    });
}

fn bindings(walker: &mut Walker<'_>, rest: &[Node<'_>], dialect: &Dialect) {
    // A named loop is a function of its own.
    let named = rest.first().is_some_and(|first| dialect.is_symbol(*first));
    let at = usize::from(named);
    if named {
        names(walker, rest.first().copied(), dialect);
    }
    if let Some(list) = rest.get(at) {
        walker.for_children(*list, |walker, pair| {
            let parts = super::super::tree::named_children(pair);
            if dialect.is_symbol(pair) {
                walker.bind(pair, None, NONE, pair.start_byte());
            } else if dialect.is_list(pair) {
                visit_all(walker, parts.get(1..).unwrap_or_default());
                names(walker, parts.first().copied(), dialect);
            } else {
                walker.visit(pair);
            }
        });
    }
    visit_all(walker, rest.get(at + 1..).unwrap_or_default());
}

fn imports(walker: &mut Walker<'_>, rest: &[Node<'_>]) {
    for part in rest {
        if part.kind().contains("quot") && part.named_child_count() == 1 {
            imports(walker, &super::super::tree::named_children(*part));
        } else if !part.kind().contains("keyword") {
            include(walker, *part);
        }
    }
}

fn definition(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind, word: &str, rest: &[Node<'_>], dialect: &Dialect) {
    let Some(first) = rest.first().copied() else { return };
    let mut head = first;
    while !dialect.is_symbol(head) {
        let Some(inner) = head.named_child(0) else { return visit_all(walker, rest) };
        head = inner;
    }
    let is_lambda = rest.get(1).is_some_and(|value| {
        dialect.is_list(*value) && value.child(1).is_some_and(|word| dialect.lambdas.contains(&walker.text(word)))
    });
    let kind = if kind == Kind::Variable && (is_lambda || head != first) { Kind::Function } else { kind };
    let test = if dialect.tests.contains(&word) { flag::TEST } else { 0 };
    let def = walker.define(NewDef::new(kind, node, head).body(rest.get(1).copied()).flags(test));
    walker.in_def(def, |walker| match kind {
        Kind::Struct | Kind::Class => members(walker, def, word, rest, dialect),
        // A macro's body is text to be put elsewhere.
        Kind::Macro => {}
        _ => {
            let own = head == first && !is_lambda && kind == Kind::Function;
            names(walker, if own { rest.get(1).copied() } else { Some(first).filter(|list| *list != head) }, dialect);
            visit_all(walker, rest.get(1 + usize::from(own)..).unwrap_or_default());
        }
    });
}

/// Fields, by where each kind of type keeps them.
fn members(walker: &mut Walker<'_>, def: u32, word: &str, rest: &[Node<'_>], dialect: &Dialect) {
    let field = |walker: &mut Walker<'_>, node: Node<'_>| {
        let name = if dialect.is_list(node) { node.named_child(0) } else { Some(node) };
        if let Some(name) = name.filter(|name| dialect.is_symbol(*name)) {
            walker.define(NewDef::new(Kind::Field, node, name));
        }
    };
    let rest = rest.get(1..).unwrap_or_default();
    if word == "defclass" {
        for above in rest.first().map(|list| super::super::tree::named_children(*list)).unwrap_or_default() {
            let text = walker.text(above);
            walker.supertype(def, "", above, text, Role::Extends, false);
        }
    }
    let (skipped, inside) = match word {
        "define-record-type" => (2, false),
        "defclass" => (1, true),
        "struct" => (0, true),
        _ => (0, false),
    };
    let fields = rest.iter().skip(skipped);
    if inside {
        let list = fields.clone().find(|part| dialect.is_list(**part));
        for part in list.map(|list| super::super::tree::named_children(*list)).unwrap_or_default() {
            field(walker, part);
        }
    } else {
        fields.for_each(|part| field(walker, *part));
    }
}
