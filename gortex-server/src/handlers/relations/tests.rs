//! Relations over the field cases, through the one dispatch.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::testing::Fixture;

fn ask(fixture: &Fixture, operation: &str, symbol: &str, options: Value) -> Value {
    fixture.json("relations", json!({"operation": operation, "target": {"symbol": symbol}, "options": options}))
}

/// Ids of what has an edge to the target, as the cases read them: the first node is the target.
fn caller_ids(answer: &Value) -> BTreeSet<String> {
    let Some(own) = answer["nodes"][0]["id"].as_str() else { return BTreeSet::new() };
    let edges = answer["edges"].as_array().expect("edges");
    edges.iter().filter(|edge| edge["to"] == own).map(|edge| edge["from"].as_str().expect("an id").to_owned()).collect()
}

fn callers(answer: &Value) -> BTreeSet<String> {
    let name = |id: &String| id.rsplit(['.', ':']).next().unwrap_or(id).to_owned();
    caller_ids(answer).iter().map(name).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn direct(fixture: &Fixture, symbol: &str) -> BTreeSet<String> {
    callers(&ask(fixture, "callers", symbol, json!({"depth": 1})))
}

fn places(answer: &Value) -> BTreeSet<String> {
    let edges = answer["edges"].as_array().expect("edges");
    edges.iter().map(|edge| format!("{}:{}", edge["file_path"].as_str().unwrap_or(""), edge["line"])).collect()
}

#[test]
fn case_14_names_are_not_substituted() {
    let fixture = Fixture::new(
        "//- src/store.ts\nexport function fetchAll() { return 1; }\nexport function fetchAllCached() { return fetchAll(); }\nexport function start() { return fetchAll(); }\nexport function other() { return fetchAllCached(); }\n",
    );
    let missing = ask(&fixture, "callers", "fetch", json!({"depth": 1}));
    assert_eq!(missing["condition"], "symbol_not_found");
    assert_eq!(direct(&fixture, "fetchAll"), set(&["fetchAllCached", "start"]));
    assert_eq!(direct(&fixture, "src/store.ts::fetchAll"), set(&["fetchAllCached", "start"]));
    let missing = ask(&fixture, "callers", "nothingLikeThis", json!({}));
    assert_eq!(missing["condition"], "symbol_not_found");
}

#[test]
fn case_15_collection_method_name() {
    let fixture = Fixture::new(
        "//- app/__init__.py\n//- app/log.py\ndef append(line):\n    return line\n\ndef path():\n    return \"x\"\n//- app/main.py\nfrom app import log\n\ndef real():\n    log.append(\"x\")\n    return log.path()\n\ndef fake():\n    box = {}\n    box.setdefault(\"k\", []).append(1)\n    items = []\n    items.append(2)\n    [].append(3)\n",
    );
    assert_eq!(direct(&fixture, "app/log.py::append"), set(&["real"]));
    assert_eq!(direct(&fixture, "app/log.py::path"), set(&["real"]));
}

const CASE_16: &str = "//- src/main/java/demo/Report.java\npackage demo;\n\nimport org.vendor.Client;\n\nclass Report {\n    private final Client client = new Client();\n\n    void publish() {\n        client.send(\"x\");\n    }\n}\n//- src/main/java/demo/Mailer.java\npackage demo;\n\nclass Mailer {\n    void send(String text) {\n    }\n}\n//- web/poem.ts\nexport class Poem {\n  describe() { return \"a poem\"; }\n}\n//- web/poem.spec.ts\nimport { take } from \"rxjs\";\ndescribe(\"poem\", () => { take(1); });\n//- web/shift.ts\nexport class Shift {\n  take() { return 1; }\n}\n";

#[test]
fn case_16_third_party_call() {
    let fixture = Fixture::new(CASE_16);
    for symbol in ["src/main/java/demo/Mailer.java::Mailer.send", "web/poem.ts::Poem.describe", "web/shift.ts::Shift.take"] {
        let answer = ask(&fixture, "callers", symbol, json!({}));
        assert_eq!(callers(&answer), set(&[]), "{answer}");
        assert!(answer["caveat"]["class"].is_string(), "{answer}");
    }
    let answer = ask(&fixture, "dependencies", "src/main/java/demo/Report.java::Report.publish", json!({"depth": 1}));
    assert!(!answer.to_string().contains("Mailer"), "{answer}");
    assert_eq!(answer["externals"][0]["name"], "send", "{answer}");
}

const CASE_17: &str = "//- go.mod\nmodule demo\n\ngo 1.22\n//- store/store.go\npackage store\n\ntype Store interface {\n\tDrop(id string) error\n}\n//- store/disk.go\npackage store\n\ntype Disk struct{}\n\nfunc (d *Disk) Drop(id string) error {\n\treturn nil\n}\n//- svc/svc.go\npackage svc\n\nimport \"demo/store\"\n\ntype Service struct {\n\torders store.Store\n\tdisk   *store.Disk\n}\n\nfunc (s *Service) Cancel(id string) error {\n\treturn s.orders.Drop(id)\n}\n\nfunc (s *Service) Wipe(id string) error {\n\treturn s.disk.Drop(id)\n}\n";

#[test]
fn case_17_go_interface_dispatch() {
    let fixture = Fixture::new(CASE_17);
    let found = ask(&fixture, "implementations", "store/store.go::Store", json!({}));
    assert_eq!(found["implementations"][0]["name"], "Disk", "{found}");
    assert_eq!(found["implementations"][0]["concrete"], true);
    let answer = ask(&fixture, "callers", "store/disk.go::Disk.Drop", json!({"depth": 1}));
    assert_eq!(callers(&answer), set(&["Wipe"]));
    assert_eq!(answer["lower_bound"], true);
    assert_eq!(answer["speculative_hidden"], 1);
    let site = &answer["dynamic_boundaries"][0];
    assert_eq!((&site["site"], &site["form"]), (&json!("svc/svc.go:11"), &json!("dispatch")), "{answer}");
    assert_eq!((&site["key"], &site["candidates"]), (&json!("store/store.go::Store.Drop"), &json!(["store/disk.go::Disk.Drop"])));
    let all = ask(&fixture, "callers", "store/disk.go::Disk.Drop", json!({"depth": 1, "include_speculative": true}));
    assert_eq!(callers(&all), set(&["Cancel", "Wipe"]));
    assert!(all.get("lower_bound").is_none(), "{all}");
    assert_eq!(direct(&fixture, "store/store.go::Store.Drop"), set(&["Cancel"]));
}

#[test]
fn case_18_cross_file_callers() {
    let fixture = Fixture::new(
        "//- src/list.h\nint list_len(void);\n//- src/list.c\n#include \"list.h\"\n\nint list_len(void)\n{\n    return 0;\n}\n\nint near_caller(void)\n{\n    return list_len();\n}\n//- src/app.c\n#include \"list.h\"\n\nint far_caller(void)\n{\n    return list_len();\n}\n",
    );
    for symbol in ["src/list.c::list_len", "list_len", "src/list.h::list_len"] {
        assert_eq!(direct(&fixture, symbol), set(&["near_caller", "far_caller"]), "{symbol}");
    }
}

const CASE_19: &str = "//- src/format.ts\nexport function formatDate(d: Date) {\n  return d.toISOString();\n}\n//- src/index.ts\nexport { formatDate as fmt } from \"./format\";\nexport * from \"./extra\";\n//- src/extra.ts\nexport * as tools from \"./format\";\n//- src/use.ts\nimport { fmt } from \"./index\";\nimport { tools } from \"./index\";\n\nexport function show(d: Date) {\n  return fmt(d);\n}\n\nexport function viaSpace(d: Date) {\n  return tools.formatDate(d);\n}\n";

#[test]
fn case_19_barrel_rename() {
    let fixture = Fixture::new(CASE_19);
    assert_eq!(direct(&fixture, "src/format.ts::formatDate"), set(&["show", "viaSpace"]));
    // The id of the re-export stands for what it passes on.
    assert_eq!(direct(&fixture, "src/index.ts::fmt"), set(&["show", "viaSpace"]));
    let uses = ask(&fixture, "usages", "src/format.ts::formatDate", json!({}));
    assert!(places(&uses).contains("src/index.ts:1"), "{uses}");
    let imports = ask(&fixture, "usages", "src/format.ts::formatDate", json!({"context": "import"}));
    assert!(places(&imports).contains("src/index.ts:1") && !places(&imports).contains("src/use.ts:5"), "{imports}");
}

#[test]
fn case_20_const_alias() {
    let fixture = Fixture::new(
        "//- src/impl.ts\nfunction work() {\n  return 1;\n}\nexport const run = work;\nexport { work as go };\nexport default work;\nexport const api = { start: work };\n//- src/use.ts\nimport anything, { run, go, api } from \"./impl\";\n\nexport function a() { return run(); }\nexport function b() { return go(); }\nexport function c() { return anything(); }\nexport function d() { return api.start(); }\n",
    );
    let answer = ask(&fixture, "callers", "src/impl.ts::work", json!({"depth": 1}));
    assert!(callers(&answer).is_superset(&set(&["a", "b", "c"])), "{answer}");
    assert!(callers(&answer).contains("d") || answer["lower_bound"] == true, "{answer}");
}

#[test]
fn case_21_tsconfig_paths() {
    let fixture = Fixture::new(
        "//- tsconfig.json\n{\n  // comments and trailing commas are allowed here\n  \"compilerOptions\": {\n    \"baseUrl\": \"./src\",\n    \"paths\": {\n      \"@/*\": [\"*\"],\n      \"@lib\": [\"lib/index.ts\"],\n    },\n  },\n}\n//- src/lib/tax.ts\nexport function tax(n: number) { return n / 5; }\n//- src/lib/index.ts\nexport { tax } from \"./tax\";\n//- src/app/cart.ts\nimport { tax } from \"@/lib/tax\";\nexport function cart() { return tax(5); }\n//- src/app/bill.ts\nimport { tax } from \"@lib\";\nexport function bill() { return tax(6); }\n//- src/app/near.ts\nimport { tax } from \"../lib/tax\";\nexport function near() { return tax(7); }\n",
    );
    let answer = ask(&fixture, "callers", "src/lib/tax.ts::tax", json!({"depth": 1}));
    assert_eq!(callers(&answer), set(&["cart", "bill", "near"]));
    let tiers: BTreeSet<&str> =
        answer["edges"].as_array().expect("edges").iter().filter_map(|edge| edge["tier"].as_str()).collect();
    assert_eq!(tiers.len(), 1, "{answer}");
}

#[test]
fn case_22_jsx_element() {
    let fixture = Fixture::new(
        "//- src/Footer.tsx\nexport function Footer({ note }: { note: string }) {\n  return <p>{note}</p>;\n}\nexport function footer() { return 1; }\n//- src/Home.tsx\nimport { Footer } from \"./Footer\";\nimport * as UI from \"./Footer\";\n\nexport function Home() { return <Footer note=\"x\" />; }\nexport function Page() { return <UI.Footer note=\"y\"></UI.Footer>; }\nexport function Plain() { return <footer>no</footer>; }\n",
    );
    let answer = ask(&fixture, "callers", "src/Footer.tsx::Footer", json!({"depth": 1}));
    assert_eq!(callers(&answer), set(&["Home", "Page"]));
    assert_eq!(answer["total_edges"], 2, "{answer}");
    assert_eq!(direct(&fixture, "src/Footer.tsx::footer"), set(&[]));
    let inside = ask(&fixture, "usages", "src/Footer.tsx::Footer", json!({"flavor": "component"}));
    assert_eq!(callers(&inside), set(&["Home", "Page"]), "{inside}");
}

const CASE_23: &str = "//- src/mail.ts\nexport function sendMail(to: string) {\n  return to;\n}\nexport function neverUsed() {\n  return 0;\n}\n//- src/order.ts\nexport function makeOrder({ notify }: { notify: (to: string) => string }) {\n  return () => notify(\"a\");\n}\n//- src/wire.ts\nimport { sendMail } from \"./mail\";\nimport { makeOrder } from \"./order\";\nexport const order = makeOrder({ notify: sendMail });\n";

#[test]
fn case_23_honest_zero() {
    let fixture = Fixture::new(CASE_23);
    let handed = ask(&fixture, "callers", "src/mail.ts::sendMail", json!({}));
    assert_eq!(handed["caveat"]["class"], "possible_extraction_gap", "{handed}");
    assert_eq!(handed["dynamic_boundaries"][0]["site"], "src/wire.ts:3", "{handed}");
    let uses = ask(&fixture, "usages", "src/mail.ts::sendMail", json!({}));
    assert!(places(&uses).contains("src/wire.ts:3"), "{uses}");
    let needs = ask(&fixture, "dependencies", "src/order.ts::makeOrder", json!({"depth": 1}));
    assert_eq!(needs["lower_bound"], true, "{needs}");
    assert_eq!(needs["unresolved"][0]["name"], "notify", "{needs}");
    let never = ask(&fixture, "callers", "src/mail.ts::neverUsed", json!({}));
    assert_eq!(never["caveat"]["class"], "likely_unused", "{never}");
    assert_eq!(never["nodes"][0]["name"], "neverUsed");
}

#[test]
fn case_23_a_file_that_could_not_be_parsed_is_named() {
    let files = format!("{CASE_23}//- src/broken.ts\nexport function ok() {{ return 1; }}\nfunction ((( neverUsed() {{{{\n");
    let fixture = Fixture::new(&files);
    let never = ask(&fixture, "callers", "src/mail.ts::neverUsed", json!({}));
    assert_eq!(never["caveat"]["class"], "coverage_incomplete", "{never}");
    assert!(never["caveat"]["message"].as_str().expect("text").contains("src/broken.ts"), "{never}");
}

#[test]
fn case_24_anonymous_class() {
    let fixture = Fixture::new(
        "//- src/main/java/demo/Jobs.java\npackage demo;\n\ninterface Hook {\n    void fire();\n}\n\nclass Jobs {\n    Hook make() {\n        return new Hook() {\n            public void fire() {\n                tick();\n            }\n        };\n    }\n\n    void fire() {\n    }\n\n    void tick() {\n    }\n}\n",
    );
    let answer = ask(&fixture, "callers", "src/main/java/demo/Jobs.java::Jobs.tick", json!({"depth": 1}));
    let fires: Vec<&Value> = answer["nodes"].as_array().expect("nodes").iter().filter(|node| node["name"] == "fire").collect();
    assert_eq!(fires.iter().map(|node| &node["start_line"]).collect::<Vec<_>>(), [10], "{answer}");
    assert_eq!(answer["edges"].as_array().expect("edges").len(), 1);
}

#[test]
fn case_26_usages_in_macro_body() {
    let fixture = Fixture::new(
        "//- Cargo.toml\n[package]\nname = \"demo\"\nversion = \"0.1.0\"\n//- src/lib.rs\npub const MARGIN: u32 = 4;\n\npub fn side(n: u32) -> u32 {\n    n * n\n}\n\n#[macro_export]\nmacro_rules! frame {\n    ($w:expr) => {\n        $crate::side($w) + 2 * $crate::MARGIN\n    };\n}\n\npub fn plain() -> u32 {\n    side(3) - MARGIN\n}\n",
    );
    for symbol in ["src/lib.rs::side", "src/lib.rs::MARGIN"] {
        let uses = ask(&fixture, "usages", symbol, json!({}));
        assert_eq!(places(&uses), set(&["src/lib.rs:10", "src/lib.rs:15"]), "{uses}");
    }
}

#[test]
fn case_27_c_macro_return_type() {
    let fixture = Fixture::new(
        "//- src/x.c\n#define LIST_OF(T) T *\n#define UNUSED __attribute__((unused))\n\nLIST_OF(char) *first_mail(int id)\n{\n    return 0;\n}\n\nUNUSED static int helper(void)\n{\n    return first_mail(1) != 0;\n}\n\nint last_one(void)\n{\n    return helper();\n}\n",
    );
    assert_eq!(direct(&fixture, "first_mail"), set(&["helper"]));
    assert_eq!(direct(&fixture, "helper"), set(&["last_one"]));
}

#[test]
fn case_40_paged_answer() {
    let fixture = Fixture::laid(|root| {
        let write = |path: &str, text: String| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, text).expect("a file");
        };
        write("hub.py", "def hub(x):\n    return x\n".to_owned());
        for folder in 0..30 {
            let body = (0..100).map(|i| format!("def caller_{folder:02}_{i:03}(x):\n    return hub(x)\n\n"));
            let body = body.collect::<Vec<_>>().concat();
            write(&format!("p{folder:02}/m.py"), format!("from hub import hub\n\n{body}"));
        }
    });
    let run = || {
        let mut found = BTreeSet::new();
        let mut texts = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut request =
                json!({"operation": "callers", "target": {"symbol": "hub.py::hub"}, "options": {"depth": 1, "limit": 5000}});
            if let Some(cursor) = &cursor {
                request["output"] = json!({"cursor": cursor});
            }
            let text = fixture.call("relations", request).text();
            assert!(text.len() <= 40_000, "{}", text.len());
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            let page = caller_ids(&answer);
            assert!(found.is_disjoint(&page), "a caller came twice");
            found.extend(page);
            assert_eq!(answer["total_edges"], 3000);
            texts.push(text);
            match answer["next_cursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        assert_eq!(found.len(), 3000);
        texts
    };
    let first = run();
    assert!(first.len() > 3);
    let request = json!({"operation": "callers", "target": {"symbol": "hub.py::hub"}, "options": {"depth": 1, "limit": 5000}});
    assert_eq!(first[0], fixture.call("relations", request).text());
}

