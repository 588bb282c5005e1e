//! TypeScript.

use super::script::{HOOKS, TSX_TABLE, TYPESCRIPT_TABLE, USAGE};
use super::{Family, Language, Tier};

/// TypeScript.
pub(super) static TYPESCRIPT: Language = Language {
    name: "typescript",
    tier: Tier::Deep,
    family: Family::Script,
    extensions: &["ts", "mts", "cts"],
    file_names: &[],
    line_comment: "//",
    keywords: super::script::KEYWORDS,
    signatures: &["$ {}", "class T { $ {} }", "function $ {}"],
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    table: &TYPESCRIPT_TABLE,
    usage: USAGE,
    hooks: HOOKS,
};

/// TypeScript with JSX.
pub(super) static TSX: Language = Language {
    name: "tsx",
    tier: Tier::Deep,
    family: Family::Script,
    extensions: &["tsx"],
    file_names: &[],
    line_comment: "//",
    keywords: super::script::KEYWORDS,
    signatures: &["$ {}", "class T { $ {} }", "function $ {}"],
    hoists: true,
    implicit_self: false,
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    table: &TSX_TABLE,
    usage: USAGE,
    hooks: HOOKS,
};

#[cfg(test)]
mod tests {
    use crate::facts::Facts;
    use crate::facts::model::{DefRow, Visibility, flag, import_flag};
    use crate::facts::testing::{check_facts, show_expr};
    use crate::facts::walker::{ExtractLimits, extract};
    use crate::lang::Lang;

    fn facts(source: &str) -> Facts {
        let lang = Lang::named("typescript").expect("a language of the table");
        extract(lang.compiled(), source.as_bytes(), ExtractLimits::default())
    }

    fn row(facts: &Facts, name: &str) -> DefRow {
        let view = facts.view();
        *view.defs.iter().find(|def| view.str(def.name) == name).expect("a definition of that name")
    }

    #[test]
    fn nested_arrow_functions_have_lines_of_their_own() {
        let lang = Lang::named("tsx").expect("a language of the table");
        let source = "export const Panel = () => {\n  const rows = () => {\n    return 1;\n  };\n  const cells = () => {\n    return 1;\n  };\n  return <div>{rows()}{cells()}</div>;\n};\n";
        let facts = extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
        let lines = |name| (row(&facts, name).start_line, row(&facts, name).end_line);
        assert_eq!((lines("Panel"), lines("rows"), lines("cells")), ((1, 9), (2, 4), (5, 7)));
        assert_eq!(row(&facts, "cells").parent, 0);
    }

    #[test]
    fn classes_interfaces_and_their_types() {
        check_facts(
            "typescript",
            r"
export abstract class Foo<T extends Base> extends Root<T> implements IFoo, ns.IBar<Qux> {
//                    ^ def class Foo
//                                  ^ type Base
//                                                ^ extends Foo Root
//                                                                   ^ implements Foo IFoo
//                                                                         ^ type ns
//                                                                            ^ implements Foo ns.IBar
//                                                                                 ^ generic_arg Qux
  private svc: Service;
//        ^ def field Foo.svc
//             ^ field Service
  constructor(private http: Http, plain: Plain) { super(); }
//^ def constructor Foo.constructor
//                    ^ def field Foo.http
//                          ^ parameter_type Http
//                                       ^ parameter_type Plain
//                                                ^ call super.constructor
  run(job: Job): Promise<Done> { return this.http.get<Reply>(job.id)!.then(); }
//^ def method Foo.run
//         ^ parameter_type Job
//               ^ return_type Promise
//                       ^ generic_arg Done
//                                                ^ call self.http.get
//                                                    ^ generic_arg Reply
//                                                                    ^ call self.http.get()?.then
  abstract area(t: T): number;
//         ^ def method Foo.area
}
interface Shape extends Other { name: string; area(scale: Scale): Area }
//        ^ def interface Shape
//                      ^ extends Shape Other
//                              ^ def field Shape.name
//                                            ^ def method Shape.area
//                                                        ^ parameter_type Scale
//                                                                ^ return_type Area
",
        );
    }

    #[test]
    fn flags_types_and_visibility() {
        let facts = facts(
            "class A { protected static async go(x: X, ...rest: Y[]): Promise<Z> {} private p = 1; abstract area(): void; override over() {} get acc(): N { return 1; } #secret() {} f(a: string): void; f(a: any) {} }\nfunction own(this: A, x?: number) {}\n",
        );
        let view = facts.view();
        let go = row(&facts, "go");
        assert!(go.has(flag::STATIC | flag::ASYNC | flag::VARIADIC));
        assert_eq!((go.params, go.visibility(), view.str(go.ty)), (2, Visibility::Protected, "Promise<Z>"));
        assert_eq!(view.str(go.signature), "protected static async go(x: X, ...rest: Y[]): Promise<Z>");
        assert_eq!(row(&facts, "p").visibility(), Visibility::Private);
        assert!(row(&facts, "area").has(flag::DECLARATION));
        assert!(row(&facts, "over").has(flag::OVERRIDE));
        assert!(row(&facts, "acc").has(flag::ACCESSOR));
        assert_eq!(row(&facts, "#secret").visibility(), Visibility::Private);
        let overloads: Vec<_> =
            view.defs.iter().filter(|def| view.str(def.name) == "f").map(|def| def.has(flag::DECLARATION)).collect();
        assert_eq!(overloads, [true, false]);
        assert_eq!(row(&facts, "own").params, 1);
    }

