//! Token trees: what macros are given, what `macro_rules!` bodies write, and attributes.
//!
//! One scan from left to right keeps the expression that ended at the last token, so that `a.b(c)` and `A::b(c)` get their
//! receivers. Outside functions `fn`, `struct`, `static`, ... followed by a name is a definition, so that items inside
//! `cfg_if!`, `lazy_static!` or `proptest!` are found.
//!
//! Does not know what a macro makes of its tokens: a name that is a pattern or a key to the macro is read here as a value.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{call_role, exprs, is_camel, is_primitive, is_upper};
use crate::facts::model::{ExprKind, Kind, NONE, Role, Usage, Visibility, flag};
use crate::facts::walker::{NewDef, Walker, one_line};

// ----- attributes

/// The path of an attribute.
pub(super) fn attribute_path(attribute: Node<'_>) -> Option<Node<'_>> {
    attribute.named_child(0)
}

/// Attributes of the usual test runners, by their last segment.
pub(super) fn is_test_attribute(last: &str) -> bool {
    matches!(last, "test" | "rstest" | "bench" | "test_case" | "wasm_bindgen_test" | "quickcheck" | "gtest")
}

/// Attributes that only document, lint, lay out or select, and call nothing.
pub(super) fn is_inert(path: &str) -> bool {
    matches!(
        path,
        "doc"
            | "allow"
            | "warn"
            | "deny"
            | "forbid"
            | "expect"
            | "must_use"
            | "inline"
            | "cold"
            | "derive"
            | "cfg"
            | "cfg_attr"
            | "deprecated"
            | "non_exhaustive"
            | "repr"
            | "track_caller"
            | "automatically_derived"
            | "macro_use"
            | "macro_export"
            | "path"
            | "default"
            | "feature"
            | "recursion_limit"
            | "no_std"
            | "ignore"
            | "should_panic"
            | "target_feature"
    ) || path.starts_with("clippy::")
        || path.starts_with("rustfmt::")
}

/// An attribute: its own name, derived traits, and what it is given where that names something.
pub(super) fn attribute(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(path) = attribute_path(node) else { return };
    let text = walker.text(path);
    let arguments = node.field("arguments");
    match text {
        "derive" => {
            if let Some(tree) = arguments {
                derives(walker, tree);
            }
            return;
        }
        "cfg_attr" => {
            let inner: Vec<Node<'_>> = arguments.map(children).unwrap_or_default();
            for pair in inner.windows(2) {
                if walker.text(pair[0]) == "derive" {
                    derives(walker, pair[1]);
                }
            }
            return;
        }
        _ if is_inert(text) => return walker.visit_field(node, "value"),
        _ => {}
    }
    if path.kind() == "scoped_identifier" {
        let recv = exprs::qualifier(walker, path);
        if let Some(name) = path.field("name") {
            walker.reference(name, Role::Attribute, recv);
        }
    } else {
        walker.reference(path, Role::Attribute, NONE);
    }
    walker.visit_field(node, "value");
    let Some(tree) = arguments else { return };
    if matches!(text.rsplit("::").next(), Some("case" | "test_case" | "values" | "with" | "error" | "assert")) {
        return walker.visit(tree);
    }
    // Elsewhere names are the attribute's own words; only what stands behind `=` speaks of the program.
    let inner = children(tree);
    for part in inner.split(|token| token.kind() == ",") {
        if let Some(equals) = part.iter().position(|token| token.kind() == "=") {
            Scan::new(Open::Paren, None).run(walker, &part[equals + 1..]);
        }
    }
}

fn derives(walker: &mut Walker<'_>, tree: Node<'_>) {
    let inner = children(tree);
    for part in inner.split(|token| token.kind() == ",") {
        let mut recv = NONE;
        for (index, token) in part.iter().enumerate().filter(|(_, token)| token.kind() == "identifier") {
            if index + 1 == part.len() {
                walker.reference(*token, Role::Attribute, recv);
            } else {
                let text = walker.text(*token);
                recv = match recv {
                    NONE => walker.expr(ExprKind::Name, text, NONE, *token),
                    base => walker.expr(ExprKind::Path, text, base, *token),
                };
            }
        }
    }
}

// ----- macros

/// A macro call inside a function or a type.
pub(super) fn invocation(walker: &mut Walker<'_>, node: Node<'_>) {
    let usage = exprs::result_use(walker);
    invoke(walker, node, usage);
}

/// A macro call in the place of an item or as a statement.
///
/// `items` reads what only wraps items, as those of the `impl`, trait or file around.
pub(super) fn item_macro<'a>(walker: &mut Walker<'a>, node: Node<'_>, items: impl Fn(&mut Walker<'a>, Node<'_>)) {
    if walker.in_function() {
        let usage = exprs::result_use(walker);
        return invoke(walker, node, usage);
    }
    called(walker, node, Usage::Discarded);
    // `cfg_rt! { mod task; impl X {} }` and its like only wrap ordinary items.
    let wraps = walker.owner_kind().is_none_or(|kind| kind == Kind::Module);
    walker.for_children(node, |walker, child| {
        if child.kind() == "token_tree" && !(wraps && Open::of(child) == Open::Brace && walker.read_as_file(child, &items)) {
            walker.visit(child);
        }
    });
}

