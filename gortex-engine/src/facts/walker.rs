//! The single pass: walks a syntax tree by a language's table and collects rows.
//!
//! One visit per node. The table decides by node kind in one array look-up; hooks receive the walker and the node and
//! visit what they want visited. Names are resolved lexically at the end, then rows that nothing needs are dropped.
//!
//! Knows trees and rows; what a node means is said in `lang/`.

mod clues;
mod embed;
mod parse;
pub(crate) mod raise;
mod settle;
mod spans;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::model::*;
use super::pack::{Rows, Strings, file_flag};
use super::scope::{Scopes, Target};
pub use super::text::{clip, one_line, strip_comment};
use crate::lang::{Action, Around, Compiled, Family};
pub use embed::Embed;
pub use parse::{extract, parse};
pub use spans::Span;

/// How far extraction goes before it gives up on a file.
#[derive(Clone, Copy, Debug)]
pub struct ExtractLimits {
    /// Nesting that is followed; deeper nodes are passed over and the file is marked partial.
    pub depth: u32,
    /// Progress callbacks of the parser before it is stopped (about one per hundred operations).
    pub parse_ticks: u32,
}

impl Default for ExtractLimits {
    fn default() -> Self {
        ExtractLimits { depth: 1_500, parse_ticks: 4_000_000 }
    }
}

const SIGNATURE_BYTES: usize = 240;
const DOC_BYTES: usize = 400;
/// So much of what bounds a type parameter is kept.
const GENERIC_BYTES: usize = 240;
/// Parts of a broken file that are read again before it is taken as it is.
const REREADS: usize = 48;
/// Half of what threads usually have.
const STACK_BYTES: usize = 1 << 20;

/// A definition about to be entered; everything but name and kind has a default.
#[derive(Clone, Copy, Debug)]
pub struct NewDef<'t> {
    /// The node that is the whole definition, attributes included.
    pub node: Node<'t>,
    /// The node of the name; `None` for an anonymous definition.
    pub name: Option<Node<'t>>,
    /// What it is.
    pub kind: Kind,
    /// Where the signature ends (usually the body); `None` for the whole node.
    pub body: Option<Node<'t>>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Bits of [`flag`].
    pub flags: u16,
    /// The first node of the definition where attributes stand before `node` as siblings.
    pub first: Option<Node<'t>>,
    /// Where the doc comment is looked for: comments directly above this node. Defaults to `first`, then `node`.
    pub doc_above: Option<Node<'t>>,
}

impl<'t> NewDef<'t> {
    /// A definition named by `name`.
    pub fn new(kind: Kind, node: Node<'t>, name: Node<'t>) -> Self {
        NewDef {
            node,
            name: Some(name),
            kind,
            body: None,
            visibility: Visibility::Unknown,
            flags: 0,
            first: None,
            doc_above: None,
        }
    }

    /// The same with the node where the signature ends.
    pub fn body(mut self, body: Option<Node<'t>>) -> Self {
        self.body = body;
        self
    }

    /// The same with a visibility.
    pub fn visibility(mut self, visibility: Visibility) -> Self {
        self.visibility = visibility;
        self
    }

    /// The same with more flags.
    pub fn flags(mut self, flags: u16) -> Self {
        self.flags |= flags;
        self
    }
}

/// Walks one tree. Hooks use its methods; see the module's documentation.
#[derive(Debug)]
pub struct Walker<'a> {
    /// The file's bytes.
    pub source: &'a [u8],
    /// The language walked.
    pub language: &'static Compiled,
    pub(crate) rows: Rows,
    /// The file as text, where all of it is UTF-8.
    whole: Option<&'a str>,
    strings: Strings,
    scopes: Scopes,
    ref_scopes: Vec<u32>,
    expr_scopes: Vec<(u32, u32)>,
    expr_memo: FxHashMap<usize, u32>,
    trees: Vec<tree_sitter::Tree>,
    owners: Vec<u32>,
    around: Vec<u16>,
    claimed: FxHashSet<(u32, u8, Str)>,
    members: FxHashSet<(u32, Str)>,
    /// Functions that are arguments, by node: the callee's expression and the position.
    handed: FxHashMap<usize, (u32, usize)>,
    /// Where something is raised: the byte at which its expression begins, and the function that returns it as its error.
    raised: Vec<(u32, u32)>,
    scope: u32,
    function_scope: u32,
    /// The definition whose body is walked; [`NONE`] inside a lambda.
    returning: u32,
    lambdas: u32,
    embedded: u32,
    /// Whether the text walked is inside of a file in another language.
    host: bool,
    depth: u32,
    stack_base: usize,
    limits: ExtractLimits,
}

