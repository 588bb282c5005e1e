//! JavaScript.

use super::script::{HOOKS, JAVASCRIPT_TABLE, USAGE};
use super::{Family, Language, Tier};

/// JavaScript.
pub(super) static JAVASCRIPT: Language = Language {
    name: "javascript",
    tier: Tier::Deep,
    family: Family::Script,
    extensions: &["js", "mjs", "cjs"],
    file_names: &[],
    line_comment: "//",
    keywords: super::script::KEYWORDS,
    signatures: &["$ {}", "class T { $ {} }", "function $ {}"],
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    table: &JAVASCRIPT_TABLE,
    usage: USAGE,
    hooks: HOOKS,
};

/// JavaScript with JSX.
pub(super) static JSX: Language = Language {
    name: "jsx",
    tier: Tier::Deep,
    family: Family::Script,
    extensions: &["jsx"],
    file_names: &[],
    line_comment: "//",
    keywords: super::script::KEYWORDS,
    signatures: &["$ {}", "class T { $ {} }", "function $ {}"],
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    table: &JAVASCRIPT_TABLE,
    usage: USAGE,
    hooks: HOOKS,
};

#[cfg(test)]
mod tests {
    use crate::facts::model::{Visibility, flag};
    use crate::facts::testing::check_facts;
    use crate::facts::walker::{ExtractLimits, extract};
    use crate::facts::{Facts, NONE};
    use crate::lang::Lang;

    fn facts(source: &str) -> Facts {
        let lang = Lang::named("javascript").expect("a language of the table");
        extract(lang.compiled(), source.as_bytes(), ExtractLimits::default())
    }

    fn flags_of(source: &str, name: &str) -> u16 {
        let facts = facts(source);
        let view = facts.view();
        view.defs.iter().find(|def| view.str(def.name) == name).expect("a definition of that name").flags
    }

    #[test]
    fn functions_have_the_name_they_are_bound_to() {
        check_facts(
            "javascript",
            r#"
const outer = () => {
//    ^ def function outer
  const inner = async function () {
//      ^ def function outer.inner
    leaf();
//  ^ call leaf
  };
  inner();
//^ call inner
};
class Box {
//    ^ def class Box
  grow = () => this.size;
//^ def method Box.grow
  size = 1;
//^ def field Box.size
}
on("x", () => leaf());
//<- call on
//            ^ call leaf
"#,
        );
    }

    #[test]
    fn a_value_that_is_no_function_is_a_constant_or_a_local() {
        check_facts(
            "javascript",
            r"
const limit = 5;
//    ^ def constant limit
let count = start();
//  ^ def variable count
//          ^ call start
function f() {
//       ^ def function f
  const local = 5;
  if (local) { var other = 6; }
}
{ let inBlock = 1; }
for (var i = 0; i < 3; i++) {}
",
        );
    }

    #[test]
    fn a_local_of_a_callback_is_no_definition_of_the_file() {
        check_facts(
            "javascript",
            r"
(function () {
  const hidden = make();
//               ^ call make
  function helper() { return hidden; }
//         ^ def function helper
  helper();
//^ call helper
})();
",
        );
    }

    #[test]
    fn an_object_constant_has_properties_and_methods() {
        check_facts(
            "javascript",
            r#"
export const api = { start: work, "stop": () => halt(), run() {}, nested: { deep: 1 }, work };
//           ^ def constant api
//                   ^ def property api.start
//                          ^ value work
//                                 ^ def method api.stop
//                                              ^ call halt
//                                                      ^ def method api.run
//                                                                ^ def property api.nested
//                                                                          ^ def property api.nested.deep
//                                                                                     ^ def property api.work
//                                                                                     ^ value work
"#,
        );
    }

    #[test]
    fn an_object_elsewhere_has_methods_only() {
        check_facts(
            "javascript",
            r"
function make() {
//       ^ def function make
  return { key: 1, run() { run(); } };
//                 ^ def method make.run
//                         ^ call run
}
",
        );
        // A bare `run` inside is not the object's method.
        let facts = facts("function make() { return { run() { run(); } }; }");
        assert_eq!(facts.view().refs[0].recv, NONE);
    }

