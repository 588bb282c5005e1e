//! Expectations of Python.

use crate::facts::model::{DefRow, Kind, NONE, flag, import_flag};
use crate::facts::pack::{Facts, FactsView, file_flag};
use crate::facts::testing::{check_facts, show_expr, shown};
use crate::facts::{ExtractLimits, Visibility, extract};
use crate::lang::Lang;

#[track_caller]
fn check(source: &str) {
    check_facts("python", source);
}

fn facts(source: &str) -> Facts {
    extract(Lang::named("python").expect("known").compiled(), source.as_bytes(), ExtractLimits::default())
}

#[track_caller]
fn def<'a>(view: &FactsView<'a>, name: &str) -> &'a DefRow {
    view.defs.iter().find(|row| view.str(row.name) == name).unwrap_or_else(|| panic!("no {name} in {:#?}", shown(view)))
}

#[test]
fn a_definition_starts_at_its_first_decorator() {
    let source = "@cached\n# keeps the last result\ndef total(items):\n    \"\"\"Adds up.\"\"\"\n    return sum(items)\n";
    let facts = facts(source);
    let view = facts.view();
    let total = def(&view, "total");
    assert_eq!((total.start, total.start_line, total.end_line, total.name_line), (0, 1, 5, 3));
    assert_eq!(view.str(total.signature), "def total(items)");
    assert_eq!(view.str(total.doc), "Adds up.");
    assert!(total.has(flag::DECORATED) && total.params == 1);
}

#[test]
fn methods_fields_and_calls() {
    check(
        r#"
class Disk(Base, metaclass=Meta):
#     ^^^^ def class Disk
#          ^^^^ extends Disk Base
#                          ^^^^ value Meta
    size: int = 4
#   ^^^^ def field Disk.size
    def __init__(self, path: Path):
#       ^^^^^^^^ def constructor Disk.__init__
#                            ^^^^ parameter_type Path
        self.path = path
#            ^^^^ def field Disk.path
        self.path = None
#            ^^^^ write self.path
        super().__init__()
#               ^^^^^^^^ call super.__init__
    def read(self) -> "Block":
#       ^^^^ def method Disk.read
#                      ^^^^^ return_type Block
        return self.open(self.path).pull()
#                   ^^^^ call self.open
#                             ^^^^ value self.path
#                                   ^^^^ call self.open().pull
"#,
    );
}

#[test]
fn names_that_are_no_definitions_stay_out() {
    check(
        r#"
def f(a, b=other()):
#   ^ def function f
#          ^^^^^ call other
    c = "g() in a string"
    a.x = 1
#     ^ write %a.x
    print(c, key=b)
#   ^^^^^ call print
    # h()
"#,
    );
}

#[test]
fn module_names() {
    check(
        r#"
LIMIT = 3
#<- def constant LIMIT
limit = compute()
#<- def variable limit
#       ^^^^^^^ call compute
limit = 4
#<- write limit
first, second = 1, 2
#<- def variable first
#      ^^^^^^ def variable second
square = lambda n: n * n
#<- def function square
Name: TypeAlias = "Other"
#<- def type_alias Name
#                  ^^^^^ type Other
type Row[T] = list[T]
#    ^^^ def type_alias Row
if (found := look()):
#            ^^^^ call look
    found.go()
#         ^^ call %found.go
"#,
    );
}

#[test]
fn enums_and_protocols() {
    check(
        r"
class Color(enum.Enum):
#     ^^^^^ def enum Color
#           ^^^^ value enum
#                ^^^^ extends Color enum.Enum
    RED = 1
#   ^^^ def enum_member Color.RED
    _ignore_ = []
#   ^^^^^^^^ def field Color._ignore_
    def hex(self): ...
#       ^^^ def method Color.hex
class Reader(Protocol[T]):
#     ^^^^^^ def interface Reader
#            ^^^^^^^^ extends Reader Protocol
#                     ^ generic_arg T
    def read(self) -> bytes: ...
#       ^^^^ def method Reader.read
class Plain:
#     ^^^^^ def class Plain
    RED = 1
#   ^^^ def field Plain.RED
",
    );
}

