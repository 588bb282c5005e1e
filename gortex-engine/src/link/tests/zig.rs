//! Zig over several files.

use super::check;

const ZIG: &str = "
//- build.zig
pub fn build(b: *Build) void {
    _ = b.addModule(\"kit\", .{ .root_source_file = b.path(\"src/kit.zig\") });
}
//- src/kit.zig
pub const Queue = @import(\"Queue.zig\");
pub const tools = struct {
    pub fn help() void {}
};
//- src/Queue.zig
const Queue = @This();
items: []Item,
pub const Item = struct {
    size: u32 = 0,
    pub fn touch(self: *Item) void { self.size += 1; }
};
pub fn init() Queue {
    return .{ .items = undefined };
}
pub fn push(self: *Queue, item: Item) !void {
    self.grow();
    for (self.items) |*one| one.touch();
    _ = item;
}
fn grow(self: *Queue) void { _ = self; }
//- src/main.zig
const std = @import(\"std\");
const Queue = @import(\"Queue.zig\");
const kit = @import(\"kit\");
const help = kit.tools.help;
fn Box(comptime T: type) type {
    return struct {
        const Self = @This();
        held: T,
        fn init(held: T) Self { return Self{ .held = held }; }
        fn get(self: Self) T { return self.held; }
    };
}
pub fn main() !void {
    var queue = Queue.init();
    try queue.push(undefined);
    var other: kit.Queue = undefined;
    other.push(undefined) catch {};
    help();
    const box = Box(u8).init(1);
    _ = box.get();
    std.push(1);
    unknown.push(2);
}
test \"push\" { push(); }
";

#[test]
fn files_are_structs_and_modules_have_names() {
    check(ZIG, "src/Queue.zig::push", &["main:15", "main:17"]);
    check(ZIG, "src/Queue.zig::init", &["main:14"]);
    check(ZIG, "src/Queue.zig::grow", &["push:11"]);
    check(ZIG, "src/Queue.zig::Item.touch", &["push:12"]);
}

#[test]
fn constants_name_functions_and_functions_make_types() {
    check(ZIG, "src/kit.zig::tools.help", &["main:18 ~"]);
    check(ZIG, "src/main.zig::Box.$1.get", &["main:20"]);
    check(ZIG, "src/main.zig::Box.$1.init", &["main:19"]);
}
