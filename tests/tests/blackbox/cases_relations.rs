//! Cases from the field: who calls whom.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gortex_tests::{Folder, Reply};
use serde_json::{Value, json};

use crate::serve;

fn callers(symbol: &str) -> Value {
    json!({"operation": "callers", "target": {"symbol": symbol}, "options": {"depth": 1}})
}

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// Callers of each symbol of a fixture; the only place here that knows how they are asked for.
#[track_caller]
fn check<const N: usize>(files: &str, expected: [(&str, &[&str]); N]) {
    let folder = Folder::with(files);
    let mut server = serve(&folder);
    for (symbol, names) in expected {
        let reply = server.call("relations", callers(symbol)).ok();
        let wanted: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(reply.callers(), wanted, "callers of {symbol}: {}", reply.text);
    }
}

fn is_lower_bound(reply: &Reply) -> bool {
    reply.body["lower_bound"] == true
}

// The name did not exist, or a longer one ranked higher; the answer was about the other symbol.
#[test]
fn case_14_a_question_about_one_name_is_never_answered_for_another() {
    let folder = Folder::with(
        r"//- src/store.ts
export function fetchAll() { return 1; }
export function fetchAllCached() { return fetchAll(); }
export function start() { return fetchAll(); }
export function other() { return fetchAllCached(); }
",
    );
    let mut server = serve(&folder);
    let part = server.call("relations", callers("fetch"));
    assert_eq!((part.code(), part.callers()), ("symbol_not_found", set([])), "{}", part.text);
    for symbol in ["fetchAll", "src/store.ts::fetchAll"] {
        assert_eq!(server.call("relations", callers(symbol)).ok().callers(), set(["fetchAllCached", "start"]));
    }
    let unknown = server.call("relations", callers("nothingLikeThis"));
    assert_eq!(unknown.code(), "symbol_not_found");
    assert!(!unknown.text.contains("not been built") && !unknown.text.contains("empty"), "{}", unknown.text);
}

// Every `.append(...)` on a list called the project's `append`; the real call through its module was missing.
#[test]
fn case_15_a_function_named_like_a_list_method_has_its_real_callers_only() {
    check(
        r#"//- app/__init__.py
//- app/log.py
def append(line):
    return line

def path():
    return "x"
//- app/main.py
from app import log

def real():
    log.append("x")
    return log.path()

def fake():
    box = {}
    box.setdefault("k", []).append(1)
    items = []
    items.append(2)
    [].append(3)
"#,
        [("app/log.py::append", &["real"]), ("app/log.py::path", &["real"])],
    );
}

// A call into a dependency or a test runner was bound to the one project symbol of that name.
#[test]
fn case_16_a_call_into_a_library_stays_outside() {
    let folder = Folder::with(
        r#"//- src/main/java/demo/Report.java
package demo;
import org.vendor.Client;

class Report {
    private final Client client = new Client();

    void publish() {
        client.send("x");
    }
}
//- src/main/java/demo/Mailer.java
package demo;

class Mailer {
    void send(String text) {
    }
}
//- web/poem.ts
export class Poem {
  describe() { return "a poem"; }
}
//- web/poem.spec.ts
import { take } from "rxjs";
describe("poem", () => { take(1); });
//- web/shift.ts
export class Shift {
  take() { return 1; }
}
"#,
    );
    let mut server = serve(&folder);
    for symbol in ["src/main/java/demo/Mailer.java::Mailer.send", "web/poem.ts::Poem.describe", "web/shift.ts::Shift.take"] {
        let reply = server.call("relations", callers(symbol)).ok();
        assert_eq!(reply.callers(), set([]), "{}", reply.text);
        assert!(reply.body["caveat"]["class"].is_string(), "an empty answer without a caveat: {}", reply.text);
    }
    let publish = "src/main/java/demo/Report.java::Report.publish";
    let outgoing = json!({"operation": "dependencies", "target": {"symbol": publish}, "options": {"depth": 1}});
    let outgoing = server.call("relations", outgoing).ok();
    assert!(!outgoing.text.contains("Mailer") && outgoing.text.contains("send"), "{}", outgoing.text);
}

