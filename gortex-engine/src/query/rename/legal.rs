//! Which texts are identifiers in which language.

use crate::lang::{Family, Language};

/// Why a text is no identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// It is empty.
    Empty,
    /// It begins with a character that no name begins with.
    Start(char),
    /// It holds a character that no name holds.
    Character(char),
    /// The language reads it as a keyword.
    Keyword,
}

impl std::fmt::Display for Illegal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Illegal::Empty => f.write_str("it is empty"),
            Illegal::Start(found) => write!(f, "it begins with {found:?}"),
            Illegal::Character(found) => write!(f, "it holds {found:?}"),
            Illegal::Keyword => f.write_str("it is a keyword"),
        }
    }
}

/// Whether a text can be a name.
pub(super) fn check(language: &Language, name: &str) -> Result<(), Illegal> {
    let dollar = matches!(language.family, Family::Script | Family::Java);
    let part = |found: char| found == '_' || found.is_alphanumeric() || (dollar && found == '$');
    let first = name.chars().next().ok_or(Illegal::Empty)?;
    if !part(first) || first.is_numeric() {
        return Err(Illegal::Start(first));
    }
    if let Some(odd) = name.chars().find(|found| !part(*found)) {
        return Err(Illegal::Character(odd));
    }
    let keyword = keywords(language).split_ascii_whitespace().any(|word| word == name);
    if keyword || name == "_" { Err(Illegal::Keyword) } else { Ok(()) }
}

fn keywords(language: &Language) -> &'static str {
    match language.family {
        Family::Rust => {
            "as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop match mod move \
             mut pub ref return self Self static struct super trait true type unsafe use where while abstract become box do \
             final macro override priv try typeof unsized virtual yield"
        }
        Family::Go => {
            "break case chan const continue default defer else fallthrough for func go goto if import interface map package \
             range return select struct switch type var"
        }
        Family::Python => {
            "False None True and as assert async await break class continue def del elif else except finally for from global \
             if import in is lambda nonlocal not or pass raise return try while with yield"
        }
        Family::Script => {
            "await break case catch class const continue debugger default delete do else enum export extends false finally for \
             function if implements import in instanceof interface let new null package private protected public return \
             static super switch this throw true try typeof var void while with yield"
        }
        Family::Java => {
            "abstract assert boolean break byte case catch char class const continue default do double else enum extends final \
             finally float for goto if implements import instanceof int interface long native new package private protected \
             public return short static strictfp super switch synchronized this throw throws transient try void volatile \
             while true false null"
        }
        Family::C if language.name == "cpp" => {
            "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl \
             concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default \
             delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long \
             mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register \
             reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template \
             this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t \
             while xor xor_eq"
        }
        Family::C => {
            "auto break case char const continue default do double else enum extern float for goto if inline int long register \
             restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true \
             false nullptr constexpr alignas alignof static_assert thread_local typeof"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;

    #[track_caller]
    fn check_name(language: &str, name: &str, expected: Result<(), Illegal>) {
        let language = Lang::named(language).expect("a language").language();
        assert_eq!(check(language, name), expected, "{name}");
    }

    #[test]
    fn names_and_others() {
        check_name("rust", "größe_2", Ok(()));
        check_name("rust", "match", Err(Illegal::Keyword));
        check_name("python", "match", Ok(()));
        check_name("java", "$x", Ok(()));
        check_name("go", "$x", Err(Illegal::Start('$')));
        check_name("go", "2x", Err(Illegal::Start('2')));
        check_name("go", "a-b", Err(Illegal::Character('-')));
        check_name("c", "", Err(Illegal::Empty));
        check_name("cpp", "class", Err(Illegal::Keyword));
        check_name("c", "class", Ok(()));
    }
}
