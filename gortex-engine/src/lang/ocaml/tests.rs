//! What OCaml files say by themselves. Their comments have an end, so expectations are rows, not marks.

use crate::facts::testing::shown;
use crate::facts::walker::ExtractLimits;

fn rows(language: &str, source: &str) -> Vec<String> {
    let lang = crate::lang::Lang::named(language).expect("a language of the table");
    let facts = crate::facts::walker::extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
    let mut rows = shown(&facts.view());
    rows.sort();
    rows
}

#[track_caller]
fn check(language: &str, source: &str, expected: &[&str]) {
    let mut expected: Vec<&str> = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(rows(language, source), expected);
}

#[test]
fn modules_types_and_values() {
    check(
        "ocaml",
        "open Base.List
module M = Map.Make (Key)
module N = struct let deep () = 1 end
module type S = sig type t val f : t -> u end
type r = { name : string; sub : Foo.t }
type v = A | B of r * v
exception Bad of r
let x, y = z
let rec fact ?(opt = one) n : r = fact n
",
        &[
            "1:5 import Base.List||",
            "2:11 import Map.Make||M",
            "2:21 value Key",
            "3:7 def module N",
            "3:22 def function N.deep",
            "4:12 def interface S",
            "4:25 def type_alias S.t",
            "4:31 def function S.f",
            "4:35 parameter_type t",
            "4:40 return_type u",
            "5:5 def record r",
            "5:11 def field r.name",
            "5:26 def field r.sub",
            "5:36 field Foo.t",
            "6:5 def enum v",
            "6:9 def enum_member v.A",
            "6:13 def enum_member v.B",
            "6:18 field r",
            "6:22 field v",
            "7:10 def class Bad",
            "7:17 field r",
            "8:4 def variable x",
            "8:7 def variable y",
            "8:11 value z",
            "9:8 def function fact",
            "9:21 value one",
            "9:30 return_type r",
            "9:34 call fact",
        ],
    );
}

#[test]
fn calls_locals_and_fields() {
    check(
        "ocaml",
        "let f (a : M.t) b = let c = g a in c.pos <- h b; A.B.run ~k:c (fun q -> q.name); List.iter p
let k l = match l with Some v -> v | None -> raise (Bad l)
let m x = x |> A.go >>= stop; A.(inner x); (new c)#act 1
",
        &[
            "1:4 def function f",
            "1:13 parameter_type M.t",
            "1:28 call g",
            "1:37 write %c.pos",
            "1:44 call h",
            "1:53 call A.B.run",
            "1:74 value %q.name",
            "1:86 call List.iter",
            "1:91 value p",
            "2:4 def function k",
            "2:23 value Some",
            "2:37 value None",
            "2:45 call raise",
            "2:52 call Bad",
            "2:52 throws Bad",
            "3:4 def function m",
            "3:17 call A.go",
            "3:20 call >>=",
            "3:24 value stop",
            "3:30 import A||",
            "3:33 call inner",
            "3:48 instantiate c",
            "3:51 call new c.act",
        ],
    );
}

#[test]
fn interfaces_classes_and_tests() {
    check(
        "ocaml_interface",
        "type t\nval f : t -> ?x:int -> r (** What f does. *)\nmodule N : sig val z : int end\n",
        &[
            "1:5 def type_alias t",
            "2:4 def function f",
            "2:8 parameter_type t",
            "2:23 return_type r",
            "3:7 def module N",
            "3:19 def variable N.z",
        ],
    );
    check(
        "ocaml",
        "class c p = object (self) inherit base method m = self#n method n = p end\nlet%test \"adds\" = f 1\n",
        &[
            "1:6 def class c",
            "1:34 extends c base",
            "1:46 def method c.m",
            "1:55 call %self.n",
            "1:64 def method c.n",
            "2:10 def function adds",
            "2:18 call f",
        ],
    );
}

#[test]
fn documentation_stands_above_or_behind() {
    let lang = crate::lang::Lang::named("ocaml_interface").expect("ocaml_interface");
    let source = "(** The first. *)\nval a : int\n\nval b : int\n(** The second. *)\n\nval c : int\n";
    let facts = crate::facts::walker::extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
    let view = facts.view();
    let docs: Vec<&str> = view.defs.iter().map(|def| view.str(def.doc)).collect();
    assert_eq!(docs, ["The first.", "The second.", ""]);
}

#[test]
fn broken_and_deep_sources_do_not_panic() {
    crate::lang::common::with_stack(|| {
        let deep = format!("let a = {}1{}", "f (".repeat(3_000), ")".repeat(3_000));
        let nested = "module M = struct let f x = match x with A -> ".repeat(300);
        for source in [deep.as_str(), nested.as_str(), "let ( = fun | ->", "module = struct", "type t = { a : } let open"] {
            rows("ocaml", source);
            rows("ocaml_interface", source);
        }
    });
}
