//! The registry: every operation of the program, collected, checked, sorted and never changed again.
//!
//! Link order means nothing here: what `inventory` yields is sorted before anyone sees it. Beside what is registered the
//! registry knows the baseline, so that an operation that does not exist yet is listed as unavailable, not forgotten.
//!
//! Knows nothing of requests; it answers look-ups.

mod baseline;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};

pub use baseline::Row;

use crate::effect::Effect;
use crate::extract::public_schema;
use crate::facade::FacadeSpec;
use crate::operation::{FieldSpec, Operation};
use crate::place::{Place, places};
use crate::validate::{BootFailure, Violation, validate};

/// The baseline of `facade-v1`: every public operation and the legacy tool behind it, one a line.
pub const BASELINE_V1: &str = include_str!("baseline.tsv");

/// What a server wants to serve.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    /// The public tools.
    pub facades: &'static [FacadeSpec],
    /// The operations that must exist, as tab-separated text; strangers need none.
    pub baseline: Option<&'static str>,
    /// Legacy names (or `facade.operation`) of the baseline that are not written yet.
    pub pending: &'static [&'static str],
    /// The surface's version, as clients see it.
    pub version: &'static str,
}

impl Surface {
    /// `facade-v1` with its baseline and the names still to come.
    pub const fn v1(pending: &'static [&'static str]) -> Self {
        Self { facades: crate::facade::FACADE_V1, baseline: Some(BASELINE_V1), pending, version: "facade-v1" }
    }

    /// A surface of one's own, without a baseline.
    pub const fn of(facades: &'static [FacadeSpec], version: &'static str) -> Self {
        Self { facades, baseline: None, pending: &[], version }
    }

    /// The facade of this name.
    pub fn facade(&self, name: &str) -> Option<&'static FacadeSpec> {
        self.facades.iter().find(|facade| facade.name == name)
    }
}

/// A field with its public places.
#[derive(Clone, Debug)]
pub(crate) struct PlacedField {
    pub field: &'static FieldSpec,
    pub places: Vec<Place>,
    pub fixed: bool,
}

/// One registered operation with what is derived from it.
#[derive(Debug)]
pub struct Entry {
    /// The operation.
    pub operation: &'static Operation,
    pub(crate) spec: Option<&'static FacadeSpec>,
    pub(crate) fields: Vec<PlacedField>,
    schema: OnceLock<Value>,
}

impl Entry {
    /// Derives the places of an operation's fields.
    pub(crate) fn new(operation: &'static Operation, spec: Option<&'static FacadeSpec>) -> Self {
        let fields = operation
            .fields()
            .into_iter()
            .map(|field| PlacedField {
                field,
                places: spec.map(|spec| places(spec, operation.name, field)).unwrap_or_default(),
                fixed: operation.fixed_value(field.name).is_some(),
            })
            .collect();
        Self { operation, spec, fields, schema: OnceLock::new() }
    }

    /// The full schema of the handler's arguments, built once.
    pub(crate) fn schema(&self) -> &Value {
        self.schema.get_or_init(|| match self.operation.args {
            Some(args) => (args.schema)(),
            None => json!({"type": "object", "properties": {}}),
        })
    }

    /// The handler's field of this name, unless the operation fixes it.
    pub(crate) fn open_field(&self, name: &str) -> Option<&PlacedField> {
        self.fields.iter().find(|placed| placed.field.name == name && !placed.fixed)
    }

    /// Whether the handler has an argument of this name, fixed or not.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.fields.iter().any(|placed| placed.field.name == name)
    }

    /// The open field that sits in this place.
    pub(crate) fn field_at(&self, place: Place) -> Option<&PlacedField> {
        self.fields.iter().find(|placed| !placed.fixed && placed.places.contains(&place))
    }

    /// The schema of one argument.
    pub(crate) fn property(&self, name: &str) -> Option<&Value> {
        self.schema().get("properties").and_then(|properties| properties.get(name))
    }

    /// The arguments that the handler can't do without.
    pub(crate) fn required(&self) -> Vec<&str> {
        let list = self.schema().get("required").and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// What callers of the public tool call this argument.
    pub(crate) fn public_name(&self, name: &str) -> String {
        let placed = self.fields.iter().find(|placed| placed.field.name == name);
        placed.and_then(|placed| placed.places.first()).map_or_else(|| name.to_owned(), Place::to_string)
    }

    /// The schema of the handler's arguments as a legacy tool advertises it.
    pub(crate) fn legacy_schema(&self) -> Value {
        public_schema(self.schema().clone())
    }
}

/// One line of a domain's list of operations.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The public operation.
    pub name: String,
    /// Its effect.
    pub effect: Effect,
    /// The legacy tool behind it.
    pub legacy: &'static str,
    /// The registered operation; for a verb, that of its first channel. `None` while it is not written.
    pub entry: Option<Arc<Entry>>,
    /// The fixed arguments.
    pub fixed: Map<String, Value>,
    /// The channels, when the operation is a verb that needs one.
    pub channels: Vec<String>,
}