fn called(walker: &mut Walker<'_>, node: Node<'_>, usage: Usage) {
    if let Some(called) = node.field("macro") {
        let (name, recv) = match called.kind() {
            "scoped_identifier" => {
                let recv = exprs::qualifier(walker, called);
                (called.field("name").unwrap_or(called), recv)
            }
            _ => (called, NONE),
        };
        walker.call(name, recv, None, usage);
    }
}

fn invoke(walker: &mut Walker<'_>, node: Node<'_>, usage: Usage) {
    called(walker, node, usage);
    let name = node.field("macro").map_or("", |name| walker.text(name));
    let name = name.rsplit("::").next().unwrap_or("");
    walker.for_children(node, |walker, child| {
        if child.kind() != "token_tree" {
            return;
        }
        if !matches!(name, "ready" | "dbg") {
            return walker.visit(child);
        }
        // These give what they are given; `ready!` what is inside it.
        let mut given = None;
        walker.visit_with(child, |walker, child| given = group(walker, child, None));
        let given = match given {
            Some(base) if name == "ready" => walker.expr(ExprKind::Unwrap, "", base, node),
            given => given.unwrap_or(NONE),
        };
        walker.remember(node, given);
    });
}

/// What the well-known macros of the standard library give.
pub(super) fn macro_value(walker: &mut Walker<'_>, node: Node<'_>) -> u32 {
    let name = node.field("macro").map_or("", |name| walker.text(name));
    let ty = match name {
        "vec" => "Vec",
        "format" | "concat" | "stringify" => "String",
        "matches" | "cfg" => "bool",
        _ => return NONE,
    };
    walker.expr(ExprKind::Typed, ty, NONE, node)
}

/// A token tree of which nothing more is known.
pub(super) fn tree(walker: &mut Walker<'_>, node: Node<'_>) {
    group(walker, node, None);
}

/// Scans a group; its value, where it is one chain of names and calls.
fn group(walker: &mut Walker<'_>, node: Node<'_>, made: Option<u32>) -> Option<u32> {
    let inner = children(node);
    let open = Open::of(node);
    let scan = Scan::new(open, made);
    let last = if open == Open::Brace { walker.in_scope(|walker| scan.run(walker, &inner)) } else { scan.run(walker, &inner) };
    last.filter(|_| is_chain(walker, &inner))
}

/// The tokens of a group without its delimiters and comments.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let mut found: Vec<Node<'_>> = node.children(&mut cursor).filter(|child| !child.is_extra()).collect();
    if found.first().is_some_and(|token| token.kind() == "$") {
        found.remove(0);
    }
    if found.first().is_some_and(|token| matches!(token.kind(), "(" | "[" | "{")) {
        found.remove(0);
    }
    if found.last().is_some_and(|token| matches!(token.kind(), ")" | "]" | "}")) {
        found.pop();
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Open {
    Paren,
    Bracket,
    Brace,
}

impl Open {
    fn of(node: Node<'_>) -> Open {
        match node.child(0).map(|child| child.kind()) {
            Some("[") => Open::Bracket,
            Some("{") => Open::Brace,
            _ => Open::Paren,
        }
    }
}

fn opens(token: Option<&Node<'_>>, open: Open) -> bool {
    token.is_some_and(|token| token.kind() == "token_tree" && Open::of(*token) == open)
}

fn kind_at<'t>(tokens: &[Node<'t>], index: usize) -> &'t str {
    tokens.get(index).map_or("", |token| token.kind())
}

