//! Elixir over several files: who calls what.

use super::tests::{check, leaves, linked};
use crate::graph::EdgeKind;

const SHOP: &str = r"
//- lib/shop/cart.ex
defmodule Shop.Cart do
  alias Shop.{Item, User}
  alias Shop.Mail.Sender, as: Mail
  import Shop.Helpers
  defstruct [:items, :owner]
  def new(user), do: %__MODULE__{owner: user}
  def add(cart, item), do: add(cart, item, 1)
  def add(cart, item, n) do
    item |> Item.price(n) |> check()
    helped(cart)
    Mail.send(cart)
    Unknown.send(cart)
    Inner.run()
    Enum.map([], &Item.drop/1)
    hidden(1)
  end
  defp check(x), do: x
  defp check(x, y), do: {x, y}
  defmodule Inner do
    def run, do: check(1)
  end
end
//- lib/shop/item.ex
defmodule Shop.Item do
  defstruct [:name]
  def price(item, n), do: item.name * n
  def price(item), do: price(item, 1)
  def drop(item), do: item
  @spec make() :: Shop.Item.t()
  def make, do: build()
end
//- lib/shop/helpers.ex
defmodule Shop.Helpers do
  def helped(cart, opts \\\\ []), do: {cart, opts}
  defp hidden(x), do: x
end
//- lib/shop/mail/sender.ex
defmodule Shop.Mail.Sender do
  @behaviour Shop.Deliverer
  def send(x), do: x
  def deliver(x), do: x
  def deliver(x, y), do: {x, y}
end
//- lib/shop/deliverer.ex
defmodule Shop.Deliverer do
  @callback deliver(term) :: :ok
end
//- lib/main.ex
defmodule Main do
  def run do
    cart = Shop.Cart.new(1)
    cart.owner
    item = Shop.Item.make()
    item.name
    Shop.Cart.check(1)
    Size.size(cart)
  end
end
//- lib/size.ex
defprotocol Size do
  def size(x)
end
defimpl Size, for: Shop.Cart do
  def size(cart), do: cart
end
";

#[test]
fn arity_decides_which_function_is_called() {
    check(SHOP, "lib/shop/item.ex::Shop.Item.price", &["add:9", "price:4"]);
    check(SHOP, "lib/shop/item.ex::Shop.Item.price~2", &[]);
    check(SHOP, "lib/shop/cart.ex::Shop.Cart.check", &["add:9"]);
    check(SHOP, "lib/shop/cart.ex::Shop.Cart.check~2", &[]);
    check(SHOP, "lib/shop/cart.ex::Shop.Cart.add~2", &["add:7"]);
}

#[test]
fn aliases_imports_and_nested_modules() {
    check(SHOP, "lib/shop/mail/sender.ex::Shop.Mail.Sender.send", &["add:11"]);
    check(SHOP, "lib/shop/helpers.ex::Shop.Helpers.helped", &["add:10"]);
    check(SHOP, "lib/shop/cart.ex::Shop.Cart.Inner.run", &["add:13"]);
    // What is private is not imported, and no module calls another's private function.
    check(SHOP, "lib/shop/helpers.ex::Shop.Helpers.hidden", &[]);
}

#[test]
fn structs_are_told_by_what_made_them() {
    let graph = linked(SHOP);
    let lines = |id: &str| -> Vec<u32> {
        graph
            .incoming(super::tests::node(&graph, id))
            .filter(|edge| edge.kind() == EdgeKind::Reads)
            .map(|edge| edge.line)
            .collect()
    };
    assert_eq!(lines("lib/shop/cart.ex::Shop.Cart.owner"), [4]);
    assert_eq!(lines("lib/shop/item.ex::Shop.Item.name"), [6]);
    check(SHOP, "lib/shop/cart.ex::Shop.Cart", &["new:6"]);
}

#[test]
fn behaviours_and_protocols_are_implemented() {
    let graph = linked(SHOP);
    let over = |id: &str| leaves(&graph, id, EdgeKind::Overrides);
    assert_eq!(over("lib/shop/mail/sender.ex::Shop.Mail.Sender.deliver"), ["lib/shop/deliverer.ex::Shop.Deliverer.deliver"]);
    assert!(over("lib/shop/mail/sender.ex::Shop.Mail.Sender.deliver~2").is_empty());
    assert_eq!(over("lib/size.ex::Size.Shop.Cart.size"), ["lib/size.ex::Size.size"]);
    check(SHOP, "lib/size.ex::Size.size", &["run:8"]);
}