// The edge stopped at the interface: the implementation seemed to have no callers.
#[test]
fn case_17_a_call_through_an_interface_field_reaches_the_implementation() {
    let folder = Folder::with(
        r#"//- go.mod
module demo

go 1.22
//- store/store.go
package store

type Store interface {
	Drop(id string) error
}
//- store/disk.go
package store

type Disk struct{}

func (d *Disk) Drop(id string) error {
	return nil
}
//- svc/svc.go
package svc

import "demo/store"

type Service struct {
	orders store.Store
	disk   *store.Disk
}

func (s *Service) Cancel(id string) error {
	return s.orders.Drop(id)
}

func (s *Service) Wipe(id string) error {
	return s.disk.Drop(id)
}
"#,
    );
    let mut server = serve(&folder);
    let found = json!({"operation": "implementations", "target": {"symbol": "store/store.go::Store"}});
    let found = server.call("relations", found).ok();
    assert!(found.names().contains("Disk"), "{}", found.text);
    let disk = server.call("relations", callers("store/disk.go::Disk.Drop")).ok();
    assert!(disk.callers().contains("Wipe"), "{}", disk.text);
    assert!(disk.callers().contains("Cancel") || is_lower_bound(&disk), "{}", disk.text);
    assert_eq!(server.call("relations", callers("store/store.go::Store.Drop")).ok().callers(), set(["Cancel"]));
}

// Once a call in the same file was bound, those elsewhere were not looked at; the prototype swallowed the rest.
#[test]
fn case_18_a_caller_in_the_same_file_does_not_hide_callers_elsewhere() {
    check(
        r#"//- src/list.h
int list_len(void);
//- src/list.c
#include "list.h"

int list_len(void)
{
    return 0;
}

int near_caller(void)
{
    return list_len();
}
//- src/app.c
#include "list.h"

int far_caller(void)
{
    return list_len();
}
"#,
        [("src/list.c::list_len", &["far_caller", "near_caller"]), ("list_len", &["far_caller", "near_caller"])],
    );
}

// A renaming re-export was recorded under the old name only.
#[test]
fn case_19_a_renaming_re_export_is_followed_to_the_definition() {
    let folder = Folder::with(
        r#"//- src/format.ts
export function formatDate(d: Date) {
  return d.toISOString();
}
//- src/index.ts
export { formatDate as fmt } from "./format";
export * from "./extra";
//- src/extra.ts
export * as tools from "./format";
//- src/use.ts
import { fmt } from "./index";
import { tools } from "./index";

export function show(d: Date) {
  return fmt(d);
}
export function viaSpace(d: Date) {
  return tools.formatDate(d);
}
"#,
    );
    let mut server = serve(&folder);
    let symbol = "src/format.ts::formatDate";
    assert_eq!(server.call("relations", callers(symbol)).ok().callers(), set(["show", "viaSpace"]));
    let usages = server.call("relations", json!({"operation": "usages", "target": {"symbol": symbol}})).ok();
    assert!(usages.places().contains("src/index.ts:1"), "the re-export is no use: {:?}", usages.places());
}

// A function exported under another name lost its callers: three of four spellings gave zero.
#[test]
fn case_20_a_function_keeps_its_callers_under_another_name() {
    let folder = Folder::with(
        r#"//- src/impl.ts
function work() {
  return 1;
}
export const run = work;
export { work as go };
export default work;
export const api = { start: work };
//- src/use.ts
import anything, { run, go, api } from "./impl";

export function a() { return run(); }
export function b() { return go(); }
export function c() { return anything(); }
export function d() { return api.start(); }
"#,
    );
    let mut server = serve(&folder);
    let reply = server.call("relations", callers("src/impl.ts::work")).ok();
    assert!(reply.callers().is_superset(&set(["a", "b", "c"])), "{}", reply.text);
    assert!(reply.callers().contains("d") || is_lower_bound(&reply), "{}", reply.text);
}

// `@/…` counted as a foreign package; comments in the configuration broke its parsing.
#[test]
fn case_21_imports_through_configured_aliases_are_imports() {
    check(
        r#"//- tsconfig.json
{
  // comments and trailing commas are allowed here
  "compilerOptions": {
    "baseUrl": "./src",
    "paths": {
      "@/*": ["*"],
      "@lib": ["lib/index.ts"],
    },
  },
}
//- src/lib/tax.ts
export function tax(n: number) { return n / 5; }
//- src/lib/index.ts
export { tax } from "./tax";
//- src/app/cart.ts
import { tax } from "@/lib/tax";
export function cart() { return tax(5); }
//- src/app/bill.ts
import { tax } from "@lib";
export function bill() { return tax(6); }
//- src/app/near.ts
import { tax } from "../lib/tax";
export function near() { return tax(7); }
"#,
        [("src/lib/tax.ts::tax", &["bill", "cart", "near"])],
    );
}

