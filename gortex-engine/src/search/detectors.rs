//! The bundled patterns: code that is usually a mistake or a risk, as data.
//!
//! A detector is a name, a severity, a sentence and one tree-sitter query per family of languages. It prefers to miss a case
//! over naming a wrong one; what it can't know (types, values, whether a test is meant) it does not claim.
//!
//! Knows nothing of files; [`super::ast`] runs it.

use super::ast::{AstError, Inside, Pattern};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a look.
    Info,
    /// Usually wrong.
    Warning,
    /// Wrong, or dangerous.
    Error,
}

impl Severity {
    /// The stable word for answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A bundled pattern.
#[derive(Debug, Clone, Copy)]
pub struct Detector {
    /// The stable name.
    pub name: &'static str,
    /// How much a finding matters.
    pub severity: Severity,
    /// What it finds and why that matters.
    pub description: &'static str,
    /// One query per family of languages.
    pub rules: &'static [Rule],
}

/// The query of a detector for some languages.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Stable names of languages; dialects follow their language.
    pub languages: &'static [&'static str],
    /// The query, which marks `@match`.
    pub query: &'static str,
    /// What has to be around the match.
    pub inside: Option<Inside>,
}

impl Detector {
    /// The languages it knows, in the order of its rules.
    pub fn languages(&self) -> Vec<&'static str> {
        self.rules.iter().flat_map(|rule| rule.languages.iter().copied()).collect()
    }

    /// The pattern to search with; it covers the files of all its languages.
    pub fn pattern(&self) -> Result<Pattern, AstError> {
        let mut all: Option<Pattern> = None;
        for rule in self.rules {
            for language in rule.languages {
                let one = Pattern::compile(language, rule.query)?.inside(rule.inside);
                all = Some(match all {
                    Some(others) => others.or(one),
                    None => one,
                });
            }
        }
        all.ok_or(AstError::NoCapture)
    }
}

/// The detector of this name.
pub fn find(name: &str) -> Result<&'static Detector, AstError> {
    DETECTORS.iter().find(|detector| detector.name == name).ok_or_else(|| {
        // A word in common is what a caller who guesses gets right.
        let words: Vec<&str> = name.split(['-', '_', ' ']).filter(|word| word.len() > 2).collect();
        let names = DETECTORS.iter().map(|detector| detector.name);
        let nearest = names.filter(|other| other.split('-').any(|word| words.contains(&word))).take(5).collect();
        AstError::UnknownDetector { name: name.to_owned(), nearest }
    })
}

const fn rule(languages: &'static [&'static str], query: &'static str) -> Rule {
    Rule { languages, query, inside: None }
}

const SCRIPT: &[&str] = &["javascript", "typescript"];
const C_FAMILY: &[&str] = &["c", "cpp"];