#[test]
fn scopes_of_comprehensions_lambdas_and_nested_functions() {
    check(
        r"
def outer(rows):
#   ^^^^^ def function outer
    def inner(x):
#       ^^^^^ def function outer.inner
        return x.run()
#                ^^^ call %x.run
    names = [row.name() for row in rows if keep(row)]
#                ^^^^ call %row.name
#                                          ^^^^ call keep
    return map(lambda r: r.f(), names), inner(names)
#          ^^^ call map
#                          ^ call %r.f
#                                       ^^^^^ call inner
",
    );
}

#[test]
fn globals_are_written_and_locals_are_bound() {
    check(
        r"
cache = None
#<- def variable cache
def fill():
#   ^^^^ def function fill
    global cache
    cache = load()
#   ^^^^^ write cache
#           ^^^^ call load
def other():
#   ^^^^^ def function other
    cache = load()
#           ^^^^ call load
    cache.x()
#         ^ call %cache.x
",
    );
}

#[test]
fn types_of_hints() {
    check(
        r#"
def f(a: Optional[Foo], b: "Dict[str, m.Bar]", *c: List[Baz]) -> Foo | None: pass
#   ^ def function f
#        ^^^^^^^^ parameter_type Optional
#                 ^^^ parameter_type Foo
#                           ^^^^ parameter_type Dict
#                                     ^ value m
#                                       ^^^ generic_arg m.Bar
#                                                       ^^^ generic_arg Baz
#                                                                ^^^ return_type Foo
x: Literal["Foo"] = "Foo"
#<- def variable x
#  ^^^^^^^ type Literal
"#,
    );
}

#[test]
fn binds_know_what_is_known() {
    let facts = facts(
        r#"
def f(p: Disk, d):
    p.a()
    with open_it(p) as h:
        h.b()
    try: pass
    except m.Bad as e: e.c()
    for k, v in d.items(): v.d()
    for i, x in enumerate(d): x.e()
    q, r = p, d
    q.f()
    s = d[0]
    s.g()
    match d:
        case Disk(part=z) as w:
            z.h(); w.i()
    t: "Disk" = None
    t.j()
"#,
    );
    let view = facts.view();
    let bound = |call: &str| {
        let row = view.refs.iter().find(|row| view.str(row.name) == call).expect("a call");
        let expr = view.expr(row.recv).expect("a receiver");
        let bind = view.binds[expr.base as usize];
        let init = if bind.init == NONE { String::new() } else { show_expr(&view, bind.init) };
        format!("{}={init}", view.str(bind.ty))
    };
    let all: Vec<String> = "abcdefghij".chars().map(|call| bound(&call.to_string())).collect();
    let expected = ["Disk=", "=open_it()", "m.Bad=", "=%d*", "=%d*", "=%p", "=%d[]", "=Disk:.part", "Disk=", "Disk="];
    assert_eq!(all, expected);
}

#[test]
fn decorators_decide_what_a_method_is() {
    let facts = facts(
        r#"
class A:
    @property
    def p(self): return 1
    @p.setter
    def p(self, v): pass
    @staticmethod
    def s(a, b): pass
    @classmethod
    def c(cls, *a): pass
    @abstractmethod
    def t(self): raise NotImplementedError
    @app.route("/")
    async def _r(self): yield 1
    def plain(self): pass
"#,
    );
    let view = facts.view();
    let flags = |name: &str| def(&view, name).flags & !flag::EXPORTED;
    assert_eq!(flags("p"), flag::ACCESSOR);
    assert_eq!(flags("s"), flag::STATIC);
    assert_eq!(def(&view, "s").params, 2);
    assert_eq!(flags("c"), flag::STATIC | flag::VARIADIC);
    assert_eq!(def(&view, "c").params, 1);
    assert_eq!(flags("t"), flag::DECLARATION);
    assert_eq!(flags("_r"), flag::DECORATED | flag::ASYNC | flag::GENERATOR);
    assert_eq!(def(&view, "_r").visibility(), Visibility::Protected);
    assert_eq!((flags("plain"), def(&view, "plain").params), (0, 0));
    let rows = shown(&view);
    assert!(rows.contains(&"13:9 attribute app.route".to_owned()), "{rows:#?}");
    assert!(!rows.iter().any(|row| row.contains("setter")), "{rows:#?}");
}

