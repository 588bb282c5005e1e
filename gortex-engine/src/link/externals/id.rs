//! The id of an external as it is put together: prefix, package, path.
//!
//! How a module's text becomes a package is each ecosystem's own affair, and so is whether it comes with the language; both are
//! decided from the text and the word lists of [`known`](super::known), never from what is installed.
//!
//! Knows spellings only.

use super::known;
use crate::lang::Family;

/// An id in the making. The buffer is used again for every mention.
#[derive(Debug, Default)]
pub(super) struct Id {
    text: String,
    /// Whether something of the package is named already.
    inside: bool,
    /// Rust names what is in what by `::`, also where the last step is a method.
    paths: bool,
    /// Whether each step was declared, none inferred.
    pub sure: bool,
}

impl Id {
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether nothing of the package is named.
    pub fn is_package(&self) -> bool {
        !self.inside
    }

    /// Begins a new id.
    fn start(&mut self, prefix: &str, world: &str, package: &str) {
        self.text.clear();
        self.text.push_str(prefix);
        self.text.push_str("::");
        self.text.push_str(world);
        if !world.is_empty() && !package.is_empty() {
            self.text.push('/');
        }
        self.text.push_str(package);
        (self.inside, self.paths, self.sure) = (false, false, true);
    }

    fn library(&mut self, world: &str, package: &str) -> bool {
        self.start("stdlib", world, package);
        true
    }

    fn package(&mut self, package: &str) -> bool {
        self.start("dep", "", package);
        !package.is_empty()
    }

    /// A step into what is named so far.
    pub fn member(&mut self, name: &str) {
        if name.is_empty() {
            return;
        }
        if !self.inside && self.submodule(name) {
            return;
        }
        self.text.push_str(if !self.inside || self.paths { "::" } else { "." });
        self.text.push_str(name);
        self.inside = true;
    }

    /// `os` and then `path` is the module `os.path`, however it was reached.
    fn submodule(&mut self, name: &str) -> bool {
        let Some(module) = self.text.strip_prefix("stdlib::python/") else { return false };
        let full = format!("{module}.{name}");
        if !known::has("python submodules", &full) {
            return false;
        }
        self.text.push('.');
        self.text.push_str(name);
        true
    }

    /// The id of a module or package as an import writes it. False where that says nothing of one.
    pub fn module(&mut self, family: Family, language: &str, text: &str) -> bool {
        match family {
            Family::Go => self.go(text),
            Family::Python => self.python(text),
            Family::Script => self.script(text),
            Family::Jvm => self.jvm(text),
            Family::C => self.header(language, text),
            Family::CSharp => self.dotnet(text),
            Family::Php => self.php(text),
            Family::Ruby if known::has("ruby libraries", text) => self.library("ruby", text),
            Family::Swift if known::has("swift modules", text) => self.library("swift", text),
            Family::Elixir if known::has("elixir modules", elixir_top(text)) => self.library("elixir", text),
            Family::Haskell if known::has("haskell modules", text) => self.library("haskell", text),
            Family::Ocaml => self.ocaml(text),
            Family::Dart => match text.split_once(':') {
                Some(("dart", library)) => self.library("dart", library),
                Some(("package", path)) => self.package(path.split('/').next().unwrap_or(path)),
                _ => false,
            },
            Family::Zig if matches!(text, "std" | "builtin") => self.library("zig", text),
            // A path is a file that is not there, not a package.
            Family::Zig if text.contains(['/', '\\', '.']) => false,
            Family::Ruby | Family::Swift | Family::Elixir | Family::Haskell | Family::Zig => self.package(text),
            Family::Lua => self.package(text),
            Family::Rust | Family::Shell | Family::Plain => false,
        }
    }

    /// The head of a Rust path: a crate.
    pub fn krate(&mut self, name: &str) -> bool {
        let made = match name {
            "std" | "core" | "alloc" | "proc_macro" | "test" => self.library("rust", name),
            other => self.package(other),
        };
        self.paths = true;
        made
    }

    fn go(&mut self, text: &str) -> bool {
        // What has a domain in front comes from there; what has none comes with Go.
        let dotted = text.split('/').next().is_some_and(|first| first.contains('.'));
        if dotted { self.package(text) } else { self.library("go", text) }
    }

