//! Ruby over several files: who calls what.

use super::tests::check;

const SHOP: &str = "
//- lib/shop.rb
require 'shop/cart'
module Shop
  def self.open = Cart.new.fill
  def self.helper; end
end
//- lib/shop/cart.rb
module Shop
  module Countable
    def count = list.size
    def list = []
  end
  class Base
    def fill; self; end
    def self.make = new
    def shared; end
  end
  class Cart < Base
    include Countable
    attr_reader :owner
    def initialize
      @owner = Person.new
    end
    def fill
      super
      owner.greet
      @owner.greet
      count
      open
    end
    def list = [1]
    def name=(value); end
  end
  class Person
    def greet; end
    def open; end
  end
end
//- app/main.rb
def run
  cart = Shop::Cart.new
  cart.fill
  cart.name = 1
  Shop::Cart.make.shared
  Shop.open
  anything.fill
  cart.fill.shared
end
def fill; end
//- app/other.rb
class Shop::Cart
  def extra
    list
    shared
  end
end
class Stranger
  def go
    list
    Cart.new
  end
end
";

#[test]
fn constants_are_one_tree_for_the_whole_program() {
    check(SHOP, "lib/shop/cart.rb::Shop.Cart", &["open:3", "run:2"]);
    check(SHOP, "lib/shop/cart.rb::Shop.Cart.initialize", &["open:3", "run:2"]);
}

#[test]
fn receivers_come_from_new_attributes_and_variables() {
    check(SHOP, "lib/shop/cart.rb::Shop.Person.greet", &["fill:19", "fill:20"]);
    check(SHOP, "lib/shop/cart.rb::Shop.Cart.fill", &["open:3", "run:3", "run:8"]);
    // A call on something unknown reaches no method of that name, nor does a method of the file.
    check(SHOP, "app/main.rb::fill", &[]);
}

#[test]
fn methods_come_from_superclasses_mixins_and_other_openings() {
    check(SHOP, "lib/shop/cart.rb::Shop.Base.fill", &["fill:18"]);
    check(SHOP, "lib/shop/cart.rb::Shop.Countable.count", &["fill:21"]);
    check(SHOP, "lib/shop/cart.rb::Shop.Base.shared", &["extra:4", "run:5"]);
    // The mixin's own word for it; its class replaces it.
    check(SHOP, "lib/shop/cart.rb::Shop.Countable.list", &["count:3"]);
    check(SHOP, "lib/shop/cart.rb::Shop.Cart.list", &["extra:3"]);
}

#[test]
fn a_class_method_is_no_method_of_its_objects() {
    check(SHOP, "lib/shop.rb::Shop.open", &["run:6"]);
    check(SHOP, "lib/shop/cart.rb::Shop.Base.make", &["run:5"]);
    check(SHOP, "lib/shop/cart.rb::Shop.Cart.name=", &[]);
}

#[test]
fn an_assignment_calls_the_setter() {
    let graph = super::tests::linked(SHOP);
    let target = super::tests::node(&graph, "lib/shop/cart.rb::Shop.Cart.name=");
    let lines: Vec<u32> = graph.incoming(target).map(|edge| edge.line).collect();
    assert_eq!(lines, [4]);
}

#[test]
fn tests_that_define_the_same_class_keep_to_themselves() {
    let fixture = "
//- test/a_test.rb
class Dummy
  def go; end
end
Dummy.new.go
//- test/b_test.rb
class Dummy
  def go; end
end
Dummy.new.go
//- test/c_test.rb
Dummy.new.go
";
    check(fixture, "test/a_test.rb::Dummy.go", &["a_test.rb:4"]);
    check(fixture, "test/b_test.rb::Dummy.go", &["b_test.rb:4"]);
}

#[test]
fn extended_modules_and_concerns_give_class_methods() {
    let fixture = "
//- lib/a.rb
module Tools
  extend self
  def one = two
  def two; end
end
module Concern
  module ClassMethods
    def handed; end
  end
  def kept; end
end
class User
  extend Tools
  include Concern
  one
  handed
  kept
  def self.go = two
  def use = two
end
Tools.two
";
    check(fixture, "lib/a.rb::Tools.two", &["a.rb:21", "go:18", "one:3"]);
    check(fixture, "lib/a.rb::Tools.one", &["User:15"]);
    check(fixture, "lib/a.rb::Concern.ClassMethods.handed", &["User:16"]);
    check(fixture, "lib/a.rb::Concern.kept", &[]);
}
