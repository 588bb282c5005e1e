//! HCL: what Terraform declares, under the address by which it is referred to (`var.region`, `aws_instance.web`).
//!
//! A folder is one module, so a mention may mean another file; `link` looks it up there.

use tree_sitter::Node;

use super::super::{Action, Hooks, Language};
use super::{FORMAT, child, children, link_to, unquote};
use crate::facts::model::{Kind, NONE, Role};
use crate::facts::walker::{NewDef, Walker};

/// HCL.
pub(in crate::lang) static HCL: Language = Language {
    name: "hcl",
    extensions: &["tf", "hcl", "tfvars", "nomad"],
    grammar: || tree_sitter_hcl::LANGUAGE.into(),
    table: &[("config_file", Action::Hook(|walker, root| blocks(walker, root, 0)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

/// How deep expressions nest.
const NESTING: usize = 150;
/// First words of addresses that name nothing a module declares.
const NOT_DECLARED: &[&str] =
    &["each", "count", "self", "path", "terraform", "string", "number", "bool", "any", "list", "map", "set"];

fn blocks(walker: &mut Walker<'_>, node: Node<'_>, depth: usize) {
    for inner in children(node) {
        match inner.kind() {
            "block" => block(walker, inner, depth),
            "attribute" if depth == 0 => attribute(walker, inner, Kind::Key, ""),
            "attribute" => mentions(walker, inner, 0),
            "body" => blocks(walker, inner, depth),
            _ => {}
        }
    }
}

fn block(walker: &mut Walker<'_>, node: Node<'_>, depth: usize) {
    let parts = children(node);
    let word = parts.first().map_or("", |first| walker.text(*first));
    let labels: Vec<Node<'_>> =
        parts.iter().skip(1).take_while(|part| matches!(part.kind(), "string_lit" | "identifier")).copied().collect();
    let body = child(node, "body");
    if depth > 0 {
        return body.map_or((), |body| blocks(walker, body, depth + 1));
    }
    let texts: Vec<&str> = labels.iter().map(|label| unquote(walker.text(*label))).collect();
    let (kind, name) = match (word, texts.as_slice()) {
        ("locals", []) => return body.map_or((), |body| locals(walker, body)),
        ("resource", [ty, name]) => (Kind::Resource, format!("{ty}.{name}")),
        ("data", [ty, name]) => (Kind::Resource, format!("data.{ty}.{name}")),
        ("ephemeral", [ty, name]) => (Kind::Resource, format!("ephemeral.{ty}.{name}")),
        ("module", [name]) => (Kind::Module, format!("module.{name}")),
        ("variable", [name]) => (Kind::Variable, format!("var.{name}")),
        ("output", [name]) => (Kind::Output, format!("output.{name}")),
        ("provider", [name]) => (Kind::Section, format!("provider.{name}")),
        (word, []) => (Kind::Section, word.to_owned()),
        (word, labels) => (Kind::Section, format!("{word}.{}", labels.join("."))),
    };
    let place = labels.last().or(parts.first()).copied().unwrap_or(node);
    let open = child(node, "block_start");
    let def = walker.define_named(NewDef::new(kind, node, place).body(open), &name);
    let Some(body) = body else { return };
    walker.owned_by(def, |walker| {
        if kind == Kind::Module {
            source(walker, body);
        }
        blocks(walker, body, 1);
    });
}

/// `source = "./vpc"` names a folder of the tree.
fn source(walker: &mut Walker<'_>, body: Node<'_>) {
    for attribute in children(body).into_iter().filter(|inner| inner.kind() == "attribute") {
        let [name, value] = children(attribute)[..] else { continue };
        let path = unquote(walker.text(value)).to_owned();
        if walker.text(name) == "source" && path.starts_with('.') {
            link_to(walker, value, &path);
        }
    }
}

fn locals(walker: &mut Walker<'_>, body: Node<'_>) {
    for inner in children(body).into_iter().filter(|inner| inner.kind() == "attribute") {
        attribute(walker, inner, Kind::Constant, "local.");
    }
}

fn attribute(walker: &mut Walker<'_>, node: Node<'_>, kind: Kind, prefix: &str) {
    let Some(name) = node.named_child(0) else { return };
    let text = format!("{prefix}{}", walker.text(name));
    let def = walker.define_named(NewDef::new(kind, node, name), &text);
    walker.owned_by(def, |walker| mentions(walker, node, 0));
}

/// Addresses in an expression: a name and the attributes taken from it.
fn mentions(walker: &mut Walker<'_>, node: Node<'_>, depth: usize) {
    if depth > NESTING {
        return;
    }
    for inner in children(node) {
        if inner.kind() == "variable_expr" {
            address(walker, inner);
        } else {
            mentions(walker, inner, depth + 1);
        }
    }
}

/// The attributes are read from the text: of the last operand of an operation the tree hangs them elsewhere.
fn address(walker: &mut Walker<'_>, first: Node<'_>) {
    let head = walker.text(first);
    let mut rest = walker.slice(first.end_byte(), walker.source.len());
    let mut text = head.to_owned();
    let length = if matches!(head, "data" | "ephemeral") { 2 } else { 1 };
    for _ in 0..length {
        let Some(after) = rest.strip_prefix('.') else { return };
        let end = after.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(after.len());
        if end == 0 {
            return;
        }
        text.push('.');
        text.push_str(&after[..end]);
        rest = &after[end..];
    }
    if !NOT_DECLARED.contains(&head) {
        walker.reference_named(first, &text, Role::Read, NONE);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn addresses_and_mentions_of_them() {
        check_facts(
            "hcl",
            r#"
variable "region" { type = string }
#        ^ def variable var.region
locals {
  name = "x-${var.region}"
# ^ def constant local.name
#             ^ value var.region
}
resource "aws_instance" "web" {
#                       ^ def resource aws_instance.web
  ami = data.aws_ami.ubuntu.id
#       ^ value data.aws_ami.ubuntu
  subnet = module.vpc.subnets[each.key]
#          ^ value module.vpc
  dynamic "x" { for_each = local.name }
#                          ^ value local.name
}
data "aws_ami" "ubuntu" {}
#              ^ def resource data.aws_ami.ubuntu
module "vpc" { source = "./vpc" }
#      ^ def module module.vpc
#                       ^ import ./vpc||
output "ip" { value = aws_instance.web[0].public_ip }
#      ^ def output output.ip
#                     ^ value aws_instance.web
terraform { required_version = "1" }
# <- def section terraform
size = local.a && var.b != "s3" && var.c
# <- def key size
#      ^ value local.a
#                 ^ value var.b
#                                  ^ value var.c
"#,
        );
    }
}