impl<'a> Walker<'a> {
    fn new(language: &'static Compiled, source: &'a [u8], limits: ExtractLimits) -> Self {
        Walker {
            source,
            language,
            rows: Rows::default(),
            whole: std::str::from_utf8(source).ok(),
            strings: Strings::new(),
            scopes: Scopes::default(),
            ref_scopes: Vec::new(),
            expr_scopes: Vec::new(),
            expr_memo: FxHashMap::default(),
            trees: Vec::new(),
            owners: Vec::new(),
            around: Vec::new(),
            claimed: FxHashSet::default(),
            members: FxHashSet::default(),
            handed: FxHashMap::default(),
            raised: Vec::new(),
            scope: 0,
            function_scope: 0,
            returning: NONE,
            lambdas: 0,
            embedded: 0,
            host: false,
            depth: 0,
            stack_base: stack_place(),
            limits,
        }
    }

    // ----- reading the tree

    /// The text of a node; empty where it is not UTF-8.
    pub fn text(&self, node: Node<'_>) -> &'a str {
        self.slice(node.start_byte(), node.end_byte())
    }

    /// The text of a byte range; empty where it is not UTF-8.
    pub fn slice(&self, from: usize, to: usize) -> &'a str {
        match self.whole {
            // Checked once for the whole file, which is nearly every file.
            Some(whole) => whole.get(from..to).unwrap_or(""),
            None => self.source.get(from..to).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or(""),
        }
    }

    /// The string of an entered text.
    pub fn string(&self, id: Str) -> &str {
        self.strings.get(id)
    }

    /// Enters a text into the file's string table.
    pub fn intern(&mut self, text: &str) -> Str {
        self.strings.add(text)
    }

