//! What a mention is given: the arguments behind it, read from the tree again.
//!
//! One reading for all grammars: they differ in the words for an argument list, a keyword and a text, and in little else.
//!
//! Knows trees, no rules.

use tree_sitter::Node;

use crate::facts::walker::Walker;
use crate::knowledge::Arg;

/// How far above a name its arguments may stand.
const LEVELS: usize = 5;
/// So many arguments are read.
const ARGUMENTS: usize = 24;

/// A call or annotation with its arguments.
pub(super) struct Call<'t> {
    /// First byte of the whole.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    args: Vec<Given<'t>>,
}

/// One argument.
#[derive(Clone)]
pub(super) struct Given<'t> {
    /// Its keyword, or empty.
    key: String,
    /// Its position.
    slot: usize,
    /// Its value.
    pub node: Node<'t>,
}

impl<'t> Call<'t> {
    /// An annotation without arguments.
    pub fn bare(start: usize, end: usize) -> Call<'t> {
        Call { start, end, args: Vec::new() }
    }

    /// The argument that is meant.
    pub fn arg(&self, arg: Arg) -> Option<Given<'t>> {
        let found = match arg {
            Arg::Nth(at) => self.args.iter().find(|given| given.slot == usize::from(at) && given.key.is_empty()),
            Arg::Named(keys, at) => self
                .args
                .iter()
                .find(|given| keys.contains(&given.key.as_str()))
                .or_else(|| self.args.iter().find(|given| given.slot == usize::from(at) && given.key.is_empty())),
            Arg::Last => self.args.iter().rev().find(|given| given.key.is_empty()).filter(|given| given.slot > 0),
            Arg::FirstText => self.args.iter().find(|given| is_text(given.node.kind())),
            Arg::Carrier | Arg::Beside(_) => None,
        };
        found.cloned()
    }

    /// The argument of a keyword.
    pub fn keyword(&self, key: &str) -> Option<&Given<'t>> {
        self.args.iter().find(|given| given.key == key)
    }
}

impl<'t> Given<'t> {
    /// The texts in it with where each begins: itself, or those of the list that it is.
    pub fn texts<'a>(&self, walker: &Walker<'a>) -> Vec<(&'a str, usize)> {
        let mut found = Vec::new();
        collect(walker, self.node, 2, &mut found);
        found
    }

    /// The function written in it, also inside of one call around it.
    pub fn function(&self) -> Option<Node<'t>> {
        function_in(self.node, 3)
    }
}

fn function_in(node: Node<'_>, depth: usize) -> Option<Node<'_>> {
    if is_function(node.kind()) {
        return Some(node);
    }
    if depth == 0 || !(is_list(node.kind()) || node.kind().contains("call") || node.kind().contains("argument")) {
        return None;
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find_map(|child| function_in(child, depth - 1))
}

fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "arrow_function"
            | "function_expression"
            | "function"
            | "func_literal"
            | "lambda"
            | "lambda_expression"
            | "closure_expression"
            | "lambda_literal"
            | "anonymous_function"
            | "anonymous_function_creation_expression"
            | "do_block"
            | "block"
            | "anonymous_method_expression"
            | "generator_function"
            | "annotated_lambda"
    )
}

/// Whether the node is a list of arguments.
fn is_list(kind: &str) -> bool {
    matches!(
        kind,
        "arguments"
            | "argument_list"
            | "value_arguments"
            | "annotation_argument_list"
            | "attribute_argument_list"
            | "token_tree"
            | "argument_part"
            | "call_suffix"
            | "bracketed_argument_list"
            | "constructor_invocation"
    )
}

fn is_text(kind: &str) -> bool {
    matches!(
        kind,
        "string"
            | "string_literal"
            | "interpreted_string_literal"
            | "raw_string_literal"
            | "encapsed_string"
            | "line_string_literal"
            | "verbatim_string_literal"
            | "template_string"
            | "simple_symbol"
            | "hash_key_symbol"
            | "atom"
            | "character_literal"
            | "multi_line_string_literal"
            | "concatenated_string"
            | "literal"
    )
}

