//! Expectations of C and C++.

use super::prepare::prepare;
use crate::facts::model::{DefRow, Kind, NONE, flag, import_flag};
use crate::facts::pack::{Facts, FactsView};
use crate::facts::testing::{check_facts, qualified, show_expr, shown};
use crate::facts::{ExtractLimits, Visibility, extract};
use crate::lang::Lang;

#[track_caller]
fn c(source: &str) {
    check_facts("c", source);
}

#[track_caller]
fn cpp(source: &str) {
    check_facts("cpp", source);
}

fn facts(language: &str, source: &str) -> Facts {
    extract(Lang::named(language).expect("known").compiled(), source.as_bytes(), ExtractLimits::default())
}

fn defs(view: &FactsView<'_>) -> Vec<String> {
    let line = |index: usize| {
        let row = view.defs[index];
        format!("{} {} {}", row.start_line, row.kind().as_str(), qualified(view, index as u32))
    };
    (0..view.defs.len()).map(line).collect()
}

#[track_caller]
fn def<'a>(view: &FactsView<'a>, name: &str) -> &'a DefRow {
    view.defs.iter().find(|row| view.str(row.name) == name).unwrap_or_else(|| panic!("no {name} in {:#?}", shown(view)))
}

// A macro used as return type or attribute was taken for the function, and the real one had no entry.
#[test]
fn a_c_function_keeps_its_name_when_a_macro_stands_before_it() {
    let source = "#define LIST_OF(T) T *\n#define UNUSED __attribute__((unused))\n\nLIST_OF(char) *first_mail(int id)\n{\n    return 0;\n}\n\nUNUSED static int helper(void)\n{\n    return first_mail(1) != 0;\n}\n\nint last_one(void)\n{\n    return helper();\n}\n";
    for source in [source.to_owned(), source.replace('\n', "\r\n")] {
        let facts = facts("c", &source);
        let view = facts.view();
        let expected =
            ["1 macro LIST_OF", "2 macro UNUSED", "4 function first_mail", "9 function helper", "14 function last_one"];
        assert_eq!(defs(&view), expected);
        let calls: Vec<_> = shown(&view).into_iter().filter(|row| row.contains(" call ")).collect();
        assert!(
            calls.contains(&"11:11 call first_mail".to_owned()) && calls.contains(&"16:11 call helper".to_owned()),
            "{calls:?}"
        );
        assert_eq!(view.header.parse_errors, 0);
        let helper = def(&view, "helper");
        assert!(source[helper.start as usize..].starts_with("UNUSED static"));
        assert_eq!(helper.visibility(), Visibility::Private);
    }
}

// One brace opened under `#ifdef` and closed under another made the rest of the file one error.
#[test]
fn half_a_brace_in_a_branch_does_not_swallow_the_file() {
    let source = "static int drain(int left) {\n#ifdef POLL_MODE\n  for (; left > 0; left--) {\n#endif\n    step();\n#ifdef POLL_MODE\n  }\n#endif\n  return left;\n}\n\nvoid step(void) {\n}\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\nint open_port(int n) {\n  if (n) {\n    step();\n  }\n  return n;\n}\n\n#ifdef __cplusplus\n}\n#endif\n";
    let facts = facts("c", source);
    let view = facts.view();
    assert_eq!(defs(&view), ["1 function drain", "12 function step", "19 function open_port"]);
    let calls: Vec<_> = view.refs.iter().filter(|row| view.str(row.name) == "step").map(|row| row.owner).collect();
    assert_eq!(calls, [0, 2]);
    assert_eq!(view.defs.iter().map(|row| row.end_line).collect::<Vec<_>>(), [10, 13, 24]);
}

#[test]
fn branches_in_the_middle_of_things() {
    let source = "int f(int a) {\n  return a\n#ifdef X\n    + g()\n#endif\n    ;\n}\nint t[] = {\n  A,\n#if X\n  B,\n#else\n  C,\n#endif\n  D };\nint h(void) {\n#if X\n  if (k()) {\n#else\n  if (l()) {\n#endif\n    m();\n  }\n  return 0;\n}\nint last(void) { return 0; }\n";
    let facts = facts("c", source);
    let view = facts.view();
    assert_eq!(defs(&view), ["1 function f", "8 variable t", "16 function h", "26 function last"]);
    assert_eq!(view.header.parse_errors, 0, "{:#?}", shown(&view));
    let names: Vec<_> = view.refs.iter().map(|row| view.str(row.name)).collect();
    assert_eq!(names, ["g", "A", "B", "C", "D", "k", "m"]);
}