/// The state of one group's scan.
#[derive(Debug)]
struct Scan<'a> {
    open: Open,
    /// The value being made where the group is the body of a struct literal.
    made: Option<u32>,
    /// The expression that ended at the last token.
    chain: Option<u32>,
    /// The value that the next group finishes.
    next_made: Option<u32>,
    /// The last path segment or name.
    word: &'a str,
}

impl<'a> Scan<'a> {
    fn new(open: Open, made: Option<u32>) -> Self {
        Scan { open, made, chain: None, next_made: None, word: "" }
    }

    /// The expression that ended last, if one did.
    fn run(mut self, walker: &mut Walker<'a>, tokens: &[Node<'_>]) -> Option<u32> {
        let mut at = 0;
        while at < tokens.len() {
            at = self.step(walker, tokens, at);
        }
        self.chain
    }

    /// Reads the token at `at` and returns the index of the next one to read.
    fn step(&mut self, walker: &mut Walker<'a>, tokens: &[Node<'_>], at: usize) -> usize {
        let token = tokens[at];
        let kind = token.kind();
        match kind {
            "identifier" => return self.identifier(walker, tokens, at),
            "self" if kind_at(tokens, at + 1) != "::" => self.chain = Some(walker.expr(ExprKind::SelfRef, "", NONE, token)),
            "self" | "super" | "crate" => self.chain = Some(walker.expr(ExprKind::Name, kind, NONE, token)),
            "metavariable" if walker.text(token) == "$crate" => {
                self.chain = Some(walker.expr(ExprKind::Name, "crate", NONE, token));
            }
            "metavariable" => self.chain = Some(walker.expr(ExprKind::Unknown, "", NONE, token)),
            "primitive_type" => self.chain = Some(walker.expr(ExprKind::Typed, walker.text(token), NONE, token)),
            "token_tree" | "token_repetition" => self.group(walker, token),
            "." | "$" => {}
            "::" => {
                if kind_at(tokens, at + 1) == "<" {
                    return Self::turbofish(walker, tokens, at + 1);
                }
                if at == 0
                    || !matches!(
                        kind_at(tokens, at - 1),
                        "identifier" | "crate" | "self" | "super" | "metavariable" | ">" | "primitive_type"
                    )
                {
                    self.chain = None;
                }
            }
            "#" => {
                // An attribute among tokens; its words are not the program's.
                let bang = usize::from(kind_at(tokens, at + 1) == "!");
                if opens(tokens.get(at + 1 + bang), Open::Bracket) {
                    return at + 2 + bang;
                }
            }
            "?" | "await" => self.chain = self.chain.map(|base| walker.expr(ExprKind::Unwrap, "", base, token)),
            "|" if begins_expression(walker, tokens, at) => return self.closure(walker, tokens, at),
            "fn" | "struct" | "enum" | "union" | "trait" | "static" | "const" | "mod" | "type" => {
                self.chain = None;
                return definition(walker, tokens, at).unwrap_or(at + 1);
            }
            "integer_literal" if at > 0 && tokens[at - 1].kind() == "." => {
                let base = self.chain;
                let text = walker.text(token);
                self.chain = base.map(|base| walker.expr(ExprKind::Member, text, base, token));
            }
            _ => {
                let literal = exprs::literal_type(walker, token, kind);
                self.chain = literal.map(|name| walker.expr(ExprKind::Literal, name, NONE, token));
            }
        }
        at + 1
    }

    fn group(&mut self, walker: &mut Walker<'a>, token: Node<'_>) {
        let open = Open::of(token);
        let made = self.next_made.take();
        let body = if open == Open::Brace { made } else { None };
        let mut inside = None;
        walker.visit_with(token, |walker, token| inside = group(walker, token, body));
        if let (Open::Paren, Some(callee), Some(given)) = (open, self.chain, inside)
            && let Some(wrapped) = wrapped(walker, callee, given, token)
        {
            self.chain = Some(wrapped);
            return;
        }
        self.chain = match (open, self.chain) {
            _ if token.kind() == "token_repetition" => None,
            (Open::Paren | Open::Brace, _) if made.is_some() => made,
            (Open::Paren, Some(base)) => Some(walker.expr(ExprKind::Call, "", base, token)),
            (Open::Bracket, Some(base)) => Some(walker.expr(ExprKind::Index, "", base, token)),
            (Open::Paren, None) => Some(walker.expr(ExprKind::Unknown, "", NONE, token)),
            _ => None,
        };
    }

    /// `<..>` behind `::`; returns the index behind it.
    fn turbofish(walker: &mut Walker<'a>, tokens: &[Node<'_>], at: usize) -> usize {
        let end = close_angle(tokens, at);
        types(walker, &tokens[at..end], Role::GenericArg);
        end
    }

    fn identifier(&mut self, walker: &mut Walker<'a>, tokens: &[Node<'_>], at: usize) -> usize {
        let token = tokens[at];
        let text = walker.text(token);
        let before = if at == 0 { "" } else { tokens[at - 1].kind() };
        let after = kind_at(tokens, at + 1);
        match text {
            _ if before == "'" => return at + 1,
            "Self" => {
                self.word = text;
                self.chain = Some(walker.expr(ExprKind::SelfRef, "", NONE, token));
                if matches!(kind_at(tokens, at + 1), "token_tree") {
                    self.next_made = self.chain;
                }
                return at + 1;
            }
            "else" | "in" | "dyn" | "move" | "ref" | "extern" | "yield" | "_" => {
                self.chain = None;
                return at + 1;
            }
            _ => {}
        }
        let begins = matches!(before, "" | ",");
        if Self::binds(walker, tokens, at) {
            self.chain = None;
            return Self::local(walker, tokens, at);
        }
        if let (true, Some(made)) = (begins, self.made) {
            if after == ":" || matches!(after, "" | ",") {
                walker.reference(token, Role::Write, made);
            }
            if after == ":" {
                self.chain = None;
                return at + 1;
            }
        }
        if begins && self.open != Open::Brace && after == "=" {
            // `name = value` among a macro's arguments names the argument.
            self.chain = None;
            return at + 1;
        }
        self.mention(walker, tokens, at, before)
    }

    /// Binds the new local at `at`; of `let name: type = value;` all is read. Returns the index of the next token to read.
    fn local(walker: &mut Walker<'a>, tokens: &[Node<'_>], at: usize) -> usize {
        let token = tokens[at];
        let rest = &tokens[at + 1..];
        let end = rest.iter().position(|token| token.kind() == ";").unwrap_or(rest.len());
        let equals = rest[..end].iter().position(|token| token.kind() == "=").unwrap_or(end);
        let typed = kind_at(rest, 0) == ":" && equals > 1;
        if !typed && kind_at(rest, 0) != "=" {
            walker.bind(token, None, NONE, token.end_byte());
            return at + 1;
        }
        let ty = typed.then(|| walker.slice(rest[1].start_byte(), rest[equals - 1].end_byte()));
        if typed {
            types(walker, &rest[1..equals], Role::Type);
        }
        let value = rest.get(equals + 1..end).unwrap_or_default();
        let mut scan = Scan::new(Open::Brace, None);
        let mut index = 0;
        while index < value.len() {
            index = scan.step(walker, value, index);
        }
        let init = scan.chain.filter(|_| is_chain(walker, value)).unwrap_or(NONE);
        let visible = value.last().unwrap_or(&token).end_byte();
        walker.bind(token, ty, init, visible);
        at + 1 + end
    }

    /// Whether the identifier at `at` is a new local name: `let x`, `let mut x`, `for x in`.
    fn binds(walker: &Walker<'a>, tokens: &[Node<'_>], at: usize) -> bool {
        if is_upper(walker.text(tokens[at])) {
            return false;
        }
        let before = |steps: usize| at.checked_sub(steps).map_or("", |index| tokens[index].kind());
        let is_in = |index: usize| tokens.get(index).is_some_and(|token| walker.text(*token) == "in");
        before(1) == "let" || (before(1) == "mutable_specifier" && before(2) == "let") || (before(1) == "for" && is_in(at + 1))
    }

    fn mention(&mut self, walker: &mut Walker<'a>, tokens: &[Node<'_>], at: usize, before: &str) -> usize {
        let token = tokens[at];
        let text = walker.text(token);
        let (is_member, is_path) = (before == ".", before == "::");
        let recv = match (is_member || is_path, self.chain) {
            (true, Some(chain)) => chain,
            (true, None) if is_member => walker.expr(ExprKind::Unknown, "", NONE, token),
            _ => NONE,
        };
        let mut next = at + 1;
        if kind_at(tokens, next) == "::" && kind_at(tokens, next + 1) == "<" {
            next = close_angle(tokens, next + 1);
        }
        let following = tokens.get(next);
        let is_macro =
            !is_member && kind_at(tokens, at + 1) == "!" && matches!(kind_at(tokens, at + 2), "token_tree" | "identifier");
        self.next_made = None;
        // `Type<Argument>::name`, which only types and patterns write without `::` before the `<`.
        if kind_at(tokens, next) == "<" && is_camel(text) && !is_member {
            let end = close_angle(tokens, next);
            if kind_at(tokens, end) == "::" {
                walker.reference(token, Role::Type, recv);
                types(walker, &tokens[next..end], Role::GenericArg);
                let kind = if recv == NONE { ExprKind::Name } else { ExprKind::Path };
                self.chain = Some(walker.expr(kind, text, recv, token));
                self.word = text;
                return end;
            }
        }
        if is_macro {
            walker.call(token, recv, None, Usage::Unknown);
        } else if opens(following, Open::Paren) {
            let role = call_role(text);
            let index = walker.reference(token, role, recv);
            walker.call_detail(index, following.and_then(|group| arguments(*group)), Usage::Unknown);
            if role == Role::Instantiate {
                self.next_made = Some(self.value_of(walker, token, is_path));
            }
        } else if kind_at(tokens, next) == "::" {
            if !is_primitive(text) {
                walker.reference(token, Role::Type, recv);
            }
        } else if opens(following, Open::Brace) && is_camel(text) && !heads_block(walker, tokens, at) {
            walker.reference(token, Role::Instantiate, recv);
            self.next_made = Some(walker.expr(ExprKind::New, text, NONE, token));
        } else {
            walker.reference(token, Role::Read, recv);
        }
        self.chain = Some(match (is_member, recv) {
            (_, NONE) => walker.expr(ExprKind::Name, text, NONE, token),
            (true, base) => walker.expr(ExprKind::Member, text, base, token),
            (false, base) => walker.expr(ExprKind::Path, text, base, token),
        });
        self.word = text;
        at + 1
    }

    /// The value that `Name(..)` or `Type::Name(..)` makes.
    fn value_of(&self, walker: &mut Walker<'a>, token: Node<'_>, is_path: bool) -> u32 {
        match walker.text(token) {
            text if is_path && is_camel(self.word) && text != self.word => {
                let ty = self.word;
                if ty == "Self" {
                    walker.expr(ExprKind::SelfRef, "", NONE, token)
                } else {
                    walker.expr(ExprKind::New, ty, NONE, token)
                }
            }
            "Some" | "Ok" | "Err" => walker.expr(ExprKind::Unknown, "", NONE, token),
            text => walker.expr(ExprKind::New, text, NONE, token),
        }
    }

    /// `|a, b: T|`: the names are bound; returns the index behind the second bar.
    fn closure(&mut self, walker: &mut Walker<'a>, tokens: &[Node<'_>], at: usize) -> usize {
        self.chain = None;
        let Some(length) = tokens[at + 1..].iter().position(|token| token.kind() == "|") else { return at + 1 };
        let end = at + 1 + length;
        for part in tokens[at + 1..end].split(|token| token.kind() == ",") {
            let mark = part.iter().position(|token| token.kind() == ":").unwrap_or(part.len());
            bind_typed(walker, &part[..mark], part.get(mark + 1..).unwrap_or_default());
            types(walker, &part[mark..], Role::ParamType);
        }
        end + 1
    }
}