#[test]
fn name_only_rows_come_when_asked_for() {
    let fixture = Fixture::new(
        "//- a.py\nclass Größe:\n    def save(self):\n        return 1\n\ndef sure(g: Größe):\n    g.save()\n\ndef maybe(x):\n    x.save()",
    );
    let plain = ask(&fixture, "callers", "a.py::Größe.save", json!({}));
    assert_eq!(callers(&plain), set(&["sure"]));
    assert_eq!((&plain["name_only_candidates"], &plain["text_matched_suppressed"]), (&json!(1), &json!(1)), "{plain}");
    let all = ask(&fixture, "callers", "a.py::Größe.save", json!({"min_tier": "text_matched"}));
    assert_eq!(callers(&all), set(&["maybe", "sure"]));
    let weak = all["edges"].as_array().expect("edges").iter().find(|edge| edge["line"] == 9).expect("the row");
    assert_eq!(
        (&weak["tier"], &weak["confidence"], &weak["confidence_label"]),
        (&json!("text_matched"), &json!(0.2), &json!("AMBIGUOUS"))
    );
    let strict = ask(&fixture, "callers", "a.py::Größe.save", json!({"min_tier": "lsp_resolved"}));
    assert_eq!((&strict["tier_filtered"], strict.get("caveat")), (&json!(1), None), "{strict}");
}