// Only call expressions made edges, so every component looked unused; or `<footer>` was bound to a function.
#[test]
fn case_22_a_component_that_is_rendered_is_used() {
    check(
        r#"//- src/Footer.tsx
export function Footer({ note }: { note: string }) {
  return <p>{note}</p>;
}
export function footer() { return 1; }
//- src/Home.tsx
import { Footer } from "./Footer";
import * as UI from "./Footer";

export function Home() { return <Footer note="x" />; }
export function Page() { return <UI.Footer note="y"></UI.Footer>; }
export function Plain() { return <footer>no</footer>; }
"#,
        [("src/Footer.tsx::Footer", &["Home", "Page"]), ("src/Footer.tsx::footer", &[])],
    );
}

// A function handed over as a value had "0 callers", marked exact.
#[test]
fn case_23_a_zero_says_how_sure_it_is() {
    let folder = Folder::with(
        r#"//- src/mail.ts
export function sendMail(to: string) {
  return to;
}
export function neverUsed() {
  return 0;
}
//- src/order.ts
export function makeOrder({ notify }: { notify: (to: string) => string }) {
  return () => notify("a");
}
//- src/wire.ts
import { sendMail } from "./mail";
import { makeOrder } from "./order";
export const order = makeOrder({ notify: sendMail });
"#,
    );
    let mut server = serve(&folder);
    let ask = |operation: &str, symbol: &str| json!({"operation": operation, "target": {"symbol": symbol}});
    let handed = server.call("relations", ask("callers", "src/mail.ts::sendMail")).ok();
    let class = handed.body["caveat"]["class"].as_str();
    assert!(
        class.is_some_and(|class| class != "likely_unused") || is_lower_bound(&handed) || !handed.callers().is_empty(),
        "{}",
        handed.text
    );
    let usages = server.call("relations", ask("usages", "src/mail.ts::sendMail")).ok();
    assert!(usages.places().contains("src/wire.ts:3"), "{}", usages.text);
    let outgoing = server.call("relations", ask("dependencies", "src/order.ts::makeOrder")).ok();
    assert!(is_lower_bound(&outgoing) || outgoing.text.contains("notify"), "{}", outgoing.text);
    let unused = server.call("relations", ask("callers", "src/mail.ts::neverUsed")).ok();
    assert_eq!(unused.body["caveat"]["class"], "likely_unused", "{}", unused.text);
}

// A method of an anonymous class became a free function, or one of the outer class.
#[test]
fn case_24_members_of_an_anonymous_class_belong_to_it() {
    let path = "src/main/java/demo/Jobs.java";
    let folder = Folder::with(
        r"//- src/main/java/demo/Jobs.java
package demo;

interface Hook {
    void fire();
}

class Jobs {
    Hook make() {
        return new Hook() {
            public void fire() {
                tick();
            }
        };
    }

    void fire() {
    }

    void tick() {
    }
}
",
    );
    let mut server = serve(&folder);
    let summary = server.call("read", json!({"operation": "summary", "target": {"file": path}})).ok();
    let rows = summary.rows();
    let fires: BTreeSet<(u64, &str)> = rows
        .iter()
        .filter(|row| row["name"] == "fire")
        .filter_map(|row| Some((row["start_line"].as_u64()?, row["id"].as_str()?)))
        .collect();
    assert_eq!(fires.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [4, 10, 16], "{}", summary.text);
    assert_eq!(fires.iter().map(|(_, id)| *id).collect::<BTreeSet<_>>().len(), 3, "{}", summary.text);
    let tick = server.call("relations", callers(&format!("{path}::Jobs.tick"))).ok();
    let nodes = tick.body["nodes"].as_array().cloned().unwrap_or_default();
    let lines: Vec<&Value> = nodes.iter().filter(|node| node["name"] == "fire").map(|node| &node["start_line"]).collect();
    assert_eq!(lines, [&json!(10)], "{}", tick.text);
}

// Token trees were skipped, so a rename broke the build in a macro.
#[test]
fn case_26_uses_inside_a_macro_definition_are_uses() {
    let folder = Folder::with(
        r"//- src/lib.rs
pub const MARGIN: u32 = 4;

pub fn side(n: u32) -> u32 {
    n * n
}

#[macro_export]
macro_rules! frame {
    ($w:expr) => {
        $crate::side($w) + 2 * $crate::MARGIN
    };
}

pub fn plain() -> u32 {
    side(3) - MARGIN
}
",
    );
    let mut server = serve(&folder);
    for symbol in ["src/lib.rs::side", "src/lib.rs::MARGIN"] {
        let usages = server.call("relations", json!({"operation": "usages", "target": {"symbol": symbol}})).ok();
        assert!(usages.places().is_superset(&set(["src/lib.rs:10", "src/lib.rs:15"])), "{symbol}: {}", usages.text);
    }
    let rename = json!({"operation": "rename", "target": {"symbol": "src/lib.rs::side"}, "new_name": "edge", "dry_run": true});
    let rename = server.call("refactor", rename).ok();
    let lists = ["edits", "unproven"].map(|key| rename.body[key].as_array().cloned().unwrap_or_default());
    assert!(lists.iter().flatten().any(|edit| edit["line"] == 10), "{}", rename.text);
}

