//! Signatures: what a callable takes and gives, read from source or from a proposed text, and how two of them differ.
//!
//! A proposed signature is parsed by the language's own grammar inside the smallest text that makes it whole; what the grammar
//! does not take is an error and never "no difference".
//!
//! Knows syntax of one signature, not who calls it.

use tree_sitter::{Node, Tree};

use crate::facts::ExtractLimits;
use crate::facts::walker::{one_line, parse};
use crate::lang::health::count_errors;
use crate::lang::{Family, Lang, Language};

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name; empty where the language allows none.
    pub name: String,
    /// The type as written; may be empty.
    pub ty: String,
    /// Whether a call must give it.
    pub required: bool,
    /// Whether it takes any number.
    pub variadic: bool,
    /// Whether it can be given by name only.
    pub by_name_only: bool,
}

/// What a callable takes and gives. A receiver is no parameter.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Signature {
    /// The callable's name.
    pub name: String,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// The result type as written, or empty.
    pub result: String,
}

impl Signature {
    /// The fewest arguments a call may have.
    pub fn least(&self) -> usize {
        self.params.iter().filter(|param| param.required && !param.variadic).count()
    }

    /// The most arguments a call may have; `None` without a bound.
    pub fn most(&self) -> Option<usize> {
        (!self.params.iter().any(|param| param.variadic)).then_some(self.params.len())
    }
}

/// A text of unknown shape and where the signature may stand in it.
fn wrappings(language: &Language, text: &str) -> Vec<String> {
    language.signatures.iter().map(|around| around.replace('$', text)).collect()
}

/// Parses a proposed signature; `None` when the language's grammar does not take it as one.
pub fn parse_text(lang: Lang, text: &str) -> Option<Signature> {
    let family = lang.language().family;
    let text = text.trim().trim_end_matches(['{', ';']).trim_end();
    let text = if family == Family::Python { text.trim_end_matches(':').trim_end() } else { text };
    if text.is_empty() {
        return None;
    }
    wrappings(lang.language(), text).iter().find_map(|whole| {
        let tree = parse(lang.compiled(), whole.as_bytes(), ExtractLimits::default())?;
        if count_errors(&tree) > 0 {
            return None;
        }
        let mut found = Vec::new();
        callables(tree.root_node(), &mut found, 0);
        match found.as_slice() {
            [one] => Some(read(family, *one, whole.as_bytes())),
            _ => None,
        }
    })
}

/// Reads the signature of the callable whose name stands at a byte of a parsed text.
pub fn at_name(lang: Lang, tree: &Tree, bytes: &[u8], name_at: usize) -> Option<Signature> {
    let mut node = tree.root_node().descendant_for_byte_range(name_at, name_at + 1)?;
    for _ in 0..8 {
        if let Some(callable) = callable_of(node) {
            return Some(read(lang.language().family, callable, bytes));
        }
        node = node.parent()?;
    }
    None
}

/// The node that has parameters, for a definition, a declaration or a variable that holds a function.
fn callable_of(node: Node<'_>) -> Option<Node<'_>> {
    if node.child_by_field_name("parameters").is_some() {
        return Some(node);
    }
    let value =
        node.child_by_field_name("value").filter(|_| node.kind().contains("declarator") || node.kind().contains("definition"))?;
    value.child_by_field_name("parameters").or_else(|| value.child_by_field_name("parameter")).map(|_| value)
}

fn callables<'t>(node: Node<'t>, found: &mut Vec<Node<'t>>, depth: u32) {
    if depth > 12 {
        return;
    }
    let is_signature = node.child_by_field_name("parameters").is_some() && !node.kind().contains("type");
    if is_signature {
        found.push(node);
        return;
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        callables(child, found, depth + 1);
    }
}

fn text_of<'b>(node: Option<Node<'_>>, bytes: &'b [u8]) -> &'b str {
    node.and_then(|node| node.utf8_text(bytes).ok()).unwrap_or("")
}

fn squeezed(node: Option<Node<'_>>, bytes: &[u8]) -> String {
    one_line(text_of(node, bytes).trim_start_matches(':').trim(), 200)
}

