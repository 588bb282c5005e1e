//! Lua over several files: who calls what.

use super::tests::check;

const SHOP: &str = r#"
//- src/shop/util.lua
local M = {}
function M.log(text) end
function M.hidden() M.log(1) end
local function log() end
return M
//- src/shop/cart.lua
local util = require "shop.util"
local Base = require("shop.base")
local Cart = setmetatable({}, { __index = Base })
Cart.__index = Cart
function Cart.new(list)
  local self = setmetatable({}, Cart)
  self.owner = Base.create()
  return self
end
function Cart:add(item)
  self:check(item)
  util.log(item)
  self.owner:greet()
  item:greet()
  return self
end
function Cart:check() end
return Cart
//- src/shop/base.lua
local Base = {}
Base.__index = Base
function Base:greet() end
function Base.create() return setmetatable({}, Base) end
return Base
//- src/main.lua
local Cart = require("shop.cart")
local cart = Cart.new()
local function run()
  cart:add(1):check()
  cart:greet()
  other:add()
  require("shop.util").log()
  helper()
  twice()
end
//- src/globals.lua
function helper() end
function twice() end
//- src/more.lua
function twice() end
"#;

#[test]
fn what_require_gives_is_what_the_file_returns() {
    check(SHOP, "src/shop/util.lua::M.log", &["add:12", "hidden:3", "run:7"]);
    check(SHOP, "src/shop/util.lua::log", &[]);
    check(SHOP, "src/shop/cart.lua::Cart.new", &["cart:2"]);
}

#[test]
fn objects_have_the_methods_of_their_class_and_its_bases() {
    check(SHOP, "src/shop/cart.lua::Cart.check", &["add:11", "run:4"]);
    check(SHOP, "src/shop/cart.lua::Cart.add", &["run:4"]);
    check(SHOP, "src/shop/base.lua::Base.greet", &["add:13", "run:5"]);
}

#[test]
fn a_global_is_bound_where_only_one_file_defines_it() {
    check(SHOP, "src/globals.lua::helper", &["run:8 ~"]);
    check(SHOP, "src/globals.lua::twice", &[]);
}
