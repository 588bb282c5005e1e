//! Text and documents, both ways, and what becomes of answers.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Texts with everything that has a meaning somewhere.
fn texts() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "\t",
        "\n",
        "\r",
        "\\",
        "#",
        " ",
        "=",
        ",",
        "GCX1 ",
        "GCX2 tool=x",
        "é",
        "",
        "a",
        "7",
        "true",
        "[1]",
        "\u{2028}",
    ]);
    prop::collection::vec(odd, 0..6).prop_map(|parts| parts.concat())
}

fn sections() -> impl Strategy<Value = Section> {
    (texts(), prop::collection::vec(texts(), 0..4), prop::collection::btree_map(texts(), texts(), 0..4))
        .prop_flat_map(|(tool, fields, meta)| {
            let rows = prop::collection::vec(prop::collection::vec(texts(), 0..5), 0..5);
            (Just(tool), Just(fields), Just(meta), rows)
        })
        .prop_map(|(tool, fields, meta, rows)| Section::new(tool, fields, meta, rows))
}

/// Any JSON value.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(texts(), inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(sections in prop::collection::vec(sections(), 0..4)) {
        let document = Document { sections };
        let text = encode(&document);
        prop_assert_eq!(decode(text.as_bytes()), Ok(document), "{}", text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(&bytes);
    }

    #[test]
    fn any_lines_are_read_or_refused_and_what_is_read_is_written_the_same(lines in prop::collection::vec(texts(), 0..8)) {
        let text = format!("GCX1 tool=x fields=a,b\n{}", lines.join("\n"));
        if let Ok(document) = decode(text.as_bytes()) {
            prop_assert_eq!(decode(encode(&document).as_bytes()), Ok(document));
        }
    }

    #[test]
    fn any_answer_becomes_a_document_that_survives(answer in values()) {
        for layouts in [&[][..], &[LAYOUT][..]] {
            let made = document("t", &answer, layouts);
            prop_assert_eq!(decode(encode(&made).as_bytes()), Ok(made));
        }
    }
}

const LAYOUT: Layout = Layout {
    tool: "t",
    parts: &[Part::list(
        "rows",
        &[
            Field::of("id", &["id"]),
            Field::of("line", &["start_line", "line"]),
            Field::from("is_test", Source::Through { key: "id", list: "nodes", field: "is_test" }),
            Field::from("names", Source::Joined("names")),
            Field::of("source", &["source"]).if_any(),
        ],
    )
    .implying(&["label"])],
};

#[track_caller]
fn check(answer: Value, layouts: &[Layout], expected: &str) {
    let text = encode(&document("t", &answer, layouts));
    assert_eq!(text, expected);
    assert_eq!(decode(text.as_bytes()), Ok(document("t", &answer, layouts)));
}

#[test]
fn without_a_layout_the_form_of_the_answer_decides() {
    check(json!({"b": 1, "a": "é\t", "c": [1, {"x": null}]}), &[], "GCX1 tool=t fields=a,b,c\né\\t\t1\t[1,{\"x\":null}]\n");
    check(json!([{"b": 1}, {"a": true}]), &[], "GCX1 tool=t fields=a,b\n\t1\ntrue\n");
    check(json!([1, "x"]), &[], "GCX1 tool=t fields=value\n1\nx\n");
    check(json!(2.5), &[], "GCX1 tool=t fields=value\n2.5\n");
    check(json!([]), &[], "GCX1 tool=t fields=value\n");
    check(json!({}), &[], "GCX1 tool=t fields=value\n{}\n");
}

#[test]
fn a_layout_has_its_columns_and_loses_nothing() {
    check(
        json!({
            "total": 2,
            "nodes": [{"id": "a", "is_test": true}],
            "rows": [{"id": "a", "start_line": 3, "names": ["x", "y"]}, {"id": "b", "line": 4, "doc": "word", "label": "x"}],
            "hint": "a b",
            "odd": [1],
        }),
        &[LAYOUT],
        concat!(
            "GCX1 tool=t fields=id,line,is_test,names hint=a\\ b total=2\n",
            "a\t3\ttrue\tx,y\nb\t4\n",
            "GCX1 tool=t.extra fields=@row,doc\n1\tword\n",
            "GCX1 tool=t.nodes fields=id,is_test\na\ttrue\n",
            "GCX1 tool=t.more fields=key,value\nodd\t[1]\n",
        ),
    );
    // An answer of another form has no layout.
    check(json!({"grouped": true}), &[LAYOUT], "GCX1 tool=t fields=grouped\ntrue\n");
}

#[test]
fn the_traps_of_the_grammar_are_closed() {
    check(json!(["", "#x", "GCX1 y"]), &[], "GCX1 tool=t fields=index,value\n0\n1\t#x\n2\tGCX1 y\n");
    check(json!(["#x", "GCX1 y", "GCXé"]), &[], "GCX1 tool=t fields=value\n\\#x\n\\GCX1 y\n\\GCXé\n");
    check(json!([{"a": "", "b": ""}]), &[], "GCX1 tool=t fields=a,b\n\t\n");
}

#[test]
fn a_reader_skips_comments_and_finds_columns_by_name() {
    let text = "# made by hand\nGCX1 tool=x total=2 fields=a,later,b\r\n1\t\t2\r\n\n# note\n3\n";
    let document = decode(text.as_bytes()).expect("a document");
    let section = &document.sections[0];
    assert_eq!(section.meta(), &BTreeMap::from([("total".to_owned(), "2".to_owned())]));
    assert_eq!(section.column("b").map(Iterator::collect::<Vec<_>>), Some(vec!["2", ""]));
    assert!(section.column("c").is_none());
}

#[test]
fn what_is_no_document_is_refused_with_its_line() {
    let refused = |text: &str| decode(text.as_bytes()).map_err(|error| error.line);
    assert_eq!(refused("a\tb\n"), Err(1));
    assert_eq!(refused("GCX1 tool=x fields=a\n1\t2\n"), Err(2));
    assert_eq!(refused("GCX2 tool=x fields=a\n"), Err(1));
    assert_eq!(refused("GCX1"), Err(1));
    assert_eq!(refused("GCX1 fields=a\n"), Err(1));
    assert_eq!(refused("GCX1 tool=x\n"), Err(1));
    assert_eq!(refused("GCX1 tool=x fields=a b\n"), Err(1));
    assert_eq!(refused("GCX1 tool=x fields=a\n\\\n"), Err(2));
    assert_eq!(decode(b"GCX1 tool=x fields=a\n\xff\n").map_err(|error| error.line), Err(2));
    assert_eq!(decode(b""), Ok(Document::default()));
}
