//! Type texts: the head name, its arguments, and what stands inside wrappers.
//!
//! A declared type is kept as it was written; this module takes the few things from it that finding a receiver needs. It
//! reads all languages' spellings with one small scanner, because the outer shapes (`X<Y>`, `X[Y]`, `[]X`, `X[]`, `&X`) do
//! not collide.
//!
//! Knows spellings, not definitions.

/// The outer shape of a type text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeText<'a> {
    /// The dotted or `::` name; empty for arrays, tuples and functions.
    pub head: &'a str,
    /// Type arguments; for arrays the element; for tuples the parts; for maps key and value.
    pub args: Vec<&'a str>,
    /// Parentheses around several types.
    pub tuple: bool,
}

const PREFIXES: &[&str] = &[
    "&",
    "*",
    "...",
    "..",
    "?",
    "mut ",
    "const ",
    "dyn ",
    "impl ",
    "readonly ",
    "final ",
    "struct ",
    "class ",
    "enum ",
    "union ",
    "typename ",
    "volatile ",
    "static ",
    "constexpr ",
    "inline ",
    "unsigned ",
    "signed ",
    "keyof ",
    "ref ",
    "<-chan ",
    "chan<- ",
    "chan ",
    ":",
    "->",
    "@",
];

/// Reads the outer shape; `None` where nothing is named.
pub(crate) fn parse(text: &str) -> Option<TypeText<'_>> {
    let text = strip(text);
    if text.is_empty() {
        return None;
    }
    if let Some(best) = alternatives(text) {
        return parse(best);
    }
    if let Some(inner) = text.strip_prefix("map[") {
        let close = closing(inner, '[', ']')?;
        return Some(TypeText { head: "", args: vec![&inner[..close], &inner[close + 1..]], tuple: false });
    }
    if let Some(inner) = text.strip_prefix('[') {
        let close = closing(inner, '[', ']')?;
        let after = inner[close + 1..].trim();
        // `[]T` and `[4]T` put the element behind, `[T]` and `[T; 4]` inside.
        let element = if after.is_empty() { inner[..close].split(';').next().unwrap_or("") } else { after };
        return Some(TypeText { head: "", args: vec![element], tuple: false });
    }
    if let Some(inner) = text.strip_prefix('(') {
        let close = closing(inner, '(', ')')?;
        let parts = without_names(split_top(&inner[..close]));
        if parts.len() == 1 && inner[close + 1..].trim().is_empty() {
            return parse(parts[0]);
        }
        return Some(TypeText { head: "", args: parts, tuple: true });
    }
    if let Some(element) = text.strip_suffix("[]") {
        return Some(TypeText { head: "", args: vec![element], tuple: false });
    }
    let stop = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '/' | '#' | '\\')));
    let (head, rest) = text.split_at(stop.unwrap_or(text.len()));
    let head = head.trim_end_matches([':', '.']);
    if head.is_empty() || matches!(head, "func" | "fn" | "function" | "void" | "auto" | "var" | "let") {
        return None;
    }
    let rest = rest.trim_start();
    let args = match rest.as_bytes().first() {
        Some(b'<') => closing(&rest[1..], '<', '>').map(|close| {
            let mut args = split_top(&rest[1..=close]);
            for arg in &mut args {
                *arg = bound_argument(arg);
            }
            args
        }),
        Some(b'[') => closing(&rest[1..], '[', ']').map(|close| split_top(&rest[1..=close])),
        _ => None,
    };
    Some(TypeText { head, args: args.unwrap_or_default(), tuple: false })
}

/// Go names its results: `(n int, err error)`, `(a, b T)`. A part that is only a name has the type of the next one.
fn without_names(parts: Vec<&str>) -> Vec<&str> {
    let typed = |part: &str| {
        let (name, rest) = part.split_once(' ')?;
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !matches!(name, "chan" | "func" | "map" | "mut" | "dyn" | "impl" | "const" | "struct");
        is_name.then_some(rest.len())
    };
    if !parts.iter().any(|part| typed(part).is_some()) {
        return parts;
    }
    let mut out = parts.clone();
    let mut ty = "";
    for (slot, part) in out.iter_mut().zip(&parts).rev() {
        if let Some(length) = typed(part) {
            ty = part[part.len() - length..].trim();
        }
        *slot = if ty.is_empty() { part } else { ty };
    }
    out
}

/// The one plain name that a type is, references and the like taken off.
pub(crate) fn bare(text: &str) -> Option<&str> {
    // Most types are longer than any parameter's name.
    let text = if text.len() > 64 { return None } else { strip(text) };
    let is_name = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then_some(text)
}

