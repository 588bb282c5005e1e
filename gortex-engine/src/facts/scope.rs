//! Lexical scopes of one file: which bare names are parameters, locals or nested definitions.
//!
//! Scopes and their entries are collected during the walk; looking up happens once at the end, so a name may be used before
//! the line that declares it. Scope 0 is the file; its own definitions are not entries, because what a file-level name means
//! may depend on other files.
//!
//! Knows positions and names, no language.

use super::model::Str;

/// What a name means in its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A definition row.
    Def(u32),
    /// A binding row.
    Bind(u32),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    scope: u32,
    name: Str,
    at: u32,
    target: Target,
}

/// The scopes of one file.
#[derive(Debug)]
pub struct Scopes {
    parents: Vec<u32>,
    /// By name, then scope, then place, once sealed.
    entries: Vec<Entry>,
    /// By name its number of entries; once sealed, where its entries end. Most names of a file are declared nowhere in it.
    ends: Vec<u32>,
    sorted: bool,
}

impl Default for Scopes {
    fn default() -> Self {
        Scopes { parents: vec![0], entries: Vec::new(), ends: Vec::new(), sorted: true }
    }
}

impl Scopes {
    /// Forgets everything but the memory it took.
    pub fn clear(&mut self) {
        self.parents.truncate(1);
        self.entries.clear();
        self.ends.clear();
        self.sorted = true;
    }

    /// Opens a scope inside another and returns its number.
    pub fn open(&mut self, parent: u32) -> u32 {
        self.parents.push(parent);
        self.parents.len() as u32 - 1
    }

    /// Declares a name in a scope, visible from byte `at`.
    pub fn declare(&mut self, scope: u32, name: Str, at: u32, target: Target) {
        self.entries.push(Entry { scope, name, at, target });
        let place = name.0 as usize;
        if place >= self.ends.len() {
            self.ends.resize(place + 1, 0);
        }
        self.ends[place] += 1;
        self.sorted = false;
    }

    /// Prepares for [`Scopes::lookup`].
    pub fn seal(&mut self) {
        self.entries.sort_by_key(|entry| (entry.name, entry.scope, entry.at));
        let mut end = 0;
        for count in &mut self.ends {
            end += *count;
            *count = end;
        }
        self.sorted = true;
    }

    /// All entries of a name.
    fn named(&self, name: Str) -> &[Entry] {
        let place = name.0 as usize;
        let Some(to) = self.ends.get(place) else { return &[] };
        let from = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.entries[from as usize..*to as usize]
    }

    /// What `name` means at byte `at` of `scope`: the nearest scope outward that declares it; there the last declaration
    /// before `at`, a definition anywhere, or (where the language hoists) the first one after.
    pub fn lookup(&self, scope: u32, name: Str, at: u32, hoists: bool) -> Option<Target> {
        debug_assert!(self.sorted, "lookup before seal");
        let named = self.named(name);
        if named.is_empty() {
            return None;
        }
        let mut scope = scope;
        loop {
            let from = named.partition_point(|entry| entry.scope < scope);
            let mut best = None;
            for entry in named[from..].iter().take_while(|entry| entry.scope == scope) {
                let visible = entry.at <= at;
                let usable = visible || hoists || matches!(entry.target, Target::Def(_));
                if visible || (usable && best.is_none()) {
                    best = Some(entry.target);
                }
            }
            if best.is_some() || scope == 0 {
                return best;
            }
            scope = self.parents[scope as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_declaration_before_the_use_wins() {
        let mut scopes = Scopes::default();
        let inner = scopes.open(0);
        let x = Str(7);
        scopes.declare(inner, x, 10, Target::Bind(1));
        scopes.declare(inner, x, 20, Target::Bind(2));
        scopes.seal();
        assert_eq!(scopes.lookup(inner, x, 15, false), Some(Target::Bind(1)));
        assert_eq!(scopes.lookup(inner, x, 25, false), Some(Target::Bind(2)));
        assert_eq!(scopes.lookup(inner, x, 5, false), None);
        assert_eq!(scopes.lookup(inner, x, 5, true), Some(Target::Bind(1)));
        assert_eq!(scopes.lookup(0, x, 30, true), None);
    }
}