    /// Calls `each` for every named child.
    pub fn for_children<'t>(&mut self, node: Node<'t>, mut each: impl FnMut(&mut Self, Node<'t>)) {
        if node.named_child_count() == 0 {
            return;
        }
        let mut cursor = node.walk();
        if cursor.goto_first_child() {
            loop {
                if cursor.node().is_named() {
                    each(self, cursor.node());
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
    }

    // ----- walking

    /// Visits a node by the language's table.
    pub fn visit(&mut self, node: Node<'_>) {
        if node.is_error() || node.is_missing() {
            self.problem(node);
        }
        let kind = node.kind_id();
        self.around.push(kind);
        if self.language.is_raising(kind) {
            self.note_raise(node);
        }
        match self.language.action(kind) {
            Action::Descend => self.visit_children(node),
            Action::Skip => {}
            Action::Scope => self.in_scope(|walker| walker.visit_children(node)),
            Action::Define(kind) => self.define_plainly(kind, node),
            Action::Name(role) => {
                self.reference(node, role, NONE);
            }
            Action::Hook(hook) => {
                if self.deeper() {
                    hook(self, node);
                    self.depth -= 1;
                }
            }
        }
        self.around.pop();
    }

    /// [`Walker::visit`] with a hook of the caller's choice in place of the table's action, for hooks that have something to
    /// hand down (attributes standing before an item, the value that a pattern takes apart).
    pub fn visit_with<'t>(&mut self, node: Node<'t>, hook: impl FnOnce(&mut Self, Node<'t>)) {
        if node.is_error() || node.is_missing() {
            self.problem(node);
        }
        self.around.push(node.kind_id());
        if self.deeper() {
            hook(self, node);
            self.depth -= 1;
        }
        self.around.pop();
    }

    /// What becomes of the value of the node being visited, judged by the nodes visited around it.
    pub fn result_use(&self) -> Usage {
        for kind in self.around.iter().rev().skip(1) {
            if let Around::Use(usage) = self.language.around(*kind) {
                return usage;
            }
        }
        Usage::Unknown
    }

    /// The kind of the node visited around the current one, `steps` levels up (1 is the parent that was visited).
    pub fn around(&self, steps: usize) -> &'static str {
        let kind = self.around.iter().rev().nth(steps);
        kind.and_then(|kind| self.language.grammar.node_kind_for_id(*kind)).unwrap_or("")
    }

    /// Visits all named children.
    pub fn visit_children(&mut self, node: Node<'_>) {
        if node.named_child_count() == 0 || !self.deeper() {
            return;
        }
        let mut cursor = node.walk();
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() || child.is_missing() {
                    self.visit(child);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.depth -= 1;
    }

    /// Reads what stands between the delimiters of `group` as a file of its own and visits that, if it is one without
    /// errors; tells whether it was. For token trees that hold ordinary items.
    pub fn visit_as_file(&mut self, group: Node<'_>) -> bool {
        self.read_as_file(group, |walker, root| walker.visit(root))
    }

    /// The same, where `visit` takes the place of the visit.
    pub fn read_as_file(&mut self, group: Node<'_>, visit: impl FnOnce(&mut Self, Node<'_>)) -> bool {
        let (Some(open), Some(close)) = (group.child(0), group.child(group.child_count().saturating_sub(1))) else {
            return false;
        };
        let range = tree_sitter::Range {
            start_byte: open.end_byte(),
            end_byte: close.start_byte(),
            start_point: open.end_position(),
            end_point: close.start_position(),
        };
        if range.end_byte <= range.start_byte {
            return false;
        }
        let Some(tree) = parse::parse_within(self.language, self.source, &[range], self.limits) else { return false };
        if tree.root_node().has_error() || tree.root_node().named_child_count() == 0 {
            return false;
        }
        visit(self, tree.root_node());
        // Expressions are remembered by node, so the nodes must outlive the walk.
        self.trees.push(tree);
        true
    }

    /// Reads parts of `text`, another reading of the file of the same length, each as a file of its own, and visits them in
    /// turn; false, with nothing visited, where that was done too often or a part could not be parsed. The parts follow
    /// each other and begin with `first`. For definitions that a broken parse gave too much.
    pub fn visit_ranges(&mut self, text: &[u8], first: Node<'_>, parts: &[std::ops::Range<usize>]) -> bool {
        if text.len() != self.source.len() || self.trees.len() >= REREADS {
            return false;
        }
        let (mut at, mut point) = (first.start_byte(), first.start_position());
        let mut advance = |to: usize| {
            let passed = text.get(at..to).unwrap_or_default();
            point.row += memchr::memchr_iter(b'\n', passed).count();
            point.column = memchr::memrchr(b'\n', passed).map_or(point.column + passed.len(), |end| passed.len() - end - 1);
            at = to;
            point
        };
        let mut trees = Vec::new();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            let range = tree_sitter::Range {
                start_point: advance(part.start),
                end_point: advance(part.end),
                start_byte: part.start,
                end_byte: part.end,
            };
            let Some(tree) = parse::parse_within(self.language, text, &[range], self.limits) else { return false };
            trees.push(tree);
        }
        for tree in trees {
            self.visit(tree.root_node());
            // As above: expressions are remembered by node.
            self.trees.push(tree);
        }
        true
    }

    /// Visits the child in a field, if there is one.
    pub fn visit_field(&mut self, node: Node<'_>, field: &str) {
        if let Some(child) = node.child_by_field_name(field) {
            self.visit(child);
        }
    }

    /// Visits all named children but the given ones.
    pub fn visit_children_except(&mut self, node: Node<'_>, except: &[Option<Node<'_>>]) {
        self.for_children(node, |walker, child| {
            if !except.iter().flatten().any(|other| other.id() == child.id()) {
                walker.visit(child);
            }
        });
    }