/// The parts of `A + B<C> + 'a`.
pub(crate) fn split_bounds(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    let mut last = ' ';
    let parts = text.split(move |c: char| {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' if matches!(last, '-' | '=') => {}
            '>' | ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        last = c;
        depth == 0 && matches!(c, '+' | '&')
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// What stands before the last `::`, and the name behind it: `T::Item`, `<T as Trait>::Item`.
pub(crate) fn projection(text: &str) -> Option<(&str, &str)> {
    let text = strip(text);
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let (of, name) = text.rsplit_once("::")?;
    let of = match of.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')) {
        Some(inner) => inner.split_once(" as ").map_or(inner, |(of, _)| of).trim(),
        None => of,
    };
    (is_name(of) && is_name(name)).then_some((of, name))
}

/// What a bound sets an associated type to: `Foo` for `Item` of `Iterator<Item = Foo>`.
pub(crate) fn binding<'t>(bound: &'t str, name: &str) -> Option<&'t str> {
    let open = bound.find('<')?;
    let inner = &bound[open + 1..];
    let inner = &inner[..closing(inner, '<', '>')?];
    split_top(inner).into_iter().find_map(|part| {
        let (left, right) = part.split_once('=')?;
        (left.trim() == name).then(|| right.trim())
    })
}

/// The written type of a property of an object type: `Foo` for `a` of `{ a?: Foo; b: Bar }`.
pub(crate) fn property<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let mut depth = 0i32;
    let mut last = ' ';
    let parts = inner.split(|c: char| {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' if matches!(last, '-' | '=') => {}
            '>' | ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        last = c;
        depth == 0 && matches!(c, ';' | ',' | '\n')
    });
    parts.into_iter().find_map(|part| {
        let (key, ty) = part.split_once(':')?;
        let key = key.trim().trim_start_matches("readonly ").trim_end_matches('?').trim();
        (key == name).then(|| ty.trim())
    })
}

/// `Foo` of `Item = Foo`; anything else as it is.
fn bound_argument(part: &str) -> &str {
    match part.split_once(" = ") {
        Some((name, value)) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => value.trim(),
        _ => part,
    }
}

fn strip(text: &str) -> &str {
    let mut text = text.trim().trim_matches(['"', '\'']).trim();
    loop {
        let before = text;
        for prefix in PREFIXES {
            if let Some(rest) = text.strip_prefix(prefix) {
                text = rest.trim_start();
            }
        }
        if let Some(rest) = text.strip_prefix('\'') {
            // A lifetime: `'a T`.
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            text = rest[end..].trim_start();
        }
        text = text.trim_end_matches(['*', '&', '?', '!', ' ']);
        if text == before {
            return text;
        }
    }
}

/// For `A | null`, `A | None`, `A + Send`, `A & B`: the first part that is not a way to say nothing.
fn alternatives(text: &str) -> Option<&str> {
    let mut depth = 0i32;
    let mut cuts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' if text[..at].ends_with(['-', '=']) => {}
            '>' | ']' | ')' | '}' => depth -= 1,
            '|' | '+' | '&' if depth == 0 => cuts.push(at),
            _ => {}
        }
    }
    if cuts.is_empty() {
        return None;
    }
    cuts.push(text.len());
    let mut from = 0;
    for cut in cuts {
        let part = text[from..cut].trim();
        if !part.is_empty() && !matches!(part, "null" | "undefined" | "None" | "Send" | "Sync" | "'static" | "void") {
            return Some(part);
        }
        from = (cut + 1).min(text.len());
    }
    None
}

/// The byte before which the bracket opened in front of `text` closes.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close && !(close == '>' && text[..at].ends_with(['-', '='])) {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
}