    #[test]
    fn imports_of_every_kind() {
        check_facts(
            "javascript",
            r#"
import d, { a as b, c } from "m";
//     ^ import m|default|d
//          ^ import m|a|b
//                  ^ import m|c|c
import * as n from "./n";
//                 ^ import ./n||n
import "side";
//     ^ import side||
const fs = require("fs");
//                 ^ import fs||fs
const { join, resolve: res } = require("path");
//      ^ import path|join|join
//            ^ import path|resolve|res
const one = require("m").first;
//                       ^ import m|first|one
async function load() {
//             ^ def function load
  const m = await import("./late");
//                       ^ import ./late||m
  m.go();
//  ^ call m.go
  import("./bare");
//       ^ import ./bare||
}
export { x as y } from "./x";
//       ^ import ./x|x|y
export * from "./all";
//            ^ import ./all||
export * as tools from "./tools";
//                     ^ import ./tools||tools
"#,
        );
    }

    #[test]
    fn a_call_that_only_looks_like_require_is_a_call() {
        check_facts(
            "javascript",
            r#"
const x = load("m");
//    ^ def constant x
//        ^ call load
const y = require(name);
//    ^ def constant y
//        ^ call require
"#,
        );
    }

    #[test]
    fn exports_are_known_by_both_names() {
        let facts = facts("function work() {}\nexport { work as go };\nexport default work;\nfunction own() {}\n");
        let view = facts.view();
        let exports: Vec<_> = view.exports.iter().map(|row| (view.str(row.local), view.str(row.exported))).collect();
        assert_eq!(exports, [("work", "go"), ("work", "default")]);
        assert!(view.defs[0].has(flag::EXPORTED | flag::DEFAULT_EXPORT));
        assert_eq!(view.defs[0].visibility(), Visibility::Public);
        assert!(!view.defs[1].has(flag::EXPORTED));
        assert_eq!(view.defs[1].visibility(), Visibility::Private);
    }

    #[test]
    fn a_default_export_without_a_name_is_called_default() {
        check_facts(
            "javascript",
            r"
export default function () { leaf(); }
//     ^ def function default
//                           ^ call leaf
",
        );
        assert_ne!(flags_of("export default () => 1;", "default") & flag::DEFAULT_EXPORT, 0);
        assert_ne!(flags_of("export default class Foo {}", "Foo") & flag::DEFAULT_EXPORT, 0);
        assert_eq!(flags_of("export class Foo {}", "Foo") & flag::DEFAULT_EXPORT, 0);
        assert_ne!(flags_of("export default { data() {} };", "default") & flag::EXPORTED, 0);
    }

    #[test]
    fn commonjs_exports_define() {
        check_facts(
            "javascript",
            r"
exports.one = function (a) { two(a); };
//      ^ def function one
//                           ^ call two
module.exports.limit = 5;
//             ^ def constant limit
exports.none = void 0;
module.exports = { three, four: other, five() {}, six: 6 };
//                                     ^ def function five
//                                                ^ def constant six
",
        );
        let facts = facts("exports.a = b;\nmodule.exports = { c, d: e };\nmodule.exports = Main;\nother.exports = f;\n");
        let view = facts.view();
        let exports: Vec<_> = view.exports.iter().map(|row| (view.str(row.local), view.str(row.exported))).collect();
        assert_eq!(exports, [("b", "a"), ("c", "c"), ("e", "d"), ("Main", "default")]);
    }

    #[test]
    fn prototypes_give_methods_to_their_type() {
        check_facts(
            "javascript",
            r"
function Queue() { this.items = []; this.items = null; }
//       ^ def function Queue
//                      ^ def field Queue.items
Queue.prototype.push = function (x) { this.items.add(x); };
//              ^ def method Queue.push
//                                               ^ call self.items.add
Queue.of = (x) => new Queue();
//    ^ def method Queue.of
//                    ^ instantiate Queue
Deque.prototype = Object.create(Queue.prototype);
//                       ^ call Object.create
//                              ^ extends Deque Queue
Queue.count = 5;
",
        );
    }