    /// Runs `body` one level deeper, or not at all where that is too deep: for hooks that call themselves.
    pub fn nested(&mut self, body: impl FnOnce(&mut Self)) {
        if self.deeper() {
            body(self);
            self.depth -= 1;
        }
    }

    /// Whether the stack is used up as far as we dare; how much a level takes differs between hooks and builds.
    fn stack_is_low(&self) -> bool {
        self.stack_base.abs_diff(stack_place()) > STACK_BYTES
    }

    fn deeper(&mut self) -> bool {
        if self.depth >= self.limits.depth || self.stack_is_low() {
            self.rows.header.flags |= file_flag::PARTIAL;
            return false;
        }
        self.depth += 1;
        true
    }

    /// A broken place that no hook visited still makes the file a broken one.
    fn unvisited_problem(&mut self, root: Node<'_>) {
        if self.rows.header.parse_errors > 0 || !root.has_error() {
            return;
        }
        let mut cursor = root.walk();
        while !cursor.node().is_error() && !cursor.node().is_missing() && cursor.goto_first_child() {
            while !cursor.node().has_error() && cursor.goto_next_sibling() {}
        }
        self.problem(cursor.node());
    }

    fn problem(&mut self, node: Node<'_>) {
        self.rows.header.parse_errors += 1;
        if self.rows.header.first_error_line == 0 {
            self.rows.header.first_error_line = node.start_position().row as u32 + 1;
        }
    }

    // ----- scopes and owners