    #[test]
    fn aliases_enums_and_namespaces() {
        check_facts(
            "typescript",
            r#"
type Props = { note: Note; go: (x: In) => Out } & More;
//   ^ def type_alias Props
//             ^ def field Props.note
//                   ^ field Note
//                         ^ def field Props.go
//                                 ^ parameter_type In
//                                        ^ return_type Out
//                                                ^ type More
type Id<T> = T extends Array<infer U> ? U : Other;
//   ^ def type_alias Id
//                                          ^ type Other
enum Color { Red = 1, "dark-red", Green = Red }
//   ^ def enum Color
//           ^ def enum_member Color.Red
//                     ^ def enum_member Color.dark-red
//                                ^ def enum_member Color.Green
namespace Inner { export function f() {} const g = 1; }
//        ^ def module Inner
//                                ^ def function Inner.f
//                                             ^ def constant Inner.g
declare module "lib" { function h(x: X): void; const k: K; }
//              ^ def module lib
//                              ^ def function lib.h
//                                                   ^ def constant lib.k
"#,
        );
        let facts = facts("namespace A { export const x = 1; const y = 2; }\ndeclare module 'm' { const z: Z; }\n");
        assert!(row(&facts, "x").has(flag::EXPORTED));
        assert!(!row(&facts, "y").has(flag::EXPORTED));
        assert!(row(&facts, "z").has(flag::EXPORTED | flag::DECLARATION));
    }

    #[test]
    fn type_parameters_and_built_in_types_are_no_mentions() {
        check_facts("typescript", "function id<T>(x: T, y: string): T[] { return [x]; }\n//       ^ def function id\n");
        assert_eq!(facts("function id<T>(x: T, y: string): T[] { return [x]; }").view().refs.len(), 0);
    }

    #[test]
    fn decorators_belong_to_what_they_decorate() {
        let source = "@Component({ on: make() })\nexport class A {\n  // why\n  @Input() name: string;\n  @ns.Listen('x')\n  /* between */\n  go() {}\n  bare() {}\n}\n";
        let facts = facts(source);
        let view = facts.view();
        let (class, go) = (row(&facts, "A"), row(&facts, "go"));
        assert!(
            class.has(flag::DECORATED | flag::EXPORTED) && go.has(flag::DECORATED) && row(&facts, "name").has(flag::DECORATED)
        );
        assert!(!row(&facts, "bare").has(flag::DECORATED));
        assert_eq!((class.start_line, view.str(class.signature)), (1, "export class A"));
        assert_eq!((go.start_line, go.end_line, view.str(go.signature), view.str(go.doc)), (5, 7, "go()", "between"));
        check_facts(
            "typescript",
            r#"
  @Component({ on: make() })
// ^ attribute Component
//                 ^ call make
class A {
//    ^ def class A
  @ns.Listen("x") go() {}
//    ^ attribute ns.Listen
//                ^ def method A.go
}
"#,
        );
    }

    #[test]
    fn a_doc_comment_above_an_export_is_its_own() {
        let facts = facts("/** Runs. */\nexport const run = () => 1;\n\n/** Not this. */\n\nexport function other() {}\n");
        assert_eq!(facts.view().str(row(&facts, "run").doc), "Runs.");
        assert_eq!(facts.view().str(row(&facts, "other").doc), "");
    }

    #[test]
    fn destructured_parameters_keep_their_types() {
        let facts = facts(
            "function f({ notify, other: o }: { notify: Notify; other: Other }, { x }: Props) { notify.a(); o.b(); x.c(); }\n",
        );
        let view = facts.view();
        let shown: Vec<_> =
            view.binds.iter().map(|bind| (view.str(bind.name), view.str(bind.ty), show_expr(&view, bind.init))).collect();
        let expected = [("notify", "Notify", "?"), ("o", "Other", "?"), ("x", "", "Props:.x")];
        assert_eq!(shown, expected.map(|(name, ty, init)| (name, ty, init.to_owned())));
    }

    #[test]
    fn casts_and_type_only_imports() {
        check_facts(
            "typescript",
            r#"
import type { A } from "a";
//            ^ import a|A|A
(x as Foo).run();
//    ^ type Foo
//         ^ call Foo:.run
(y satisfies Bar)!.go();
//           ^ type Bar
//                 ^ call y?.go
let u = <Baz>z;
//  ^ def variable u
//       ^ type Baz
(window as any).boot = () => go();
//              ^ def function boot
//                           ^ call go
tag`text ${fill()}`;
//<- call tag
//         ^ call fill
const q: ns.Type<Arg> = make();
//    ^ def constant q
//       ^ type ns
//          ^ type ns.Type
//               ^ generic_arg Arg
//                      ^ call make
"#,
        );
        let facts = facts("import type { A } from 'a';\nimport { type B, C } from 'b';\nimport d = require('d');\n");
        let flags: Vec<_> = facts.view().imports.iter().map(|row| row.flags).collect();
        assert_eq!(flags, [import_flag::TYPE_ONLY, import_flag::TYPE_ONLY, 0, import_flag::MODULE]);
    }

    #[test]
    fn unions_of_thousands_and_broken_types() {
        let union = (0..5_000).map(|at| format!(" | T{at}")).collect::<Vec<_>>().concat();
        let facts_of_union = facts(&format!("type All ={union};"));
        assert_eq!(facts_of_union.view().refs.len(), 5_000);
        let broken = facts("interface A { x: }\nclass B { y: Map<; }\nfunction after() {}\n");
        assert_eq!(row(&broken, "after").params, 0);
        let deep = facts(&format!("type D = {}1{};", "{ a: ".repeat(3_000), " }".repeat(3_000)));
        assert_eq!(row(&deep, "D").start_line, 1);
    }
}