#[test]
fn wrong_words_are_errors_that_list_the_right_ones() {
    let fixture = Fixture::new("//- a.py\ndef f():\n    return 1\n");
    let refused = |operation: &str, options: Value| {
        let error = fixture.error("relations", json!({"operation": operation, "target": {"symbol": "f"}, "options": options}));
        assert_eq!(error["error_code"], "invalid_argument", "{error}");
        assert!(error["data"]["valid_values"].as_array().is_some_and(|words| !words.is_empty()), "{error}");
    };
    refused("callers", json!({"min_tier": "sure"}));
    refused("usages", json!({"context": "colour"}));
    refused("usages", json!({"return_usage": "eaten"}));
    refused("usages", json!({"group_by": "colour"}));
    refused("hierarchy", json!({"direction": "sideways"}));
    refused("callers", json!({"format": "gif"}));
}

#[test]
fn tests_are_left_out_on_request() {
    let fixture = Fixture::new(
        "//- a.py\ndef f():\n    return 1\n\ndef g():\n    return f()\n//- test_a.py\nfrom a import f\n\ndef test_f():\n    assert f() == 1\n",
    );
    assert_eq!(direct(&fixture, "a.py::f"), set(&["g", "test_f"]));
    assert_eq!(callers(&ask(&fixture, "callers", "a.py::f", json!({"exclude_tests": true}))), set(&["g"]));
    let uses = ask(&fixture, "usages", "a.py::f", json!({}));
    assert_eq!(uses["usage_summary"], json!({"n_refs": 3, "n_files": 2, "n_test_refs": 2}), "{uses}");
}