    /// Runs `body` in a fresh lexical scope.
    pub fn in_scope<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.scope;
        self.scope = self.scopes.open(outer);
        let found = body(self);
        self.scope = outer;
        found
    }

    /// Runs `body` in the file's scope: names recorded there are never locals (a method's name in Java).
    pub fn in_file_scope<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.scope, 0);
        let result = body(self);
        self.scope = outer;
        result
    }

    /// Runs `body` with `def` as the innermost definition and in a fresh lexical scope.
    pub fn in_def(&mut self, def: u32, body: impl FnOnce(&mut Self)) {
        self.owned_by(def, |walker| walker.in_function_scope(def, body));
    }

    /// Runs `body` inside a function that has no definition of its own (a lambda, a callback): what is declared there is
    /// local to it, although the innermost definition stays the one around.
    pub fn in_lambda(&mut self, body: impl FnOnce(&mut Self)) {
        self.lambdas += 1;
        self.in_function_scope(NONE, body);
        self.lambdas -= 1;
    }

    fn in_function_scope(&mut self, returning: u32, body: impl FnOnce(&mut Self)) {
        let outer = self.function_scope;
        let around = std::mem::replace(&mut self.returning, returning);
        self.in_scope(|walker| {
            walker.function_scope = walker.scope;
            body(walker);
        });
        self.function_scope = outer;
        self.returning = around;
    }

    /// Notes what the function being walked returns, where nothing was declared and nothing noted before.
    pub fn returns(&mut self, value: Node<'_>) {
        let open =
            |def: &DefRow| def.kind().is_callable() && def.kind() != Kind::Constructor && def.ty == Str(0) && def.init == NONE;
        if !self.rows.defs.get(self.returning as usize).is_some_and(open) {
            return;
        }
        let found = self.expr_of(value);
        if found != NONE && self.rows.exprs[found as usize].kind() != ExprKind::Literal {
            self.rows.defs[self.returning as usize].init = found;
        }
    }

    /// Notes that a function is an argument of a call, before it is visited.
    pub fn hand(&mut self, function: Node<'_>, callee: u32, position: usize) {
        if callee != NONE {
            self.handed.insert(function.id(), (callee, position));
        }
    }

    /// What a function's parameter at `position` is given where the function is an argument; [`NONE`] where it is none.
    pub fn given(&mut self, function: Node<'_>, position: usize) -> u32 {
        match self.handed.get(&function.id()) {
            Some((callee, argument)) if position < 8 && *argument < 32 => {
                let (callee, slot) = (*callee, argument << 3 | position);
                let found = self.expr(ExprKind::Given, "", callee, function);
                self.rows.exprs[found as usize].slot = slot as u8;
                found
            }
            _ => NONE,
        }
    }

    /// Runs `body` in the scope of the function around, whatever blocks lie between (`var`).
    pub fn hoisted(&mut self, body: impl FnOnce(&mut Self)) {
        let inner = std::mem::replace(&mut self.scope, self.function_scope);
        body(self);
        self.scope = inner;
    }

    /// Whether a block has been entered since the function, definition or file around began.
    pub fn in_block(&self) -> bool {
        self.scope != self.function_scope
    }

    /// Runs `body` with `def` as the innermost definition, in the current scope.
    pub fn owned_by(&mut self, def: u32, body: impl FnOnce(&mut Self)) {
        // A type is no part of the function around it: its members are not that function's locals.
        let lambdas = if self.def(def).kind().is_type() { 0 } else { self.lambdas };
        let outer = std::mem::replace(&mut self.lambdas, lambdas);
        self.owners.push(def);
        body(self);
        self.owners.pop();
        self.lambdas = outer;
    }

    /// Runs `body` as if `node` were being visited, for hooks that reach past a node: [`Walker::result_use`] sees it.
    pub fn within(&mut self, node: Node<'_>, body: impl FnOnce(&mut Self)) {
        self.around.push(node.kind_id());
        body(self);
        self.around.pop();
    }

    /// The innermost definition, or [`NONE`] at file level.
    pub fn owner(&self) -> u32 {
        self.owners.last().copied().unwrap_or(NONE)
    }

    /// How many definitions were entered so far.
    pub fn def_count(&self) -> u32 {
        self.rows.defs.len() as u32
    }

    /// The row of a definition entered earlier.
    pub fn def(&self, def: u32) -> &DefRow {
        &self.rows.defs[def as usize]
    }

    /// The row of a definition entered earlier, to be changed.
    pub fn def_mut(&mut self, def: u32) -> &mut DefRow {
        &mut self.rows.defs[def as usize]
    }

    /// Notes that a type has a member of this name; false when that was known. For languages where a field may exist by
    /// assignment alone: a type announces what it declares first, then the first assignment of any other name defines it.
    pub fn announce(&mut self, def: u32, member: &str) -> bool {
        let member = self.intern(member);
        self.members.insert((def, member))
    }

    /// The kind of the innermost definition.
    pub fn owner_kind(&self) -> Option<Kind> {
        self.rows.defs.get(self.owner() as usize).map(DefRow::kind)
    }

    /// The innermost definition around (and including) the owner that is a type.
    pub fn enclosing_type(&self) -> Option<u32> {
        self.owners.iter().rev().copied().find(|def| self.def(*def).kind().is_type())
    }

    /// The innermost definition around (and including) the owner whose kind is one of these.
    pub fn enclosing(&self, is_one: impl Fn(Kind) -> bool) -> Option<u32> {
        self.owners.iter().rev().copied().find(|def| is_one(self.def(*def).kind()))
    }

    /// Whether the walk is inside a function, method or constructor.
    pub fn in_function(&self) -> bool {
        self.lambdas > 0
            || self.owners.iter().rev().map(|def| self.def(*def).kind()).take_while(|kind| !kind.is_type()).any(Kind::is_callable)
    }

    /// Declares a parameter or local variable. `at` is where it becomes visible, usually the end of its declaration.
    pub fn bind(&mut self, name: Node<'_>, ty: Option<&str>, init: u32, at: usize) -> u32 {
        let text = self.text(name);
        self.bind_text(text, ty, init, at)
    }

    /// [`Walker::bind`] for a name that is not a node of its own.
    pub fn bind_text(&mut self, name: &str, ty: Option<&str>, init: u32, at: usize) -> u32 {
        let row = BindRow { name: self.intern(name), ty: self.intern(ty.unwrap_or("")), init, at: at as u32 };
        self.rows.binds.push(row);
        let index = self.rows.binds.len() as u32 - 1;
        self.scopes.declare(self.scope, row.name, row.at, Target::Bind(index));
        index
    }

    /// Claims `name` under the definition `owner` in one of a language's name spaces; false when it was claimed before.
    /// For names that are defined by their first assignment, and for names that a statement declares to be elsewhere.
    pub fn claim(&mut self, owner: u32, space: u8, name: &str) -> bool {
        let name = self.intern(name);
        self.claimed.insert((owner, space, name))
    }

    /// Whether [`Walker::claim`] was called with the same arguments.
    pub fn is_claimed(&mut self, owner: u32, space: u8, name: &str) -> bool {
        let name = self.intern(name);
        self.claimed.contains(&(owner, space, name))
    }

    // ----- rows

    fn define_plainly(&mut self, kind: Kind, node: Node<'_>) {
        let Some(name) = node.field("name") else { return self.visit_children(node) };
        let body = node.field("body");
        let def = self.define(NewDef::new(kind, node, name).body(body));
        self.in_def(def, |walker| walker.visit_children_except(node, &[Some(name)]));
    }

    /// Enters a definition under the current owner and returns its row. A definition inside a function is also declared in
    /// the current scope, so that bare names find it.
    pub fn define(&mut self, new: NewDef<'_>) -> u32 {
        let name = new.name.map_or("", |node| self.text(node));
        self.define_named(new, name)
    }

    /// [`Walker::define`] under a name that is not the text of a node.
    pub fn define_named(&mut self, new: NewDef<'_>, name: &str) -> u32 {
        let first = new.first.unwrap_or(new.node);
        let place = new.name.unwrap_or(new.node);
        let flags = if new.name.is_none() && name.is_empty() { new.flags | flag::ANONYMOUS } else { new.flags };
        let signature = self.signature(&new, place);
        let doc = self.doc_above(new.doc_above.unwrap_or(first));
        let end = trimmed_end(self.source, new.node);
        let row = DefRow {
            name: self.intern(name),
            parent: self.owner(),
            owner_type: Str::EMPTY,
            start: first.start_byte() as u32,
            end: end.0 as u32,
            name_at: place.start_byte() as u32,
            start_line: first.start_position().row as u32 + 1,
            end_line: end.1,
            name_line: place.start_position().row as u32 + 1,
            name_col: column(place),
            params: u16::MAX,
            signature: self.intern(&signature),
            doc: self.intern(&doc),
            ty: Str::EMPTY,
            init: NONE,
            kind: new.kind as u8,
            visibility: new.visibility as u8,
            flags,
        };
        self.rows.defs.push(row);
        let def = self.rows.defs.len() as u32 - 1;
        // The title of a test is text, which no mention can mean.
        let titled = matches!(self.language.language.family, Family::Script | Family::Dart | Family::Php);
        let tested = row.flags & flag::TEST != 0 && titled && row.kind() == Kind::Function;
        let title = tested || place.kind().contains("string");
        if self.in_function() && !row.name.is_empty() && !title {
            self.scopes.declare(self.scope, row.name, row.name_at, Target::Def(def));
        }
        def
    }

    fn signature(&self, new: &NewDef<'_>, place: Node<'_>) -> String {
        let from = new.node.start_byte();
        let to = new.body.map_or(new.node.end_byte(), |body| body.start_byte());
        // Attributes that are children of the node stand before the name's line; the signature begins after them.
        let from = self.language.language.hooks.signature_start.map_or(from, |start| start(new.node, place));
        one_line(self.slice(from, to.max(from)), SIGNATURE_BYTES)
    }

    /// The text of the comments that stand directly above a node, without their marks.
    fn doc_above(&self, node: Node<'_>) -> String {
        // Asking for a sibling walks down from the root, so the text is asked first.
        if !self.comment_before(node.start_byte()) {
            return String::new();
        }
        let mut lines: Vec<String> = Vec::new();
        let mut below = node;
        while let Some(above) = below.prev_sibling() {
            let is_comment = above.kind().contains("comment");
            let is_attribute = self.language.language.hooks.is_attribute.is_some_and(|check| check(above));
            let gap = below.start_position().row.saturating_sub(above.end_position().row);
            let attached = gap <= 1 || (gap == 0 && above.end_position().column == 0);
            if !(is_comment || is_attribute) || !attached || trails_code(self.source, above) {
                break;
            }
            if is_comment {
                lines.push(strip_comment(self.text(above)));
            }
            below = above;
        }
        lines.reverse();
        clip(&lines.join("\n"), DOC_BYTES)
    }

    /// Whether what stands before byte `at`, on its line or the line above, may be a comment or an attribute.
    pub fn comment_before(&self, at: usize) -> bool {
        let mark = self.language.language.line_comment.as_bytes();
        let attributes = self.language.language.hooks.is_attribute.is_some();
        let before = self.source.get(..at).unwrap_or_default();
        let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let same_line = before[line..].trim_ascii();
        let ends = |text: &[u8]| text.ends_with(b"*/") || (attributes && text.ends_with(b"]"));
        if !same_line.is_empty() || line == 0 {
            return ends(same_line);
        }
        let above = &before[..line - 1];
        let above = above[memchr::memrchr(b'\n', above).map_or(0, |end| end + 1)..].trim_ascii();
        above.starts_with(mark) || ends(above) || (attributes && (above.starts_with(b"@") || above.ends_with(b")")))
    }

    /// Records a mention of `name` in front of which stands the expression `recv` ([`NONE`] for a bare name).
    pub fn reference(&mut self, name: Node<'_>, role: Role, recv: u32) -> u32 {
        let text = self.text(name);
        self.reference_named(name, text, role, recv)
    }

    /// [`Walker::reference`] under a name that is not the node's text.
    pub fn reference_named(&mut self, place: Node<'_>, name: &str, role: Role, recv: u32) -> u32 {
        let row = RefRow {
            name: self.intern(name),
            owner: self.owner(),
            recv,
            at: place.start_byte() as u32,
            line: place.start_position().row as u32 + 1,
            col: column(place),
            role: role as u8,
            detail: 0xe0,
        };
        self.rows.refs.push(row);
        self.ref_scopes.push(self.scope);
        self.rows.refs.len() as u32 - 1
    }

    /// Records a call of `name` with what is known of its arguments and result.
    pub fn call(&mut self, name: Node<'_>, recv: u32, args: Option<usize>, usage: Usage) -> u32 {
        let index = self.reference(name, Role::Call, recv);
        self.call_detail(index, args, usage);
        index
    }

    /// Sets argument count and result use of a recorded reference.
    pub fn call_detail(&mut self, reference: u32, args: Option<usize>, usage: Usage) {
        let count = args.map_or(14, |count| if count >= 14 { 15 } else { count as u8 });
        self.rows.refs[reference as usize].detail = (count << 4) | usage as u8;
    }

    /// Enters an expression row.
    pub fn expr(&mut self, kind: ExprKind, name: &str, base: u32, at: Node<'_>) -> u32 {
        let row = ExprRow { kind: kind as u8, slot: 0, reserved: 0, name: self.intern(name), base };
        self.rows.exprs.push(row);
        self.expr_scopes.push((self.scope, at.start_byte() as u32));
        self.rows.exprs.len() as u32 - 1
    }

    /// Sets the tuple position of an `Element` or `Index` expression.
    pub fn expr_slot(&mut self, expr: u32, slot: usize) {
        self.rows.exprs[expr as usize].slot = (slot + 1).min(255) as u8;
    }

    /// The expression of a node as the language's `expr` hook sees it; each node is looked at once.
    pub fn expr_of(&mut self, node: Node<'_>) -> u32 {
        if let Some(known) = self.expr_memo.get(&node.id()) {
            return *known;
        }
        if self.depth + 1 >= self.limits.depth || self.stack_is_low() {
            return NONE;
        }
        let Some(hook) = self.language.language.hooks.expr else { return NONE };
        self.depth += 1;
        let found = hook(self, node);
        self.depth -= 1;
        self.expr_memo.insert(node.id(), found);
        found
    }

    /// Says what a node's expression is before anybody asks.
    pub fn remember(&mut self, node: Node<'_>, expr: u32) {
        self.expr_memo.insert(node.id(), expr);
    }

    /// Records an import; the caller fills what is not place or owner.
    pub fn import(&mut self, place: Node<'_>, module: &str, name: &str, alias: &str, flags: u16) {
        let row = ImportRow {
            module: self.intern(module),
            name: self.intern(name),
            alias: self.intern(alias),
            owner: self.owner(),
            at: place.start_byte() as u32,
            line: place.start_position().row as u32 + 1,
            col: column(place),
            flags,
        };
        self.rows.imports.push(row);
    }

    /// Records that the module offers `local` as `exported`.
    pub fn export(&mut self, place: Node<'_>, local: &str, exported: &str) {
        let row = ExportRow {
            local: self.intern(local),
            exported: self.intern(exported),
            at: place.start_byte() as u32,
            line: place.start_position().row as u32 + 1,
        };
        self.rows.exports.push(row);
    }

    /// Records a supertype of `sub` (a row, or [`NONE`] with the type's text).
    pub fn supertype(&mut self, sub: u32, sub_type: &str, place: Node<'_>, super_type: &str, role: Role, embeds: bool) {
        let row = SuperRow {
            sub,
            sub_type: self.intern(sub_type),
            super_type: self.intern(super_type),
            at: place.start_byte() as u32,
            line: place.start_position().row as u32 + 1,
            col: column(place),
            role: role as u8,
            embeds: u8::from(embeds),
        };
        self.rows.supers.push(row);
    }

    /// Records what a place says of a type parameter: `whole` is what it belongs to, `slot` its position among the arguments of
    /// the type around, or [`NONE`].
    pub fn generic(&mut self, name: &str, bound: &str, whole: Node<'_>, slot: u32) {
        let bound = one_line(bound, GENERIC_BYTES);
        let row = GenericRow {
            name: self.intern(name),
            bound: self.intern(&bound),
            start: whole.start_byte() as u32,
            end: whole.end_byte() as u32,
            slot,
        };
        self.rows.generics.push(row);
    }

    /// Sets the package, module or namespace that the file declares.
    pub fn package(&mut self, name: &str) {
        self.rows.header.package = self.intern(name);
    }

    /// Sets the file's own doc comment.
    pub fn file_doc(&mut self, text: &str) {
        let clipped = clip(text, DOC_BYTES);
        self.rows.header.doc = self.intern(&clipped);
    }

    /// Marks the file as one that runs by itself.
    pub fn mark_script(&mut self) {
        self.rows.header.flags |= file_flag::SCRIPT;
    }

    /// Sets the doc text of a definition whose documentation stands inside it (Python).
    pub fn doc_inside(&mut self, def: u32, text: &str) {
        let clipped = clip(text, DOC_BYTES);
        let doc = self.intern(&clipped);
        self.def_mut(def).doc = doc;
    }
}

/// About where the stack ends now.
#[inline(never)]
fn stack_place() -> usize {
    let here = 0u8;
    std::hint::black_box(&raw const here) as usize
}

fn column(node: Node<'_>) -> u16 {
    node.start_position().column.min(u16::MAX as usize) as u16
}

/// The last byte and line of a node; a node that ends with its line's end ends on that line.
fn trimmed_end(source: &[u8], node: Node<'_>) -> (usize, u32) {
    let end = node.end_position();
    if end.column == 0 && node.end_byte() > node.start_byte() {
        let slice = &source[..node.end_byte().min(source.len())];
        let trimmed = slice.trim_ascii_end().len().max(node.start_byte());
        let dropped = memchr::memchr_iter(b'\n', &slice[trimmed..]).count();
        return (trimmed, (end.row + 1).saturating_sub(dropped) as u32);
    }
    (node.end_byte(), end.row as u32 + 1)
}

/// Whether something other than white space stands before the node on its line (then a comment belongs to that).
fn trails_code(source: &[u8], node: Node<'_>) -> bool {
    let start = node.start_byte();
    let line = start - node.start_position().column.min(start);
    !source[line..start].trim_ascii().is_empty()
}
