//! Operations: what `#[facade]` collects.
//!
//! One `Operation` is one meaning of one handler: where it is served, under which legacy name, with which effect and
//! fixed arguments, and the function that runs it. All of it is `const` data and function pointers; `inventory` gathers
//! it across the program in no particular order, and the registry sorts it.
//!
//! Knows nothing of requests.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::call::Call;
use crate::effect::{Effect, same};
use crate::error::CallError;
use crate::reply::Reply;

/// The future of a handler.
pub type Running = Pin<Box<dyn Future<Output = Result<Reply, CallError>> + Send>>;

/// A fixed argument's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fixed {
    /// A boolean.
    Bool(bool),
    /// A string.
    Str(&'static str),
    /// An integer.
    Int(i64),
}

impl Fixed {
    /// The value as JSON.
    pub fn to_value(self) -> Value {
        match self {
            Self::Bool(value) => Value::from(value),
            Self::Str(value) => Value::from(value),
            Self::Int(value) => Value::from(value),
        }
    }
}

/// Why a variant is reached by its legacy name only, and when it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegacyOnly {
    /// Why no public operation serves it.
    pub rationale: &'static str,
    /// When it will be removed.
    pub removal: &'static str,
}

/// Where a field of a handler sits in the public request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The value of this selector of `target`.
    Target(&'static str),
    /// The value of this selector of `to`.
    To(&'static str),
    /// A top-level field, under this name or its own.
    Top(Option<&'static str>),
    /// A field of a container, under this name or its own.
    In(crate::facade::Container, Option<&'static str>),
}

/// One field of an argument struct; a flattened struct brings its own fields.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    /// The argument's (legacy) name.
    pub name: &'static str,
    /// Its public places, best first; when empty, the place follows from the name.
    pub at: &'static [At],
    /// The fields that stand in place of this one.
    pub flatten: Option<&'static [FieldSpec]>,
}

/// What a handler takes: its fields and the schema of all of them.
#[derive(Clone, Copy, Debug)]
pub struct ArgsInfo {
    /// The fields as declared.
    pub fields: &'static [FieldSpec],
    /// Builds the JSON schema of the argument struct.
    pub schema: fn() -> Value,
}

/// One operation.
#[derive(Clone, Copy)]
pub struct Operation {
    /// The public tool; empty for a legacy-only variant.
    pub facade: &'static str,
    /// The operation's name; empty for a legacy-only variant.
    pub name: &'static str,
    /// The legacy tool's name.
    pub legacy: &'static str,
    /// What the operation may change.
    pub effect: Effect,
    /// Arguments written over whatever the caller sent.
    pub fixed: &'static [(&'static str, Fixed)],
    /// Whether this mapping is kept for compatibility only and never shown.
    pub hidden: bool,
    /// Set when no public operation serves this variant.
    pub legacy_only: Option<LegacyOnly>,
    /// The first sentence of the handler's documentation.
    pub summary: &'static str,
    /// The handler's documentation.
    pub doc: &'static str,
    /// What the handler takes, if anything.
    pub args: Option<ArgsInfo>,
    /// The capabilities the handler can't do without.
    pub needs: &'static [Option<Effect>],
    /// The capabilities the handler uses when they are granted.
    pub uses: &'static [Option<Effect>],
    /// Extracts the parameters and runs the handler.
    pub run: fn(Arc<Call>) -> Running,
    /// The module of the handler.
    pub module: &'static str,
    /// `file:line` of the attribute.
    pub at: &'static str,
}

inventory::collect!(Operation);

impl Operation {
    /// `facade.operation`, or the legacy name where there is no public operation.
    pub fn id(&self) -> String {
        if self.facade.is_empty() { self.legacy.to_owned() } else { format!("{}.{}", self.facade, self.name) }
    }

    /// The fields of the handler with flattened structs dissolved.
    pub fn fields(&self) -> Vec<&'static FieldSpec> {
        let mut out = Vec::new();
        if let Some(args) = self.args {
            dissolve(args.fields, &mut out);
        }
        out
    }

    /// The fixed arguments as JSON.
    pub fn fixed_arguments(&self) -> Map<String, Value> {
        self.fixed.iter().map(|(key, value)| ((*key).to_owned(), value.to_value())).collect()
    }

    /// The fixed value of one argument.
    pub fn fixed_value(&self, key: &str) -> Option<Fixed> {
        self.fixed.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Operation({} -> {} at {})", self.id(), self.legacy, self.at)
    }
}

/// Appends the fields of a struct, those of flattened structs in their place.
fn dissolve(fields: &'static [FieldSpec], out: &mut Vec<&'static FieldSpec>) {
    for field in fields {
        match field.flatten {
            Some(inner) => dissolve(inner, out),
            None => out.push(field),
        }
    }
}

/// Whether any parameter's argument struct has this field; evaluated by the compiler in what `#[facade]` generates.
pub const fn declares(args: &[Option<ArgsInfo>], name: &str) -> bool {
    let mut at = 0;
    while at < args.len() {
        if let Some(info) = &args[at]
            && has_field(info.fields, name)
        {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether the fields, flattened ones included, contain this name.
const fn has_field(fields: &[FieldSpec], name: &str) -> bool {
    let mut at = 0;
    while at < fields.len() {
        let found = match fields[at].flatten {
            Some(inner) => has_field(inner, name),
            None => same(fields[at].name, name),
        };
        if found {
            return true;
        }
        at += 1;
    }
    false
}

/// The argument struct among a handler's parameters; evaluated by the compiler in what `#[facade]` generates.
pub const fn only_args(args: &[Option<ArgsInfo>]) -> Option<ArgsInfo> {
    let mut at = 0;
    while at < args.len() {
        if args[at].is_some() {
            return args[at];
        }
        at += 1;
    }
    None
}

/// How many of a handler's parameters are argument structs; evaluated by the compiler as well.
pub const fn count_args(args: &[Option<ArgsInfo>]) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < args.len() {
        if args[at].is_some() {
            count += 1;
        }
        at += 1;
    }
    count
}
