//! Linking Dart: packages, parts, what imports show and hide.

use super::tests::{check, leaves, linked};
use crate::graph::EdgeKind;

const APP: &str = r"
//- pubspec.yaml
name: app # the package
//- lib/app.dart
export 'src/store.dart' hide Hidden;
//- lib/src/store.dart
import 'log.dart' as log;
part 'row.dart';
class Base { Base(int a); void close() {} }
class Store extends Base with Mix implements Storing {
  Store() : super(1);
  Store.named(this.row) : super(2);
  Row? row;
  Store put(int x) { log.write(x); _secret(); return this; }
}
abstract class Storing { Store put(int x); }
mixin Mix { void mixed() {} }
class Hidden { void run() {} }
void _secret() {}
extension More on Store { void more() { put(1); } }
//- lib/src/row.dart
part of 'store.dart';
class Row { void save() { _secret(); Store().close(); } }
//- lib/src/log.dart
void write(x) {}
void helper() {}
//- bin/main.dart
import 'package:app/app.dart';
import '../lib/src/log.dart' show write;
void run(Storing s) {
  Store.named(null).put(1).put(2)..mixed()..more();
  s.put(3);
  Store().row!.save();
  write(1); helper(); _secret();
  Hidden().run();
}
class Other { void put(int x) {} }
";

#[test]
fn members_through_exports_parts_and_extensions() {
    check(APP, "lib/src/store.dart::Store.put", &["more:14", "run:4", "run:4"]);
    check(APP, "lib/src/store.dart::Storing.put", &["run:5"]);
    check(APP, "bin/main.dart::Other.put", &[]);
    check(APP, "lib/src/store.dart::Mix.mixed", &["run:4"]);
    check(APP, "lib/src/store.dart::More.Store.more", &["run:4"]);
    check(APP, "lib/src/row.dart::Row.save", &["run:6"]);
    check(APP, "lib/src/store.dart::Base.close", &["save:2"]);
}

#[test]
fn constructors_are_the_named_and_the_unnamed_ones() {
    check(APP, "lib/src/store.dart::Store.new", &["run:6", "save:2"]);
    check(APP, "lib/src/store.dart::Store.named", &["run:4"]);
    check(APP, "lib/src/store.dart::Base.new", &["named:6", "new:5"]);
}

#[test]
fn imports_show_and_hide_and_underscores_stay_in_their_library() {
    check(APP, "lib/src/log.dart::write", &["put:8", "run:7"]);
    check(APP, "lib/src/log.dart::helper", &[]);
    check(APP, "lib/src/store.dart::_secret", &["put:8", "save:2"]);
    check(APP, "lib/src/store.dart::Hidden", &[]);
    let graph = linked(APP);
    assert_eq!(leaves(&graph, "lib/src/store.dart::Store", EdgeKind::Composes), ["lib/src/store.dart::Mix"]);
    assert_eq!(leaves(&graph, "lib/src/store.dart::Store.put", EdgeKind::Overrides), ["lib/src/store.dart::Storing.put"]);
    assert_eq!(leaves(&graph, "bin/main.dart", EdgeKind::Imports), ["lib/app.dart", "lib/src/log.dart::write"]);
}
