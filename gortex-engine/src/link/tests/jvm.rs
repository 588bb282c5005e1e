//! Kotlin and Scala over several files, beside Java.

use super::{check, leaves, linked};
use crate::graph::EdgeKind;

const MIXED: &str = "
//- src/demo/Store.java
package demo;

public class Store {
    public String getLabel() { return \"x\"; }
    public void save(Item item) { item.touch(); item.getSize(); StringsKt.shout(\"a\"); Registry.INSTANCE.add(item); }
    static Store open() { return new Store(); }
}
//- src/demo/Item.kt
package demo

class Item(val size: Int) {
    fun touch() { size }
    companion object {
        fun make() = Item(1)
    }
}
object Registry {
    fun add(item: Item) { item.touch() }
}
//- src/demo/Strings.kt
package demo

fun String.shout() = this
fun Item.twice() { touch() }
fun shout(a: Int, b: Int) = a
//- src/app/Main.kt
package app

import demo.Item
import demo.Store
import demo.shout

fun main(store: Store, text: String, other: Unknown) {
    store.save(Item.make())
    store.label
    Store.open().save(Item(2))
    text.shout()
    val item = Item(3)
    item.let { it.touch() }
    item.twice()
    other.touch()
    listOf(1).shout
}
//- src/app/Other.kt
package app

fun stray(text: String, item: Any) {
    text.shout()
    item.touch()
}
";

#[test]
fn kotlin_and_java_call_each_other() {
    check(MIXED, "src/demo/Store.java::Store.save", &["main:10", "main:8"]);
    check(MIXED, "src/demo/Store.java::Store.open", &["main:10"]);
    check(MIXED, "src/demo/Item.kt::Item.touch", &["add:10", "main:13", "save:5", "twice:4"]);
    check(MIXED, "src/demo/Item.kt::Registry.add", &["save:5"]);
}

#[test]
fn kotlin_companions_and_constructors() {
    check(MIXED, "src/demo/Item.kt::Item.Companion.make", &["main:8"]);
    check(MIXED, "src/demo/Item.kt::Item.Item", &["main:10", "main:12", "make:6"]);
    check(MIXED, "src/demo/Item.kt::Item", &["main:10", "main:12", "make:6"]);
}

// A function for a library type is called where it is imported or in its package, never by its name alone.
#[test]
fn kotlin_functions_for_other_types() {
    let graph = linked(MIXED);
    let shout = graph.named("shout").iter().copied().find(|node| graph.def(*node).is_some_and(|def| def.params == 0));
    let shout = shout.map(|node| graph.id(node)).unwrap_or_default();
    check(MIXED, &shout, &["main:11", "save:5"]);
    check(MIXED, "src/demo/Strings.kt::Item.twice", &["main:14"]);
}

#[test]
fn java_accessors_and_kotlin_properties_are_the_same() {
    let graph = linked(MIXED);
    assert_eq!(
        leaves(&graph, "src/app/Main.kt::main", EdgeKind::References).iter().filter(|id| id.contains("getLabel")).count(),
        1
    );
    let size = graph.by_id("src/demo/Item.kt::Item.size").expect("a property");
    let users: Vec<&str> = graph.incoming(size).map(|edge| graph.name(edge.from)).collect();
    assert!(users.contains(&"save") && users.contains(&"touch"), "{users:?}");
}

const PLATFORMS: &str = "
//- common/Clock.kt
package clock
expect class Clock { fun now(): Int }
fun use(clock: Clock) { clock.now(); clock.ticks() }
//- jvm/Clock.kt
package clock
actual class Clock { actual fun now(): Int = 1
  fun ticks() = 2
}
//- native/Clock.kt
package clock
actual class Clock { actual fun now(): Int = 3
}
";

#[test]
fn what_is_expected_comes_before_what_a_platform_has() {
    check(PLATFORMS, "common/Clock.kt::Clock.now", &["use:3"]);
    check(PLATFORMS, "jvm/Clock.kt::Clock.now", &[]);
    check(PLATFORMS, "jvm/Clock.kt::Clock.ticks", &["use:3"]);
    let graph = linked(PLATFORMS);
    assert_eq!(leaves(&graph, "jvm/Clock.kt::Clock.now", EdgeKind::Overrides), ["common/Clock.kt::Clock.now"]);
}

const SCALA: &str = "
//- src/Shape.scala
package geo

trait Shape { def area: Int }
class Box(val side: Int) extends Shape { def area: Int = side }
object Box { def apply(side: Int): Box = new Box(side) }
case class Dot(x: Int)
object Syntax {
  implicit class Loud(val text: String) { def shout: String = text }
}
//- src/Main.scala
package app

import geo.{Box, Dot, Shape => Form}
import geo.Syntax._

object Main {
  def total(forms: List[Form]) = forms.map(_.area)
  def run(form: Form, text: String) = {
    val box = Box(1)
    box.area
    form.area
    Dot(2)
    text.shout
    new Box(3)
    other.area
  }
}
//- src/Stray.scala
package stray

object Stray { def f(text: String) = text.shout }
";

#[test]
fn scala_objects_classes_and_calls_without_parentheses() {
    check(SCALA, "src/Shape.scala::Box.apply", &["run:9"]);
    check(SCALA, "src/Shape.scala::Box.area", &["run:10"]);
    check(SCALA, "src/Shape.scala::Shape.area", &["run:11", "total:7"]);
    check(SCALA, "src/Shape.scala::Dot.Dot", &["run:12"]);
    check(SCALA, "src/Shape.scala::Box.Box", &["apply:5", "run:14"]);
    let graph = linked(SCALA);
    assert_eq!(leaves(&graph, "src/Shape.scala::Box.area", EdgeKind::Overrides), ["src/Shape.scala::Shape.area"]);
    assert_eq!(leaves(&graph, "src/Shape.scala::Box", EdgeKind::Implements), ["src/Shape.scala::Shape"]);
}

#[test]
fn scala_implicit_classes_are_used_where_they_are_imported() {
    let graph = linked(SCALA);
    let shout = graph.named("shout").first().map(|node| graph.id(*node)).unwrap_or_default();
    check(SCALA, &shout, &["run:13"]);
}

// A subclass in another package does not see a function that is declared for its supertype, unless it imports it.
#[test]
fn an_extension_is_no_bare_name_where_it_is_not_imported() {
    let tree = "
//- src/lib/Fs.kt
package lib

open class Fs
fun Fs.unzip(x: Int) = lib.inner.unzip(x)
class Beside : Fs() {
    fun near() { unzip(1) }
}
//- src/lib/inner/Zip.kt
package lib.inner

internal fun unzip(x: Int) = x
//- src/lib/inner/Own.kt
package lib.inner

import lib.Fs

class Own : Fs() {
    fun far() { unzip(2) }
}
//- src/other/Other.kt
package other

import lib.Fs
import lib.unzip

class Other : Fs() {
    fun imported() { unzip(3) }
}
";
    check(tree, "src/lib/inner/Zip.kt::unzip", &["far:6", "unzip:4"]);
    check(tree, "src/lib/Fs.kt::Fs.unzip", &["imported:7", "near:6"]);
}
