//! JSON, with comments where tools allow them.

use super::super::{Action, Hooks, Language};
use super::{Book, FORMAT, data};

/// JSON.
pub(in crate::lang) static JSON: Language = Language {
    name: "json",
    extensions: &["json", "jsonc", "json5", "webmanifest"],
    line_comment: "//",
    grammar: || tree_sitter_json::LANGUAGE.into(),
    table: &[(
        "document",
        Action::Hook(|walker, root| {
            let mut book = Book::new();
            let values = super::children(root).into_iter().filter(|value| value.kind() == "object");
            for value in values {
                data::document(walker, &mut book, value);
            }
            book.settle(walker);
        }),
    )],
    hooks: Hooks::NONE,
    ..FORMAT
};

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;

    #[test]
    fn keys_to_the_third_level() {
        check_facts(
            "json",
            r#"
{
  "title": "x",
// ^ def key title
  "deep": {"a": {"b": {"c": 1}}},
// ^ def key deep
//          ^ def key deep.a
//                ^ def key deep.a.b
  "list": [{"not": "told"}],
// ^ def key list
  "": 1
}
"#,
        );
    }

    #[test]
    fn scripts_of_a_package_are_targets() {
        check_facts(
            "json",
            r#"
{ "name": "x",
// ^ def key name
  "scripts": {"build": "tsc"} }
// ^ def key scripts
//             ^ def target scripts.build
"#,
        );
    }

    #[test]
    fn schemas_and_references_to_them() {
        check_facts(
            "json",
            r##"
{ "$schema": "x",
// ^ def key $schema
  "definitions": { "Pet": { "items": [{ "$ref": "#/definitions/Tag" }] }, "Tag": {} } }
// ^ def key definitions
//                  ^ def schema definitions.Pet
//                           ^ def key definitions.Pet.items
//                                               ^ type Tag
//                                                                         ^ def schema definitions.Tag
"##,
        );
    }
}
