//! What is read from Lua source.

use crate::facts::testing::{check_facts, shown};
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;

#[test]
fn modules_and_their_members() {
    check_facts(
        "lua",
        "
local util = require \"a.util\"
--                   ^ import a.util||util
local M = { VERSION = 1, run = function() util.log() end }
--    ^ def variable M
--          ^ def property M.VERSION
--                       ^ def function M.run
--                                             ^ call util.log
M.limit = 3
--^ def property M.limit
M.LIMIT = 3
--^ def constant M.LIMIT
function M.open(a, ...) return M.limit end
--         ^ def function M.open
M.close = function(b) b.flush() end
--^ def function M.close
--                      ^ call %b.flush
local function hidden() M.open(1) end
--             ^ def function hidden
--                        ^ call M.open
function global() hidden() end
--       ^ def function global
--                ^ call hidden
setting = 5
--<- def variable setting
local first, second = M.open(2), 3
--    ^ def variable first
--           ^ def variable second
--                      ^ call M.open
function other.thing() end
--             ^ def function other.thing
return M
",
    );
}

#[test]
fn classes_and_objects() {
    check_facts(
        "lua",
        "
local Base = require(\"base\")
--                   ^ import base||Base
local Cart = Base:extend()
--    ^ def class Cart
--           ^ extends Cart Base
--                ^ call Base.extend
Cart.__index = Cart
--   ^ write Cart.__index
function Cart.new(list)
--            ^ def method Cart.new
  local self = setmetatable({}, Cart)
  --           ^ call setmetatable
  self.list = list
  --   ^ def field Cart.list
  return self
end
function Cart:add(item)
--            ^ def method Cart.add
  self:check(item)
  --   ^ call %self.check
  self.list.size = 1
  --        ^ write %self.list.size
  self.list = nil
  --   ^ write %self.list
  local one = Cart.new()
  --               ^ call Cart.new
  one:add(item)
  --  ^ call %one.add
end
local Small = class(\"Small\", Cart)
--    ^ def class Small
--            ^ call class
--                           ^ extends Small Cart
function Small:initialize() Cart.initialize(self) end
--             ^ def constructor Small.initialize
--                               ^ call Cart.initialize
local Plain = setmetatable({}, { __index = Cart })
--    ^ def class Plain
--            ^ call setmetatable
--                                         ^ extends Plain Cart
",
    );
}

#[test]
fn names_that_are_local() {
    check_facts(
        "lua",
        "
local function f(cb, list)
--             ^ def function f
  cb()
--^ call cb
  for _, item in ipairs(list) do item.go(function(x) x() end) end
  --             ^ call ipairs
  --                                  ^ call %item.go
  --                                                 ^ call x
  for i = 1, 2 do print(i) end
  --              ^ call print
  local inner = function() return cb end
  --    ^ def function f.inner
  inner()
--^ call inner
  require(\"late\").run()
  --      ^ import late||require late
  --              ^ call require late.run
  pcall(require, \"maybe\")
  --             ^ import maybe||
end
",
    );
}

#[test]
fn tests_and_suites() {
    check_facts(
        "lua",
        "
describe(\"cart\", function()
--       ^ def function cart
  local function helper() end
  --             ^ def function cart.helper
  it(\"adds\", function() helper() end)
  -- ^ def function cart.adds
  --                    ^ call helper
end)
it(1)
--<- call it
",
    );
}

#[test]
fn what_a_file_returns() {
    check_facts(
        "lua",
        "
local function a() end
--             ^ def function a
return { a = a, b = function() a() end, c = make() }
--              ^ def function b
--                             ^ call a
--                                      ^ def variable c
--                                          ^ call make
",
    );
}

#[test]
fn broken_and_deep_source_is_survived() {
    crate::lang::common::with_stack(|| {
        let lua = Lang::named("lua").expect("lua").compiled();
        for source in ["function M.\n", "local x = {{{", "return", "M. = 1", "function :f() end"] {
            extract(lua, source.as_bytes(), ExtractLimits::default());
        }
        let deep = format!("x = {}1{}", "f(".repeat(20_000), ")".repeat(20_000));
        assert!(!shown(&extract(lua, deep.as_bytes(), ExtractLimits::default()).view()).is_empty());
        let deep = format!("local t = {}1{}", "{ a = ".repeat(20_000), "}".repeat(20_000));
        assert!(!shown(&extract(lua, deep.as_bytes(), ExtractLimits::default()).view()).is_empty());
    });
}