#[test]
fn usages_are_cut_and_grouped() {
    let fixture = Fixture::new(
        "//- a.py\ndef f():\n    return 1\n\ndef g():\n    return f()\n//- b.py\nfrom a import f\n\ndef h():\n    x = f()\n    f()\n    return x\n",
    );
    let cut = ask(&fixture, "usages", "a.py::f", json!({"limit": 1}));
    assert_eq!((&cut["truncated"], &cut["total_edges"]), (&json!(true), &json!(4)), "{cut}");
    assert_eq!((cut["edges"].as_array().map(Vec::len), cut["nodes"].as_array().map(Vec::len)), (Some(1), Some(2)));
    let grouped = ask(&fixture, "usages", "a.py::f", json!({"group_by": "file"}));
    assert_eq!(
        (&grouped["file_count"], &grouped["groups"][0]["file"], &grouped["groups"][0]["count"]),
        (&json!(2), &json!("b.py"), &json!(3))
    );
    let dropped = ask(&fixture, "usages", "a.py::f", json!({"return_usage": "discarded"}));
    assert_eq!(places(&dropped), set(&["b.py:5"]), "{dropped}");
}

#[test]
fn a_subgraph_can_be_drawn() {
    let fixture = Fixture::new("//- a.py\ndef f():\n    return 1\n\ndef g():\n    return f()\n");
    let text = |options: Value| {
        fixture.call("relations", json!({"operation": "callers", "target": {"symbol": "a.py::f"}, "options": options})).text()
    };
    assert_eq!(
        text(json!({"format": "mermaid"})),
        "flowchart LR\n  n0[\"f<br/>a.py:1\"]\n  n1[\"g<br/>a.py:4\"]\n  n1 -->|calls| n0\n"
    );
    assert!(text(json!({"format": "dot"})).contains("n1 -> n0 [label=\"calls\"];"));
    assert_eq!(
        text(json!({"compact": true})),
        "= function a.py::f:1\n1 function a.py::g:4 @5\nedges: 1 of 1 (EXTRACTED 1, INFERRED 0, AMBIGUOUS 0)"
    );
}