#[test]
fn imports() {
    let facts = facts(
        "import a.b, c as d\nfrom . import x as y\nfrom .p.q import *\ntry:\n    import fast\nexcept ImportError:\n    fast = None\ndef f():\n    from m import n\n",
    );
    let view = facts.view();
    let rows: Vec<_> = view
        .imports
        .iter()
        .map(|row| (view.str(row.module), view.str(row.name), view.str(row.alias), row.flags, row.owner == NONE))
        .collect();
    let module = import_flag::MODULE;
    assert_eq!(
        rows,
        [
            ("a.b", "", "a", module, true),
            ("c", "", "d", module, true),
            (".", "x", "y", 0, true),
            (".p.q", "", "", import_flag::WILDCARD, true),
            ("fast", "", "fast", module, true),
            ("m", "n", "n", 0, false),
        ]
    );
    assert_eq!(def(&view, "fast").kind(), Kind::Variable);
}

#[test]
fn all_is_exported_and_main_is_a_script() {
    let facts = facts(
        "\"\"\"The tool.\n\n   More.\n\"\"\"\n__all__ = [\"_run\", 'x']\ndef _run(): pass\nif __name__ == '__main__':\n    _run()\n",
    );
    let view = facts.view();
    let names: Vec<_> = view.exports.iter().map(|row| view.str(row.exported)).collect();
    assert_eq!(names, ["_run", "x"]);
    assert_eq!(view.str(view.header.doc), "The tool.\n\nMore.");
    assert_eq!(view.header.flags, file_flag::SCRIPT);
    assert_eq!(self::facts("if __name__ == 'x': pass\n").view().header.flags, 0);
}

#[test]
fn tests_are_told_from_helpers() {
    let facts = facts(
        r"
def test_adds(): pass
def tested(): pass
class TestDisk:
    def test_reads(self): pass
    def setup(self): pass
class TestClient:
    def send(self): pass
class Cases(unittest.TestCase):
    def testOld(self): pass
class Other:
    def test_connection(self): pass
@pytest.fixture
def test_data(): pass
",
    );
    let view = facts.view();
    let of =
        |mask: u16| -> Vec<&str> { view.defs.iter().filter(|row| row.flags & mask != 0).map(|row| view.str(row.name)).collect() };
    assert_eq!(of(flag::TEST), ["test_adds", "TestDisk", "test_reads", "Cases", "testOld"]);
    assert_eq!(of(flag::IN_TEST), ["test_reads", "setup", "testOld"]);
}

#[test]
fn properties_are_not_redefined_by_their_assignment() {
    check(
        r"
class A:
#     ^ def class A
    def __init__(self):
#       ^^^^^^^^ def constructor A.__init__
        self.name = 1
#            ^^^^ write self.name
    @property
    def name(self): return self._n
#       ^^^^ def method A.name
#                               ^^ value self._n
",
    );
}

#[test]
fn values_handed_over_are_reads() {
    check(
        r#"
HANDLERS = {"a": on_a, **more}
#<- def constant HANDLERS
#                ^^^^ value on_a
run(target=work, *rest)
#<- call run
#          ^^^^ value work
"#,
    );
}

#[test]
fn non_ascii_crlf_empty_and_broken_input() {
    check("def größe(ß): ß.läuft()\r\n#   ^^^^^^ def function größe\r\n#                   ^ call %ß.läuft");
    assert_eq!(facts("").view().defs.len(), 0);
    let broken = facts("def before(): a()\nclass (:\n  = = )\ndef after(): b()");
    let names: Vec<_> = broken.view().defs.iter().map(|row| broken.view().str(row.name)).collect();
    assert!(names.contains(&"before") && names.contains(&"after"), "{names:?}");
    assert!(broken.view().header.parse_errors > 0);
}

#[test]
fn deep_nesting_ends() {
    let sources = [
        format!("x = {}{}\n", "(".repeat(3000), ")".repeat(3000)),
        format!("x = {}{}\n", "[".repeat(3000), "]".repeat(3000)),
        format!("x = {}{}\n", "f(".repeat(3000), ")".repeat(3000)),
        format!("x = {}y\n", "x.".repeat(3000)),
        format!("x = {}y\n", "not ".repeat(3000)),
        format!("x = {}y\n", "a + ".repeat(3000)),
        format!("x: {}int{} = 1\n", "List[".repeat(3000), "]".repeat(3000)),
        (0..400).map(|depth| " ".repeat(depth) + "if x:\n").collect::<Vec<_>>().concat(),
    ];
    crate::lang::common::with_stack(move || sources.iter().for_each(|source| drop(facts(source))));
}
