//! What Zig extraction is held to: the whole set of definitions and calls, and the rows named beside them.

use crate::facts::testing::check_facts;
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;
use crate::lang::common::with_stack;

#[test]
fn declarations_and_what_they_hold() {
    check_facts(
        "zig",
        r#"
const std = @import("std");
//    ^ import std||std
const Foo = @import("foo.zig").Foo;
//                             ^ import foo.zig|Foo|Foo
pub const bar = @import("bar.zig");
//        ^ import bar.zig||bar
pub const Point = struct {
//        ^ def struct Point
    x: i32 = start(),
//  ^ def field Point.x
//           ^ call start
    y: ?*Foo,
//  ^ def field Point.y
    const Self = @This();
//        ^ def constant Point.Self
    pub fn init(a: Allocator) !Self {
//         ^ def method Point.init
        return Self{ .x = 1 };
//             ^ instantiate Self
//                    ^ write Self:.x
    }
    pub fn run(self: *Self, n: u8) void {
//         ^ def method Point.run
        self.x += 1;
//           ^ write %self.x
        self.y.?.go();
//               ^ call %self.y.go
    }
};
pub const Error = error{ OutOfMemory, Bad };
//        ^ def enum Error
//                       ^ def enum_member Error.OutOfMemory
//                                    ^ def enum_member Error.Bad
const E = enum(u8) { a, b = 2, fn f(e: E) void {} };
//    ^ def enum E
//                   ^ def enum_member E.a
//                      ^ def enum_member E.b
//                                ^ def method E.f
const U = union(enum) { a: i32, b: Point };
//    ^ def union U
//                      ^ def field U.a
//                              ^ def field U.b
var global: u32 = 0;
//  ^ def variable global
fn Gen(comptime T: type) type {
// ^ def function Gen
    return struct { val: T, fn get(self: @This()) T { return self.val; } };
//         ^ def class Gen.$1
//                  ^ def field Gen.$1.val
//                             ^ def method Gen.$1.get
}
test "adds" { try check(1); }
//   ^ def function adds
//                ^ call check
extern fn puts(s: [*:0]const u8) c_int;
//        ^ def function puts
"#,
    );
}

#[test]
fn expressions_and_what_stands_before_names() {
    check_facts(
        "zig",
        r#"
fn f(foo: *Foo, xs: []Item, opt: ?Foo) !void {
// ^ def function f
//         ^ parameter_type Foo
//                    ^ parameter_type Item
//                                ^ parameter_type Foo
    var p = try Point.init(a);
//                    ^ call Point.init
    defer p.deinit();
//          ^ call %p.deinit
    for (xs, 0..) |item, i| { item.use(i); }
//                                 ^ call %item.use
    if (opt) |o| { o.go(); }
//                   ^ call %o.go
    foo.run() catch |e| return e.log();
//      ^ call %foo.run
//                               ^ call %e.log
    switch (p) { .a => |v| v.k(), else => {} }
//                           ^ call %v.k
    const s: Point = .{ .x = 2 };
//                       ^ write Point:.x
    s.go();
//    ^ call %s.go
    p.* = s;
    bar.func(1)(2);
//      ^ call bar.func
    @panic(msg());
//         ^ call msg
    std.debug.print("x", .{s.x});
//            ^ call std.debug.print
    const g = Gen(u8).init();
//            ^ call Gen
//                    ^ call Gen().init
    g.get();
//    ^ call %g.get
}
"#,
    );
}

#[test]
fn deep_nesting_and_broken_source_are_survived() {
    with_stack(|| {
        let lang = Lang::named("zig").expect("a language of the table").compiled();
        let deep = format!("fn f() void {{ {}1{}", "g(".repeat(4_000), ")".repeat(4_000));
        for text in
            [deep.as_str(), "const A = struct { fn f( void { var x = ; } pub fn g() void { h(); }\n", "", "\u{feff}", "\"größe"]
        {
            let _ = extract(lang, text.as_bytes(), ExtractLimits::default()).view();
        }
        let _ = extract(lang, b"\xff\xfe class", ExtractLimits::default()).view();
    });
}