/// Records the type names among tokens that are a type.
fn types(walker: &mut Walker<'_>, tokens: &[Node<'_>], role: Role) {
    for (index, token) in tokens.iter().enumerate() {
        let lifetime = kind_at(tokens, index.wrapping_sub(1)) == "'";
        if token.kind() == "identifier" && !lifetime && kind_at(tokens, index + 1) != "::" && is_camel(walker.text(*token)) {
            if walker.text(*token) != "Self" {
                walker.reference(*token, role, NONE);
            }
        } else if token.kind() == "token_tree" {
            walker.visit_with(*token, |walker, token| types(walker, &children(token), role));
        }
    }
}

/// Binds the names of a pattern; a plain name gets the declared type, where one is written.
fn bind_typed(walker: &mut Walker<'_>, pattern: &[Node<'_>], ty: &[Node<'_>]) {
    let plain = pattern.iter().filter(|token| token.kind() == "identifier" && walker.text(**token) != "ref").count() == 1
        && pattern.iter().all(|token| matches!(token.kind(), "identifier" | "mutable_specifier" | "&"));
    let (Some(first), Some(last), true) = (ty.first(), ty.last(), plain) else { return bind_names(walker, pattern) };
    let text = walker.slice(first.start_byte(), last.end_byte());
    for token in pattern {
        if token.kind() != "identifier" || walker.text(*token) == "ref" {
            continue;
        }
        walker.bind(*token, Some(text), NONE, last.end_byte());
    }
}

