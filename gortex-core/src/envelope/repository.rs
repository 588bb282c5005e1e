//! The repository-selector rule.
//!
//! A field that says which repository is meant must reach a reader or be refused: dropped, it would answer, or write, about
//! another repository than the caller believes. Names in this class are recognised in any case and any container.

use serde_json::Value;

use super::request::{Request, is_empty};
use crate::error::CallError;
use crate::facade::Container;
use crate::place::Place;
use crate::registry::{Entry, PlacedField};

/// The names that say "where", in lower case.
const CLASS: [&str; 17] = [
    "repo",
    "repo_path",
    "repository",
    "repository_path",
    "repo_root",
    "repository_root",
    "repopath",
    "repo-path",
    "repo_dir",
    "root",
    "cwd",
    "dir",
    "worktree",
    "work_tree",
    "base_repo",
    "workspace",
    "project",
];

/// Whether a field says which repository is meant.
fn is_selector(name: &str) -> bool {
    CLASS.contains(&name.to_lowercase().as_str())
}

/// Refuses the first repository selector that the operation would not read.
pub(super) fn check(entry: &Entry, request: &Request) -> Result<(), CallError> {
    // A top-level word that means a repository here (`explore.path`) is one of them, unless the handler has it itself.
    let renames = entry.spec.map_or(&[][..], |spec| spec.renames);
    let anchors = |name: &str| {
        let anchor = renames.iter().any(|(public, private)| *public == name && is_selector(private));
        anchor && entry.open_field(name).is_none() && reader(entry, None, name).is_none()
    };
    let mut top: Vec<&String> = request
        .top
        .iter()
        .filter(|(name, value)| is_selector(name) || anchors(name) && !is_empty(value))
        .map(|(name, _)| name)
        .collect();
    top.sort();
    for name in top {
        check_one(entry, None, name, &request.top[name])?;
    }
    let mut containers: Vec<_> = request.containers.iter().collect();
    containers.sort_by_key(|(container, _)| container.as_str());
    for (container, inner) in containers {
        let mut names: Vec<&String> = inner.keys().filter(|name| is_selector(name)).collect();
        names.sort();
        for name in names {
            check_one(entry, Some(*container), name, &inner[name])?;
        }
    }
    Ok(())
}

/// One field: read and well-formed, or refused.
fn check_one(entry: &Entry, container: Option<Container>, name: &str, value: &Value) -> Result<(), CallError> {
    let field = container.map_or_else(|| name.to_owned(), |container| format!("{}.{name}", container.as_str()));
    if let Some(reader) = reader(entry, container, name) {
        let text = entry.property(reader.field.name).is_some_and(|schema| schema["type"] == "string");
        if text && (!value.is_string() || is_empty(value)) {
            return Err(CallError::invalid(format!("`{field}` must be a non-empty string, received {value}"))
                .data("field", field)
                .data("received", value)
                .data("expected_type", "string"));
        }
        return Ok(());
    }
    let operation = entry.operation.id();
    let suggested = suggestion(entry);
    let way_out = match &suggested {
        Some(place) => format!("use `{place}`"),
        None => "it works on the active project; change that with `workspace_admin.set_active_project`".to_owned(),
    };
    let mut error = CallError::invalid(format!("unknown field `{field}` for `{operation}`: {way_out}")).data("field", field);
    if let Some(container) = container {
        error = error.data("container", container.as_str());
    }
    Err(match suggested {
        Some(place) => error.data("suggested_field", place),
        None => error.data("reason", "no_repository_selector"),
    })
}

/// The open field that this field lowers to.
fn reader<'e>(entry: &'e Entry, container: Option<Container>, name: &str) -> Option<&'e PlacedField> {
    let placed = entry.fields.iter().find(|placed| {
        placed.places.iter().any(|place| match (place, container) {
            (Place::In(at, public), Some(container)) => *at == container && *public == name,
            (Place::Top(public), None) => *public == name,
            _ => false,
        })
    });
    placed.filter(|placed| !placed.fixed).or_else(|| entry.open_field(name))
}

/// The published selector of the operation: `repo` where there is one.
fn suggestion(entry: &Entry) -> Option<String> {
    let open = || entry.fields.iter().filter(|placed| !placed.fixed);
    let targeted = open().find(|placed| placed.places.contains(&Place::Target("repo")));
    let named = |name: &str| open().find(|placed| placed.field.name == name);
    let found = targeted.or_else(|| CLASS.into_iter().find_map(named))?;
    found.places.first().map(Place::to_string)
}
