//! Facades: the public tools, as data.
//!
//! One `FacadeSpec` says everything about a public tool that does not depend on its operations: name, effect, the
//! fields it advertises, and how a request without an operation is understood. The rest of the crate reads this table
//! and never a name; strangers bring a table of their own. `FACADE_V1` is the table of Gortex.
//!
//! Knows nothing of handlers.

mod tools;
mod v1;

#[cfg(test)]
pub(crate) use tools::static_schema;
pub use tools::{Annotations, ToolDef, legacy_definitions, tool_definitions};
pub use v1::FACADE_V1;

use crate::effect::{Effect, same};
use crate::envelope::Rule;

/// The containers of a request, in the order in which they are merged; later ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Container {
    /// `arguments`: the whole payload of a cold tool.
    Arguments,
    /// `options`: what is rarely needed.
    Options,
    /// `source`: where a change comes from.
    Source,
    /// `context`: window and surroundings of what is read.
    Context,
    /// `guard`: what must still hold before a write.
    Guard,
    /// `output`: the shape of the answer.
    Output,
}

impl Container {
    /// Every container in merge order.
    pub const ALL: [Self; 6] = [Self::Arguments, Self::Options, Self::Source, Self::Context, Self::Guard, Self::Output];

    /// The key in the request.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arguments => "arguments",
            Self::Options => "options",
            Self::Source => "source",
            Self::Context => "context",
            Self::Guard => "guard",
            Self::Output => "output",
        }
    }
}

/// The selectors a `target` (or `to`) may hold.
pub const SELECTORS: [&str; 6] = ["file", "symbol", "symbols", "query", "artifact", "repo"];

/// The type of an advertised field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A string.
    Text,
    /// A boolean.
    Flag,
    /// An open object.
    Object,
    /// A list of objects.
    Objects,
    /// One selector out of [`SELECTORS`].
    Target,
}

/// One advertised field of a public tool.
#[derive(Clone, Copy, Debug)]
pub struct PublicField {
    /// The key in the request.
    pub name: &'static str,
    /// Its type.
    pub kind: FieldKind,
    /// A short description; may be empty.
    pub about: &'static str,
    /// Whether a request without it is malformed.
    pub required: bool,
}

impl PublicField {
    /// An optional field.
    pub const fn new(name: &'static str, kind: FieldKind, about: &'static str) -> Self {
        Self { name, kind, about, required: false }
    }

    /// The same field, required.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// How a request to this tool says which operation it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discriminator {
    /// By `operation`.
    Operation,
    /// By `kind`; `operation` is understood when `kind` is absent.
    Kind,
    /// By `operation`, which is understood but not advertised because there is one.
    Quiet,
    /// There are no operations: the core answers from the registry itself.
    Catalogue,
}

/// What must hold of a request for an [`Inference`].
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// `target` uses this selector.
    Target(&'static str),
    /// The field is in the request, possibly empty.
    Present(&'static str),
    /// The field is in the request and not empty.
    NonEmpty(&'static str),
    /// The field is not in the request.
    Absent(&'static str),
}

/// Which operation a request without one means. The first inference whose conditions all hold decides.
#[derive(Clone, Copy, Debug)]
pub struct Inference {
    /// All of these must hold.
    pub when: &'static [Condition],
    /// The operation meant.
    pub operation: &'static str,
}

/// A selector that contradicts the operation asked for, and the operation that it means.
#[derive(Clone, Copy, Debug)]
pub struct Redirect {
    /// The operation in the request.
    pub operation: &'static str,
    /// The selector in the request.
    pub selector: &'static str,
    /// The operation that runs.
    pub runs: &'static str,
}

/// One public tool.
#[derive(Clone, Copy, Debug)]
pub struct FacadeSpec {
    /// The tool's name.
    pub name: &'static str,
    /// The one effect of all its operations.
    pub effect: Effect,
    /// One sentence for the tool list.
    pub summary: &'static str,
    /// Whether the tool may reach the network or a model.
    pub open_world: bool,
    /// Whether hosts that defer tools are asked not to defer this one.
    pub always_load: bool,
    /// How the operation is said.
    pub discriminator: Discriminator,
    /// The advertised fields besides the discriminator and `output`.
    pub fields: &'static [PublicField],
    /// The operation of a request that neither names nor implies one.
    pub default_operation: Option<&'static str>,
    /// How a request implies an operation.
    pub infer: &'static [Inference],
    /// Selectors that overrule the operation asked for.
    pub redirects: &'static [Redirect],
    /// Other words for an operation.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Top-level fields that mean a handler field of another name, whenever the handler has it.
    pub renames: &'static [(&'static str, &'static str)],
    /// Operations that are completed by the field `channel`: `subscribe` means `subscribe_<channel>`.
    pub verbs: &'static [&'static str],
    /// The operations worth a place in the tool list; all of them when empty.
    pub featured: &'static [&'static str],
    /// Request shapes that can't be derived: operation, JSON text.
    pub shapes: &'static [(&'static str, &'static str)],
    /// Lowering rules that can't be derived: operation, rule.
    pub rules: &'static [(&'static str, Rule)],
}

