//! Expectations of Rust facts.

use crate::facts::testing::{check_facts, shown};
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;

#[test]
fn zz_dump() {
    let Ok(path) = std::env::var("DUMP") else { return };
    let lang = Lang::named("rust").expect("rust");
    let source = std::fs::read(path).expect("file");
    let facts = extract(lang.compiled(), &source, ExtractLimits::default());
    let view = facts.view();
    for row in shown(&view) {
        println!("{row}");
    }
    for def in view.defs {
        println!("DEF {}..{} {} {:?} vis={} flags={:b} params={} ty={:?} doc={:?} sig={:?}", def.start_line, def.end_line, view.str(def.name), def.kind(), def.visibility().as_str(), def.flags, def.params, view.str(def.ty), view.str(def.doc), view.str(def.signature));
    }
    check_facts("rust", "");
}
