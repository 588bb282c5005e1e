//! Linking Swift: modules, extensions, protocols.

use super::tests::{check, leaves, linked};
use crate::graph::EdgeKind;

const APP: &str = r#"
//- Package.swift
let package = Package(name: "App", targets: [
    .target(name: "Core", dependencies: [.target(name: "Util")]),
    .target(name: "Util", path: "Extra"),
    .testTarget(name: "CoreTests", dependencies: ["Core"]),
])
//- Sources/Core/Store.swift
import Util
public class Store: Storing {
    static let shared = Store()
    init(name: String = "x") {}
    init(_ a: Int, _ b: Int) {}
    func put(_ row: Int) -> Store { log(row); return self }
    func put(_ row: Int, _ more: Int) {}
}
protocol Storing { func put(_ row: Int) -> Store }
extension Storing { func twice() { put(1) } }
extension Store { struct Row { func write() {} } }
extension Store.Row { func again() { write() } }
private func secret() {}
//- Sources/Core/Use.swift
func use(s: Storing) {
    Store.shared.put(1).put(2).twice()
    s.put(3)
    Store(1, 2)
    let r: Store.Row = make()
    r.again()
    secret()
    helper()
}
class Store2 { func put(_ row: Int) {} }
//- Extra/Log.swift
public func log(_ x: Int) {}
func helper() {}
//- Tests/CoreTests/StoreTests.swift
@testable import Core
func testIt() { Store().put(1); log(2) }
"#;

#[test]
fn members_through_modules_and_extensions() {
    check(APP, "Sources/Core/Store.swift::Store.put", &["testIt:2", "use:2", "use:2"]);
    check(APP, "Sources/Core/Store.swift::Storing.put", &["twice:10", "use:3"]);
    check(APP, "Sources/Core/Use.swift::Store2.put", &[]);
    check(APP, "Sources/Core/Store.swift::Storing.twice", &["use:2"]);
    check(APP, "Sources/Core/Store.swift::Store.Row.write", &["again:12"]);
    check(APP, "Sources/Core/Store.swift::Store.Row.again", &["use:6"]);
}

#[test]
fn overloads_by_number_of_arguments() {
    // Which parameters have defaults is not known: where none has the number, all with more are named.
    check(APP, "Sources/Core/Store.swift::Store.init", &["shared:3 ~", "testIt:2 ~"]);
    check(APP, "Sources/Core/Store.swift::Store.init~2", &["shared:3 ~", "testIt:2 ~", "use:4"]);
    check(APP, "Sources/Core/Store.swift::Store.put~2", &[]);
}

#[test]
fn a_module_is_seen_by_those_that_import_it() {
    check(APP, "Extra/Log.swift::log", &["put:6"]);
    // Not imported where it is used; private to its file.
    check(APP, "Extra/Log.swift::helper", &[]);
    check(APP, "Sources/Core/Store.swift::secret", &[]);
    let graph = linked(APP);
    assert_eq!(leaves(&graph, "Sources/Core/Store.swift::Store", EdgeKind::Implements), ["Sources/Core/Store.swift::Storing"]);
    let overrides = leaves(&graph, "Sources/Core/Store.swift::Store.put", EdgeKind::Overrides);
    assert_eq!(overrides, ["Sources/Core/Store.swift::Storing.put"]);
}

#[test]
fn extensions_of_library_types_by_the_name_of_the_type() {
    let fixture = r#"
//- a.swift
extension String {
    func trimmed() -> String { stripped() }
    func stripped() -> String { self.trimmed() }
}
func use(a: String, b: Other, c) {
    a.trimmed()
    "x".trimmed()
    b.trimmed()
    c.trimmed()
}
func stripped() {}
"#;
    check(fixture, "a.swift::String.trimmed", &["stripped:3 ~", "use:6 ~", "use:7 ~"]);
    check(fixture, "a.swift::String.stripped", &["trimmed:2 ~"]);
}