    #[test]
    fn classes_have_members_fields_and_bases() {
        check_facts(
            "javascript",
            r"
class A extends ns.Base {
//    ^ def class A
//                 ^ extends A ns.Base
  static #n = 0;
//       ^ def field A.#n
  constructor() { super(1); this.late = new Late(); this.late = 2; this.go = this.go.bind(this); }
//^ def constructor A.constructor
//                ^ call super.constructor
//                               ^ def field A.late
//                                          ^ instantiate Late
//                                                       ^ write self.late
//                                                                      ^ write self.go
//                                                                                   ^ call self.go.bind
  get size() { return A.#n; }
//    ^ def method A.size
  go() { [1].map(() => { this.then = 1; this.late.run(); }); }
//^ def method A.go
//           ^ call <Array>.map
//                            ^ def field A.then
//                                                ^ call self.late.run
  static { boot(); }
//         ^ call boot
}
use(class { m() {} }, class { m() {} });
//<- call use
//  ^ def class $1
//          ^ def method $1.m
//                    ^ def class $2
//                            ^ def method $2.m
",
        );
    }

    #[test]
    fn what_stands_before_a_name_is_told() {
        check_facts(
            "javascript",
            r#"
function f(p, { q }, [r]) {
//       ^ def function f
  p.a(); q.b(); r.c();
//  ^ call %p.a
//         ^ call %q.b
//                ^ call %r.c
  const t = cond ? new T() : null;
//                     ^ instantiate T
  t.run();
//  ^ call %t.run
  (x + y).z();
//        ^ call ?.z
  g().h?.().i();
//<- call g
//    ^ call g().h
//          ^ call g().h().i
  "s".trim();
//    ^ call <string>.trim
  list[0].go();
//        ^ call list[].go
  arguments[0].go();
//             ^ call arguments[].go
}
"#,
        );
    }

    #[test]
    fn writes_are_told_from_reads() {
        check_facts(
            "javascript",
            r"
total = 1;
//<- write total
total += 2;
//<- write total
state.count++;
//    ^ write state.count
[a, b.c] = pair;
//    ^ write b.c
//         ^ value pair
",
        );
    }

    #[test]
    fn strings_comments_labels_and_keys_are_no_mentions() {
        let facts = facts("label: for (;;) { break label; }\nf({ key: 'call()' }); // g()\n`h() ${k()}`;\n");
        let view = facts.view();
        let names: Vec<_> = view.refs.iter().map(|row| view.str(row.name)).collect();
        assert_eq!(names, ["f", "k"]);
    }

    #[test]
    fn tests_have_their_titles_as_names() {
        check_facts(
            "javascript",
            r#"
describe("suite", () => {
//<- call describe
  it("does a thing", async () => { run(); });
//^ call it
//    ^ def function does a thing
//                                 ^ call run
  test.each([1])("each", (v) => {});
//     ^ call test.each
//                ^ def function each
});
pattern.test("no title", () => {});
//      ^ call pattern.test
"#,
        );
        assert_ne!(flags_of("it('x', () => {});", "x") & flag::TEST, 0);
        let title = "ä".repeat(60);
        let facts = facts(&format!("it('{title}', () => {{}});"));
        assert_eq!(facts.view().str(facts.view().defs[0].name), "ä".repeat(40));
    }

    #[test]
    fn elements_with_capitals_or_members_are_rendered_once() {
        check_facts(
            "jsx",
            r"
export const Home = memo(() => <Footer note={text()}><UI.Bar /></Footer>);
//           ^ def function Home
//                  ^ call memo
//                              ^ render Footer
//                                           ^ call text
//                                                       ^ render UI.Bar
const Plain = () => <footer><my-tag /></footer>;
//    ^ def function Plain
",
        );
    }

    #[test]
    fn broken_code_keeps_what_surrounds_it() {
        check_facts(
            "javascript",
            "function before() {}\n//       ^ def function before\n\nlet = = ;;\n\nfunction after() { go(); }\n//       ^ def function after\n//                 ^ call go\n",
        );
    }

    #[test]
    fn carriage_returns_other_alphabets_and_nothing_at_all() {
        check_facts(
            "javascript",
            "class Größe {\r\n//    ^ def class Größe\r\n  messen() {}\r\n//^ def method Größe.messen\r\n}\r\n",
        );
        assert_eq!(facts("").view().defs.len(), 0);
        assert_eq!(facts("f()").view().refs.len(), 1);
    }

    #[test]
    fn deep_nesting_and_long_lines_are_survived() {
        let deep = [
            format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000)),
            format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000)),
            format!("x = {}1", "() => ".repeat(20_000)),
            format!("const m = {}x{}", "memo(".repeat(20_000), ")".repeat(20_000)),
            format!("a{}", ".b()".repeat(20_000)),
            format!("a{}", " + a".repeat(20_000)),
            format!("{}1{}", "f(() => { const a = { k() { return ".repeat(3_000), "}}})".repeat(3_000)),
        ];
        for source in &deep {
            let _ = facts(source);
        }
        let line =
            (0..2_000).map(|at| format!("function f{at}(){{return f{}()}}", (at + 1) % 2_000)).collect::<Vec<_>>().concat();
        assert_eq!(facts(&format!("!function(){{{line}}}();")).view().defs.len(), 2_000);
    }
}