/// What `Arc::new(given)` made, where the callee is one of the wrappers' constructors.
fn wrapped(walker: &mut Walker<'_>, callee: u32, given: u32, at: Node<'_>) -> Option<u32> {
    let row = walker.rows.exprs[callee as usize];
    let of = (row.kind() == ExprKind::Path).then(|| walker.rows.exprs.get(row.base as usize).copied()).flatten()?;
    let wraps = of.kind() == ExprKind::Name && exprs::is_wrapping(walker.string(of.name), walker.string(row.name));
    let wrapper = walker.string(of.name).to_owned();
    wraps.then(|| walker.expr(ExprKind::Wrapped, &wrapper, given, at))
}

/// Whether tokens are one chain of names, calls and indexings, so that what ends last is the value of the whole.
fn is_chain(walker: &Walker<'_>, tokens: &[Node<'_>]) -> bool {
    let mut word = false;
    for (index, token) in tokens.iter().enumerate() {
        let fits = match token.kind() {
            "&" | "mutable_specifier" => index < 2,
            "identifier" | "self" | "crate" | "super" => !std::mem::replace(&mut word, true) || walker.text(*token) == "await",
            "token_tree" => Open::of(*token) != Open::Brace && !(index == 0 && tokens.len() > 1),
            "." | "::" | "?" | "await" | "string_literal" | "integer_literal" => true,
            _ => false,
        };
        if !fits {
            return false;
        }
        word &= matches!(token.kind(), "identifier" | "self" | "crate" | "super");
    }
    !tokens.is_empty()
}

