//! What is read from Haskell source.

use crate::facts::testing::{check_facts, shown};
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;

#[test]
fn functions_are_one_definition_of_several_equations() {
    check_facts(
        "haskell",
        "
module Data.Cart (add, Cart (..), size) where
import qualified Data.Map as M
--               ^ import Data.Map||M
import Data.List (sort, Tree (..))
--     ^ import Data.List||Data.List
--                ^ import Data.List|sort|sort
--                      ^ import Data.List|Tree|Tree
--                      ^ import Data.List|Tree|
import Data.Char hiding (ord)
--     ^ import Data.Char||Data.Char
--     ^ import Data.Char|ord|
add :: Int -> Cart -> IO Cart
-- <- def function add
add 0 cart = return cart
--           ^ call return
add n cart = do
  found <- M.lookup n (items cart)
  --         ^ call M.lookup
  --                   ^ call items
  let next = helper found
  --  ^ def function add.next
  --         ^ call helper
  run
  -- <- call run
  mapM_ print $ sort xs
  -- <- call mapM_
  --            ^ call sort
  case next of
    Just one -> go one
    --          ^ call go
    Nothing | n > 1 -> other n
    --                 ^ call other
  where
    go x = add x cart
    -- <- def function add.go
    --     ^ call add
    helper = id
    -- <- def function add.helper
left <+> right = left `plus` right
--   ^ def function <+>
--                     ^ call plus
use = 1 <+> 2
-- <- def function use
--      ^ call <+>
limit = 3
-- <- def constant limit
",
    );
}

#[test]
fn types_and_their_parts() {
    check_facts(
        "haskell",
        "
data Cart a = Cart { items :: [Item], owner :: !User } | Empty deriving (Show, Eq)
--   ^ def enum Cart
--            ^ def enum_member Cart.Cart
--                   ^ def field Cart.items
--                                    ^ def field Cart.owner
--                                                       ^ def enum_member Cart.Empty
--                                                                       ^ implements Cart Show
--                                                                             ^ implements Cart Eq
newtype Name = Name { text :: String }
--      ^ def struct Name
--             ^ def enum_member Name.Name
--                    ^ def field Name.text
type Names = [Name]
--   ^ def type_alias Names
class Monad m => Store m where
--    ^ extends Store Monad
--               ^ def trait Store
  get :: Int -> m a
  -- <- def method Store.get
  put, drop :: a -> m ()
  -- <- def method Store.put
  --   ^ def method Store.drop
  put = undefined
instance Store IO where
--       ^ implements IO Store
  get x = load x
  -- <- def method IO.get
  --      ^ call load
  get y = load y
  --      ^ call load
make n = Cart { items = n, owner = U.anyone }
-- <- def function make
--       ^ instantiate Cart
--              ^ write items
--                         ^ write owner
width (Cart list _) = len list
-- <- def function width
--                    ^ call len
",
    );
}

#[test]
fn docs_and_results() {
    let source = "module A where\nimport B\n\n-- | Doc of f\nf :: Int -> Text\nf = g\n\n-- | Doc of T\ndata T = T\n";
    let facts = extract(Lang::named("haskell").expect("haskell").compiled(), source.as_bytes(), ExtractLimits::default());
    let view = facts.view();
    let rows: Vec<(&str, &str, &str)> =
        view.defs.iter().map(|def| (view.str(def.name), view.str(def.doc), view.str(def.ty))).collect();
    assert_eq!(rows, [("f", "Doc of f", "Text"), ("T", "Doc of T", ""), ("T", "", "")]);
}

#[test]
fn broken_and_deep_source_is_survived() {
    crate::lang::common::with_stack(|| {
        let haskell = Lang::named("haskell").expect("haskell").compiled();
        for source in ["module where", "f ::", "data = ", "class where", "instance", "import", "x = case", "a <+> = 1"] {
            extract(haskell, source.as_bytes(), ExtractLimits::default());
        }
        let deep = format!("x = {}1{}\n", "(f ".repeat(3_000), ")".repeat(3_000));
        assert!(!shown(&extract(haskell, deep.as_bytes(), ExtractLimits::default()).view()).is_empty());
    });
}