#[test]
fn references_answer_yes_no_or_maybe() {
    let fixture = Fixture::new(
        "//- a.py\ndef used():\n    return 1\n\ndef gone():\n    return 2\n\nclass A:\n    def twice(self):\n        return used()\n\nclass B:\n    def twice(self):\n        return 3\n",
    );
    let verdict = |symbol: &str| ask(&fixture, "references", symbol, json!({}))["verdict"].clone();
    assert_eq!(verdict("a.py::used"), "referenced");
    assert_eq!(verdict("a.py::gone"), "unreferenced");
    assert_eq!(verdict("a.py::A.twice"), "possibly_referenced");
    let answer = ask(&fixture, "references", "used", json!({}));
    assert_eq!(
        (&answer["total_references"], &answer["caller_count"], &answer["evidence"][0]["line"]),
        (&json!(1), &json!(1), &json!(9))
    );
    let refused = fixture.error("relations", json!({"operation": "references"}));
    assert_eq!(refused["error_code"], "invalid_argument");
}

#[test]
fn a_use_leads_to_its_declaration() {
    let fixture = Fixture::new(CASE_17);
    let find = |text: &str, options: Value| {
        fixture.json("relations", json!({"operation": "declaration", "target": {"query": text}, "options": options}))
    };
    let ids = |answer: &Value| -> Vec<String> {
        answer["declarations"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| row["declaration"]["id"].as_str().unwrap_or("").to_owned())
            .collect()
    };
    assert_eq!(ids(&find("s.orders.Drop(", json!({}))), ["store/store.go::Store.Drop"]);
    assert_eq!(ids(&find("s.disk.Drop(", json!({}))), ["store/disk.go::Disk.Drop"]);
    let both = find(r"s\.\w+\.Drop\(", json!({"regex": true}));
    assert_eq!(ids(&both).len(), 2, "{both}");
    assert_eq!(
        both["declarations"][0]["use_sites"][0],
        json!({"file": "svc/svc.go", "line": 15, "text": "return s.disk.Drop(id)"})
    );
    assert_eq!(ids(&find("s.orders.Drop(", json!({"kind": "type"}))).len(), 0);
    let none = find("zzz.Nothing(", json!({}));
    assert_eq!((&none["count"], none["note"].is_string()), (&json!(0), true));
    let bad =
        fixture.error("relations", json!({"operation": "declaration", "target": {"query": "("}, "options": {"regex": true}}));
    assert_eq!(bad["error_code"], "invalid_argument");
}