    fn python(&mut self, text: &str) -> bool {
        let (head, rest) = text.split_once('.').unwrap_or((text, ""));
        if head.is_empty() {
            return false;
        }
        if known::has("python modules", head) {
            // A module that is imported from is one, whether it is listed or not.
            return self.library("python", text);
        }
        self.package(head);
        rest.split('.').for_each(|part| self.member(part));
        true
    }

    fn script(&mut self, text: &str) -> bool {
        if let Some(own) = text.strip_prefix("node:") {
            return self.library("node", own);
        }
        if known::has("node modules", text.split('/').next().unwrap_or(text)) && !text.ends_with('/') {
            return self.library("node", text);
        }
        // `#x` is an import of the package itself, a URL or loader prefix is no package.
        let plain = !text.starts_with(['#', '.', '/', '~']) && !text.contains(':');
        let plain = plain || ["npm:", "jsr:"].iter().any(|prefix| text.starts_with(prefix));
        plain && self.package(text)
    }

    fn jvm(&mut self, text: &str) -> bool {
        // Packages are written small, classes with a capital.
        let parts = || text.split('.');
        let lead = parts().take_while(|part| !part.starts_with(char::is_uppercase)).count();
        let split = parts().take(lead).map(|part| part.len() + 1).sum::<usize>().saturating_sub(1);
        let (package, path) = (&text[..split], text[split..].trim_start_matches('.'));
        if package.is_empty() {
            return false;
        }
        let first = package.split('.').next().unwrap_or(package);
        let own_javax = || {
            let rest = package.strip_prefix("javax.").unwrap_or("");
            rest.split('.').next().is_some_and(|one| known::has("javax packages", one)) || known::has("javax packages", rest)
        };
        match first {
            "java" | "jdk" | "sun" => self.library("java", package),
            "javax" if own_javax() => self.library("java", package),
            "kotlin" => self.library("kotlin", package),
            "scala" => self.library("scala", package),
            _ => self.package(package),
        };
        path.split('.').for_each(|part| self.member(part));
        true
    }

    fn header(&mut self, language: &str, text: &str) -> bool {
        if let Some(rest) = text.strip_prefix("std").filter(|rest| rest.is_empty() || rest.starts_with("::")) {
            self.library("c++", "std");
            self.paths = true;
            rest.split("::").for_each(|part| self.member(part));
            return true;
        }
        match () {
            () if text.contains("::") => false,
            () if known::has("c headers", text) => self.library("c", text),
            () if known::has("c++ headers", text) && language != "c" => self.library("c++", text),
            () => self.package(text),
        }
    }

    fn dotnet(&mut self, text: &str) -> bool {
        let text = text.trim_start_matches("global::");
        let own = text == "System" || text.starts_with("System.") || text.starts_with("Microsoft.Win32");
        let own = own || text.starts_with("Microsoft.CSharp") || text.starts_with("Microsoft.VisualBasic");
        if own { self.library("dotnet", text) } else { self.package(text) }
    }

    fn php(&mut self, text: &str) -> bool {
        let text = text.trim_start_matches('\\');
        match text.rsplit_once('\\') {
            Some((space, name)) => {
                self.package(space);
                self.member(name);
                true
            }
            None if known::has("php classes", text) => {
                self.library("php", "");
                self.member(text);
                true
            }
            None => false,
        }
    }

    fn ocaml(&mut self, text: &str) -> bool {
        let (head, rest) = text.split_once('.').unwrap_or((text, ""));
        let made = if known::has("ocaml modules", head) { self.library("ocaml", head) } else { self.package(head) };
        rest.split('.').for_each(|part| self.member(part));
        made
    }

    /// A name that needs no import: function, type, library table. False where the language has none of that name.
    pub fn prelude(&mut self, family: Family, language: &str, name: &str) -> bool {
        let (world, package, path) = match family {
            Family::Go if known::has("go builtins", name) => ("go", "builtin", name),
            Family::Python if known::has("python builtins", name) => ("python", "builtins", name),
            Family::Script if known::has("js globals", name) => ("js", "", name),
            Family::Jvm => return self.jvm_prelude(language, name),
            Family::C => match known::path("c functions", name) {
                Some(header) => ("c", header, name),
                None => return false,
            },
            Family::Rust => match known::path("rust prelude", name) {
                Some(path) => {
                    self.krate("std");
                    self.member(path);
                    return true;
                }
                None => return false,
            },
            Family::Ruby if known::has("ruby core", name) => ("ruby", "", name),
            Family::Ruby if known::has("ruby kernel", name) => ("ruby", "Kernel", name),
            Family::Php if known::has("php classes", name) => ("php", "", name),
            Family::Lua if crate::link::lua::is_library(name) => return self.library("lua", name),
            Family::Lua if crate::link::lua::is_builtin(name) => ("lua", "", name),
            Family::Shell if crate::link::modules::shell::is_builtin(name) => ("bash", "", name),
            Family::Elixir if crate::link::elixir::is_builtin(name) => ("elixir", "Kernel", name),
            _ => return false,
        };
        self.library(world, package);
        self.member(path);
        true
    }

