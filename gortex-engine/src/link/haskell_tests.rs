//! Haskell over several files: who calls what.

use super::tests::{check, leaves, linked, node};
use crate::graph::EdgeKind;

const SHOP: &str = "
//- src/Shop/Cart.hs
module Shop.Cart (add, Cart (..), module Shop.Item, Store (..)) where
import Shop.Item
import qualified Shop.Util as U
import Shop.Other hiding (size)
add :: Item -> Cart -> Cart
add item cart = U.log (hidden item) (price item) (size cart)
hidden x = other x
data Cart = Cart { items :: Int, size :: Int } | Empty
class Store m where
  put :: Int -> m ()
instance Store Cart where
  put n = store n
store n = n
//- src/Shop/Item.hs
module Shop.Item where
data Item = Item Int
price (Item n) = n
//- src/Shop/Util.hs
module Shop.Util (log) where
log a b c = secret a
secret a = a
//- src/Shop/Other.hs
module Shop.Other where
size x = x
other x = local x where local y = y
//- app/Main.hs
module Main where
import Shop.Cart (add, Cart (..), price)
import Shop.Util
main = do
  put 1
  add (Item 1) Empty
  print $ price 2
  secret 1
  run
  where run = hidden 1
";

#[test]
fn names_come_from_imports_and_re_exports() {
    check(SHOP, "src/Shop/Cart.hs::add", &["main:6"]);
    check(SHOP, "src/Shop/Item.hs::price", &["add:6", "main:7"]);
    check(SHOP, "src/Shop/Util.hs::log", &["add:6"]);
    check(SHOP, "src/Shop/Other.hs::other", &["hidden:7"]);
}

#[test]
fn what_is_not_exported_or_hidden_is_not_meant() {
    check(SHOP, "src/Shop/Util.hs::secret", &["log:2"]);
    check(SHOP, "src/Shop/Cart.hs::hidden", &["add:6"]);
    check(SHOP, "src/Shop/Other.hs::size", &[]);
}

#[test]
fn constructors_and_instances() {
    check(SHOP, "src/Shop/Cart.hs::Cart.Empty", &["main:6"]);
    let graph = linked(SHOP);
    node(&graph, "src/Shop/Cart.hs::Cart.put");
    assert_eq!(leaves(&graph, "src/Shop/Cart.hs::Cart.put", EdgeKind::Overrides), ["src/Shop/Cart.hs::Store.put"]);
    check(SHOP, "src/Shop/Cart.hs::store", &["put:12"]);
    check(SHOP, "src/Shop/Cart.hs::Store.put", &[]);
}
