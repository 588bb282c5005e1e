//! What PHP files say by themselves.

use crate::facts::testing::check_facts;
use crate::facts::walker::ExtractLimits;

fn check(source: &str) {
    check_facts("php", source);
}

#[test]
fn types_members_and_their_words() {
    check(
        r"<?php
namespace App\Http;
use Foo\Bar;
//      ^ import Foo|Bar|Bar
use Foo\{Baz, Qux as Q, function fx};
//       ^ import Foo|Baz|Baz
//            ^ import Foo|Qux|Q
//                               ^ import Foo|fx|fx
abstract class A extends Bar implements I, \J {
//             ^ def class A
//                       ^ extends A Bar
//                                      ^ implements A I
//                                          ^ implements A \J
    use T1;
//      ^ extends A T1
    public const MAX = 3;
//               ^ def constant A.MAX
    private ?Bar $bar = null;
//                ^ def field A.bar
//           ^ field Bar
    public function __construct(private Bar $b, int $c = self::MAX) { parent::__construct($b); }
//                  ^ def constructor A.__construct
//                                           ^ def field A.b
//                                      ^ parameter_type Bar
//                                                             ^ value self.MAX
//                                                                            ^ call super.__construct
    abstract protected function go(): ?Baz;
//                              ^ def method A.go
//                                     ^ return_type Baz
}
interface I { public function m(int $x): string; }
//        ^ def interface I
//                            ^ def method I.m
trait T1 { protected $p; }
//    ^ def trait T1
//                    ^ def field T1.p
enum Suit: string { case Hearts = 'H'; const X = self::Hearts; }
//   ^ def enum Suit
//                       ^ def enum_member Suit.Hearts
//                                           ^ def constant Suit.X
//                                                     ^ value self.Hearts
",
    );
}

#[test]
fn calls_and_what_stands_in_front() {
    check(
        r"<?php
class A {
//    ^ def class A
    function run(Bar $q, $n) {
//           ^ def method A.run
        $this->bar->baz(1)->qux();
//                  ^ call self.bar.baz
//                          ^ call self.bar.baz().qux
        self::make(); static::make(); Bar::make(); $n::make();
//            ^ call self.make
//                            ^ call self.make
//                                         ^ call Bar:.make
//                                                     ^ call %$n.make
        \strlen('x'); Psr\read(1); isset($q->a); $n();
//       ^ call \.strlen
//                        ^ call Psr\.read
//                                           ^ value %$q.a
//                                               ^ call $n
        $f = fn(Baz $z) => $z->go();
//                             ^ call %$z.go
        $c = new Foo(1);
//               ^ instantiate Foo
        $c->x = $c?->y();
//          ^ write %$c.x
//                   ^ call %$c.y
        $m = strlen(...);
//           ^ value strlen
        return [$this, 'handle'];
//                      ^ value self.handle
    }
}
",
    );
}

#[test]
fn comments_say_types_where_declarations_do_not() {
    check(
        r"<?php
class A {
//    ^ def class A
    /**
     * @param Foo $a
     * @return Baz|null
     */
    function f($a, Bar $b) { $a->x(); $b->y(); }
//           ^ def method A.f
//                               ^ call %$a.x
//                                        ^ call %$b.y
    function g() {
//           ^ def method A.g
        /** @var Foo $t */
        $t = get();
//           ^ call get
        foreach ($t->all() as $k => $v) { $v->run(); }
//                   ^ call %$t.all
//                                            ^ call %$v.run
        try {} catch (E1 $e) { $e->m(); }
//                    ^ type E1
//                                 ^ call %$e.m
    }
}
",
    );
}

#[test]
fn tests_of_both_runners() {
    check(
        r"<?php
test('adds', function () { expect(1)->toBe(1); });
//    ^ def function adds
//<- call test
//                         ^ call expect
//                                    ^ call expect().toBe
test($title, function () {});
//<- call test
",
    );
    let flags = |source: &str, name: &str| {
        let lang = crate::lang::Lang::named("php").expect("php");
        let facts = crate::facts::walker::extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
        let view = facts.view();
        let def = view.defs.iter().find(|def| view.str(def.name) == name).copied().expect("the definition");
        def.has(crate::facts::model::flag::TEST)
    };
    let suite = "<?php class ATest extends TestCase { function testA() {} function helper() {} #[Test] function b() {} }";
    assert!(flags(suite, "testA") && flags(suite, "b"));
    assert!(!flags(suite, "helper"));
    assert!(!flags("<?php class A { function testA() {} }", "testA"));
}

#[test]
fn broken_and_deep_sources_do_not_panic() {
    let lang = crate::lang::Lang::named("php").expect("php");
    crate::lang::common::with_stack(move || {
        let deep = format!("<?php $a = {}1{};", "f(".repeat(6_000), ")".repeat(6_000));
        let nested = format!("<?php {}", "if ($a) { class X { function f() { ".repeat(1_500));
        for source in [deep.as_str(), nested.as_str(), "<?php class { function ( use \\; new ->x::", "<?php $x->", "\u{feff}<?= "]
        {
            crate::facts::walker::extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
        }
    });
}