    fn jvm_prelude(&mut self, language: &str, name: &str) -> bool {
        let kotlin = if language == "kotlin" { known::path("kotlin prelude", name) } else { None };
        match kotlin {
            Some(package) => self.library("kotlin", package),
            None if known::has("java lang", name) => self.library("java", "java.lang"),
            None => return false,
        };
        self.member(name);
        true
    }
}

/// `String` of `String.Chars`, where the whole is not listed.
fn elixir_top(text: &str) -> &str {
    if known::has("elixir modules", text) { text } else { text.split('.').next().unwrap_or(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(family: Family, language: &str, module: &str, members: &[&str], expected: &str) {
        let mut id = Id::default();
        let made = id.module(family, language, module);
        for name in members {
            id.member(name);
        }
        assert_eq!(if made { id.as_str() } else { "" }, expected);
    }

    #[test]
    fn packages_follow_their_ecosystem() {
        check(Family::Go, "go", "net/http", &["Client", "Do"], "stdlib::go/net/http::Client.Do");
        check(Family::Go, "go", "github.com/spf13/cobra", &["Command"], "dep::github.com/spf13/cobra::Command");
        check(Family::Python, "python", "os", &["path", "join"], "stdlib::python/os.path::join");
        check(Family::Python, "python", "os", &["environ", "get"], "stdlib::python/os::environ.get");
        check(Family::Python, "python", "requests.adapters", &["HTTPAdapter"], "dep::requests::adapters.HTTPAdapter");
        check(Family::Script, "typescript", "node:fs/promises", &["readFile"], "stdlib::node/fs/promises::readFile");
        check(Family::Script, "typescript", "@angular/core", &["Component"], "dep::@angular/core::Component");
        check(Family::Script, "typescript", "#internal", &[], "");
        check(Family::Jvm, "java", "java.util.Map.Entry", &[], "stdlib::java/java.util::Map.Entry");
        check(Family::Jvm, "java", "javax.inject", &["Inject"], "dep::javax.inject::Inject");
        check(Family::Jvm, "java", "javax.crypto.spec", &["IvSpec"], "stdlib::java/javax.crypto.spec::IvSpec");
        check(Family::C, "cpp", "std", &["vector", "push_back"], "stdlib::c++/std::vector::push_back");
        check(Family::C, "c", "stdio.h", &["printf"], "stdlib::c/stdio.h::printf");
        check(Family::C, "c", "openssl/ssl.h", &[], "dep::openssl/ssl.h");
        check(Family::CSharp, "csharp", "System.Text.Json", &[], "stdlib::dotnet/System.Text.Json");
        check(Family::Php, "php", "Psr\\Log\\LoggerInterface", &[], "dep::Psr\\Log::LoggerInterface");
        check(Family::Dart, "dart", "package:http/http.dart", &["get"], "dep::http::get");
        check(Family::Zig, "zig", "missing.zig", &[], "");
    }

    #[test]
    fn names_without_an_import_are_those_of_the_lists() {
        let mut id = Id::default();
        assert!(id.prelude(Family::Rust, "rust", "Vec"));
        id.member("push");
        assert_eq!(id.as_str(), "stdlib::rust/std::vec::Vec::push");
        assert!(id.prelude(Family::Jvm, "java", "String") && id.as_str() == "stdlib::java/java.lang::String");
        assert!(id.prelude(Family::Jvm, "kotlin", "List") && id.as_str() == "stdlib::kotlin/kotlin.collections::List");
        assert!(!id.prelude(Family::Jvm, "java", "List") && !id.prelude(Family::Go, "go", "frobnicate"));
    }
}