fn read(family: Family, node: Node<'_>, bytes: &[u8]) -> Signature {
    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("declarator"));
    let result = match family {
        Family::Rust | Family::Python | Family::Script => node.child_by_field_name("return_type"),
        Family::Go => node.child_by_field_name("result"),
        Family::Jvm => node.child_by_field_name("type"),
        Family::C => std::iter::successors(Some(node), |at| at.parent()).take(6).find_map(|at| at.child_by_field_name("type")),
        _ => node.child_by_field_name("return_type").or_else(|| node.child_by_field_name("type")),
    };
    let list = node.child_by_field_name("parameters");
    let mut params = Vec::new();
    if let Some(list) = list {
        let mut cursor = list.walk();
        let mut by_name_only = false;
        for child in list.named_children(&mut cursor) {
            if child.kind() == "keyword_separator" {
                by_name_only = true;
                continue;
            }
            let from = params.len();
            param(family, child, bytes, &mut params);
            for one in &mut params[from..] {
                one.by_name_only = by_name_only;
            }
            // After `*args` everything goes by name.
            by_name_only |= family == Family::Python && params.last().is_some_and(|one| one.variadic);
        }
    }
    Signature { name: text_of(name, bytes).to_owned(), params, result: squeezed(result, bytes) }
}

fn param(family: Family, node: Node<'_>, bytes: &[u8], out: &mut Vec<Param>) {
    let kind = node.kind();
    if kind.contains("comment")
        || matches!(kind, "self_parameter" | "receiver_parameter" | "positional_separator" | "attribute_item")
    {
        return;
    }
    let field = |name: &str| node.child_by_field_name(name);
    let ty = squeezed(field("type"), bytes);
    let mut push = |name: &str, required: bool, variadic: bool| {
        out.push(Param { name: name.trim().to_owned(), ty: ty.clone(), required, variadic, by_name_only: false });
    };
    match (family, kind) {
        (Family::Go, "parameter_declaration") => {
            let mut cursor = node.walk();
            let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
            if names.is_empty() {
                push("", true, false);
            }
            for name in names {
                push(text_of(Some(name), bytes), true, false);
            }
        }
        (Family::Go, _) => push(text_of(field("name"), bytes), false, kind.starts_with("variadic")),
        (Family::Rust, "parameter") => push(text_of(field("pattern"), bytes), true, false),
        (Family::Rust, _) => push("", false, kind.contains("variadic")),
        (Family::Python, "identifier") => push(text_of(Some(node), bytes), true, false),
        (Family::Python, "typed_parameter") => {
            let inner = node.named_child(0);
            let starred = inner.is_some_and(|inner| inner.kind().contains("splat"));
            push(text_of(inner, bytes).trim_start_matches('*'), !starred, starred);
        }
        (Family::Python, "default_parameter" | "typed_default_parameter") => push(text_of(field("name"), bytes), false, false),
        (Family::Python, _) => push(text_of(Some(node), bytes).trim_start_matches('*'), false, kind.contains("splat")),
        (Family::Script, _) => {
            let inner = field("pattern").or_else(|| field("left")).unwrap_or(node);
            let rest = kind == "rest_pattern" || inner.kind() == "rest_pattern";
            let optional = kind == "optional_parameter" || kind == "assignment_pattern" || field("value").is_some();
            let name = text_of(Some(inner), bytes).trim_start_matches("...");
            // `this` says what a function is called on.
            if name != "this" {
                push(name, !optional && !rest, rest);
            }
        }
        (Family::Jvm, "spread_parameter") => push("", false, true),
        (Family::Jvm, _) => push(text_of(field("name"), bytes), true, false),
        (Family::C, "variadic_parameter" | "variadic_parameter_declaration") => push("", false, true),
        (Family::C, _) => {
            let name = text_of(field("declarator"), bytes);
            if !(ty == "void" && name.is_empty()) {
                push(name, kind != "optional_parameter_declaration", false);
            }
        }
        _ => push(text_of(field("name").or(Some(node)), bytes), field("value").is_none(), kind.contains("variadic")),
    }
}

/// Leaves the receiver of a Python method out.
pub fn without_receiver(mut signature: Signature, is_static: bool) -> Signature {
    let first = signature.params.first().map(|param| param.name.as_str());
    if !is_static && matches!(first, Some("self" | "cls")) {
        signature.params.remove(0);
    }
    signature
}

/// A difference that a caller may feel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A parameter of this name is gone.
    Removed(String),
    /// A call must give one more.
    Added(String),
    /// The parameter at this position (from 0) has another type.
    Retyped(usize, String, String),
    /// The same names stand in another order.
    Reordered,
    /// The result is another one: before, after.
    Result(String, String),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = |text: &str| if text.is_empty() { "nothing".to_owned() } else { format!("`{text}`") };
        match self {
            Difference::Removed(name) => write!(f, "the parameter {} is gone", named(name)),
            Difference::Added(name) => write!(f, "the parameter {} is new and required", named(name)),
            Difference::Retyped(at, old, new) => write!(f, "parameter {} is {} instead of {}", at + 1, named(new), named(old)),
            Difference::Reordered => f.write_str("the parameters stand in another order"),
            Difference::Result(old, new) => write!(f, "the result is {} instead of {}", named(new), named(old)),
        }
    }
}

