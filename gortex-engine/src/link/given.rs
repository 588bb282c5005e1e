//! What a callee hands to the functions it is given: `source.subscribe((value) => ..)` types `value`.
//!
//! The parameter of the callee is read in its signature; its type says what the function gets. Only a written function type
//! counts; a generic parameter is followed to its bound in the same signature.
//!
//! Knows spellings of signatures and function types, and asks [`Infer`] who the callee is.

use super::infer::{Env, Infer, Place, Ty};
use super::scope::{Entity, Want};
use super::types;
use crate::facts::model::{ExprKind, Kind};
use crate::graph::NodeId;

/// Aliases of function types that are followed.
const ALIASES: u32 = 4;

impl<'a> Infer<'_, 'a> {
    /// The type of parameter `slot.1` of a function that is argument `slot.0` of the callee.
    pub(super) fn handed(&self, place: Place, callee: u32, slot: (u8, u8), depth: u32) -> Ty<'a> {
        let table = &self.scopes.table;
        let view = &table.views[place.file];
        let Some(row) = view.expr(callee) else { return Ty::Unknown };
        let name = table.name_of(place.file, row.name);
        let mut base = Ty::Unknown;
        let found = match row.kind() {
            ExprKind::New => match self.type_node(place, view.str(row.name)) {
                Entity::Node(ty) => self.constructors(ty),
                _ => Vec::new(),
            },
            ExprKind::Member | ExprKind::Path => {
                base = self.ty(place, row.base, depth + 1);
                match self.settle(base) {
                    Ty::Instance(ty) | Ty::Type(ty) => {
                        self.member(ty, name, Want::Call).map_or(Vec::new(), |(node, _)| self.overloads_of(node))
                    }
                    Ty::Module(module) => match self.scopes.lookup(module, name, Want::Call, true, 0) {
                        Entity::Node(node) => self.overloads_of(node),
                        _ => Vec::new(),
                    },
                    _ => Vec::new(),
                }
            }
            _ => match self.settle(self.ty(place, callee, depth + 1)) {
                Ty::Func(node) => self.overloads_of(node),
                Ty::Type(ty) => self.constructors(ty),
                _ => Vec::new(),
            },
        };
        for node in &found {
            let known = self.parameter_of_parameter(*node, slot);
            if known != Ty::Unknown {
                return known;
            }
        }
        if found.is_empty() && !matches!(base, Ty::Unknown | Ty::External) {
            return self.of_library(base, view.str(row.name), slot.1);
        }
        Ty::Unknown
    }

    /// What the well-known methods of arrays and promises hand on.
    fn of_library(&self, base: Ty<'a>, method: &str, parameter: u8) -> Ty<'a> {
        match (method, parameter) {
            ("then", 0) => self.unwrap(base),
            ("forEach" | "map" | "filter" | "find" | "findIndex" | "findLast" | "some" | "every" | "flatMap" | "for_each", 0)
            | ("sort", 0 | 1)
            | ("reduce" | "reduceRight", 1) => self.element(base, 0, false),
            _ => Ty::Unknown,
        }
    }

    fn constructors(&self, ty: NodeId) -> Vec<NodeId> {
        let table = &self.scopes.table;
        let own: Vec<NodeId> =
            table.all_members(ty).iter().copied().filter(|member| table.kind(*member) == Kind::Constructor).collect();
        if !own.is_empty() {
            return own;
        }
        let above = self.hierarchy.supers.get(&ty).and_then(|supers| supers.first());
        above.filter(|above| **above != ty).map_or(Vec::new(), |above| {
            table.all_members(*above).iter().copied().filter(|member| table.kind(*member) == Kind::Constructor).collect()
        })
    }

    /// A callable with the others of its name beside it.
    fn overloads_of(&self, node: NodeId) -> Vec<NodeId> {
        let table = &self.scopes.table;
        let Some(parent) = table.parents.get(node as usize) else { return vec![node] };
        let mut found = vec![node];
        found.extend(table.members(*parent, table.node_name[node as usize]).iter().copied().filter(|other| *other != node));
        found
    }

    fn parameter_of_parameter(&self, node: NodeId, (argument, parameter): (u8, u8)) -> Ty<'a> {
        let table = &self.scopes.table;
        let Some(def) = table.def(node) else { return Ty::Unknown };
        let file = table.file_of(node);
        let signature = table.str(file, def.signature);
        let Some(text) = parameter_type(signature, argument as usize) else { return Ty::Unknown };
        self.function_parameter(Place { file, owner: node }, bound(signature, text).unwrap_or(text), parameter as usize, 0)
    }

    fn function_parameter(&self, place: Place, text: &'a str, parameter: usize, depth: u32) -> Ty<'a> {
        if let Some(text) = handed_type(text, parameter) {
            return Ty::Text { file: place.file, owner: place.owner, text, env: Env::default() };
        }
        let table = &self.scopes.table;
        for part in alternatives(text) {
            if let Entity::Node(alias) = self.type_node(place, part)
                && let Some(def) = table.def(alias).filter(|def| def.kind() == Kind::TypeAlias && depth < ALIASES)
            {
                let file = table.file_of(alias);
                return self.function_parameter(Place { file, owner: alias }, table.str(file, def.ty), parameter, depth + 1);
            }
        }
        Ty::Unknown
    }
}

/// The bytes of `text` outside all brackets, with their places. `=>` and `->` close nothing.
fn top_level(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut depth = 0i32;
    text.char_indices().filter(move |(at, c)| {
        let outside = depth == 0;
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' if text[..*at].ends_with(['-', '=']) => {}
            '>' | ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        outside
    })
}