/// Binds the names of a pattern among tokens.
fn bind_names(walker: &mut Walker<'_>, tokens: &[Node<'_>]) {
    for token in tokens {
        match token.kind() {
            "identifier" if !is_upper(walker.text(*token)) && walker.text(*token) != "ref" => {
                walker.bind(*token, None, NONE, token.end_byte());
            }
            "token_tree" => walker.visit_with(*token, |walker, token| bind_names(walker, &children(token))),
            _ => {}
        }
    }
}

/// Whether an expression may begin at this token, so that `|` opens a closure.
fn begins_expression(walker: &Walker<'_>, tokens: &[Node<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|index| tokens[index]) else { return true };
    match before.kind() {
        "," | "=" | "=>" | ";" | ":" | "(" | "return" | "async" => true,
        "identifier" => walker.text(before) == "move",
        _ => false,
    }
}

/// The index behind the `>` that closes the `<` at `at`; the next index where nothing does.
fn close_angle(tokens: &[Node<'_>], at: usize) -> usize {
    let mut open = 0i32;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.kind() {
            "<" => open += 1,
            "<<" => open += 2,
            ">" => open -= 1,
            ">>" => open -= 2,
            ";" => break,
            _ => {}
        }
        if open <= 0 {
            return index + 1;
        }
    }
    at + 1
}