/// Every operation of the program.
#[derive(Debug)]
pub struct Registry {
    surface: Surface,
    public: BTreeMap<&'static str, BTreeMap<&'static str, Arc<Entry>>>,
    legacy: BTreeMap<&'static str, Vec<Arc<Entry>>>,
    rows: Vec<Row>,
}

impl Registry {
    /// Collects what `#[facade]` registered, and checks it.
    pub fn collect(surface: Surface) -> Result<Self, BootFailure> {
        Self::build(surface, inventory::iter::<Operation>)
    }

    /// Builds a registry from these operations, and checks it.
    pub fn build(surface: Surface, operations: impl IntoIterator<Item = &'static Operation>) -> Result<Self, BootFailure> {
        let (registry, violations) = Self::inspect(surface, operations);
        if violations.is_empty() { Ok(registry) } else { Err(BootFailure(violations)) }
    }

    /// Builds a registry even from a table that must not be served, with everything that is wrong with it.
    pub fn inspect(surface: Surface, operations: impl IntoIterator<Item = &'static Operation>) -> (Self, Vec<Violation>) {
        let mut operations: Vec<&'static Operation> = operations.into_iter().collect();
        operations.sort_by_key(|operation| (operation.facade, operation.name, operation.legacy, operation.at));
        let (rows, mut violations) = baseline::parse(surface.baseline.unwrap_or_default());
        violations.extend(validate(&surface, &rows, &operations));
        let mut registry = Self { surface, public: BTreeMap::new(), legacy: BTreeMap::new(), rows };
        for operation in operations {
            let entry = Arc::new(Entry::new(operation, surface.facade(operation.facade)));
            if operation.legacy_only.is_none() {
                let domain = registry.public.entry(operation.facade).or_default();
                domain.entry(operation.name).or_insert_with(|| Arc::clone(&entry));
            }
            registry.legacy.entry(operation.legacy).or_default().push(entry);
        }
        (registry, violations)
    }

    /// What the server wants to serve.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// The public tool of this name.
    pub fn facade(&self, name: &str) -> Option<&'static FacadeSpec> {
        self.surface.facade(name)
    }

    /// The registered operation of this name.
    pub fn operation(&self, facade: &str, name: &str) -> Option<&Arc<Entry>> {
        self.public.get(facade)?.get(name)
    }

    /// Every registered public operation, sorted by facade and name.
    pub fn operations(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.public.values().flat_map(BTreeMap::values)
    }

    /// The registered meanings of a legacy name.
    pub fn legacy(&self, name: &str) -> &[Arc<Entry>] {
        self.legacy.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every registered legacy name, sorted.
    pub fn legacy_names(&self) -> impl Iterator<Item = &'static str> {
        self.legacy.keys().copied()
    }

    /// The baseline.
    pub fn baseline(&self) -> &[Row] {
        &self.rows
    }

    /// The baseline rows that nothing is registered for, in baseline order.
    pub fn pending(&self) -> Vec<&Row> {
        self.rows.iter().filter(|row| self.operation(&row.facade, &row.operation).is_none()).collect()
    }

    /// The baseline row of a public operation.
    pub fn row(&self, facade: &str, operation: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.facade == facade && row.operation == operation)
    }

    /// What a domain shows of itself, sorted by name: registered and pending, never hidden, channels folded into verbs.
    pub fn listings(&self, facade: &FacadeSpec) -> Vec<Listing> {
        let mut out: BTreeMap<String, Listing> = BTreeMap::new();
        for entry in self.public.get(facade.name).into_iter().flat_map(BTreeMap::values) {
            let operation = entry.operation;
            if !operation.hidden {
                let listing = Listing {
                    name: operation.name.to_owned(),
                    effect: operation.effect,
                    legacy: operation.legacy,
                    entry: Some(Arc::clone(entry)),
                    fixed: operation.fixed_arguments(),
                    channels: Vec::new(),
                };
                list(&mut out, facade, listing);
            }
        }
        for row in self.rows.iter().filter(|row| row.facade == facade.name && !row.hidden) {
            if self.operation(&row.facade, &row.operation).is_none() {
                let listing = Listing {
                    name: row.operation.clone(),
                    effect: row.effect,
                    legacy: row.legacy,
                    entry: None,
                    fixed: row.fixed.clone(),
                    channels: Vec::new(),
                };
                list(&mut out, facade, listing);
            }
        }
        out.into_values().collect()
    }

    /// The names of [`Registry::listings`].
    pub fn operation_names(&self, facade: &FacadeSpec) -> Vec<String> {
        self.listings(facade).into_iter().map(|listing| listing.name).collect()
    }
}

/// Adds a line, folding `subscribe_diagnostics` into the verb `subscribe`.
fn list(out: &mut BTreeMap<String, Listing>, facade: &FacadeSpec, mut listing: Listing) {
    let verb = facade.verbs.iter().find_map(|verb| {
        let channel = listing.name.strip_prefix(verb)?.strip_prefix('_')?;
        Some(((*verb).to_owned(), channel.to_owned()))
    });
    let Some((verb, channel)) = verb else {
        out.insert(listing.name.clone(), listing);
        return;
    };
    let line = out.entry(verb.clone()).or_insert_with(|| {
        listing.name = verb;
        listing
    });
    line.channels.push(channel);
    line.channels.sort();
}
