//! Linking OCaml: files as modules, libraries, aliases, functors.

use super::tests::check;

const LIB: &str = "
//- core/dune
(library
 (name core)
 (public_name shop.core))
//- core/store.ml
type t = { row : int; size : int }
type kind = Big | Small
let put t x = Log.write x; t.row + size t
let size t = t.size
let put t x = put t (x + 1)
module Inner = struct let deep () = Log.write 1 end
//- core/store.mli
type t
val put : t -> int -> int
//- core/log.ml
let write x = x
let helper x = x
//- core/make.ml
module type S = sig val go : int -> int end
module F (X : S) = struct let run x = X.go x end
//- bin/dune
(executable (name main))
//- bin/main.ml
open Core
module St = Core.Store
module R = Make.F (Own)
let other () = Store.put 1 2; St.Inner.deep (); R.run 3; missing ()
let qualified () = Core.Log.helper 1; Core.Log.(write 2); Store.Big
let shadow write = write 1; Unknown.put 2
//- bin/own.ml
let go x = x
let put x = x
";

#[test]
fn modules_of_files_libraries_and_aliases() {
    check(LIB, "core/log.ml::write", &["deep:6", "put:3", "qualified:5"]);
    check(LIB, "core/log.ml::helper", &["qualified:5"]);
    check(LIB, "core/store.ml::Inner.deep", &["other:4"]);
    check(LIB, "bin/own.ml::put", &[]);
}

#[test]
fn the_last_definition_counts_and_sees_the_one_before() {
    check(LIB, "core/store.ml::put~2", &["other:4"]);
    check(LIB, "core/store.ml::put", &["put:5"]);
}

#[test]
fn functors_give_their_body_and_see_their_parameter() {
    check(LIB, "core/make.ml::F.run", &["other:4"]);
    check(LIB, "core/make.ml::S.go", &["run:2"]);
    check(LIB, "bin/own.ml::go", &[]);
}

#[test]
fn fields_and_constructors_are_found_by_the_module() {
    let graph = super::tests::linked(LIB);
    let users = |id: &str| {
        let target = graph.by_id(id).expect("the node");
        let mut rows: Vec<String> =
            graph.incoming(target).map(|edge| format!("{}:{}", graph.name(edge.from), edge.line)).collect();
        rows.sort();
        rows
    };
    assert_eq!(users("core/store.ml::t.row"), ["put:3"]);
    assert_eq!(users("core/store.ml::t.size"), ["size:4"]);
    assert_eq!(users("core/store.ml::kind.Big"), ["qualified:5"]);
    assert!(users("core/store.ml::kind.Small").is_empty());
}
