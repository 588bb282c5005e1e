//! Who the client says it is, and what follows from that: its family, and whether it reads the compact wire format.
//!
//! A name is an alias of a family when it is the alias alone, or the alias followed by a space, `/` or `@`. Everything else is
//! nobody we know, which costs it nothing but the compact format.
//!
//! Knows nothing of surfaces: any name means the compact one, known or not.

/// What a client says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientInfo {
    /// Its name.
    pub name: String,
    /// Its version; empty when it gave none.
    pub version: String,
}

/// Families of hosts with their other names.
const FAMILIES: [(&str, &[&str]); 7] = [
    ("claude-code", &["claude-code", "claude code"]),
    ("cursor", &["cursor"]),
    ("vscode", &["vscode", "visual studio"]),
    ("zed", &["zed"]),
    ("windsurf", &["windsurf"]),
    ("jetbrains", &["jetbrains", "intellij"]),
    ("codex", &["codex", "openai-codex"]),
];

/// Families that have no decoder of the compact format.
const JSON_ONLY: [&str; 2] = ["windsurf", "jetbrains"];

/// Further clients with a decoder, by their whole name.
const DECODERS: [&str; 6] = ["aider", "kilocode", "opencode", "openclaw", "omp-coding-agent", "pi"];

impl ClientInfo {
    /// A client of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> ClientInfo {
        ClientInfo { name: name.into(), version: version.into() }
    }

    /// The family of hosts it belongs to.
    pub fn family(&self) -> Option<&'static str> {
        let name = self.name.trim().to_lowercase();
        let is =
            |alias: &&str| name.strip_prefix(*alias).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '/', '@']));
        FAMILIES.iter().find(|(_, aliases)| aliases.iter().any(is)).map(|(family, _)| *family)
    }

    /// Whether answers go out in the compact format when it does not say otherwise.
    pub fn decodes_gcx(&self) -> bool {
        match self.family() {
            Some(family) => !JSON_ONLY.contains(&family),
            None => DECODERS.contains(&self.name.trim().to_lowercase().as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, family: Option<&str>, gcx: bool) {
        let client = ClientInfo::new(name, "1");
        assert_eq!((client.family(), client.decodes_gcx()), (family, gcx), "{name}");
    }

    #[test]
    fn an_alias_with_a_version_is_its_family() {
        check("Claude Code 1.4", Some("claude-code"), true);
        check(" claude-code ", Some("claude-code"), true);
        check("codex/0.142", Some("codex"), true);
        check("OpenAI-Codex@2", Some("codex"), true);
        check("Visual Studio Code", Some("vscode"), true);
        check("IntelliJ IDEA", Some("jetbrains"), false);
        check("windsurf", Some("windsurf"), false);
    }

    #[test]
    fn a_name_that_only_contains_an_alias_is_nobody_known() {
        check("not-codex", None, false);
        check("Claude Desktop", None, false);
        check("codexé", None, false);
        check("", None, false);
        check("cursorless", None, false);
        check("pi", None, true);
        check("pi 2", None, false);
        check("OpenCode", None, true);
    }
}