/// Whether `Name {` is the head of a block (`impl Name {`, `match Name {`) and no struct literal.
fn heads_block(walker: &Walker<'_>, tokens: &[Node<'_>], at: usize) -> bool {
    let heads =
        ["impl", "for", "struct", "enum", "union", "trait", "match", "if", "while", "in", "->", "<", ":", "mod", "dyn", "+", ">"];
    tokens[..at].iter().rev().take(3).take_while(|token| token.kind() != ";").any(|token| {
        let word = if token.kind() == "identifier" { walker.text(*token) } else { token.kind() };
        heads.contains(&word)
    })
}

/// Number of arguments in a group, where commas tell it.
fn arguments(group: Node<'_>) -> Option<usize> {
    let inner = children(group);
    if inner.iter().any(|token| matches!(token.kind(), "|" | "<" | "token_repetition")) {
        return None;
    }
    let commas = inner.iter().filter(|token| token.kind() == ",").count();
    let trailing = inner.last().is_some_and(|token| token.kind() == ",");
    Some(if inner.is_empty() { 0 } else { commas + 1 - usize::from(trailing) })
}

// ----- definitions among tokens

/// Enters the item that begins with the keyword at `at` and scans the rest of it; `None` when it is none.
fn definition(walker: &mut Walker<'_>, tokens: &[Node<'_>], at: usize) -> Option<usize> {
    let keyword = tokens[at].kind();
    if at > 0 && matches!(tokens[at - 1].kind(), "*" | "&" | "'") {
        return None;
    }
    let mut name_at = at + 1;
    while tokens.get(name_at).is_some_and(|token| token.kind() == "mutable_specifier" || walker.text(*token) == "ref") {
        name_at += 1;
    }
    let name = *tokens.get(name_at)?;
    if name.kind() != "identifier" || walker.text(name) == "_" {
        return None;
    }
    if walker.in_function() {
        // Inside a function's or a macro's body the name is passed over: it is defined, not used.
        return Some(name_at + 1);
    }
    let body = tokens[name_at..].iter().position(|token| {
        token.kind() == ";" || (!matches!(keyword, "static" | "const" | "type") && opens(Some(token), Open::Brace))
    });
    let end = name_at + body.unwrap_or(0);
    let kind = match keyword {
        "fn" if opens(tokens[name_at..].iter().find(|token| token.kind() == "token_tree"), Open::Paren) => Kind::Function,
        "struct" => Kind::Struct,
        "enum" => Kind::Enum,
        "union" => Kind::Union,
        "trait" => Kind::Trait,
        "static" => Kind::Variable,
        "const" => Kind::Constant,
        "mod" => Kind::Module,
        "type" => Kind::TypeAlias,
        _ => return None,
    };
    body?;
    let (first, flags, seen) = prefix(walker, tokens, at);
    let def = walker.define(NewDef::new(kind, name, name).visibility(seen).flags(flags));
    place(walker, def, tokens, (first, at, end));
    let mut rest = &tokens[name_at + 1..=end];
    if let ("static" | "const", Some(mark)) = (keyword, rest.iter().position(|token| token.kind() == "=")) {
        // Behind the colon.
        let from = rest.first().map_or(0, Node::end_byte);
        let ty = one_line(walker.slice(from, rest[mark].start_byte().max(from)), 240);
        let ty = walker.intern(&ty);
        walker.def_mut(def).ty = ty;
        walker.owned_by(def, |walker| types(walker, &rest[..mark], Role::Type));
        rest = &rest[mark..];
    }
    walker.in_def(def, |walker| {
        if let (Kind::Function, Some(parameters)) = (kind, rest.iter().position(|token| token.kind() == "token_tree")) {
            bind_parameters(walker, rest[parameters]);
            let count = arguments(rest[parameters]).map_or(u16::MAX, |count| count as u16);
            walker.def_mut(def).params = count;
            rest = &rest[parameters + 1..];
        }
        Scan::new(Open::Brace, None).run(walker, rest);
    });
    Some(end + 1)
}

