//! What JSON and YAML have in common: mappings, and the well-known shapes of files made of them.
//!
//! Knows entries of mappings; the two syntaxes differ only in how these are found in the tree.

use tree_sitter::Node;

use crate::lang::common::Fields as _;

use super::{Book, DEPTH, children, inside, link_to, unquote};
use crate::facts::model::{Kind, Role};
use crate::facts::walker::{NewDef, Walker};

/// Methods of an HTTP interface description.
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/// How deep interface descriptions are searched for references.
const REFERENCE_DEPTH: usize = 40;

/// One key of a mapping.
#[derive(Clone, Copy, Debug)]
struct Entry<'t> {
    node: Node<'t>,
    /// The node of the key without its quotes, where it has one.
    place: Node<'t>,
    value: Option<Node<'t>>,
}

/// What kind of file this is, by its keys alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Plain,
    /// A compose file: services.
    Compose,
    /// A pipeline: jobs.
    Workflow,
    /// An interface description or JSON schema: paths, schemas and references to them.
    Api,
    /// `package.json`: scripts.
    Package,
}

/// Walks the value of a whole document.
pub(super) fn document<'t>(walker: &mut Walker<'_>, book: &mut Book<'t>, value: Node<'t>) {
    let value = core(value);
    let top = entries(value);
    if let Some((kind, name, place)) = resource(walker, &top) {
        let new = NewDef::new(Kind::Resource, value, place);
        let label = format!("{kind}/{name}");
        let def = book.define(walker, new, &label);
        if let Some(def) = def {
            let version = find(walker, &top, "apiVersion").and_then(|entry| entry.value).map(|node| scalar(walker, node));
            let signature = walker.intern(format!("{label} {}", version.unwrap_or_default()).trim_end());
            let ty = walker.intern(&kind);
            let row = walker.def_mut(def);
            (row.signature, row.ty) = (signature, ty);
        }
        inside(walker, def, |walker| Data { shape: Shape::Plain, book }.keys(walker, &top, &mut vec![String::new()]));
        return;
    }
    let shape = shape(walker, &top);
    let mut data = Data { shape, book };
    data.keys(walker, &top, &mut Vec::new());
}

/// The kind and name of a Kubernetes object, and where it is named.
fn resource<'t>(walker: &Walker<'_>, top: &[Entry<'t>]) -> Option<(String, String, Node<'t>)> {
    find(walker, top, "apiVersion")?;
    let kind = scalar(walker, find(walker, top, "kind")?.value?);
    let metadata = entries(core(find(walker, top, "metadata")?.value?));
    let name = find(walker, &metadata, "name").or_else(|| find(walker, &metadata, "generateName"))?;
    let text = scalar(walker, name.value?);
    (!kind.is_empty() && !text.is_empty()).then_some((kind, text, inner(core(name.value?))))
}

fn shape(walker: &Walker<'_>, top: &[Entry<'_>]) -> Shape {
    let has = |name: &str| find(walker, top, name).is_some();
    let is_mapping =
        |name: &str| find(walker, top, name).and_then(|entry| entry.value).is_some_and(|value| !entries(core(value)).is_empty());
    if has("openapi") || has("swagger") || has("asyncapi") || has("$schema") || has("$defs") {
        Shape::Api
    } else if is_mapping("jobs") && (has("on") || has("true") || has("name")) {
        Shape::Workflow
    } else if is_mapping("services") && is_compose(walker, top) {
        Shape::Compose
    } else if is_mapping("scripts") && (has("name") || has("version") || has("dependencies") || has("devDependencies")) {
        Shape::Package
    } else {
        Shape::Plain
    }
}

/// Whether what stands under `services` are containers.
fn is_compose(walker: &Walker<'_>, top: &[Entry<'_>]) -> bool {
    let services = find(walker, top, "services").and_then(|entry| entry.value).map(|value| entries(core(value)));
    services.unwrap_or_default().iter().filter_map(|entry| entry.value).any(|value| {
        let keys = entries(core(value));
        ["image", "build", "extends", "command"].iter().any(|name| find(walker, &keys, name).is_some())
    })
}

