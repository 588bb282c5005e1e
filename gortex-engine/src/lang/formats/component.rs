//! Vue, Svelte and Astro components: their scripts are TypeScript or JavaScript in the host file, and their templates render components.
//!
//! They belong to the family of their scripts, so that imports of and from them resolve.

use tree_sitter::Node;

use super::super::{Action, Family, Hooks, Lang, Language, Tier};
use super::{FORMAT, child, children, html};
use crate::facts::model::{NONE, Role};
use crate::facts::walker::{Embed, Walker};

/// What they have in common.
const COMPONENT: Language = Language {
    tier: Tier::Deep,
    family: Family::Script,
    line_comment: "//",
    keywords: super::super::script::KEYWORDS,
    signatures: &["$ {}", "class T { $ {} }", "function $ {}"],
    hoists: true,
    ..FORMAT
};

/// Vue.
pub(in crate::lang) static VUE: Language = Language {
    name: "vue",
    extensions: &["vue"],
    grammar: || tree_sitter_vue_next::LANGUAGE.into(),
    table: &[("document", Action::Hook(document))],
    hooks: Hooks::NONE,
    ..COMPONENT
};

/// Svelte.
pub(in crate::lang) static SVELTE: Language = Language {
    name: "svelte",
    extensions: &["svelte"],
    grammar: || tree_sitter_svelte_ng::LANGUAGE.into(),
    table: &[("document", Action::Hook(document))],
    hooks: Hooks::NONE,
    ..COMPONENT
};

/// Astro.
pub(in crate::lang) static ASTRO: Language = Language {
    name: "astro",
    extensions: &["astro"],
    grammar: || tree_sitter_astro_next::LANGUAGE.into(),
    table: &[("document", Action::Hook(document))],
    hooks: Hooks::NONE,
    ..COMPONENT
};

/// How deep templates are followed.
const TEMPLATE: usize = 200;

fn document(walker: &mut Walker<'_>, root: Node<'_>) {
    for node in children(root) {
        match node.kind() {
            "script_element" | "style_element" => {}
            // What stands between the fences of an Astro page is TypeScript.
            "frontmatter" => {
                if let (Some(lang), Some(code)) = (Lang::named("typescript"), child(node, "frontmatter_js_block")) {
                    walker.embed_node(lang, code, Embed::Whole);
                }
            }
            _ => rendered(walker, node, 0),
        }
    }
    html::scripts(walker, root, Embed::Whole, 0);
}

/// Components that a template renders: tags that begin with a capital letter.
fn rendered(walker: &mut Walker<'_>, node: Node<'_>, depth: usize) {
    if let Some(tag) = child(node, "start_tag").or_else(|| child(node, "self_closing_tag"))
        && let Some(name) = child(tag, "tag_name")
        && let text = walker.text(name)
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && !text.contains('.')
    {
        walker.reference(name, Role::Render, NONE);
    }
    if depth < TEMPLATE {
        for inner in children(node) {
            // An element without an end has its tag alone, which was looked at with it.
            let own = inner.kind() == "self_closing_tag" && node.kind() == "element";
            if !own && !matches!(inner.kind(), "start_tag" | "end_tag" | "text") {
                rendered(walker, inner, depth + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn the_script_of_a_vue_component() {
        check_facts(
            "vue",
            r#"
<template>
  <div><Foo @x="go" /><plain-tag /></div>
//      ^ render Foo
</template>
<script setup lang="ts">
import Foo from './Foo.vue'
//     ^ import ./Foo.vue|default|Foo
function go(a: Item): number { return run(a) }
//       ^ def function go
//             ^ parameter_type Item
//                                    ^ call run
</script>
"#,
        );
    }

    #[test]
    fn the_script_of_a_svelte_component() {
        check_facts(
            "svelte",
            r#"
<script lang="ts">
  import Foo from './Foo.svelte'
//       ^ import ./Foo.svelte|default|Foo
  export let name: Name;
//           ^ def variable name
//                 ^ type Name
  const go = () => run();
//      ^ def function go
//                 ^ call run
</script>
{#if name}<Foo on:click={go}/>{/if}
//         ^ render Foo
"#,
        );
    }

    #[test]
    fn the_frontmatter_of_an_astro_page() {
        check_facts(
            "astro",
            r"
---
import Card from './Card.astro';
//     ^ import ./Card.astro|default|Card
const { title } = load(1);
//      ^ def constant title
//                ^ call load
---
<main><Card title={title} /></main>
//     ^ render Card
",
        );
    }
}