impl FacadeSpec {
    /// A tool of this name and effect that takes `operation` and nothing else yet.
    pub const fn new(name: &'static str, effect: Effect, summary: &'static str) -> Self {
        Self {
            name,
            effect,
            summary,
            open_world: false,
            always_load: false,
            discriminator: Discriminator::Operation,
            fields: &[],
            default_operation: None,
            infer: &[],
            redirects: &[],
            aliases: &[],
            renames: &[],
            verbs: &[],
            featured: &[],
            shapes: &[],
            rules: &[],
        }
    }

    /// Sets the advertised fields.
    pub const fn fields(mut self, fields: &'static [PublicField]) -> Self {
        self.fields = fields;
        self
    }

    /// Sets the operation of a request that neither names nor implies one.
    pub const fn default_operation(mut self, operation: &'static str) -> Self {
        self.default_operation = Some(operation);
        self
    }

    /// Declares that the tool may reach the network or a model.
    pub const fn open_world(mut self) -> Self {
        self.open_world = true;
        self
    }

    /// Asks hosts not to defer this tool.
    pub const fn always_load(mut self) -> Self {
        self.always_load = true;
        self
    }

    /// The advertised field of this name.
    pub fn field(&self, name: &str) -> Option<&'static PublicField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Whether requests to this tool have this container.
    pub fn has_container(&self, container: Container) -> bool {
        container == Container::Output || self.field(container.as_str()).is_some_and(|f| f.kind == FieldKind::Object)
    }

    /// Whether `name` is an advertised field that is neither a container nor a target.
    pub fn has_top(&self, name: &str) -> bool {
        let container = Container::ALL.iter().any(|c| c.as_str() == name);
        !container && self.field(name).is_some_and(|field| field.kind != FieldKind::Target)
    }

    /// The container for fields that have no better place: `options`, or `arguments` where there are no options.
    pub fn common_container(&self) -> Container {
        if self.has_container(Container::Options) || !self.has_container(Container::Arguments) {
            Container::Options
        } else {
            Container::Arguments
        }
    }

    /// Whether the whole payload stands under `arguments`.
    pub fn is_cold(&self) -> bool {
        self.common_container() == Container::Arguments
    }

    /// The key that says which operation is meant.
    pub fn discriminator_key(&self) -> &'static str {
        match self.discriminator {
            Discriminator::Kind => "kind",
            Discriminator::Operation | Discriminator::Quiet | Discriminator::Catalogue => "operation",
        }
    }
}

/// The effect of the facade of this name; evaluated by the compiler in what `#[facade]` generates.
pub const fn effect_of(table: &[FacadeSpec], name: &str) -> Option<Effect> {
    let mut at = 0;
    while at < table.len() {
        if same(table[at].name, name) {
            return Some(table[at].effect);
        }
        at += 1;
    }
    None
}

/// What the compiler says when an operation claims an effect that is not its facade's.
pub const fn effect_mismatch(actual: Effect) -> &'static str {
    match actual {
        Effect::Read => "every operation of this facade has effect `read`",
        Effect::SessionWrite => "every operation of this facade has effect `session_write`",
        Effect::LocalWrite => "every operation of this facade has effect `local_write`",
        Effect::ControlWrite => "every operation of this facade has effect `control_write`",
        Effect::ExternalWrite => "every operation of this facade has effect `external_write`",
    }
}