#[derive(Debug)]
struct Data<'b, 't> {
    shape: Shape,
    book: &'b mut Book<'t>,
}

impl<'t> Data<'_, 't> {
    fn keys(&mut self, walker: &mut Walker<'_>, found: &[Entry<'t>], path: &mut Vec<String>) {
        for entry in found {
            let key = key(walker, entry.place).to_owned();
            let value = entry.value.map(core);
            let below = value.map(entries).unwrap_or_default();
            self.references(walker, &key, value, path);
            let (kind, name) = self.meaning(walker, &key, &below, value, path);
            let new = NewDef::new(kind, entry.node, entry.place).body(value.filter(|_| !below.is_empty()));
            let def = if path.len() < DEPTH { self.book.define(walker, new, &name) } else { None };
            path.push(key);
            let deep = if self.shape == Shape::Api { REFERENCE_DEPTH } else { DEPTH };
            if path.len() < deep {
                inside(walker, def, |walker| {
                    self.keys(walker, &below, path);
                    if self.shape == Shape::Api {
                        self.items(walker, value, path);
                    }
                });
            }
            path.pop();
        }
    }

    /// Items of a sequence, which have no keys of their own, for the references in them.
    fn items(&mut self, walker: &mut Walker<'_>, value: Option<Node<'t>>, path: &mut Vec<String>) {
        let Some(list) = value.filter(|value| is_sequence(*value)) else { return };
        path.extend(std::iter::repeat_n(String::new(), DEPTH));
        if path.len() < REFERENCE_DEPTH {
            for item in sequence(list) {
                self.keys(walker, &entries(item), path);
                self.items(walker, Some(item), path);
            }
        }
        path.truncate(path.len() - DEPTH);
    }

    /// What a key is, and the name under which it is looked for.
    fn meaning(
        &self,
        walker: &Walker<'_>,
        key: &str,
        below: &[Entry<'t>],
        value: Option<Node<'t>>,
        path: &[String],
    ) -> (Kind, String) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let plain = || key.to_owned();
        match (self.shape, path.as_slice()) {
            (Shape::Compose, ["services"]) => (Kind::Service, plain()),
            (Shape::Workflow, ["jobs"]) => (Kind::Job, plain()),
            (Shape::Package, ["scripts"]) => (Kind::Target, plain()),
            (Shape::Api, ["paths" | "channels" | "webhooks"]) => (Kind::Endpoint, plain()),
            (Shape::Api, ["paths" | "webhooks", at]) if METHODS.contains(&key) => {
                (Kind::Endpoint, format!("{} {at}", key.to_ascii_uppercase()))
            }
            (Shape::Api, ["components", "schemas"] | ["definitions" | "$defs"]) => (Kind::Schema, plain()),
            // A job of GitLab's pipelines is any top-level key with a script.
            (Shape::Plain, []) if value.is_some_and(is_yaml) && find(walker, below, "script").is_some() => (Kind::Job, plain()),
            _ => (Kind::Key, plain()),
        }
    }

    /// Names of other parts of the file, and of other files, that a value holds.
    fn references(&mut self, walker: &mut Walker<'_>, key: &str, value: Option<Node<'t>>, path: &[String]) {
        let Some(value) = value else { return };
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        match (self.shape, parts.as_slice(), key) {
            (Shape::Compose, ["services", _], "depends_on" | "links") => self.names(walker, value, Kind::Service),
            (Shape::Workflow, ["jobs", _], "needs") => self.names(walker, value, Kind::Job),
            (Shape::Plain, [_], "needs" | "dependencies" | "extends") if is_yaml(value) => self.names(walker, value, Kind::Job),
            (Shape::Workflow, ["jobs", _], "steps") => {
                for step in sequence(value) {
                    let keys = entries(step);
                    let used = find(walker, &keys, "uses").and_then(|entry| entry.value);
                    Self::uses(walker, used);
                }
            }
            (Shape::Workflow, ["jobs", _], "uses") => Self::uses(walker, Some(value)),
            (Shape::Api, _, "$ref") => self.schema(walker, value),
            _ => {}
        }
    }

    fn uses(walker: &mut Walker<'_>, value: Option<Node<'t>>) {
        let Some(value) = value.map(core) else { return };
        let text = scalar(walker, value);
        if text.starts_with("./") {
            // An action is named by its folder, from the top of the repository.
            walker.import(inner(value), &text.replacen("./", "/", 1), "", "", crate::facts::model::import_flag::MODULE);
        }
    }

    fn schema(&mut self, walker: &mut Walker<'_>, value: Node<'t>) {
        let text = scalar(walker, value);
        let (file, pointer) = text.split_once('#').unwrap_or((&text, ""));
        if !file.is_empty() {
            return link_to(walker, inner(value), file);
        }
        let parts: Vec<&str> = pointer.trim_start_matches('/').split('/').collect();
        if let ["components", "schemas", name] | ["definitions" | "$defs", name] = parts.as_slice() {
            self.book.mention(walker, inner(value), Kind::Schema, name, Role::Type);
        }
    }

    /// A name, a list of names, or a mapping whose keys are names.
    fn names(&mut self, walker: &Walker<'_>, value: Node<'t>, kind: Kind) {
        let keys = entries(value);
        let places: Vec<Node<'t>> = match (keys.is_empty(), is_sequence(value)) {
            (false, _) => keys.iter().map(|entry| entry.place).collect(),
            (true, true) => sequence(value).into_iter().filter(|item| entries(*item).is_empty()).map(inner).collect(),
            (true, false) => vec![inner(value)],
        };
        for place in places {
            let text = unquote(walker.text(place)).to_owned();
            self.book.mention(walker, place, kind, &text, Role::Read);
        }
    }
}

