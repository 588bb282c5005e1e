//! What is read from Ruby source.

use crate::facts::model::{Kind, Visibility, flag};
use crate::facts::testing::{check_facts, shown};
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;

#[test]
fn classes_modules_and_their_members() {
    check_facts(
        "ruby",
        "
module Shop
#      ^ def module Shop
  class Cart < Base::List
  #     ^ def class Shop.Cart
  #                  ^ extends Shop.Cart Base::List
    include Enumerable
    #       ^ implements Shop.Cart Enumerable
    LIMIT = 10
#   ^ def constant Shop.Cart.LIMIT
    attr_reader :items
    #            ^ def property Shop.Cart.items
    def initialize(items)
    #   ^ def constructor Shop.Cart.initialize
      @items = items
#     ^ def field Shop.Cart.@items
    end
    def self.build(list) = new(list)
    #        ^ def method Shop.Cart.build
    #                      ^ call new
    def add(item)
    #   ^ def method Shop.Cart.add
      @items << item
      @items = nil
#     ^ write self.@items
    end
    alias push add
    #     ^ def method Shop.Cart.push
  end
end
Pair = Struct.new(:left, :right)
#<- def struct Pair
#                  ^ def property Pair.left
#                         ^ def property Pair.right
",
    );
}

#[test]
fn calls_with_receivers() {
    check_facts(
        "ruby",
        "
def run(box)
#   ^ def function run
  size
# ^ call size
  size = 1
  use(size)
# ^ call use
  box.open(size).close
  #   ^ call %box.open
  #              ^ call %box.open().close
  Shop::Cart.new(1).add(2)
  #     ^ instantiate Shop.Cart
  #                 ^ call new Shop::Cart.add
  box.each { |one| one.go }
  #   ^ call %box.each
  #                    ^ call %one.go
  box.map(&:name)
  #   ^ call %box.map
  #        ^ call ?.name
  box.label = 1
  #   ^ write %box.label
  send(:hidden)
# ^ call send
  #    ^ call self.hidden
end
",
    );
}

#[test]
fn what_is_required() {
    check_facts(
        "ruby",
        "
require 'json'
#       ^ import json||
require_relative 'lib/a'
#                ^ import ./lib/a||
autoload :Cart, 'shop/cart'
#               ^ import shop/cart||
require File.expand_path('../b', __FILE__)
#       ^ import ./b||
require name
#<- call require
#       ^ call name
",
    );
}

#[test]
fn tests_of_both_runners() {
    check_facts(
        "ruby",
        "
describe 'cart' do
#        ^ def function cart
  let(:cart) { Cart.new }
  #   ^ def function cart.cart
  #            ^ instantiate Cart
  it 'adds' do
  #  ^ def function cart.adds
    cart.add
#   ^ call cart
    #    ^ call %cart.add
  end
end
class CartTest < Minitest::Test
#     ^ def class CartTest
#                          ^ extends CartTest Minitest::Test
  def test_add
  #   ^ def method CartTest.test_add
  end
  def helper
  #   ^ def method CartTest.helper
  end
end
",
    );
}

#[track_caller]
fn marks(source: &str, name: &str) -> (Kind, Visibility, u16) {
    let facts = extract(Lang::named("ruby").expect("ruby").compiled(), source.as_bytes(), ExtractLimits::default());
    let view = facts.view();
    let def = view.defs.iter().find(|def| view.str(def.name) == name).expect("a definition");
    (def.kind(), def.visibility(), def.flags)
}

#[test]
fn visibility_and_class_methods() {
    let source = "
class A
  def a; end
  private
  def b; end
  def self.c; end
  attr_reader :d
  public
  def e; end
  private :e
  private def f; end
  class << self
    def g; end
  end
end
module M
  module_function
  def h; end
end
";
    assert_eq!(marks(source, "a").1, Visibility::Public);
    assert_eq!(marks(source, "b").1, Visibility::Private);
    assert_eq!(marks(source, "c").1, Visibility::Public);
    assert_eq!(marks(source, "d").1, Visibility::Private);
    assert_eq!(marks(source, "e").1, Visibility::Private);
    assert_eq!(marks(source, "f").1, Visibility::Private);
    assert_ne!(marks(source, "c").2 & flag::STATIC, 0);
    assert_ne!(marks(source, "g").2 & flag::STATIC, 0);
    assert_ne!(marks(source, "h").2 & flag::STATIC, 0);
    assert_eq!(marks(source, "a").2 & flag::STATIC, 0);
}

#[test]
fn test_marks() {
    let source = "class T < Minitest::Test\n def test_a; end\n def b; end\nend\nclass U\n def test_c; end\nend\n";
    assert_ne!(marks(source, "test_a").2 & flag::TEST, 0);
    assert_eq!(marks(source, "b").2 & flag::TEST, 0);
    assert_eq!(marks(source, "test_c").2 & flag::TEST, 0);
}

#[test]
fn broken_and_deep_source_is_survived() {
    crate::lang::common::with_stack(|| {
        for source in ["class A\n def b(\n", "x = (((", "module ::\nend", "def self.\nend", "alias\n", "include\n"] {
            extract(Lang::named("ruby").expect("ruby").compiled(), source.as_bytes(), ExtractLimits::default());
        }
        let deep = format!("{}1{}", "f(".repeat(20_000), ")".repeat(20_000));
        let facts = extract(Lang::named("ruby").expect("ruby").compiled(), deep.as_bytes(), ExtractLimits::default());
        assert!(!shown(&facts.view()).is_empty());
    });
}