/// The byte behind the bracket that closes the one at the beginning of `text`.
fn closes(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' if text[..at].ends_with(['-', '=']) => {}
            '>' | ']' | ')' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The declared type of a parameter in a signature, the receiver not counted.
fn parameter_type(signature: &str, position: usize) -> Option<&str> {
    let open = top_level(signature).find(|(_, c)| *c == '(')?.0;
    let list = &signature[open..];
    let list = &list[1..closes(list)? - 1];
    let mut parameters = types::split_top(list);
    let receiver = |part: &&str| {
        let name = part.trim_start_matches(['&', '*']).trim_start_matches("mut ").split([':', ' ']).next().unwrap_or("");
        matches!(name, "self" | "cls" | "this") || part.starts_with("&'")
    };
    if parameters.first().is_some_and(receiver) {
        parameters.remove(0);
    }
    let part = parameters.get(position)?;
    let colon = top_level(part).find(|(_, c)| *c == ':')?.0;
    let ty = &part[colon + 1..];
    // A default stands behind `=`, which is no arrow.
    let default = top_level(ty).find(|(at, c)| *c == '=' && !ty[at + 1..].starts_with('>')).map_or(ty.len(), |(at, _)| at);
    Some(ty[..default].trim())
}

/// For a generic parameter its bound in the same signature: `F` of `fn each<F: FnMut(&T)>(f: F)`, also behind `where`.
fn bound<'t>(signature: &'t str, name: &str) -> Option<&'t str> {
    if name.is_empty() || !name.chars().all(char::is_alphanumeric) {
        return None;
    }
    for (at, _) in signature.match_indices(name) {
        let before = signature[..at].chars().next_back();
        let after = signature[at + name.len()..].trim_start();
        if matches!(before, Some('<' | ' ' | ',')) && after.starts_with(':') {
            let found = after[1..].trim_start();
            if found.starts_with("Fn") || found.starts_with("for<") {
                return Some(found);
            }
        }
    }
    None
}

/// The parts of a union, outer parentheses peeled off.
fn alternatives(text: &str) -> Vec<&str> {
    let mut text = text.trim();
    while text.starts_with('(') && closes(text) == Some(text.len()) {
        text = text[1..text.len() - 1].trim();
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, c) in top_level(text) {
        // What stands behind an arrow belongs to the function.
        if c == '>' {
            break;
        }
        if c == '|' {
            parts.push(text[from..at].trim());
            from = at + 1;
        }
    }
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The type of a function type's parameter: `(a: T) => R`, `Callable[[T], R]`, `Fn(T) -> R`.
fn handed_type(text: &str, parameter: usize) -> Option<&str> {
    for part in alternatives(text) {
        let part = part.trim_end_matches('?');
        if part.starts_with('(') {
            let close = closes(part)?;
            if part[close..].trim_start().starts_with("=>") {
                return script_parameter(&part[1..close - 1], parameter);
            }
            if let Some(found) = handed_type(&part[1..close - 1], parameter) {
                return Some(found);
            }
        } else if let Some(at) = part.find("Callable[[") {
            let list = &part[at + "Callable[".len()..];
            let inner = &list[1..closes(list)? - 1];
            return types::split_top(inner).get(parameter).copied();
        } else if let Some(at) = part.find("Fn(").or_else(|| part.find("FnMut(")).or_else(|| part.find("FnOnce(")) {
            let list = &part[at + part[at..].find('(')?..];
            let inner = &list[1..closes(list)? - 1];
            return types::split_top(inner).get(parameter).copied();
        }
    }
    None
}

fn script_parameter(list: &str, parameter: usize) -> Option<&str> {
    let mut parameters = types::split_top(list);
    if parameters.first().is_some_and(|first| first.starts_with("this:")) {
        parameters.remove(0);
    }
    let part = parameters.get(parameter).filter(|part| !part.starts_with("..."))?;
    let colon = top_level(part).find(|(_, c)| *c == ':')?.0;
    Some(part[colon + 1..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_signatures() {
        let script = "function operate<T, R>(init: (source: Observable<T>, to: Subscriber<R>) => void, n = 3): Op<T>";
        let init = parameter_type(script, 0).expect("a type");
        assert_eq!(init, "(source: Observable<T>, to: Subscriber<R>) => void");
        assert_eq!(parameter_type(script, 1), None);
        assert_eq!(handed_type(init, 1), Some("Subscriber<R>"));
        assert_eq!(handed_type(init, 2), None);
        assert_eq!(parameter_type("constructor(subscribe?: (this: A, s: B) => C)", 0), Some("(this: A, s: B) => C"));
        assert_eq!(handed_type("(this: A, s: B) => C", 0), Some("B"));
        assert_eq!(handed_type("Partial<Observer<T>> | ((value: T) => void) | null", 0), Some("T"));
        assert_eq!(
            parameter_type("def each(self, f: Callable[[State, int], None] = None) -> None", 0).and_then(|ty| handed_type(ty, 0)),
            Some("State")
        );
    }

    #[test]
    fn bounds_of_generic_parameters() {
        let rust = "fn each<F>(&self, mut f: F) -> bool where F: FnMut(&Entry, usize) -> bool";
        let ty = parameter_type(rust, 0).expect("a type");
        assert_eq!(bound(rust, ty).and_then(|ty| handed_type(ty, 0)), Some("&Entry"));
        assert_eq!(bound(rust, "bool"), None);
        assert_eq!(parameter_type("fn f(g: impl Fn(Entry) -> bool)", 0).and_then(|ty| handed_type(ty, 0)), Some("Entry"));
        assert_eq!(handed_type("Entry", 0), None);
    }
}
