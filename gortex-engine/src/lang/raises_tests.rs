//! What is raised and which definitions may fail, in every language that is read deeply.

use crate::facts::model::{Role, flag};
use crate::facts::testing::qualified;
use crate::facts::{ExtractLimits, extract};
use crate::lang::Lang;

/// `line name` of everything raised, and the definitions whose signature says that they may fail.
#[track_caller]
fn check_raises(language: &str, source: &str, raised: &[&str], failing: &[&str]) {
    let lang = Lang::named(language).expect("a language of the table");
    let facts = extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
    let view = facts.view();
    let rows = view.refs.iter().filter(|row| row.role() == Role::Throws);
    let rows: Vec<String> = rows.map(|row| format!("{} {}", row.line, view.str(row.name))).collect();
    let defs = (0..view.defs.len() as u32).filter(|at| view.defs[*at as usize].has(flag::MAY_FAIL));
    let defs: Vec<String> = defs.map(|at| qualified(&view, at)).collect();
    assert_eq!(
        (rows, defs),
        (raised.iter().map(|row| (*row).to_owned()).collect(), failing.iter().map(|row| (*row).to_owned()).collect())
    );
}

#[test]
fn python() {
    check_raises(
        "python",
        "def f(e):\n    raise ValueError('x') from e\n    raise errors.Missing\n    raise e\n    raise\n    return ValueError\n",
        &["2 ValueError", "3 Missing"],
        &[],
    );
}

#[test]
fn javascript() {
    check_raises(
        "javascript",
        "function f(e) {\n  throw new TypeError('x');\n  throw errors.make(1);\n  throw e;\n}\n",
        &["2 TypeError", "3 make"],
        &[],
    );
}

#[test]
fn jsx() {
    check_raises("jsx", "const A = () => { throw new Oops(<b/>); };\n", &["1 Oops"], &[]);
}

#[test]
fn typescript() {
    check_raises("typescript", "class A { run(): void { throw new Oops(); } }\n", &["1 Oops"], &[]);
}

#[test]
fn tsx() {
    check_raises("tsx", "export function A() { throw new Oops(); return <b/> }\n", &["1 Oops"], &[]);
}

#[test]
fn java() {
    check_raises(
        "java",
        "class A {\n  void f(Error e) throws IOException, a.b.Gone {\n    throw new IllegalStateException(\"x\");\n  }\n  void g(Error e) { throw e; }\n}\n",
        &["2 IOException", "2 Gone", "3 IllegalStateException"],
        &["A.f"],
    );
}

#[test]
fn kotlin() {
    check_raises(
        "kotlin",
        "class A {\n    @Throws(IOException::class)\n    fun f() { throw IllegalStateException(\"x\") }\n    fun g(): Int { return 1 }\n}\n",
        &["3 IllegalStateException"],
        &["A.f"],
    );
}

#[test]
fn scala() {
    check_raises(
        "scala",
        "object A {\n  def f(): Try[Int] = throw new Gone(\"x\")\n  def g(): Int = 1\n}\n",
        &["2 Gone"],
        &["A.f"],
    );
}

#[test]
fn csharp() {
    check_raises(
        "csharp",
        "class A {\n  void F(string x) {\n    throw new ArgumentException(\"x\");\n  }\n  string G(string x) => x ?? throw new Gone();\n  void H() { throw; }\n}\n",
        &["3 ArgumentException", "5 Gone"],
        &[],
    );
}

#[test]
fn cpp() {
    check_raises(
        "cpp",
        "void f(int x) {\n  throw std::runtime_error(\"x\");\n  throw;\n  throw Gone{};\n}\n",
        &["2 runtime_error", "4 Gone"],
        &[],
    );
}

#[test]
fn c() {
    check_raises("c", "int f(void) { return -1; }\n", &[], &[]);
}

#[test]
fn php() {
    check_raises(
        "php",
        "<?php\n/** @throws Gone */\nfunction f($e) {\n  throw new \\A\\Gone('x');\n  throw $e;\n}\n",
        &["4 Gone"],
        &["f"],
    );
}

#[test]
fn ruby() {
    check_raises(
        "ruby",
        "def f(e)\n  raise ArgumentError, 'x'\n  raise Errors::Gone.new('x')\n  fail 'x'\n  raise e\nend\n",
        &["2 ArgumentError", "3 Gone", "4 fail"],
        &[],
    );
}

#[test]
fn elixir() {
    check_raises(
        "elixir",
        "defmodule A do\n  def run!(x) do\n    raise ArgumentError, message: x\n  end\n  def ok(x), do: x\nend\n",
        &["3 ArgumentError"],
        &["A.run!"],
    );
}

#[test]
fn swift() {
    check_raises(
        "swift",
        "struct A {\n  func f() throws -> Int { throw NetError.gone }\n  func g() -> Int { return 1 }\n}\n",
        &["2 gone"],
        &["A.f"],
    );
}

#[test]
fn dart() {
    check_raises("dart", "void f() {\n  throw ArgumentError('x');\n}\n", &["2 ArgumentError"], &[]);
}

#[test]
fn go() {
    check_raises(
        "go",
        "package a\n\nfunc f(x int) (int, error) {\n\tif x > 0 {\n\t\treturn 0, ErrGone\n\t}\n\tif x < 0 {\n\t\treturn 0, errors.New(\"x\")\n\t}\n\terr := g()\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\treturn 0, nil\n}\n\nfunc g() error { return f2() }\nfunc h() int { return Count }\nfunc k() error { return &PathError{} }\n",
        &["5 ErrGone", "8 New", "19 PathError"],
        &["f", "g", "k"],
    );
}

#[test]
fn rust() {
    check_raises(
        "rust",
        "fn f(x: u8) -> Result<u8, MyError> {\n    if x > 0 {\n        return Err(MyError::Gone(1));\n    }\n    match x { Err(MyError::Other) => 1, _ => 2 };\n    Err(other::Error::new(\"x\"))\n}\nfn g() -> io::Result<()> { Ok(()) }\nfn h() -> Vec<u8> { Vec::new() }\n",
        &["1 MyError", "3 Gone", "6 Error"],
        &["f", "g"],
    );
}

#[test]
fn zig() {
    check_raises(
        "zig",
        "fn f(x: u8) !u8 {\n    if (x > 0) return error.Gone;\n    return 1;\n}\nfn g() u8 {\n    return 1;\n}\n",
        &["2 Gone"],
        &["f"],
    );
}

#[test]
fn ocaml() {
    check_raises(
        "ocaml",
        "exception Gone of int\nlet f x = raise (Gone x)\nlet g x = failwith x\n",
        &["2 Gone", "3 failwith"],
        &[],
    );
}

#[test]
fn haskell() {
    check_raises(
        "haskell",
        "module A where\n\nf :: Int -> Either String Int\nf x = Left x\n\ng :: IO ()\ng = throwIO (Gone 1)\n",
        &["7 Gone"],
        &["f"],
    );
}

#[test]
fn lua() {
    check_raises("lua", "local function f(x)\n  error('x')\nend\n", &["2 error"], &[]);
}

#[test]
fn bash() {
    check_raises("bash", "f() {\n  return 1\n}\ng() {\n  return 0\n}\nexit 2\n", &["2 return", "7 exit"], &[]);
}