fn collect<'a>(walker: &Walker<'a>, node: Node<'_>, depth: usize, found: &mut Vec<(&'a str, usize)>) {
    if is_text(node.kind()) {
        found.extend(text(walker, node));
    }
    let list = matches!(
        node.kind(),
        "list"
            | "array"
            | "tuple"
            | "set"
            | "element_value_array_initializer"
            | "array_creation_expression"
            | "array_element_initializer"
            | "initializer_expression"
            | "collection_literal"
            | "array_expression"
            | "collection_expression"
            | "collection_element"
            | "implicit_array_creation_expression"
            | "array_initializer"
            | "parenthesized_expression"
    );
    if list && depth > 0 {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).take(ARGUMENTS) {
            collect(walker, child, depth - 1, found);
        }
    }
}

/// What a text literal says, and where that begins; `None` where parts are put in at run time.
fn text<'a>(walker: &Walker<'a>, node: Node<'_>) -> Option<(&'a str, usize)> {
    if put_together(node, 3) {
        return None;
    }
    let whole = walker.text(node);
    let open = whole.find(['"', '\'', '`', ':']);
    if node.kind().contains("symbol") || node.kind() == "atom" {
        let name = whole.trim_start_matches(':').trim_end_matches(':');
        return Some((name, node.start_byte() + whole.len() - whole.trim_start_matches(':').len()));
    }
    let open = open?;
    let prefix = &whole[..open];
    if prefix.len() > 4 || !prefix.bytes().all(|c| c.is_ascii_alphabetic() || matches!(c, b'@' | b'#' | b'$')) {
        return None;
    }
    let quote = whole[open..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inner = whole[open..].trim_start_matches(quote);
    let start = whole.len() - inner.len();
    let inner = inner.trim_end_matches('#').trim_end_matches(quote);
    Some((inner, node.start_byte() + start))
}

fn put_together(node: Node<'_>, depth: usize) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| {
        let kind = child.kind();
        let put =
            kind.contains("interpol") || kind.contains("substitution") || kind.contains("expansion") || kind.contains("variable");
        put || (depth > 0 && put_together(child, depth - 1))
    })
}

/// The path from the root to the leaf at a byte.
pub(super) fn path_to(root: Node<'_>, at: usize) -> Vec<Node<'_>> {
    let mut cursor = root.walk();
    let mut path = vec![root];
    while cursor.goto_first_child_for_byte(at).is_some() && cursor.node().start_byte() <= at {
        path.push(cursor.node());
    }
    path
}

/// The call or annotation whose name stands at a byte.
pub(super) fn call<'t>(walker: &Walker<'_>, root: Node<'t>, at: usize, len: usize) -> Option<Call<'t>> {
    let path = path_to(root, at);
    for (level, node) in path.iter().enumerate().rev().skip(1).take(LEVELS) {
        let behind = behind(walker, *node, at + len)?;
        let mut call = Call { start: node.start_byte(), end: node.end_byte(), args: Vec::new() };
        match behind {
            Behind::Nothing => continue,
            Behind::List(list) => arguments(walker, list, &mut call.args),
            Behind::Plain => plain_arguments(*node, at + len, &mut call.args),
        }
        // A block behind the list is an argument, too.
        trailing(*node, at + len, &mut call.args);
        if let Some(around) = level
            .checked_sub(1)
            .map(|level| path[level])
            .filter(|around| around.kind() == "call_expression" && around.start_byte() == node.start_byte())
        {
            trailing(around, node.end_byte(), &mut call.args);
            if call.args.iter().any(|given| given.node.start_byte() >= node.end_byte()) {
                call.end = around.end_byte();
            }
        }
        return Some(call);
    }
    None
}

/// The text between brackets behind the name at a byte.
pub(super) fn index<'t>(walker: &Walker<'_>, root: Node<'t>, at: usize, len: usize) -> Option<Call<'t>> {
    let path = path_to(root, at);
    for node in path.iter().rev().skip(1).take(LEVELS) {
        let gap = |to: usize| walker.slice(at + len, to).trim();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| child.start_byte() >= at + len) {
            let inner =
                if is_list(child.kind()) { first_text(child, 3) } else { Some(child).filter(|child| is_text(child.kind())) };
            let Some(value) = inner else { continue };
            if matches!(gap(value.start_byte()), "[" | "?[" | "?.[" | "]" | "(" | ".get(") {
                let args = vec![Given { key: String::new(), slot: 0, node: value }];
                return Some(Call { start: node.start_byte(), end: node.end_byte(), args });
            }
        }
    }
    None
}

