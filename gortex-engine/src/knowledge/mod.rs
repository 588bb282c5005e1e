//! What is known of libraries: which calls read the environment or a configuration, register a route, announce or await an event,
//! or ask for a dependency.
//!
//! This is data. A [`Rule`] says where something stands ([`At`]), what the file must show before it counts (`evidence`), and what
//! it then means ([`Makes`]). Every rule carries a source in which it holds, with what that yields, and one in which the same words
//! mean nothing; a test walks all of them.
//!
//! Knows names of libraries, no trees and no graph.

mod events;
mod go;
mod inject;
mod jvm;
mod others;
mod python;
mod script;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::lang::{COUNT, LANGUAGES, Lang};

/// What the name of an awaited event begins with, in the definition and where it is announced.
pub(crate) const EVENT: &str = "on ";

/// Where a rule looks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    /// A call, a macro call or an annotation of one of these names.
    Call(&'static [&'static str]),
    /// A string between brackets behind one of these names: `os.environ["HOME"]`.
    Index(&'static [&'static str]),
    /// A member of one of these: `process.env.HOME`.
    Member(&'static [&'static str]),
    /// A variable of the shell.
    Shell,
    /// Nowhere: the linker finds it by itself, and names this rule as its provenance.
    Link,
}

/// What must stand in front of the name, with imports written out and `.` for every separator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum On {
    /// Exactly one of these; the name itself is the last part. A bare name that nothing imports is itself.
    Path(&'static [&'static str]),
    /// A value that comes from one of the modules of the evidence; one whose origin is not seen counts less.
    Value,
    /// The name itself is imported from one of the modules of the evidence.
    Imported,
}

/// Which argument is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    /// By position.
    Nth(u8),
    /// By keyword; else by position.
    Named(&'static [&'static str], u8),
    /// The last one without a keyword.
    Last,
    /// The first one that is a text.
    FirstText,
    /// That of another annotation on the same definition.
    Beside(&'static str),
    /// What the annotation stands on.
    Carrier,
}

/// How a route tells its method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// The name says it: `get`, `GetMapping`, `HttpPost`, `MapPut`.
    Name,
    /// A keyword lists them; without it this one.
    Keyword(&'static str, &'static str),
    /// Any.
    Any,
    /// Method and path are one text: `"GET /users"`.
    InPath,
    /// The handler's argument wraps handlers in calls named like methods: `get(list).post(make)`.
    Wrapped,
}

/// What a place that fits means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Makes {
    /// Reads the environment variable that the argument names.
    Env(Arg),
    /// Reads the configuration key that the argument names.
    Config(Arg),
    /// Registers a route.
    Route { verb: Verb, path: Arg, handler: Arg },
    /// What is registered through the value that this makes, or inside of its arguments, is under this path.
    Prefix(Arg),
    /// Announces the event that the argument names.
    Emit(Arg),
    /// Has events that the argument names handled.
    Listen { event: Arg, handler: Arg },
    /// Hands the definition around what the argument names.
    Inject(Arg),
}

/// Sources that show a rule, and show where it ends.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proof {
    /// Holds the rule's case.
    pub yes: &'static str,
    /// What that yields, as the tests write it.
    pub gives: &'static [&'static str],
    /// The same words, which mean nothing here.
    pub no: &'static str,
}

/// One thing that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// `framework.what`: the provenance of what it yields.
    pub id: &'static str,
    /// The languages by name.
    pub languages: &'static [&'static str],
    /// Modules (or, for values, types), one of which the file shows; a module stands for those below it. None: nothing to show.
    pub evidence: &'static [&'static str],
    /// Where it looks.
    pub at: At,
    /// What must stand in front.
    pub on: On,
    /// What it means.
    pub makes: Makes,
    /// The sources that prove it, in the first of its languages.
    #[cfg(test)]
    pub proof: Proof,
}

impl Rule {
    /// A rule without evidence or proof.
    pub(crate) const fn new(id: &'static str, languages: &'static [&'static str], at: At, on: On, makes: Makes) -> Rule {
        Rule {
            id,
            languages,
            evidence: &[],
            at,
            on,
            makes,
            #[cfg(test)]
            proof: Proof { yes: "", gives: &[], no: "" },
        }
    }

    /// The same with modules of which the file shows one.
    pub(crate) const fn from(mut self, evidence: &'static [&'static str]) -> Rule {
        self.evidence = evidence;
        self
    }

    /// The same with the sources that prove it, which only tests keep.
    #[cfg(test)]
    pub(crate) const fn proof(mut self, yes: &'static str, gives: &'static [&'static str], no: &'static str) -> Rule {
        self.proof = Proof { yes, gives, no };
        self
    }

    /// The same with the sources that prove it, which only tests keep.
    #[cfg(not(test))]
    pub(crate) const fn proof(self, _yes: &'static str, _gives: &'static [&'static str], _no: &'static str) -> Rule {
        self
    }
}

/// The tables, by ecosystem.
const TABLES: &[&[Rule]] = &[events::RULES, go::RULES, inject::RULES, jvm::RULES, others::RULES, python::RULES, script::RULES];

/// All rules; a rule's number is its place here and part of the facts.
pub(crate) fn rules() -> &'static [Rule] {
    static ALL: OnceLock<Vec<Rule>> = OnceLock::new();
    ALL.get_or_init(|| TABLES.concat())
}

/// The rule of a number.
pub(crate) fn rule(number: u16) -> Option<&'static Rule> {
    rules().get(number as usize)
}

/// The number of a rule as an edge keeps it.
pub(crate) fn number(id: &str) -> Option<u8> {
    rules().iter().position(|rule| rule.id == id).and_then(|at| u8::try_from(at).ok())
}

/// The rules of one language by the name that they look for.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Calls, annotations and brackets behind a name.
    pub names: FxHashMap<&'static str, Vec<u16>>,
    /// Members behind a name.
    pub members: FxHashMap<&'static str, Vec<u16>>,
    /// Variables of a shell.
    pub shell: Option<u16>,
}

/// The rules of a language; `None` where there are none.
pub(crate) fn index(language: &str) -> Option<&'static Index> {
    static INDEXES: [OnceLock<Option<Index>>; COUNT] = [const { OnceLock::new() }; COUNT];
    let Lang(number) = Lang::named(language)?;
    INDEXES[number as usize].get_or_init(|| build(LANGUAGES[number as usize].name)).as_ref()
}

fn build(language: &str) -> Option<Index> {
    let mut index = Index::default();
    let mut any = false;
    for (number, rule) in rules().iter().enumerate().filter(|(_, rule)| rule.languages.contains(&language)) {
        let number = number as u16;
        any = true;
        match rule.at {
            At::Call(names) | At::Index(names) => {
                for name in names {
                    index.names.entry(name).or_default().push(number);
                }
            }
            At::Member(names) => {
                for name in names {
                    index.members.entry(name).or_default().push(number);
                }
            }
            At::Shell => index.shell = Some(number),
            At::Link => {}
        }
    }
    any.then_some(index)
}
