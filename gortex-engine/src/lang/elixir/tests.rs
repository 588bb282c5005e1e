//! What is read from Elixir source.

use crate::facts::testing::{check_facts, shown};
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;

#[test]
fn modules_functions_and_their_clauses() {
    check_facts(
        "elixir",
        "
defmodule Shop.Cart do
#         ^ def module Shop.Cart
  use GenServer
  #   ^ call GenServer.__using__
  #   ^ import GenServer||
  alias Shop.{Item, User}
  #           ^ import Shop.Item||Item
  #                 ^ import Shop.User||User
  alias Shop.Mail.Sender, as: Mail
  #     ^ import Shop.Mail.Sender||Mail
  import Ecto.Query
  #      ^ import Ecto.Query||
  @behaviour Shop.Store
  #          ^ implements Shop.Cart Shop.Store
  @limit 5
  #^ def constant Shop.Cart.@limit
  defstruct [:items, size: 0]
  #          ^ def field Shop.Cart.items
  #                  ^ def field Shop.Cart.size
  @type t :: %__MODULE__{}
  #     ^ def type_alias Shop.Cart.t
  @spec get(t, integer) :: Item.t()
  def get(cart, 0), do: first(cart)
  #   ^ def function Shop.Cart.get
  #                     ^ call first
  def get(cart, n) when is_integer(n) do
  #                     ^ call is_integer
    other(cart, @limit)
#   ^ call other
  end
  def get(cart), do: get(cart, 1)
  #   ^ def function Shop.Cart.get
  #                  ^ call get
  defp first(%{items: [item | _]}), do: item
  #    ^ def function Shop.Cart.first
  defmacro check(x), do: x
  #        ^ def macro Shop.Cart.check
  defdelegate send(mail), to: Mail, as: :deliver
  #           ^ def function Shop.Cart.send
  #                           ^ call Mail.deliver
  defmodule Inner do
  #         ^ def module Shop.Cart.Inner
    def run, do: __MODULE__.stop()
    #   ^ def function Shop.Cart.Inner.run
    #                       ^ call __MODULE__.stop
  end
end
",
    );
}

#[test]
fn pipes_captures_and_locals() {
    check_facts(
        "elixir",
        "
defmodule A do
#         ^ def module A
  def run(list, %User{} = user) do
  #   ^ def function A.run
    list |> Enum.map(&load/1) |> save(user)
    #            ^ call Enum.map
    #                            ^ call save
    list |> save
    #       ^ call save
    Enum.each(list, &Item.drop(&1, 2))
    #    ^ call Enum.each
    #                     ^ call Item.drop
    user.name
    made = %Item{name: user}
    #       ^ instantiate Item
    made.price
    fun = fn x -> x.go() end
    #               ^ call %x.go
    fun.(1)
    case load(list) do
#   ^ call case
    #    ^ call load
      {:ok, value} -> value
      other -> :ets.insert(other)
      #             ^ call <atom>.insert
    end
    with {:ok, a} <- load(1), do: use_it(a)
#   ^ call with
    #                ^ call load
    #                             ^ call use_it
  end
end
",
    );
}

#[test]
fn protocols_and_behaviours() {
    check_facts(
        "elixir",
        "
defprotocol Size do
#           ^ def interface Size
  def size(data)
  #   ^ def method Size.size
end
defimpl Size, for: Shop.Cart do
#       ^ def module Size.Shop.Cart
#       ^ implements Size.Shop.Cart Size
  def size(cart), do: cart.size
  #   ^ def function Size.Shop.Cart.size
end
defmodule Store do
#         ^ def module Store
  @callback put(key :: term, value :: term) :: :ok
  #         ^ def method Store.put
end
",
    );
}

#[test]
fn tests_of_exunit() {
    check_facts(
        "elixir",
        "
defmodule CartTest do
#         ^ def module CartTest
  use ExUnit.Case
  #   ^ call ExUnit.Case.__using__
  #   ^ import ExUnit.Case||
  describe \"cart\" do
  #        ^ def function CartTest.cart
    test \"adds\", %{cart: cart} do
    #    ^ def function CartTest.cart.adds
      assert Cart.add(cart)
#     ^ call assert
      #           ^ call Cart.add
    end
  end
end
",
    );
}

#[test]
fn docs_and_signatures() {
    let source = "defmodule A do\n  @moduledoc \"Of A\"\n  @doc \"\"\"\n  Of f\n  \"\"\"\n  @impl true\n  def f(x) when x > 1 do\n    x\n  end\n  def g, do: 1\nend\n";
    let facts = extract(Lang::named("elixir").expect("elixir").compiled(), source.as_bytes(), ExtractLimits::default());
    let view = facts.view();
    let docs: Vec<(&str, &str)> = view.defs.iter().map(|def| (view.str(def.name), view.str(def.doc))).collect();
    assert_eq!(docs, [("A", "Of A"), ("f", "Of f"), ("g", "")]);
    assert!(view.defs[1].has(crate::facts::model::flag::OVERRIDE));
    assert!(!view.defs[2].has(crate::facts::model::flag::OVERRIDE));
}

#[test]
fn broken_and_deep_source_is_survived() {
    crate::lang::common::with_stack(|| {
        let elixir = Lang::named("elixir").expect("elixir").compiled();
        for source in ["defmodule do\n", "def f(", "alias A.{", "@spec", "@", "&/1", "%{", "test \"x\" do"] {
            extract(elixir, source.as_bytes(), ExtractLimits::default());
        }
        let deep = format!("x = {}1{}", "f(".repeat(20_000), ")".repeat(20_000));
        assert!(!shown(&extract(elixir, deep.as_bytes(), ExtractLimits::default()).view()).is_empty());
        let deep = format!("{}a{} = 1", "{".repeat(20_000), "}".repeat(20_000));
        extract(elixir, deep.as_bytes(), ExtractLimits::default());
    });
}