/// What differs between two signatures.
pub fn differences(old: &Signature, new: &Signature) -> Vec<Difference> {
    let mut found = Vec::new();
    let names = |signature: &Signature| -> Vec<String> { signature.params.iter().map(|param| param.name.clone()).collect() };
    let (before, after) = (names(old), names(new));
    let same_count = before.len() == after.len();
    if !same_count {
        let gone = old.params.iter().filter(|param| param.name.is_empty() || !after.contains(&param.name));
        if before.len() > after.len() {
            found.extend(gone.map(|param| Difference::Removed(param.name.clone())));
        }
        let fresh = new.params.iter().filter(|param| param.required && (param.name.is_empty() || !before.contains(&param.name)));
        if before.len() < after.len() {
            found.extend(fresh.map(|param| Difference::Added(param.name.clone())));
        }
    } else {
        let pairs = old.params.iter().zip(&new.params).enumerate();
        found.extend(
            pairs.clone().filter(|(_, (a, b))| !a.required && b.required).map(|(_, (_, b))| Difference::Added(b.name.clone())),
        );
        let mut sorted = (before.clone(), after.clone());
        sorted.0.sort();
        sorted.1.sort();
        if before != after && sorted.0 == sorted.1 {
            found.push(Difference::Reordered);
        } else {
            found.extend(
                pairs.filter(|(_, (a, b))| a.ty != b.ty).map(|(at, (a, b))| Difference::Retyped(at, a.ty.clone(), b.ty.clone())),
            );
        }
    }
    if old.result != new.result {
        found.push(Difference::Result(old.result.clone(), new.result.clone()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: &str, text: &str, expected: Option<(&str, &str, &str)>) {
        let found = parse_text(Lang::named(language).expect("a language"), text);
        let shown = found.map(|signature| {
            let params = signature.params.iter().map(|param| {
                let mark = if param.variadic {
                    "*"
                } else if param.required {
                    ""
                } else {
                    "?"
                };
                format!("{}{mark}:{}", param.name, param.ty)
            });
            (signature.name.clone(), params.collect::<Vec<_>>().join(" "), signature.result)
        });
        let expected = expected.map(|(name, params, result)| (name.to_owned(), params.to_owned(), result.to_owned()));
        assert_eq!(shown, expected, "{language}: {text}");
    }

    #[test]
    fn signatures_of_every_family() {
        check(
            "rust",
            "pub fn f(&self, a: u32, (b, c): (u8, u8)) -> Option<u32>",
            Some(("f", "a:u32 (b, c):(u8, u8)", "Option<u32>")),
        );
        check(
            "go",
            "func (d *Disk) F(a, b int, rest ...string) (int, error)",
            Some(("F", "a:int b:int rest*:string", "(int, error)")),
        );
        check(
            "python",
            "async def f(self, a, b: int = 1, *args, key, **kw) -> str:",
            Some(("f", "self: a: b?:int args*: key: kw*:", "str")),
        );
        check(
            "typescript",
            "function f(a: string, b?: number, c = 1, ...d: any[]): Promise<void>",
            Some(("f", "a:string b?:number c?: d*:any[]", "Promise<void>")),
        );
        check("typescript", "private f(this: T, größe: string): void {", Some(("f", "größe:string", "void")));
        check("javascript", "f(a, b = 1)", Some(("f", "a: b?:", "")));
        check(
            "java",
            "public static <T> int f(String a, final int b, Object... c) throws E",
            Some(("f", "a:String b:int *:", "int")),
        );
        check("c", "static int f(void)", Some(("f", "", "int")));
        check("cpp", "int f(int a, const char *b = 0)", Some(("f", "a:int *b?:char", "int")));
    }

    #[test]
    fn what_is_no_signature_is_refused() {
        check("rust", "fn f(a: u32", None);
        check("rust", "hello", None);
        check("python", "", None);
        check("go", "fn f()", None);
    }

    #[test]
    fn differences_that_callers_feel() {
        let of = |text: &str| parse_text(Lang::named("python").expect("python"), text).expect("a signature");
        let found =
            |old: &str, new: &str| -> Vec<String> { differences(&of(old), &of(new)).iter().map(ToString::to_string).collect() };
        assert_eq!(found("def f(a)", "def f(a, b=1)"), [""; 0]);
        assert_eq!(found("def f(a, b)", "def f(a)"), ["the parameter `b` is gone"]);
        assert_eq!(found("def f(a)", "def f(a, b)"), ["the parameter `b` is new and required"]);
        assert_eq!(found("def f(a, b)", "def f(b, a)"), ["the parameters stand in another order"]);
        assert_eq!(found("def f(a) -> int", "def f(a) -> str"), ["the result is `str` instead of `int`"]);
    }
}
