//! Where a handler's field sits in the public request of its facade.
//!
//! `#[at(..)]` states a wish; the facade's advertised fields decide. A place that the facade does not have falls back by
//! one rule, so the same argument struct can serve a common facade and a cold one. Flattening, schemas, request shapes
//! and error messages all read the result, so they can't disagree.

use std::fmt;

use crate::envelope::rules;
use crate::facade::{Container, FacadeSpec, FieldKind};
use crate::operation::{At, FieldSpec};

/// One public place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A selector of `target`.
    Target(&'static str),
    /// A selector of `to`.
    To(&'static str),
    /// A top-level field.
    Top(&'static str),
    /// A field of a container.
    In(Container, &'static str),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target(selector) => write!(f, "target.{selector}"),
            Self::To(selector) => write!(f, "to.{selector}"),
            Self::Top(name) => f.write_str(name),
            Self::In(container, name) => write!(f, "{}.{name}", container.as_str()),
        }
    }
}

/// The public places of a field, best first; never empty.
pub(crate) fn places(spec: &'static FacadeSpec, operation: &str, field: &'static FieldSpec) -> Vec<Place> {
    let mut out = Vec::new();
    for at in field.at {
        let place = match *at {
            At::Target(selector) => has_target(spec, "target").then_some(Place::Target(selector)),
            At::To(selector) => has_target(spec, "to").then_some(Place::To(selector)),
            At::Top(name) => {
                let name = name.unwrap_or(field.name);
                spec.has_top(name).then_some(Place::Top(name))
            }
            At::In(container, name) => spec.has_container(container).then_some(Place::In(container, name.unwrap_or(field.name))),
        };
        out.extend(place.filter(|place| !out.contains(place)));
    }
    if out.is_empty() {
        out.push(fallback(spec, operation, field.name));
    }
    for (public, private) in spec.renames {
        let place = Place::Top(public);
        if *private == field.name && !out.contains(&place) {
            out.push(place);
        }
    }
    out
}

/// Whether the facade advertises this target.
fn has_target(spec: &FacadeSpec, name: &str) -> bool {
    spec.field(name).is_some_and(|field| field.kind == FieldKind::Target)
}

/// The place of a field that says nothing, or nothing its facade has.
fn fallback(spec: &'static FacadeSpec, operation: &str, name: &'static str) -> Place {
    if spec.has_top(name) && !spec.renames.iter().any(|(public, _)| *public == name) {
        return Place::Top(name);
    }
    if spec.is_cold() {
        return Place::In(Container::Arguments, name);
    }
    if rules::OUTPUT_FALLBACK.contains(&(spec.name, operation)) || rules::is_output_field(name) {
        return Place::In(Container::Output, name);
    }
    let by_name = [
        (Container::Context, rules::is_context_field(name)),
        (Container::Guard, rules::is_guard_field(name)),
        (Container::Source, rules::is_source_field(name)),
    ];
    let found = by_name.into_iter().find(|(container, fits)| *fits && spec.has_container(*container));
    Place::In(found.map_or(spec.common_container(), |(container, _)| container), name)
}