#[test]
fn attributes_in_small_letters_and_namespace_macros() {
    let source = "mi_decl_export mi_decl_restrict void* mi_malloc(size_t size) mi_attr_noexcept;\nmi_inline page_t* first(heap_t* h) { return get(h); }\nstruct s* api_mark make(void);\n";
    let facts = facts("c", source);
    let view = facts.view();
    assert_eq!(defs(&view), ["1 function mi_malloc", "2 function first", "3 function make"]);
    assert_eq!((view.header.parse_errors, view.str(def(&view, "first").ty)), (0, "page_t *"));
    let source = "namespace std VISIBILITY(default)\n{\nBEGIN_VERSION\ntemplate <class T>\nCONSTEXPR20 inline int f(T a) NOEXCEPT_IF(g(a)) { return a; }\nEND_VERSION\n}\n";
    let facts = self::facts("cpp", source);
    let view = facts.view();
    assert_eq!(defs(&view), ["1 module std", "4 function std.f"]);
    assert_eq!(view.header.parse_errors, 0);
}

#[test]
fn c_does_not_read_what_only_cpp_is_shown() {
    let source = "int f(void);\n#ifdef __cplusplus\ntemplate<class T> struct A : B<T> { ~A() {} };\n#else\nint g(void);\n#endif\nint h(void);\n";
    let facts = facts("c", source);
    assert_eq!(defs(&facts.view()), ["1 function f", "5 function g", "7 function h"]);
    assert_eq!(facts.view().header.parse_errors, 0);
    let cpp = self::facts("cpp", source);
    assert!(defs(&cpp.view()).contains(&"3 struct A".to_owned()));
}

#[test]
fn pointers_to_functions_keep_their_type() {
    let facts =
        facts("c", "struct s { void (*cb)(int, char *); };\ntypedef int (*fn_t)(int);\nint *(*p)(void);\nchar **q(void);\n");
    let view = facts.view();
    let types = ["cb", "fn_t", "p", "q"].map(|name| view.str(def(&view, name).ty));
    assert_eq!(types, ["void (*)(int, char *)", "int (*)(int)", "int (*)(void)", "char **"]);
}

#[test]
fn what_parses_is_left_alone_and_lengths_stay() {
    let odd = "class API Widget : public Base {\n  Q_OBJECT\npublic slots:\n  void m();\nsignals:\n  void s();\n};\nAPI(1) void f(void) NOTHROW;\nstatic int __init g(void) { return 'x'; }\nHANDLE h(int);\nint A, B;\nvoid FOO::bar() {}\n/* API static int x(void) */\n";
    let out = prepare(odd.as_bytes()).expect("something to blank");
    let out = String::from_utf8(out).expect("text");
    assert_eq!(out.len(), odd.len());
    let expected = "class     Widget : public Base {\n          \npublic      :\n  void m();\n        \n  void s();\n};\n       void f(void)        ;\nstatic int        g(void) { return 'x'; }\nHANDLE h(int);\nint A, B;\nvoid FOO::bar() {}\n/* API static int x(void) */\n";
    assert_eq!(out, expected);
    for text in ["", "#if", "#if A\n{", "(((", "\"", "'", "/*", "#endif\n#else\n", "R\"(", "{{{", "a(", "X Y(", "\\"] {
        prepare(text.as_bytes());
        facts("c", text);
        facts("cpp", text);
    }
}