/// Splits at commas outside brackets.
pub(crate) fn split_top(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' if text[..at].ends_with(['-', '=']) => {}
            '>' | ']' | ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether a value of this generic type is used as if it were its argument.
pub(crate) fn is_transparent(head: &str) -> bool {
    let last = head.rsplit(['.', ':']).next().unwrap_or(head);
    matches!(
        last,
        "Box"
            | "Rc"
            | "Arc"
            | "Ref"
            | "RefMut"
            | "Cow"
            | "Pin"
            | "MutexGuard"
            | "RwLockReadGuard"
            | "RwLockWriteGuard"
            | "unique_ptr"
            | "shared_ptr"
            | "weak_ptr"
            | "Optional"
            | "Final"
            | "ClassVar"
            | "Annotated"
            | "Readonly"
            | "Required"
            | "Partial"
            | "NonNullable"
            | "Readonly_"
            | "reference_wrapper"
            | "LazyLock"
            | "OnceLock"
    )
}

/// Whether unwrapping (`?`, `await`, `.unwrap()`, `.get()`, `.lock()`) yields the first argument.
pub(crate) fn is_carrier(head: &str) -> bool {
    let last = head.rsplit(['.', ':']).next().unwrap_or(head);
    matches!(
        last,
        "Option"
            | "Result"
            | "Poll"
            | "NonNull"
            | "Promise"
            | "PromiseLike"
            | "Awaited"
            | "Future"
            | "CompletableFuture"
            | "Coroutine"
            | "Awaitable"
            | "Mutex"
            | "RwLock"
            | "RefCell"
            | "Cell"
            | "OnceCell"
            | "AtomicReference"
            | "ThreadLocal"
            | "Supplier"
            | "Type"
            | "type"
            | "Class"
            | "Task"
            | "ValueTask"
            | "Deferred"
    ) || is_transparent(head)
}

/// Names of library methods whose result holds the same elements as what they are called on (C#, Kotlin, Scala).
pub(crate) fn same_elements(method: &str) -> bool {
    matches!(
        method,
        "Where"
            | "OrderBy"
            | "OrderByDescending"
            | "ThenBy"
            | "Skip"
            | "Take"
            | "Distinct"
            | "Reverse"
            | "ToList"
            | "ToArray"
            | "ToHashSet"
            | "AsEnumerable"
            | "filterNot"
            | "filterNotNull"
            | "sortedBy"
            | "sortBy"
            | "reversed"
            | "asSequence"
            | "toList"
            | "toSet"
            | "toSeq"
            | "drop"
            | "dropWhile"
            | "takeWhile"
            | "tail"
    )
}

/// Names of library methods that hand out one element of what they are called on.
pub(crate) fn one_element(method: &str) -> bool {
    matches!(
        method,
        "First"
            | "FirstOrDefault"
            | "Single"
            | "SingleOrDefault"
            | "Last"
            | "LastOrDefault"
            | "firstOrNull"
            | "lastOrNull"
            | "singleOrNull"
            | "single"
            | "head"
    )
}

/// Method names that hand out what a carrier or wrapper holds.
pub(crate) fn unwraps(method: &str) -> bool {
    matches!(
        method,
        "unwrap"
            | "expect"
            | "unwrap_or"
            | "unwrap_or_else"
            | "unwrap_or_default"
            | "as_ref"
            | "as_mut"
            | "as_deref"
            | "as_deref_mut"
            | "clone"
            | "cloned"
            | "copied"
            | "borrow"
            | "borrow_mut"
            | "lock"
            | "read"
            | "write"
            | "get"
            | "to_owned"
            | "ok"
            | "ok_or"
            | "ok_or_else"
            | "orElse"
            | "orElseThrow"
            | "orElseGet"
            | "take"
            | "join"
            | "into_inner"
            | "get_mut"
            | "await"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, head: &str, args: &[&str]) {
        let parsed = parse(text).expect("a type");
        assert_eq!((parsed.head, parsed.args.as_slice()), (head, args), "{text}");
    }

    #[test]
    fn spellings_of_all_languages() {
        check("*store.Disk", "store.Disk", &[]);
        check("&'a mut Foo", "Foo", &[]);
        check("Option<Box<Foo>>", "Option", &["Box<Foo>"]);
        check("[]*T", "", &["*T"]);
        check("[T; 4]", "", &["T"]);
        check("map[string][]Foo", "", &["string", "[]Foo"]);
        check("Foo[]", "", &["Foo"]);
        check("dict[str, Foo]", "dict", &["str", "Foo"]);
        check("Foo | null", "Foo", &[]);
        check("null | Foo", "Foo", &[]);
        check("dyn Store + Send", "Store", &[]);
        check("'Foo'", "Foo", &[]);
        check("std::unique_ptr<a::Foo>", "std::unique_ptr", &["a::Foo"]);
        check("(Foo, error)", "", &["Foo", "error"]);
        check("(c *Context, r *Engine)", "", &["*Context", "*Engine"]);
        check("(a, b T, err error)", "", &["T", "T", "error"]);
        check("(c *Context)", "Context", &[]);
        check("Größe", "Größe", &[]);
        check("const char *", "char", &[]);
    }

    #[test]
    fn what_names_nothing() {
        assert_eq!(parse(""), None);
        assert_eq!(parse("func(int) string"), None);
        assert_eq!(parse("&"), None);
        assert_eq!(parse("[x"), None);
    }
}