fn first_text(node: Node<'_>, depth: usize) -> Option<Node<'_>> {
    if is_text(node.kind()) {
        return Some(node);
    }
    let child = node.named_child(0)?;
    if depth > 0 { first_text(child, depth - 1) } else { None }
}

enum Behind<'t> {
    Nothing,
    List(Node<'t>),
    /// Arguments without a list around them.
    Plain,
}

/// What stands behind a name in a node; `None` where something else does.
fn behind<'t>(walker: &Walker<'_>, node: Node<'t>, end: usize) -> Option<Behind<'t>> {
    let mut cursor = node.walk();
    let next = node.named_children(&mut cursor).find(|child| child.start_byte() >= end && !child.is_extra());
    let mut next = next;
    // Type arguments come before the list.
    if next.is_some_and(|child| child.kind().contains("type_argument")) {
        let types = next.map_or(end, |child| child.end_byte());
        let mut cursor = node.walk();
        next = node.named_children(&mut cursor).find(|child| child.start_byte() >= types && !child.is_extra());
    }
    let Some(mut next) = next else { return Some(Behind::Nothing) };
    if next.kind() == "call_suffix" || next.kind() == "argument_part" {
        let mut cursor = next.walk();
        let inner = next.named_children(&mut cursor).find(|child| is_list(child.kind()));
        next = inner.unwrap_or(next);
    }
    let gap = walker.slice(end, next.start_byte());
    if gap.contains(['(', ')', '{', '}', ';', ',', '=']) {
        let plain = matches!(node.kind(), "call_expression") && gap.trim() == "(";
        return plain.then_some(Behind::Plain);
    }
    if is_list(next.kind()) {
        return Some(Behind::List(next));
    }
    match node.kind() {
        "application_expression" | "apply" | "function_call" => Some(Behind::Plain),
        _ => Some(Behind::Nothing),
    }
}

/// Blocks and functions that stand behind a list of arguments.
fn trailing<'t>(node: Node<'t>, from: usize, args: &mut Vec<Given<'t>>) {
    let mut cursor = node.walk();
    let next = args.len();
    let blocks = node.named_children(&mut cursor).filter(|child| {
        child.start_byte() >= from && matches!(child.kind(), "do_block" | "block" | "annotated_lambda" | "lambda_literal")
    });
    args.extend(blocks.enumerate().map(|(at, node)| Given { key: String::new(), slot: next + at, node }));
}

fn plain_arguments<'t>(node: Node<'t>, from: usize, args: &mut Vec<Given<'t>>) {
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor).filter(|child| child.start_byte() >= from && !child.is_extra());
    args.extend(children.take(ARGUMENTS).enumerate().map(|(slot, node)| Given { key: String::new(), slot, node }));
}

fn arguments<'t>(walker: &Walker<'_>, list: Node<'t>, args: &mut Vec<Given<'t>>) {
    let mut cursor = list.walk();
    let tokens = list.kind() == "token_tree";
    let mut slot = 0;
    for child in list.named_children(&mut cursor).filter(|child| !child.is_extra()).take(ARGUMENTS) {
        let count = args.len();
        argument(walker, child, slot, tokens, args);
        slot += usize::from(args.len() > count);
    }
}

/// Takes one argument out of what the grammar wraps it in.
fn argument<'t>(walker: &Walker<'_>, node: Node<'t>, slot: usize, tokens: bool, args: &mut Vec<Given<'t>>) {
    let value_of = |node: Node<'t>| -> Node<'t> {
        let last = node.named_child_count().checked_sub(1).and_then(|at| node.named_child(at as u32));
        node.child_by_field_name("value").or(last).unwrap_or(node)
    };
    match node.kind() {
        "argument"
        | "value_argument"
        | "attribute_argument"
        | "keyword_argument"
        | "element_value_pair"
        | "pair"
        | "named_argument"
        | "assignment_expression"
        | "assignment" => {
            let value = value_of(node);
            let key = walker.slice(node.start_byte(), value.start_byte());
            let key = key.trim().trim_end_matches([':', '=', '>']).trim().trim_matches(['"', '\'', ':']).trim();
            if value.kind() == "object" && key.is_empty() {
                return argument(walker, value, slot, tokens, args);
            }
            args.push(Given { key: key.to_owned(), slot, node: value });
        }
        "object" | "keywords" | "hash" => {
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor).filter(|child| child.kind() == "pair").take(ARGUMENTS) {
                argument(walker, child, slot, tokens, args);
            }
            args.push(Given { key: String::new(), slot, node });
        }
        // In a macro only texts are arguments that can be told.
        kind if tokens && !is_text(kind) => {}
        _ => args.push(Given { key: String::new(), slot, node }),
    }
}