#[test]
fn c_functions_types_and_members() {
    c(r#"
typedef struct { int a; struct node *next; void (*cb)(int); } Name;
//                             ^^^^ field node
//                   ^ def field Name.a
//                                   ^^^^ def field Name.next
//                                                ^^ def field Name.cb
//                                                            ^^^^ def struct Name
struct node { struct ops *ops; };
//     ^^^^ def struct node
//                        ^^^ def field node.ops
enum color { RED = 1, GREEN };
//   ^^^^^ def enum color
//           ^^^ def enum_member color.RED
//                    ^^^^^ def enum_member color.GREEN
typedef int (*fn_t)(int);
//            ^^^^ def type_alias fn_t
static const struct ops table = { .open = my_open, .close = &my_close };
//                      ^^^^^ def constant table
//                                 ^^^^ write struct ops:.open
//                                        ^^^^^^^ value my_open
//                                                           ^^^^^^^^ value my_close
int helper(const char *p, ...);
//  ^^^^^^ def function helper
static Name *make(Name *self)
//           ^^^^ def function make
//     ^^^^ return_type Name
//                ^^^^ parameter_type Name
{
  Name n = { .a = 1 };
//            ^ write Name:.a
  self->next->ops->open(n.a, helper);
//                 ^^^^ call %self.next.ops.open
//                        ^ value %n.a
//                           ^^^^^^ value helper
  (*self->cb)(1);
//        ^^ call %self.cb
  if (!helper("f()")) goto out;
//     ^^^^^^ call helper
out:
  return &n;
}
"#);
}

#[test]
fn c_globals_flags_and_visibility() {
    let facts = facts(
        "c",
        "/** How many. */\nint count = 3, *next;\nextern int ext;\nstatic char buf[10];\nint f(void);\nstatic int g(int a, struct s *b) { return 0; }\nvoid (*signal(int sig, void (*func)(int)))(int);\nint old(a, b) int a; char b; { return a; }\nint main(int argc, char **argv) { return 0; }\n",
    );
    let view = facts.view();
    assert_eq!(view.str(def(&view, "count").doc), "How many.");
    assert_eq!((view.str(def(&view, "next").ty), view.str(def(&view, "count").ty)), ("int *", "int"));
    assert!(def(&view, "ext").has(flag::DECLARATION) && def(&view, "f").has(flag::DECLARATION));
    assert_eq!(def(&view, "buf").visibility(), Visibility::Private);
    let params: Vec<_> = ["f", "g", "signal", "old", "main"].iter().map(|name| def(&view, name).params).collect();
    assert_eq!(params, [0, 2, 2, 2, 2]);
    assert!(!def(&view, "g").has(flag::EXPORTED) && !def(&view, "g").has(flag::DECLARATION));
    assert!(def(&view, "main").has(flag::EXPORTED));
    assert_eq!(view.str(def(&view, "g").signature), "static int g(int a, struct s *b)");
}

#[test]
fn macros_and_includes() {
    c(r#"
#ifndef GUARD_H
#define GUARD_H
#include "a/b.h"
//       ^^^^^^^ import a/b.h||
#define MAX 4
//      ^^^ def macro MAX
#define SET(p) ((p)->field = "call()") /* stop() */
//      ^^^ def macro SET
//                   ^^^^^ value ?.field
#endif
"#);
    let facts = facts("c", "#include <stdio.h>\n#define RUN(x) do { start(x); \\\n  stop(LIMIT); } while (0)\n");
    let view = facts.view();
    assert_eq!(view.imports[0].flags, import_flag::SYSTEM);
    let rows = shown(&view);
    assert_eq!(rows, ["2:8 def macro RUN", "2:20 call start", "3:2 call stop", "3:7 value LIMIT", "1:9 import stdio.h||"]);
    assert_eq!((def(&view, "RUN").params, view.refs[1].owner), (1, 0));
}

#[test]
fn cpp_classes_and_their_members() {
    cpp(r"
namespace a::b {
//        ^ def module a
//           ^ def module a.b
class Foo : public Base<T>, private ns::Other {
//    ^^^ def class a.b.Foo
//                 ^^^^ extends a.b.Foo Base
//                      ^ generic_arg T
//                                  ^^ type ns
//                                      ^^^^^ extends a.b.Foo ns::Other
public:
  Foo(int n) : x_(n), Base(n) {}
//^^^ def constructor a.b.Foo.Foo
//             ^^ write self.x_
//                    ^^^^ instantiate Base
  virtual ~Foo() = default;
//        ^ def method a.b.Foo.~Foo
  bool operator==(const Foo& o) const;
//     ^ def method a.b.Foo.operator==
  operator bool() const;
//^ def method a.b.Foo.operator bool
  static Foo* make();
//            ^^^^ def method a.b.Foo.make
  int x_ = 1;
//    ^^ def field a.b.Foo.x_
  enum class E { A, B };
//           ^ def enum a.b.Foo.E
//               ^ def enum_member a.b.Foo.E.A
//                  ^ def enum_member a.b.Foo.E.B
  using type = T;
//      ^^^^ def type_alias a.b.Foo.type
  friend void swap(Foo&, Foo&);
};
}
");
}

#[test]
fn cpp_members_defined_elsewhere_and_calls() {
    cpp(r"
template <typename T> void ns::Foo<T>::run(Bar* bar) {
//                                     ^^^ def method Foo.run
//                                         ^^^ parameter_type Bar
  this->step();
//      ^^^^ call self.step
  bar->go(x.y);
//     ^^ call %bar.go
  auto p = std::make_unique<Foo>(1);
//              ^^^^^^^^^^^ call std.make_unique
//                          ^^^ generic_arg Foo
  p->fly();
//   ^^^ call %p.fly
  ns::util::help<int>(3);
//          ^^^^ call ns::util::help
  Foo foo(1);
//^^^ instantiate Foo
  auto* q = new ns::Foo(2);
//                  ^^^ instantiate ns.Foo
  for (const auto& item : bar->items()) item.use();
//                             ^^^^^ call %bar.items
//                                           ^^^ call %item.use
  auto l = [&foo](int a) { return foo.f(a); };
//     ^ def function Foo.run.l
//                                    ^ call %foo.f
  l(2);
//^ call l
  static_cast<Bar*>(q)->m();
//            ^^^ generic_arg Bar
//                      ^ call Bar*:.m
  if (auto r = find()) r->g();
//             ^^^^ call find
//                        ^ call %r.g
}
Foo::Foo() {}
//   ^^^ def constructor Foo.Foo
Foo::~Foo() {}
//   ^ def method Foo.~Foo
");
}

#[test]
fn cpp_binds_know_what_is_known() {
    let facts = facts(
        "cpp",
        "void f(const Disk& d) {\n  d.a();\n  auto p = std::make_shared<Disk>(1); p->b();\n  auto* q = new ns::Disk; q->c();\n  for (auto& [k, v] : m) v.d();\n  try {} catch (const E& e) { e.e(); }\n  Disk x{1}; x.f();\n  auto y = d.open(); y.g();\n  Disk z(d); z.h();\n}\n",
    );
    let view = facts.view();
    let bound = |call: &str| {
        let row = view.refs.iter().find(|row| view.str(row.name) == call).expect("a call");
        let expr = view.expr(row.recv).expect("a receiver");
        let bind = view.binds[expr.base as usize];
        let init = if bind.init == NONE { String::new() } else { show_expr(&view, bind.init) };
        format!("{}={init}", view.str(bind.ty))
    };
    let all: Vec<String> = "abcdefgh".chars().map(|call| bound(&call.to_string())).collect();
    assert_eq!(all, ["Disk &=", "=new Disk", "=new ns::Disk", "=m*", "E &=", "Disk=Disk:", "=%d.open()", "Disk="]);
}

#[test]
fn gtest_and_other_macros_that_make_functions() {
    let facts = facts(
        "cpp",
        "TEST(Suite, Adds) { EXPECT_EQ(1, f()); }\nTEST_F(Fixture, Runs) { run(); }\nSYSCALL_DEFINE1(close, int, fd) { return fd; }\nvoid TestNot() {}\n",
    );
    let view = facts.view();
    assert_eq!(defs(&view), ["1 function Suite.Adds", "2 function Fixture.Runs", "3 function close", "4 function TestNot"]);
    let tests: Vec<_> = view.defs.iter().map(|row| row.has(flag::TEST)).collect();
    assert_eq!(tests, [true, true, false, false]);
    assert!(shown(&view).contains(&"2:7 type Fixture".to_owned()));
}

#[test]
fn cpp_imports_access_and_flags() {
    let facts = facts(
        "cpp",
        "using std::string;\nusing namespace a::b;\nnamespace fs = std::filesystem;\nextern \"C\" { int c1(void); }\nclass A : B {\n  int hidden;\nprotected:\n  void m() override;\npublic:\n  virtual int n() const = 0;\n  static int s(int a, int b = 2);\n};\nstruct S { int open; };\ntemplate <class T>\nT most(T a) { return a; }\n",
    );
    let view = facts.view();
    let rows: Vec<_> =
        view.imports.iter().map(|row| (view.str(row.module), view.str(row.name), view.str(row.alias), row.flags)).collect();
    let expected = [
        ("std", "string", "string", 0),
        ("a::b", "", "", import_flag::WILDCARD),
        ("std::filesystem", "", "fs", import_flag::MODULE),
    ];
    assert_eq!(rows, expected);
    let seen = |name: &str| def(&view, name).visibility();
    assert_eq!(
        ["hidden", "m", "n", "open"].map(seen),
        [Visibility::Private, Visibility::Protected, Visibility::Public, Visibility::Public]
    );
    assert!(def(&view, "m").has(flag::OVERRIDE | flag::DECLARATION) && def(&view, "n").has(flag::DECLARATION));
    assert!(def(&view, "s").has(flag::STATIC) && def(&view, "s").params == 2);
    let most = def(&view, "most");
    assert_eq!((most.start_line, view.str(most.signature)), (14, "T most(T a)"));
    assert!(!shown(&view).iter().any(|row| row.ends_with("type T")), "{:#?}", shown(&view));
    assert_eq!(def(&view, "c1").kind(), Kind::Function);
}

#[test]
fn non_ascii_empty_and_broken_input() {
    c("int größe(int ß) { return größe(ß); }\r\n//  ^ def function größe\r\n//                           ^ call größe");
    for language in ["c", "cpp"] {
        assert_eq!(facts(language, "").view().defs.len(), 0);
        let broken = facts(language, "int before(void) { a(); }\nint = = ) ( x {\n}\nint after(void) { b(); }");
        let names: Vec<_> = broken.view().defs.iter().map(|row| broken.view().str(row.name)).collect();
        assert!(names.contains(&"before") && names.contains(&"after"), "{names:?}");
        assert!(broken.view().header.parse_errors > 0);
    }
}

#[test]
fn deep_nesting_ends() {
    let many = |open: &str, close: &str| format!("int x = {}1{};\n", open.repeat(3000), close.repeat(3000));
    let sources = [
        many("(", ")"),
        many("f(", ")"),
        many("!", ""),
        many("1 + ", ""),
        many("a->", ""),
        many("{", "}"),
        format!("int {}x{};\n", "(*".repeat(3000), ")".repeat(3000)),
        format!("A{}int{} x;\n", "<B".repeat(3000), ">".repeat(3000)),
        format!("void f() {}{}\n", "{".repeat(3000), "}".repeat(3000)),
        format!("{}x;\n", "a::".repeat(3000)),
        format!("{}int x;{}\n", "struct a {".repeat(2000), "};".repeat(2000)),
        format!("{}\nint x;\n", "#if A\n".repeat(3000)),
    ];
    crate::lang::common::with_stack(move || {
        for source in &sources {
            facts("c", source);
            facts("cpp", source);
        }
    });
}

// A macro before a constructor was taken for its type: the initializers broke the class, which swallowed what came after.
#[test]
fn macros_before_constructors_are_no_types() {
    let source = "NS_BEGIN\nEXPORTED template <class T, ENABLE_IF(!sized<T>::value)>\nclass Buf {\n public:\n  CONSTEXPR explicit Buf(int n, int cap UNUSED = {}) : size_(n) {}\n  CONSTEXPR ~Buf() {}\n  CONSTEXPR void operator+=(int n) { size_ += n; }\n  MAYBE other(int n);\n private:\n  unsigned size_;\n};\nEXPORTED struct Pad {\n  unsigned width;\n  CONSTEXPR Pad(int n, const Buf<int>& b = {}) : width(n) {\n    if CONSTEXPR (sizeof(int) > 2) { run(); }\n  }\n};\nvoid after(int x);\nclass VISIBLE(\"x\") Err : public Base {\n  int code;\n};\nNS_END\n";
    for source in [source.to_owned(), source.replace('\n', "\r\n"), source.trim_end().to_owned()] {
        let facts = facts("cpp", &source);
        let view = facts.view();
        let expected = [
            "2 class Buf",
            "5 constructor Buf.Buf",
            "6 method Buf.~Buf",
            "7 method Buf.operator +=",
            "8 method Buf.other",
            "10 field Buf.size_",
            "12 struct Pad",
            "13 field Pad.width",
            "14 constructor Pad.Pad",
            "18 function after",
            "19 class Err",
            "20 field Err.code",
        ];
        let found: Vec<_> = defs(&view).into_iter().map(|row| row.replace("operator+=", "operator +=")).collect();
        assert_eq!(found, expected);
        assert_eq!(view.header.parse_errors, 0);
        let rows = shown(&view);
        assert!(rows.contains(&"2:28 call ENABLE_IF".to_owned()), "{rows:#?}");
        assert!(rows.contains(&"8:2 return_type MAYBE".to_owned()), "{rows:#?}");
    }
}

// A class with an error in it reached to the end of the file; what came after were its members.
#[test]
fn a_broken_type_ends_where_its_braces_do() {
    let source = "struct size_padding {\n  unsigned size;\n  unsigned padding;\n\n  fmtc size_padding(int num_digits, unsigned prefix,\n                             const format_specs& specs)\n      : size((prefix >> 24) + to_unsigned(num_digits)), padding(0) {\n    if (specs.align() == align::numeric) {\n      auto width = to_unsigned(specs.width);\n      if (width > size) {\n        padding = width - size;\n        size = width;\n      }\n    } else if (specs.precision > num_digits) {\n      size = (prefix >> 24) + to_unsigned(specs.precision);\n      padding = to_unsigned(specs.precision - num_digits);\n    }\n  }\n};\n\ntemplate <typename Char, typename OutputIt, typename T>\ntemplate <class T>\nvoid write(T out) {\n  switch (x) { default: ASSERT(false, \"\"); FALL; case 1: g(); }\n}\nint y;\n}\n";
    for source in [source.to_owned(), source.replace('\n', "\r\n")] {
        let facts = facts("cpp", &source);
        let view = facts.view();
        let rows = defs(&view);
        let pad = def(&view, "size_padding");
        assert_eq!((pad.kind(), pad.start_line, pad.end_line), (Kind::Struct, 1, 19), "{rows:#?}");
        for row in ["5 constructor size_padding.size_padding", "21 function write", "26 variable y"] {
            assert!(rows.contains(&row.to_owned()), "{rows:#?}");
        }
        assert!(view.header.parse_errors > 0);
    }
}

#[test]
fn key_words_are_no_names() {
    let source = "struct A {\n  MACRO explicit buf(int);\n  Odd explicit odd(int) @;\n};\nvoid f() { @ }\nelse if (x) { g(); }\nint $;\nint named;\n";
    for language in ["cpp", "c"] {
        let facts = facts(language, source);
        let view = facts.view();
        for row in view.defs {
            let name = view.str(row.name);
            assert!(!["else", "if", "$"].contains(&name) && (language == "c" || name != "explicit"), "{:#?}", defs(&view));
        }
        assert!(defs(&view).contains(&"8 variable named".to_owned()), "{:#?}", defs(&view));
    }
    let facts = facts("c", "int class;\nstruct s { int new; int explicit; };\nint this(void);\n");
    let view = facts.view();
    let expected = ["1 variable class", "2 struct s", "2 field s.new", "2 field s.explicit", "3 function this"];
    assert_eq!(defs(&view), expected);
}

// In a header with anything else to mend, the type in `API(type)` was lost with the parentheses.
#[test]
fn a_c_macro_around_a_type_keeps_the_type() {
    let source = "#ifdef __cplusplus\nextern \"C\"\n{\n#endif\n#define API(type) type\ntypedef int json_bool;\ntypedef struct json { void *(CDECL *make)(int size); } json;\nAPI(json_bool) is_null(const json *item);\nAPI(json *) first(const json *item);\nAPI(void) drop(json *item);\n#ifdef __cplusplus\n}\n#endif\n";
    for source in [source.to_owned(), source.replace('\n', "\r\n")] {
        let facts = facts("c", &source);
        let view = facts.view();
        assert_eq!(view.header.parse_errors, 0, "{:#?}", shown(&view));
        let rows = shown(&view);
        for row in
            ["8:4 return_type json_bool", "9:4 return_type json", "9:0 call API", "10:0 call API", "7:36 def field json.make"]
        {
            assert!(rows.contains(&row.to_owned()), "{row} {rows:#?}");
        }
        assert_eq!(view.str(def(&view, "first").signature), "API(json *) first(const json *item);");
    }
}

// An include guard around something broken made one error of the whole file.
#[test]
fn a_guarded_header_survives_what_is_broken_in_it() {
    let source = "// c\n#ifndef A_H\n#define A_H\nENABLE(int, long)\nnamespace a {\nclass B {\n  CONSTEXPR B(int n) : n_(unsigned(n) < 2) {}\n  enum : unsigned { X = 1 };\n  int n_;\n};\n#define CHECK(x) \\\n  ((x) /* why */ \\\n  ? 0 : 1)\n}\n#endif  // A_H\n";
    for source in [source.to_owned(), source.replace('\n', "\r\n")] {
        let facts = facts("cpp", &source);
        let view = facts.view();
        let expected =
            ["5 module a", "6 class a.B", "7 constructor a.B.B", "8 enum_member a.B.X", "9 field a.B.n_", "11 macro a.CHECK"];
        assert_eq!(defs(&view), expected);
        assert_eq!(view.header.parse_errors, 0);
    }
    // Not a guard: something stands behind it, or its macro has a value.
    for source in ["#ifndef A\n#define A\nFOO X();\n#endif\nint b;\n", "#ifndef A\n#define A 1\nFOO X();\n#endif\n"] {
        let read = prepare(source.as_bytes());
        assert!(read.is_none_or(|read| read.starts_with(b"#ifndef A\n#define A")), "{source}");
    }
}
