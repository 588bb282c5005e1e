//! Tests of the bundled patterns: for each of them code it names, and code that looks alike and is not named.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use super::super::ast::search;
use super::*;

/// Each case: detector, file name, code it must find (line by line, all of them), code it must not find.
const CASES: &[(&str, &str, &[&str], &[&str])] = &[
    (
        "c-unbounded-string-call",
        "a.c",
        &[
            "void f(char *p) { gets(p); }",
            "void f(char *p) { strcpy(p, \"größe\"); }",
            "void f(char *p) { sprintf(p, \"%d\", 1); }",
        ],
        &["void f(char *p) { snprintf(p, 3, \"x\"); }", "void f(void) { my_gets(); } // gets(p)"],
    ),
    ("c-unbounded-string-call", "a.cpp", &["void f(char *p) { strcat(p, q); }"], &["void f() { a.strcat(q); }"]),
    (
        "c-unchecked-scanf-string",
        "a.c",
        &["void f(char *p) { scanf(\"%s\", p); }"],
        &[
            "void f(char *p) { scanf(\"%10s\", p); }",
            "void f(int *p) { scanf(\"%d\", p); }",
            "void f(void) { printf(\"%s\", p); }",
        ],
    ),
    (
        "go-defer-in-loop",
        "a.go",
        &[
            "package a\nfunc f() { for { defer g() } }",
            "package a\nfunc f() { for _, x := range y { if x { defer x.Close() } } }",
        ],
        &["package a\nfunc f() { defer g(); for { h() } }", "package a\nfunc f() { for { func() { defer g() }() } }"],
    ),
    (
        "go-empty-error-branch",
        "a.go",
        &["package a\nfunc f() { if err != nil {\n} }", "package a\nfunc f() { if err := g(); err != nil { } }"],
        &["package a\nfunc f() { if err != nil { return } }", "package a\nfunc f() { if x != nil { } }"],
    ),
    (
        "go-error-ignored",
        "a.go",
        &["package a\nfunc f() { x, _ := g() }", "package a\nfunc f() { _ = g() }"],
        &[
            "package a\nfunc f() { _, err := g() }",
            "package a\nfunc f() { x, _ := m[k] }",
            "package a\nfunc f() { _ = x }",
            "package a\nfunc f() { for _, x := range y() { } }",
        ],
    ),
    (
        "go-panic-call",
        "a.go",
        &["package a\nfunc f() { panic(\"x\") }"],
        &["package a\nfunc f() { log.panic(\"x\"); recover() }"],
    ),
    (
        "hardcoded-secret",
        "a.py",
        &["db_password = 'hunter2hunter2'", "self.api_key = \"sk-0123456789\""],
        &[
            "password = os.environ['DB_PASSWORD']",
            "password = 'short'",
            "password = 'changeme-please'",
            "password = 'see the manual'",
            "password_label = 'Passwort123'",
            "password = f'{user}-0123456789'",
        ],
    ),
    (
        "hardcoded-secret",
        "a.ts",
        &["const apiKey = 'a1b2c3d4e5';", "const c = { secret: \"a1b2c3d4e5\" };", "this.password = 'a1b2c3d4e5';"],
        &["const apiKey = process.env.API_KEY;", "const apiKey = 'your-api-key';", "const monkey = 'a1b2c3d4e5';"],
    ),
    (
        "hardcoded-secret",
        "a.go",
        &["package a\nconst apiKey = \"a1b2c3d4e5\"", "package a\nfunc f() { password := \"a1b2c3d4e5\" }"],
        &["package a\nvar apiKey = os.Getenv(\"API_KEY\")", "package a\nconst name = \"a1b2c3d4e5\""],
    ),
    (
        "hardcoded-secret",
        "a.rs",
        &["const API_KEY: &str = \"a1b2c3d4e5\";", "fn f() { let password = \"a1b2c3d4e5\"; }"],
        &["const API_URL: &str = \"a1b2c3d4e5\";", "fn f() { let password = read(); }"],
    ),
    (
        "hardcoded-secret",
        "A.java",
        &["class A { String password = \"a1b2c3d4e5\"; }"],
        &["class A { String password = \"\"; String user = \"a1b2c3d4e5\"; }"],
    ),
    ("hardcoded-secret", "a.c", &["const char api_key[] = \"a1b2c3d4e5\";"], &["const char *name = \"a1b2c3d4e5\";"]),
    (
        "java-empty-catch",
        "A.java",
        &["class A { void f() { try { g(); } catch (E e) { } } }"],
        &["class A { void f() { try { g(); } catch (E e) { log(e); } } }", "class A { void f() { try { } finally { } } }"],
    ),
    (
        "java-print-stack-trace",
        "A.java",
        &["class A { void f() { e.printStackTrace(); } }"],
        &["class A { void f() { e.printStackTrace(writer); printTrace(); } }"],
    ),
    (
        "java-string-identity",
        "A.java",
        &["class A { boolean f() { return s == \"x\"; } }", "class A { boolean f() { return \"x\" != s; } }"],
        &["class A { boolean f() { return s.equals(\"x\") && s == null; } }", "class A { String f() { return s + \"x\"; } }"],
    ),
    (
        "java-system-exit",
        "A.java",
        &["class A { void f() { System.exit(1); } }"],
        &["class A { void f() { app.exit(1); System.gc(); } }"],
    ),
    (
        "js-assignment-in-condition",
        "a.js",
        &["if (a = b) {}", "while (a = next()) {}"],
        &["if (a == b) {}", "while ((a = next()) !== null) {}", "for (a = 0; a < 1; a++) {}"],
    ),
    ("js-console-log", "a.js", &["console.log('x')", "console.debug()"], &["console.error('x')", "logger.log('x')"]),
    ("js-console-log", "a.tsx", &["const a = <A>{console.log(1)}</A>"], &["const a = <A>console.log(1)</A>"]),
    ("js-debugger-statement", "a.js", &["debugger;"], &["const debugger_ = 'debugger';"]),
    (
        "js-empty-catch",
        "a.js",
        &["try { f() } catch (e) { }", "try { f() } catch {}"],
        &["try { f() } catch (e) { /* gone already */ }", "try { f() } finally { }"],
    ),
    (
        "js-eval-call",
        "a.ts",
        &["eval(x)", "new Function('return 1')"],
        &["model.eval(x)", "new Functional()", "// eval(x)", "const s = 'eval(x)'"],
    ),
    (
        "js-html-assignment",
        "a.js",
        &["el.innerHTML = name", "el.innerHTML = `<b>${name}</b>`"],
        &["el.innerHTML = ''", "el.textContent = name", "el.innerHTML = `<b></b>`"],
    ),
    (
        "js-loose-equality",
        "a.js",
        &["if (a == b) {}", "if (a != '1') {}"],
        &["if (a === b) {}", "if (a == null) {}", "if (null != a) {}"],
    ),
    (
        "py-assert-tuple",
        "a.py",
        &["assert (x == 1, 'größe')"],
        &["assert (x == 1), 'y'", "assert x in (1, 2)", "assert f((1, 2))"],
    ),
    (
        "py-bare-except",
        "a.py",
        &["try:\n    f()\nexcept:\n    pass\n"],
        &["try:\n    f()\nexcept Exception:\n    pass\n", "try:\n    f()\nexcept (A, B) as e:\n    pass\n"],
    ),
    ("py-eval-call", "a.py", &["eval(x)", "exec('y')"], &["model.eval()", "evaluate(x)", "# eval(x)"]),
    (
        "py-identity-with-literal",
        "a.py",
        &["x is 'a'", "x is not 1", "'a' is x"],
        &["x is None", "x is not True", "x == 'a'", "x == 1 and y is None"],
    ),
    (
        "py-mutable-default",
        "a.py",
        &["def f(a=[]): pass", "def f(a: dict = {}): pass", "def f(*, a=set()): pass", "lambda a=[]: a"],
        &["def f(a=()): pass", "def f(a=None): pass", "f(a=[])", "def f(a=frozenset()): pass"],
    ),
    (
        "py-shell-true",
        "a.py",
        &["subprocess.run(cmd, shell=True)"],
        &["subprocess.run(cmd, shell=False)", "f(shells=True)", "shell = True"],
    ),
    (
        "py-unsafe-load",
        "a.py",
        &["pickle.load(f)", "marshal.loads(b)"],
        &["json.load(f)", "pickle.dump(x, f)", "self.pickle.load(f)"],
    ),
    ("rust-dbg-macro", "a.rs", &["fn f() { dbg!(x); }"], &["fn f() { debug!(x); dbg(x); }"]),
    (
        "rust-todo-macro",
        "a.rs",
        &["fn f() { todo!() }", "fn f() { unimplemented!(\"x\") }"],
        &["fn f() { unreachable!(); todo(); }"],
    ),
    (
        "rust-transmute",
        "a.rs",
        &["fn f() { std::mem::transmute(x) }", "fn f() { transmute::<A, B>(x) }"],
        &["fn f() { commute(x); x.transmuted(); }"],
    ),
    ("rust-unsafe-block", "a.rs", &["fn f() { unsafe { g() } }"], &["unsafe fn f() {}", "unsafe impl A for B {}"]),
    (
        "rust-unwrap-call",
        "a.rs",
        &["fn f() { x.unwrap(); }", "fn f() { größe()?.y.unwrap() }"],
        &["fn f() { x.unwrap_or(1); x.expect(\"y\"); unwrap(); }"],
    ),
    (
        "sql-string-concat",
        "a.py",
        &[
            "q = 'SELECT * FROM t WHERE id=' + id",
            "q = \"delete from t where id=%s\" % id",
            "q = f'''\n  update t set x = {x}'''",
        ],
        &[
            "q = 'SELECT * FROM t ' 'WHERE id=?'",
            "q = 'SELECT * FROM t ' + 'WHERE id=?'",
            "q = 'select a fruit: ' + name",
            "q = f'update failed: {x}'",
            "db.execute('SELECT * FROM t WHERE id=%s', (id,))",
        ],
    ),
    (
        "sql-string-concat",
        "a.ts",
        &["q = 'INSERT INTO t VALUES (' + x + ')'", "q = `SELECT a FROM t WHERE id = ${id}`"],
        &["q = `SELECT a FROM t`", "q = sql('SELECT a FROM t WHERE id = ?', id)", "q = `selected ${n} from list`"],
    ),
    (
        "sql-string-concat",
        "a.go",
        &[
            "package a\nvar q = \"SELECT a FROM t WHERE id=\" + id",
            "package a\nvar q = fmt.Sprintf(\"SELECT a FROM t WHERE id=%d\", id)",
        ],
        &["package a\nvar q = \"SELECT a \" + \"FROM t\"", "package a\nvar q = fmt.Sprintf(\"selected %d\", id)"],
    ),
    (
        "sql-string-concat",
        "A.java",
        &["class A { String q = \"SELECT a FROM t WHERE id=\" + id; }"],
        &["class A { String q = \"SELECT a FROM t \" + \"WHERE id=?\"; }"],
    ),
    (
        "sql-string-concat",
        "a.rs",
        &["fn f() { let q = format!(\"SELECT a FROM t WHERE id={id}\"); }"],
        &["fn f() { let q = format!(\"SELECT a FROM t\"); println!(\"select {x} from y\"); }"],
    ),
    (
        "ts-explicit-any",
        "a.ts",
        &["let a: any = 1", "function f(x: Array<any>) {}"],
        &["let any: unknown = 1", "let a: string = 'any'"],
    ),
    ("ts-non-null-assertion", "a.ts", &["a!.b"], &["!a.b", "if (a != b) {}"]),
    (
        "weak-crypto",
        "a.py",
        &["hashlib.md5(b)", "hashlib.new('SHA1')"],
        &["hashlib.sha256(b)", "hashlib.new('sha256')", "x.md5(b)"],
    ),
    ("weak-crypto", "a.js", &["crypto.createHash('md5')", "createHmac(\"sha1\", k)"], &["crypto.createHash('sha256')"]),
    ("weak-crypto", "a.go", &["package a\nvar h = md5.New()"], &["package a\nvar h = sha256.New()"]),
    (
        "weak-crypto",
        "A.java",
        &["class A { Object d = MessageDigest.getInstance(\"SHA-1\"); }"],
        &["class A { Object d = MessageDigest.getInstance(\"SHA-256\"); }"],
    ),
    ("weak-crypto", "a.rs", &["fn f() { let h = md5::Md5::new(); }"], &["fn f() { let h = Sha256::new(); }"]),
    ("weak-crypto", "a.c", &["void f(void) { MD5_Init(&c); }"], &["void f(void) { SHA256_Init(&c); }"]),
];