// ----- the two syntaxes

/// Whether a value stands in YAML.
fn is_yaml(value: Node<'_>) -> bool {
    value.kind() != "object" && value.kind() != "array"
}

/// The value itself, without what YAML wraps around it.
fn core(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    while matches!(at.kind(), "block_node" | "flow_node" | "document") {
        let wrapped =
            |child: &Node<'_>| !matches!(child.kind(), "comment" | "anchor" | "tag" | "yaml_directive" | "tag_directive");
        match children(at).into_iter().rfind(wrapped) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at
}

fn is_sequence(node: Node<'_>) -> bool {
    matches!(node.kind(), "array" | "block_sequence" | "flow_sequence")
}

/// The values of a sequence.
fn sequence<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    if !is_sequence(node) {
        return Vec::new();
    }
    let item =
        |node: Node<'t>| if node.kind() == "block_sequence_item" { node.named_child(0).map(core) } else { Some(core(node)) };
    children(node).into_iter().filter(|node| node.kind() != "comment").filter_map(item).collect()
}

/// The keys of a mapping, in the order of the text; none where the value is no mapping.
fn entries(node: Node<'_>) -> Vec<Entry<'_>> {
    if !matches!(node.kind(), "object" | "block_mapping" | "flow_mapping") {
        return Vec::new();
    }
    let pairs = children(node).into_iter().filter(|pair| matches!(pair.kind(), "pair" | "block_mapping_pair" | "flow_pair"));
    pairs
        .filter_map(|node| {
            let key = node.field("key")?;
            Some(Entry { node, place: inner(core(key)), value: node.field("value") })
        })
        .collect()
}

fn find<'t>(walker: &Walker<'_>, found: &[Entry<'t>], name: &str) -> Option<Entry<'t>> {
    found.iter().copied().find(|entry| key(walker, entry.place) == name)
}

/// The node of a scalar's text, without quotes where the tree has that.
fn inner(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "string" | "plain_scalar" => node.named_child(0).unwrap_or(node),
        _ => node,
    }
}

fn key<'a>(walker: &Walker<'a>, place: Node<'_>) -> &'a str {
    // An empty string has no content node.
    if place.kind() == "string" { "" } else { unquote(walker.text(place)) }
}

fn scalar(walker: &Walker<'_>, node: Node<'_>) -> String {
    let node = core(node);
    match node.kind() {
        "object" | "array" | "block_mapping" | "flow_mapping" | "block_sequence" | "flow_sequence" | "block_scalar" => {
            String::new()
        }
        _ => unquote(walker.text(node)).to_owned(),
    }
}