/// Sets place and signature of a definition made of tokens.
fn place(walker: &mut Walker<'_>, def: u32, tokens: &[Node<'_>], (first, keyword, end): (usize, usize, usize)) {
    let visible = tokens[..keyword].iter().rposition(|token| token.kind() == "pub").filter(|index| *index >= first);
    let from = tokens[visible.unwrap_or(keyword)].start_byte();
    let braced = tokens[end].kind() == "token_tree";
    let to = if braced { tokens[end].start_byte() } else { tokens[end].end_byte() };
    let signature = one_line(walker.slice(from, to.max(from)), 240);
    let signature = walker.intern(&signature);
    let row = walker.def_mut(def);
    row.signature = signature;
    row.start = tokens[first].start_byte() as u32;
    row.start_line = tokens[first].start_position().row as u32 + 1;
    row.end = tokens[end].end_byte() as u32;
    row.end_line = tokens[end].end_position().row as u32 + 1;
}

/// What stands in front of an item's keyword: the index of its first token, flags and visibility.
fn prefix(walker: &Walker<'_>, tokens: &[Node<'_>], at: usize) -> (usize, u16, Visibility) {
    let mut first = at;
    let (mut flags, mut seen) = (0, Visibility::Private);
    let owner = walker.owner();
    if owner != NONE && walker.def(owner).flags & (flag::IN_TEST | flag::TEST) != 0 {
        flags |= flag::IN_TEST;
    }
    while first > 0 {
        let token = tokens[first - 1];
        match token.kind() {
            "pub" => {
                let narrowed = opens(tokens.get(first), Open::Paren);
                seen = if narrowed { Visibility::Internal } else { Visibility::Public };
            }
            "async" => flags |= flag::ASYNC,
            "unsafe" | "const" | "default" => {}
            "token_tree" if Open::of(token) == Open::Paren && first > 1 && tokens[first - 2].kind() == "pub" => {}
            "token_tree" if Open::of(token) == Open::Bracket && first > 1 && tokens[first - 2].kind() == "#" => {
                let text = walker.text(token);
                let name = text.trim_matches(['[', ']']).split(['(', '=', ' ']).next().unwrap_or("");
                if is_test_attribute(name.rsplit("::").next().unwrap_or("")) {
                    flags |= flag::TEST;
                }
                if !is_inert(name) {
                    flags |= flag::DECORATED;
                }
                first -= 1;
            }
            _ => break,
        }
        first -= 1;
    }
    if seen == Visibility::Public {
        flags |= flag::EXPORTED;
    }
    (first, flags, seen)
}

/// `a: T, b in strategy`: names are bound, the rest is scanned.
fn bind_parameters(walker: &mut Walker<'_>, tree: Node<'_>) {
    walker.visit_with(tree, |walker, tree| {
        let inner = children(tree);
        for part in inner.split(|token| token.kind() == ",") {
            let mark = part.iter().position(|token| token.kind() == ":" || walker.text(*token) == "in").unwrap_or(0);
            for token in &part[..mark] {
                match token.kind() {
                    "identifier" => {
                        let ty = part.get(mark + 1).zip(part.last()).filter(|_| part[mark].kind() == ":");
                        let ty = ty.map(|(from, to)| walker.slice(from.start_byte(), to.end_byte()));
                        walker.bind(*token, ty, NONE, token.end_byte());
                    }
                    "token_tree" => bind_names(walker, std::slice::from_ref(token)),
                    _ => {}
                }
            }
            let after = part.get(mark + 1..).unwrap_or_default();
            if kind_at(part, mark) == ":" {
                types(walker, after, Role::ParamType);
            } else {
                Scan::new(Open::Paren, None).run(walker, after);
            }
        }
    });
}
