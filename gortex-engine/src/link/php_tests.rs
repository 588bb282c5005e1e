//! Linking PHP: name spaces, `use`, traits, types of receivers.

use super::tests::{check, leaves, linked};
use crate::graph::EdgeKind;

const SHOP: &str = r"
//- composer.json
{}
//- src/Store/Disk.php
<?php
namespace Shop\Store;
abstract class Base { public function __construct(protected Clock $clock) {} public function close() {} }
final class Disk extends Base implements Store {
    public static function make(): static { return new static(new Clock()); }
    public function put($row): self { $this->clock->now(); $this->log($row); return $this; }
    use Logs;
}
interface Store { public function put($row); }
class Clock { public function now() {} }
//- src/Store/Logs.php
<?php
namespace Shop\Store;
trait Logs { private function log($x) {} }
//- src/Util/functions.php
<?php
namespace Shop\Util;
function slug($x) { return strlen($x); }
function strlen($x) { return 1; }
//- src/other.php
<?php
namespace Other;
class Disk { public function put($row) {} }
function slug($x) {}
//- src/App.php
<?php
namespace Shop;
use Shop\Store\Disk as D;
use Shop\Store;
use function Shop\Util\slug;
class App {
    /** @var Store\Store */
    private $store;
    private $made;
    function __construct(Store\Store $s) { $this->made = new D($s); }
    function run(array $disks) {
        D::make()->put(1)->close();
        $this->store->put(2);
        $this->made->put(3);
        slug('x');
        $u->put(4);
        $c = Store\Clock::class;
        (new Store\Clock)->now();
        /** @var D[] $disks */
        $disks = all();
        foreach ($disks as $d) { $d->put(5); }
    }
}
";

#[test]
fn methods_are_found_through_declared_types() {
    check(SHOP, "src/Store/Disk.php::Disk.put", &["run:12", "run:14", "run:21"]);
    check(SHOP, "src/Store/Disk.php::Store.put", &["run:13"]);
    check(SHOP, "src/other.php::Disk.put", &[]);
    check(SHOP, "src/Store/Disk.php::Base.close", &["run:12"]);
    check(SHOP, "src/Store/Disk.php::Clock.now", &["put:6", "run:18"]);
    check(SHOP, "src/Store/Logs.php::Logs.log", &["put:6"]);
}

#[test]
fn constructors_are_inherited() {
    check(SHOP, "src/Store/Disk.php::Base.__construct", &["__construct:10", "make:5"]);
    check(SHOP, "src/Store/Disk.php::Disk", &["__construct:10", "make:5"]);
}

#[test]
fn functions_follow_use_and_fall_back_to_the_global_space() {
    check(SHOP, "src/Util/functions.php::slug", &["run:15"]);
    check(SHOP, "src/other.php::slug", &[]);
    // Unqualified inside the name space that defines it.
    check(SHOP, "src/Util/functions.php::strlen", &["slug:3"]);
    let global = r"
//- a.php
<?php
function helper() {}
class helper2 {}
//- b.php
<?php
namespace B;
function f() { helper(); helper2(); \helper(); new helper2; new \helper2; }
";
    check(global, "a.php::helper", &["f:3", "f:3"]);
    // Classes do not fall back.
    check(global, "a.php::helper2", &["f:3"]);
}

#[test]
fn hierarchy_and_traits() {
    let graph = linked(SHOP);
    let disk = "src/Store/Disk.php::Disk";
    assert_eq!(leaves(&graph, disk, EdgeKind::Extends), ["src/Store/Disk.php::Base"]);
    assert_eq!(leaves(&graph, disk, EdgeKind::Implements), ["src/Store/Disk.php::Store"]);
    assert_eq!(leaves(&graph, disk, EdgeKind::Composes), ["src/Store/Logs.php::Logs"]);
    assert_eq!(leaves(&graph, "src/Store/Disk.php::Disk.put", EdgeKind::Overrides), ["src/Store/Disk.php::Store.put"]);
}

#[test]
fn several_name_spaces_in_one_file_and_includes() {
    let fixture = r"
//- lib/two.php
<?php
namespace One { class A { function m() {} } }
namespace Two { class A { function m() {} } function g() { (new A)->m(); (new \One\A)->m(); } }
//- main.php
<?php
require __DIR__ . '/lib/two.php';
require $dynamic;
function f(\Two\A $a) { $a->m(); }
";
    let graph = linked(fixture);
    assert_eq!(leaves(&graph, "main.php", EdgeKind::Imports), ["lib/two.php"]);
    check(fixture, "lib/two.php::Two.A.m", &["f:4", "g:3"]);
    check(fixture, "lib/two.php::One.A.m", &["g:3"]);
}