/// All detectors, sorted by name.
pub static DETECTORS: &[Detector] = &[
    Detector {
        name: "c-unbounded-string-call",
        severity: Severity::Error,
        description: "A C string function that writes without knowing the size of its target: gets, strcpy, strcat, sprintf, vsprintf.",
        rules: &[rule(
            C_FAMILY,
            r#"(call_expression function: (identifier) @function
                (#any-of? @function "gets" "strcpy" "strcat" "sprintf" "vsprintf")) @match"#,
        )],
    },
    Detector {
        name: "c-unchecked-scanf-string",
        severity: Severity::Error,
        description: "A scanf format with a `%s` that has no width, so that input can overflow its target.",
        rules: &[rule(
            C_FAMILY,
            r#"(call_expression function: (identifier) @function arguments: (argument_list (string_literal) @format)
                (#any-of? @function "scanf" "fscanf" "sscanf") (#match? @format "%s")) @match"#,
        )],
    },
    Detector {
        name: "go-defer-in-loop",
        severity: Severity::Warning,
        description: "A `defer` in a loop runs when the function ends, not when the round does, so resources pile up.",
        rules: &[Rule {
            languages: &["go"],
            query: "(defer_statement) @match",
            inside: Some(Inside {
                kinds: &["for_statement"],
                not_past: &["func_literal", "function_declaration", "method_declaration"],
            }),
        }],
    },
    Detector {
        name: "go-empty-error-branch",
        severity: Severity::Warning,
        description: "An error is looked at and then nothing is done about it.",
        rules: &[rule(
            &["go"],
            r#"(if_statement condition: (binary_expression operator: "!=" right: (nil)) @condition consequence: (block) @body
                (#match? @condition "\\berr\\b|Err\\b") (#match? @body "^\\{\\s*\\}$")) @match"#,
        )],
    },
    Detector {
        name: "go-error-ignored",
        severity: Severity::Warning,
        description: "The last result of a call, by custom its error, is assigned to `_`.",
        rules: &[rule(
            &["go"],
            r#"([(assignment_statement left: (expression_list (identifier) @blank .) right: (expression_list . (call_expression) .))
                (short_var_declaration left: (expression_list (identifier) @blank .) right: (expression_list . (call_expression) .))] @match
               (#eq? @blank "_"))"#,
        )],
    },
    Detector {
        name: "go-panic-call",
        severity: Severity::Info,
        description: "A call of `panic`, which ends the program unless somebody recovers.",
        rules: &[rule(&["go"], r#"(call_expression function: (identifier) @function (#eq? @function "panic")) @match"#)],
    },
    Detector {
        name: "hardcoded-secret",
        severity: Severity::Error,
        description: "A variable named like a secret is given a literal value.",
        rules: &[
            rule(
                &["python"],
                r#"(assignment left: [(identifier) (attribute)] @name right: (string) @value
                    (#match? @name "(?i)(password|passwd|secret|api_?key|auth_?token|access_?token|private_?key)$")
                    (#match? @value "^[a-z]{0,2}[\"'][^\\s\"'<>{}$%]{8,}[\"']$")
                    (#not-match? @value "(?i)example|change.?me|placeholder|your|dummy|xxxx")) @match"#,
            ),
            rule(
                SCRIPT,
                r#"([(variable_declarator name: (identifier) @name value: (string) @value)
                    (pair key: (property_identifier) @name value: (string) @value)
                    (assignment_expression left: (member_expression property: (property_identifier) @name) right: (string) @value)] @match
                    (#match? @name "(?i)(password|passwd|secret|api_?key|auth_?token|access_?token|private_?key)$")
                    (#match? @value "^[\"'][^\\s\"'<>{}$%]{8,}[\"']$")
                    (#not-match? @value "(?i)example|change.?me|placeholder|your|dummy|xxxx"))"#,
            ),
            rule(
                &["go"],
                r#"([(const_spec name: (identifier) @name value: (expression_list . (interpreted_string_literal) @value .))
                    (var_spec name: (identifier) @name value: (expression_list . (interpreted_string_literal) @value .))
                    (short_var_declaration left: (expression_list . (identifier) @name .)
                        right: (expression_list . (interpreted_string_literal) @value .))] @match
                    (#match? @name "(?i)(password|passwd|secret|api_?key|auth_?token|access_?token|private_?key)$")
                    (#match? @value "^\"[^\\s\"'<>{}$%]{8,}\"$")
                    (#not-match? @value "(?i)example|change.?me|placeholder|your|dummy|xxxx"))"#,
            ),
            rule(
                &["rust"],
                r#"([(let_declaration pattern: (identifier) @name value: (string_literal) @value)
                    (const_item name: (identifier) @name value: (string_literal) @value)
                    (static_item name: (identifier) @name value: (string_literal) @value)] @match
                    (#match? @name "(?i)(password|passwd|secret|api_?key|auth_?token|access_?token|private_?key)$")
                    (#match? @value "^\"[^\\s\"'<>{}$%]{8,}\"$")
                    (#not-match? @value "(?i)example|change.?me|placeholder|your|dummy|xxxx"))"#,
            ),
            rule(
                &["java"],
                r#"((variable_declarator name: (identifier) @name value: (string_literal) @value) @match
                    (#match? @name "(?i)(password|passwd|secret|api_?key|auth_?token|access_?token|private_?key)$")
                    (#match? @value "^\"[^\\s\"'<>{}$%]{8,}\"$")
                    (#not-match? @value "(?i)example|change.?me|placeholder|your|dummy|xxxx"))"#,
            ),
            rule(
                C_FAMILY,
                r#"((init_declarator declarator: (_) @name value: (string_literal) @value) @match
                    (#match? @name "(?i)(password|passwd|secret|api_?key|auth_?token|access_?token|private_?key)(\\[\\d*\\])?$")
                    (#match? @value "^\"[^\\s\"'<>{}$%]{8,}\"$")
                    (#not-match? @value "(?i)example|change.?me|placeholder|your|dummy|xxxx"))"#,
            ),
        ],
    },
    Detector {
        name: "java-empty-catch",
        severity: Severity::Warning,
        description: "An exception is caught and vanishes.",
        rules: &[rule(&["java"], r#"(catch_clause body: (block) @body (#match? @body "^\\{\\s*\\}$")) @match"#)],
    },
    Detector {
        name: "java-print-stack-trace",
        severity: Severity::Info,
        description: "An exception is printed to standard error instead of being logged or passed on.",
        rules: &[rule(
            &["java"],
            r#"(method_invocation name: (identifier) @name arguments: (argument_list) @arguments
                (#eq? @name "printStackTrace") (#match? @arguments "^\\(\\s*\\)$")) @match"#,
        )],
    },
    Detector {
        name: "java-string-identity",
        severity: Severity::Error,
        description: "A string is compared with `==` or `!=`, which asks whether it is the same object.",
        rules: &[rule(
            &["java"],
            r#"[(binary_expression left: (string_literal) operator: ["==" "!="])
                (binary_expression operator: ["==" "!="] right: (string_literal))] @match"#,
        )],
    },
    Detector {
        name: "java-system-exit",
        severity: Severity::Warning,
        description: "`System.exit` ends the whole virtual machine.",
        rules: &[rule(
            &["java"],
            r#"(method_invocation object: (identifier) @object name: (identifier) @name
                (#eq? @object "System") (#eq? @name "exit")) @match"#,
        )],
    },
    Detector {
        name: "js-assignment-in-condition",
        severity: Severity::Warning,
        description: "A condition is a bare assignment; `==` or `===` may be meant.",
        rules: &[rule(
            SCRIPT,
            "[(if_statement condition: (parenthesized_expression . (assignment_expression) @match))
              (while_statement condition: (parenthesized_expression . (assignment_expression) @match))]",
        )],
    },
    Detector {
        name: "js-console-log",
        severity: Severity::Info,
        description: "Output for debugging: `console.log`, `console.debug`, `console.trace`.",
        rules: &[rule(
            SCRIPT,
            r#"(call_expression function: (member_expression object: (identifier) @object property: (property_identifier) @name)
                (#eq? @object "console") (#any-of? @name "log" "debug" "trace")) @match"#,
        )],
    },
    Detector {
        name: "js-debugger-statement",
        severity: Severity::Warning,
        description: "A `debugger` statement stops every visitor's browser that has its tools open.",
        rules: &[rule(SCRIPT, "(debugger_statement) @match")],
    },
    Detector {
        name: "js-empty-catch",
        severity: Severity::Warning,
        description: "An exception is caught and vanishes, without even a comment.",
        rules: &[rule(SCRIPT, r#"(catch_clause body: (statement_block) @body (#match? @body "^\\{\\s*\\}$")) @match"#)],
    },
    Detector {
        name: "js-eval-call",
        severity: Severity::Error,
        description: "Text is run as code: `eval(...)` or `new Function(...)`.",
        rules: &[rule(
            SCRIPT,
            r#"(call_expression function: (identifier) @function (#eq? @function "eval")) @match
               (new_expression constructor: (identifier) @function (#eq? @function "Function")) @match"#,
        )],
    },
    Detector {
        name: "js-html-assignment",
        severity: Severity::Warning,
        description: "A computed value is assigned to `innerHTML` or `outerHTML`, which may inject markup.",
        rules: &[rule(
            SCRIPT,
            r#"(assignment_expression left: (member_expression property: (property_identifier) @property) right: (_) @value
                (#any-of? @property "innerHTML" "outerHTML") (#not-match? @value "^(\"[^\"]*\"|'[^']*'|`[^`$]*`)$")) @match"#,
        )],
    },
    Detector {
        name: "js-loose-equality",
        severity: Severity::Info,
        description: "`==` or `!=` converts types before it compares; comparing with `null` is the usual exception and not listed.",
        rules: &[rule(
            SCRIPT,
            r#"(binary_expression left: (_) @left operator: ["==" "!="] right: (_) @right
                (#not-eq? @left "null") (#not-eq? @right "null")) @match"#,
        )],
    },
    Detector {
        name: "py-assert-tuple",
        severity: Severity::Error,
        description: "An assertion of a tuple, `assert (condition, message)`, always holds.",
        rules: &[rule(&["python"], "(assert_statement . (tuple (_))) @match")],
    },
    Detector {
        name: "py-bare-except",
        severity: Severity::Warning,
        description: "`except:` without a type also catches KeyboardInterrupt and SystemExit.",
        rules: &[rule(&["python"], r#"(except_clause . "except" . ":") @match"#)],
    },
    Detector {
        name: "py-eval-call",
        severity: Severity::Error,
        description: "Text is run as code: `eval(...)` or `exec(...)`.",
        rules: &[rule(&["python"], r#"(call function: (identifier) @function (#any-of? @function "eval" "exec")) @match"#)],
    },
    Detector {
        name: "py-identity-with-literal",
        severity: Severity::Warning,
        description: "`is` compares identity; with a string or a number the result depends on the interpreter.",
        rules: &[rule(
            &["python"],
            r#"[(comparison_operator (_) . "is" . [(string) (integer) (float)])
                (comparison_operator (_) . "is not" . [(string) (integer) (float)])
                (comparison_operator [(string) (integer) (float)] . ["is" "is not"])] @match"#,
        )],
    },
    Detector {
        name: "py-mutable-default",
        severity: Severity::Warning,
        description: "A list, dictionary or set as a default value is made once and shared by all calls.",
        rules: &[rule(
            &["python"],
            r#"[(default_parameter value: [(list) (dictionary) (set)])
                (typed_default_parameter value: [(list) (dictionary) (set)])] @match
               ([(default_parameter value: (call function: (identifier) @function))
                (typed_default_parameter value: (call function: (identifier) @function))] @match
                (#any-of? @function "list" "dict" "set"))"#,
        )],
    },
    Detector {
        name: "py-shell-true",
        severity: Severity::Warning,
        description: "A process is started through a shell, so that its arguments may be read as commands.",
        rules: &[rule(
            &["python"],
            r#"(call arguments: (argument_list (keyword_argument name: (identifier) @name value: (true))) (#eq? @name "shell")) @match"#,
        )],
    },
    Detector {
        name: "py-unsafe-load",
        severity: Severity::Warning,
        description: "Loading with pickle, marshal or shelve runs whatever code the data contains.",
        rules: &[rule(
            &["python"],
            r#"(call function: (attribute object: (identifier) @module attribute: (identifier) @function)
                (#any-of? @module "pickle" "cPickle" "dill" "marshal" "shelve") (#any-of? @function "load" "loads" "open")) @match"#,
        )],
    },
    Detector {
        name: "rust-dbg-macro",
        severity: Severity::Warning,
        description: "A `dbg!` left over from debugging.",
        rules: &[rule(&["rust"], r#"(macro_invocation macro: (identifier) @name (#eq? @name "dbg")) @match"#)],
    },
    Detector {
        name: "rust-todo-macro",
        severity: Severity::Warning,
        description: "Code that is not written yet and panics: `todo!` or `unimplemented!`.",
        rules: &[rule(
            &["rust"],
            r#"(macro_invocation macro: (identifier) @name (#any-of? @name "todo" "unimplemented")) @match"#,
        )],
    },
    Detector {
        name: "rust-transmute",
        severity: Severity::Warning,
        description: "`transmute` reads the bytes of one type as another, and the compiler can't check that this makes sense.",
        rules: &[rule(
            &["rust"],
            r#"(call_expression function: (_) @function
                (#match? @function "(^|::)transmute(_copy)?(::<.*>)?$")) @match"#,
        )],
    },
    Detector {
        name: "rust-unsafe-block",
        severity: Severity::Info,
        description: "A block whose soundness the compiler can't check.",
        rules: &[rule(&["rust"], "(unsafe_block) @match")],
    },
    Detector {
        name: "rust-unwrap-call",
        severity: Severity::Info,
        description: "`.unwrap()` panics on an error or on nothing.",
        rules: &[rule(
            &["rust"],
            r#"(call_expression function: (field_expression field: (field_identifier) @name) arguments: (arguments) @arguments
                (#eq? @name "unwrap") (#match? @arguments "^\\(\\s*\\)$")) @match"#,
        )],
    },
    Detector {
        name: "sql-string-concat",
        severity: Severity::Error,
        description: "A statement of SQL is put together from text and values instead of being given parameters.",
        rules: &[
            rule(
                &["python"],
                r#"((binary_operator left: (string) @sql operator: ["+" "%"] right: (_) @value) @match
                    (#match? @sql "(?is)^[a-z]{0,2}[\"']+\\s*(select\\b.+\\bfrom|insert\\s+into|update\\b.+\\bset|delete\\s+from)\\b")
                    (#not-match? @value "^[a-z]{0,2}[\"']"))
                   ((string (interpolation)) @match
                    (#match? @match "(?is)^[a-z]{0,2}[\"']+\\s*(select\\b.+\\bfrom|insert\\s+into|update\\b.+\\bset|delete\\s+from)\\b"))"#,
            ),
            rule(
                SCRIPT,
                r#"((binary_expression left: (string) @sql operator: "+" right: (_) @value) @match
                    (#match? @sql "(?is)^[\"']\\s*(select\\b.+\\bfrom|insert\\s+into|update\\b.+\\bset|delete\\s+from)\\b")
                    (#not-match? @value "^[\"'`]"))
                   ((template_string (template_substitution)) @match
                    (#match? @match "(?is)^`\\s*(select\\b.+\\bfrom|insert\\s+into|update\\b.+\\bset|delete\\s+from)\\b"))"#,
            ),
            rule(
                &["go"],
                r#"((binary_expression left: [(interpreted_string_literal) (raw_string_literal)] @sql operator: "+" right: (_) @value) @match
                    (#match? @sql "(?is)^[\"`]\\s*(select\\b.+\\bfrom|insert\\s+into|update\\b.+\\bset|delete\\s+from)\\b")
                    (#not-match? @value "^[\"`]"))
                   ((call_expression function: (selector_expression) @function
                        arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)] @sql)) @match
                    (#eq? @function "fmt.Sprintf")
                    (#match? @sql "(?is)^[\"`]\\s*(select\\b.+\\bfrom|insert\\s+into|update\\b.+\\bset|delete\\s+from)\\b.*%[sdvq]"))"#,
            ),
            rule(
                &["java"],
                r#"((binary_expression left: (string_literal) @sql operator: "+" right: (_) @value) @match
                    (#match? @sql "(?is)^\"\\s*(select\\b.+\\bfrom|insert\\s+into|update\\b.+\\bset|delete\\s+from)\\b")
                    (#not-match? @value "^\""))"#,
            ),
            rule(
                &["rust"],
                r#"((macro_invocation macro: (identifier) @name (token_tree . (string_literal) @sql)) @match
                    (#eq? @name "format")
                    (#match? @sql "(?is)^\"\\s*(select\\b.+\\bfrom|insert\\s+into|update\\b.+\\bset|delete\\s+from)\\b.*\\{"))"#,
            ),
        ],
    },
    Detector {
        name: "ts-explicit-any",
        severity: Severity::Info,
        description: "The type `any` switches checking off.",
        rules: &[rule(&["typescript"], r#"((predefined_type) @match (#eq? @match "any"))"#)],
    },
    Detector {
        name: "ts-non-null-assertion",
        severity: Severity::Info,
        description: "`value!` claims without a check that a value is there.",
        rules: &[rule(&["typescript"], "(non_null_expression) @match")],
    },
    Detector {
        name: "weak-crypto",
        severity: Severity::Warning,
        description: "MD5 or SHA-1, which no longer protect against forgery.",
        rules: &[
            rule(
                &["python"],
                r#"((call function: (attribute object: (identifier) @module attribute: (identifier) @function)) @match
                    (#eq? @module "hashlib") (#any-of? @function "md5" "sha1"))
                   ((call function: (attribute object: (identifier) @module attribute: (identifier) @function)
                        arguments: (argument_list . (string) @name)) @match
                    (#eq? @module "hashlib") (#eq? @function "new") (#match? @name "(?i)^[\"'](md5|sha-?1)[\"']$"))"#,
            ),
            rule(
                SCRIPT,
                r#"((call_expression function: [(identifier) @function (member_expression property: (property_identifier) @function)]
                        arguments: (arguments . (string) @name)) @match
                    (#any-of? @function "createHash" "createHmac") (#match? @name "(?i)^[\"'](md5|sha-?1)[\"']$"))"#,
            ),
            rule(
                &["go"],
                r#"((call_expression function: (selector_expression operand: (identifier) @package field: (field_identifier) @function)) @match
                    (#any-of? @package "md5" "sha1") (#any-of? @function "New" "Sum"))"#,
            ),
            rule(
                &["java"],
                r#"((method_invocation object: (identifier) @class name: (identifier) @function
                        arguments: (argument_list . (string_literal) @name)) @match
                    (#eq? @class "MessageDigest") (#eq? @function "getInstance") (#match? @name "(?i)^\"(md5|sha-?1)\"$"))"#,
            ),
            rule(
                &["rust"],
                r#"((call_expression function: (scoped_identifier path: (_) @type name: (identifier) @function)) @match
                    (#match? @type "(^|::)(Md5|Sha1)$") (#any-of? @function "new" "digest"))"#,
            ),
            rule(
                C_FAMILY,
                r#"((call_expression function: (identifier) @function) @match
                    (#any-of? @function "MD5" "SHA1" "MD5_Init" "SHA1_Init" "EVP_md5" "EVP_sha1"))"#,
            ),
        ],
    },
];

#[cfg(test)]
#[path = "detectors_tests.rs"]
mod tests;