#[test]
fn hierarchies_and_dependents_answer_in_the_same_shape() {
    let fixture = Fixture::new(
        "//- a.py\nclass A:\n    def f(self):\n        return 1\n\nclass B(A):\n    def f(self):\n        return 2\n\ndef use(b: B):\n    return b.f()\n//- empty.py\n",
    );
    let up = ask(&fixture, "hierarchy", "B", json!({"direction": "up"}));
    assert_eq!((&up["nodes"][1]["name"], &up["edges"][0]["kind"]), (&json!("A"), &json!("extends")), "{up}");
    let wrong = ask(&fixture, "hierarchy", "use", json!({}));
    assert_eq!(wrong["condition"], "unsupported_kind", "{wrong}");
    let felt = ask(&fixture, "dependents", "a.py::A", json!({}));
    let felt: BTreeSet<&str> = felt["nodes"].as_array().expect("nodes").iter().filter_map(|node| node["name"].as_str()).collect();
    assert!(felt.contains("B"), "{felt:?}");
    let file = ask(&fixture, "dependents", "empty.py", json!({}));
    assert!(file["caveat"]["class"].is_string(), "{file}");
    let not_called = ask(&fixture, "callers", "empty.py", json!({}));
    assert!(not_called["note"].is_string(), "{not_called}");
    let none = ask(&fixture, "implementations", "use", json!({}));
    assert_eq!((&none["total"], none["note"].is_string()), (&json!(0), true));
}

#[test]
fn crlf_files_keep_their_lines() {
    let fixture = Fixture::new("//- a.py\ndef f():\r\n    return 1\r\n\r\ndef g():\r\n    return f()");
    let answer = ask(&fixture, "callers", "a.py::f", json!({}));
    assert_eq!(places(&answer), set(&["a.py:5"]), "{answer}");
}
