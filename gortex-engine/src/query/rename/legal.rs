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
    let dollar = matches!(language.family, Family::Script | Family::Jvm);
    let part = |found: char| found == '_' || found.is_alphanumeric() || (dollar && found == '$');
    let first = name.chars().next().ok_or(Illegal::Empty)?;
    if !part(first) || first.is_numeric() {
        return Err(Illegal::Start(first));
    }
    if let Some(odd) = name.chars().find(|found| !part(*found)) {
        return Err(Illegal::Character(odd));
    }
    let keyword = language.keywords.split_ascii_whitespace().any(|word| word == name);
    if keyword || name == "_" { Err(Illegal::Keyword) } else { Ok(()) }
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
