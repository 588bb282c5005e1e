//! C++.
//!
//! C's declarators, and members that are declared in one place and defined in another: `Foo::bar` belongs to `Foo` wherever
//! that is. Whether a qualifier is a namespace or a class is for `link` to say.

use super::cfamily::{self, expr, plus, prepare, refs, types};
use super::common::joined;
use super::{Action, Family, Hooks, Language, Tier};

const TABLE: [(&str, Action); cfamily::TABLE.len() + 21] = joined(
    cfamily::TABLE,
    [
        ("class_specifier", Action::Hook(types::type_mention)),
        ("template_type", Action::Hook(types::type_mention)),
        ("template_argument_list", Action::Hook(types::template_arguments)),
        ("if_statement", Action::Scope),
        ("while_statement", Action::Scope),
        ("switch_statement", Action::Scope),
        ("namespace_definition", Action::Hook(plus::namespace)),
        ("using_declaration", Action::Hook(plus::using)),
        ("alias_declaration", Action::Hook(plus::alias)),
        ("namespace_alias_definition", Action::Hook(plus::namespace_alias)),
        ("template_declaration", Action::Hook(plus::template)),
        ("template_instantiation", Action::Hook(plus::instantiation)),
        ("concept_definition", Action::Hook(plus::concept)),
        ("friend_declaration", Action::Hook(plus::friend)),
        ("qualified_identifier", Action::Hook(refs::qualified)),
        ("template_function", Action::Hook(refs::template_function)),
        ("new_expression", Action::Hook(refs::new)),
        ("lambda_expression", Action::Hook(plus::lambda)),
        ("for_range_loop", Action::Hook(plus::range_loop)),
        ("catch_clause", Action::Hook(plus::catch)),
        ("field_initializer", Action::Hook(plus::field_initializer)),
    ],
);

/// C++.
pub(super) static CPP: Language = Language {
    name: "cpp",
    tier: Tier::Deep,
    family: Family::C,
    extensions: &["cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp"],
    file_names: &[],
    line_comment: "//",
    keywords: "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class \
        compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype \
        default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline \
        int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register \
        reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template \
        this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t \
        while xor xor_eq",
    signatures: &["$;", "$ {}", "struct T { $; };"],
    hoists: false,
    implicit_self: true,
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    table: &TABLE,
    usage: cfamily::USAGE,
    hooks: Hooks { expr: Some(expr::expr), prepare: Some(prepare::prepare), ..Hooks::NONE },
};

/// Whether the text of a `.h` file is evidently C++: a class, namespace, template, `using` or access label at the start of a
/// line, outside comments and outside what only a C++ compiler is shown (`#ifdef __cplusplus`).
pub(crate) fn looks_like_cpp(bytes: &[u8]) -> bool {
    const MARKS: &[&[u8]] = &[b"class", b"namespace", b"template", b"using", b"public", b"private", b"protected", b"virtual"];
    let mut guards: Vec<bool> = Vec::new();
    let mut in_comment = false;
    for line in bytes[..bytes.len().min(256 << 10)].split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        let commented = in_comment;
        if let Some(end) = memchr::memmem::rfind(line, b"*/") {
            in_comment = memchr::memmem::rfind(line, b"/*").is_some_and(|start| start > end);
        } else if memchr::memmem::find(line, b"/*").is_some() {
            in_comment = true;
        }
        if commented || line.is_empty() {
            continue;
        }
        if let Some(directive) = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) {
            if directive.starts_with(b"if") {
                guards.push(memchr::memmem::find(directive, b"__cplusplus").is_some());
            } else if directive.starts_with(b"endif") {
                guards.pop();
            }
            continue;
        }
        if guards.contains(&true) {
            continue;
        }
        let word = line.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(line.len());
        if !MARKS.contains(&&line[..word]) {
            continue;
        }
        let rest = line[word..].trim_ascii_start();
        let follows = match &line[..word] {
            b"template" => rest.starts_with(b"<"),
            b"public" | b"private" | b"protected" => rest.starts_with(b":"),
            b"namespace" => rest.first().is_none_or(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'{' | b':')),
            _ => rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'~' | b'[')),
        };
        if follows {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::looks_like_cpp;

    #[test]
    fn a_header_says_whether_it_is_cpp() {
        let cpp: [&[u8]; 5] = [
            b"#pragma once\nnamespace a {\n}",
            b"template <class T> struct X;",
            b"  class Foo {",
            b"struct A {\npublic:\n};",
            b"using x = int;\r\n",
        ];
        for text in cpp {
            assert!(looks_like_cpp(text), "{}", String::from_utf8_lossy(text));
        }
        let c: [&[u8]; 6] = [
            b"",
            b"#ifdef __cplusplus\nextern \"C\" {\nclass X;\n#endif\nint f(void);",
            b"/*\nclass of things\n*/\nint x;",
            b"int class;\nstruct s { int private; };",
            b"int namespace = 1;",
            b"template = 1;",
        ];
        for text in c {
            assert!(!looks_like_cpp(text), "{}", String::from_utf8_lossy(text));
        }
    }
}
