//! What Kotlin extraction is held to: the whole set of definitions and calls, and the rows named beside them.

use crate::facts::testing::check_facts;
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;
use crate::lang::common::with_stack;

#[test]
fn declarations_and_what_they_hold() {
    check_facts(
        "kotlin",
        r#"
package a.b
import a.c.Other
//         ^ import a.c|Other|Other
import a.d.*
//     ^ import a.d||
import x.Y as Z
//       ^ import x|Y|Z
abstract class Foo<T : Bar>(private val a: Int, b: String) : Base<T>(a, b), Iface {
//             ^ def class Foo
//                         ^ def constructor Foo.Foo
//                                      ^ def field Foo.a
//                                                           ^ call super.Base
//                                                           ^ extends Foo Base
//                                                                          ^ implements Foo Iface
    constructor(x: Int) : this(x, "y")
//  ^ def constructor Foo.Foo
//                        ^ call self.Foo
    val p: Int = a
//      ^ def field Foo.p
    var q: String
//      ^ def field Foo.q
        get() = name(field)
//              ^ call name
        set(value) { store(value) }
//                   ^ call store
    override suspend fun run(vararg xs: String): Result<T> = make(b)
//                       ^ def method Foo.run
//                                                           ^ call make
    companion object { const val K = 1
//  ^ def class Foo.Companion
//                               ^ def constant Foo.Companion.K
        fun make() = Foo(1, "b") }
//          ^ def method Foo.Companion.make
//                   ^ call Foo
    enum class E(val v: Int) { A(1) { override fun f() { tick() } }, B(2);
//             ^ def enum Foo.E
//              ^ def constructor Foo.E.E
//                   ^ def field Foo.E.v
//                             ^ def enum_member Foo.E.A
//                             ^ extends Foo.E.A.$1 E
//                                  ^ def class Foo.E.A.$1
//                                                 ^ def method Foo.E.A.$1.f
//                                                       ^ call tick
//                                                                   ^ def enum_member Foo.E.B
        fun f() {} }
//          ^ def method Foo.E.f
}
fun interface Sam { operator fun invoke(x: Int): Int }
//            ^ def interface Sam
//                               ^ def method Sam.invoke
object Single : Base<Int>()
//     ^ def class Single
//              ^ extends Single Base
typealias Cb = (Int) -> Foo
//        ^ def type_alias Cb
fun <T> List<T>.second(): T = this[1]
//              ^ def function List.second
val String.width: Int get() = length
//         ^ def variable String.width
class T { @Test fun adds() { check(1) } }
//    ^ def class T
//         ^ attribute Test
//                  ^ def method T.adds
//                           ^ call check
"#,
    );
}

#[test]
fn expressions_and_what_stands_before_names() {
    check_facts(
        "kotlin",
        r#"
fun f(xs: List<Item>, foo: Foo?, call: () -> Unit) {
//  ^ def function f
//        ^ parameter_type List
//                         ^ parameter_type Foo
//                                           ^ parameter_type Unit
    foo?.bar(1) { it.baz() }
//       ^ call %foo.bar
//                   ^ call %it.baz
    xs.forEach { it.use() }
//     ^ call %xs.forEach
//                  ^ call %it.use
    xs.map { x -> x.name }.first().let { println("$it ${top(it)}") }
//     ^ call %xs.map
//                         ^ call %xs.map().first
//                                 ^ call %xs.map().first().let
//                                       ^ call println
//                                                      ^ call top
    val (m, n) = pair()
//               ^ call pair
    m.go()
//    ^ call %m.go
    for (x in xs) x.use()
//                  ^ call %x.use
    when (val z = foo) { is Foo -> z.run()
//                                   ^ call %z.run
        else -> null }
    (foo as Other).run()
//                 ^ call Other:.run
    Foo.make(1).chain().end
//      ^ call Foo.make
//              ^ call Foo.make().chain
    val o = object : Runner { override fun run() { n.go() } }
//          ^ def class f.$1
//                   ^ implements f.$1 Runner
//                                         ^ def method f.$1.run
//                                                   ^ call %n.go
    call()
//  ^ call call
    fun local(u: Int) = u
//      ^ def function f.local
//               ^ parameter_type Int
    local(2)
//  ^ call local
    a infixed b
//    ^ call a.infixed
    arrayOf<Foo>(1)
//  ^ call arrayOf
    pkg.Deep.make()
//           ^ call pkg.Deep.make
    ::top
    this.x = super.y()
//       ^ write self.x
//                 ^ call super.y
    try { foo!!.bar() } catch (e: Oops) { e.log() }
//              ^ call %foo.bar
//                                          ^ call %e.log
    call.invoke()
//       ^ call %call.invoke
}
"#,
    );
}

#[test]
fn deep_nesting_and_broken_source_are_survived() {
    with_stack(|| {
        let lang = Lang::named("kotlin").expect("a language of the table").compiled();
        let deep = format!("fun f() = {}1{}", "g(".repeat(4_000), ")".repeat(4_000));
        for text in [deep.as_str(), "class A { fun f( { val x = \n}} fun g() = h()\n", "", "\u{feff}", "\"größe"] {
            let _ = extract(lang, text.as_bytes(), ExtractLimits::default()).view();
        }
        let _ = extract(lang, b"\xff\xfe class", ExtractLimits::default()).view();
    });
}