fn count(pattern: &Pattern, file: &str, code: &str) -> usize {
    let answer = search(pattern, [(file, code)], 0, &AtomicBool::new(false)).expect("an answer");
    assert!(answer.problems.is_empty(), "{file}: {code}: {:?}", answer.problems);
    assert_eq!(answer.files_walked, 1, "{file}");
    answer.total
}

#[test]
fn each_detector_finds_its_own_and_nothing_that_looks_alike() {
    let mut wrong = Vec::new();
    for (name, file, positive, negative) in CASES {
        let pattern = find(name).and_then(Detector::pattern).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut check = |code: &str, expected: usize| {
            let found = count(&pattern, file, code);
            if found != expected {
                wrong.push(format!("{name} found {found} in {file}: {code}"));
            }
        };
        for code in *positive {
            check(code, 1);
            check(&code.replace('\n', "\r\n"), 1);
        }
        negative.iter().for_each(|code| check(code, 0));
        check("", 0);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_rule_of_each_detector_is_tested() {
    let tested: BTreeSet<(&str, &str)> =
        CASES.iter().filter_map(|(name, file, ..)| Some((*name, crate::lang::Lang::of_path(file)?.language().name))).collect();
    for detector in DETECTORS {
        let pattern = detector.pattern().unwrap_or_else(|error| panic!("{}: {error}", detector.name));
        for (language, files) in [("javascript", ["a.mjs", "a.jsx"]), ("typescript", ["a.mts", "a.tsx"])] {
            for file in files {
                let expected = detector.languages().contains(&language);
                assert_eq!(pattern.covers(file), expected, "{} and {file}", detector.name);
            }
        }
        for rule in detector.rules {
            // Dialects and languages of one rule share its query.
            let covered = rule.languages.iter().any(|language| tested.contains(&(detector.name, *language)));
            assert!(covered, "{} has no case for {:?}", detector.name, rule.languages);
        }
    }
}

#[test]
fn the_catalogue_is_sorted_and_complete() {
    let names: Vec<_> = DETECTORS.iter().map(|detector| detector.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
    for detector in DETECTORS {
        assert!(detector.description.ends_with('.') && !detector.languages().is_empty(), "{}", detector.name);
    }
}

#[test]
fn an_unknown_name_gets_those_that_look_like_it() {
    let Err(AstError::UnknownDetector { nearest, .. }) = find("bare-except") else { panic!("refused") };
    assert_eq!(nearest, ["py-bare-except"]);
    assert!(find("nonsense").is_err_and(|error| error.to_string().contains("`help` lists all")));
}