// A macro before a C function was taken for the function.
#[test]
fn case_27_a_c_function_keeps_its_name_when_a_macro_stands_before_it() {
    let folder = Folder::with(
        r"//- src/x.c
#define LIST_OF(T) T *
#define UNUSED __attribute__((unused))

LIST_OF(char) *first_mail(int id)
{
    return 0;
}

UNUSED static int helper(void)
{
    return first_mail(1) != 0;
}

int last_one(void)
{
    return helper();
}
",
    );
    let mut server = serve(&folder);
    let found = server.call("search", json!({"operation": "symbols", "query": "first_mail"})).ok();
    let is_it = |row: &&Value| row["name"] == "first_mail" && row["start_line"] == 4 && row["kind"] == "function";
    assert!(found.rows().iter().any(is_it), "{}", found.text);
    assert_eq!(server.call("relations", callers("first_mail")).ok().callers(), set(["helper"]));
    assert_eq!(server.call("relations", callers("helper")).ok().callers(), set(["last_one"]));
    let summary = server.call("read", json!({"operation": "summary", "target": {"file": "src/x.c"}})).ok();
    let is_macro = |row: &&Value| (row["name"] == "LIST_OF" || row["name"] == "UNUSED") && row["kind"] == "function";
    assert!(!summary.rows().iter().any(is_macro), "{}", summary.text);
}

// Half a brace in a preprocessor branch turned the rest of the file into one error.
#[test]
fn case_28_half_a_brace_in_a_preprocessor_branch_does_not_swallow_the_file() {
    let folder = Folder::with(
        r#"//- src/net.c
static int drain(int left) {
#ifdef POLL_MODE
  for (; left > 0; left--) {
#endif
    step();
#ifdef POLL_MODE
  }
#endif
  return left;
}

void step(void) {
}

#ifdef __cplusplus
extern "C" {
#endif

int open_port(int n) {
  if (n) {
    step();
  }
  return n;
}

#ifdef __cplusplus
}
#endif
"#,
    );
    let mut server = serve(&folder);
    let summary = server.call("read", json!({"operation": "summary", "target": {"file": "src/net.c"}})).ok();
    for (name, line) in [("drain", 1), ("step", 12), ("open_port", 19)] {
        let is_it = |row: &&Value| row["name"] == name && row["start_line"] == line && row["kind"] == "function";
        assert!(summary.rows().iter().any(is_it), "{name} is no function at line {line}: {}", summary.text);
    }
    assert_eq!(server.call("relations", callers("src/net.c::step")).ok().callers(), set(["drain", "open_port"]));
}

// All rows came in one message that hosts refuse, or the list was cut and looked complete.
#[test]
fn case_40_a_large_answer_is_bounded_says_so_and_can_be_read_to_its_end() {
    let folder = Folder::with("//- hub.py\ndef hub(x):\n    return x\n");
    for module in 0..30 {
        let mut text = String::from("from hub import hub\n\n");
        for at in 0..100 {
            let _ = write!(text, "def caller_{module:02}_{at:03}(x):\n    return hub(x)\n\n");
        }
        folder.write(&format!("p{module:02}/m.py"), text);
    }
    let mut server = serve(&folder);
    let ask = json!({"operation": "callers", "target": {"symbol": "hub.py::hub"}, "options": {"depth": 1, "limit": 5000}});
    let pages = server.pages("relations", &ask);
    assert!(pages[0].text.contains("3000"), "the total is missing: {}", &pages[0].text[..pages[0].text.floor_char_boundary(400)]);
    let mut seen = Vec::new();
    for page in &pages {
        assert!(page.text.len() <= 40_000, "{} bytes", page.text.len());
        seen.extend(page.caller_ids());
    }
    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!((seen.len(), distinct.len()), (3000, 3000));
    let again: Vec<String> = server.pages("relations", &ask).into_iter().map(|page| page.text).collect();
    assert!(pages.iter().map(|page| &page.text).eq(again.iter()), "two runs differ");
}
