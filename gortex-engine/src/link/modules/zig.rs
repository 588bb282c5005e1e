//! Zig: files by their path from the importing file, modules by the name that the build gives them.
//!
//! Knows the one shape in which `build.zig` names a module and its file together; other names are outside.

use super::{Manifest, Module, Modules, folder, join};
use crate::link::table::Table;

#[derive(Debug, Default)]
pub(crate) struct ZigModules {
    /// (name, path of the root file), in the order of the build files.
    named: Vec<(String, String)>,
}

impl ZigModules {
    pub fn new(manifests: &[Manifest]) -> Self {
        let mut named = Vec::new();
        for manifest in manifests.iter().filter(|one| one.path.rsplit('/').next() == Some("build.zig")) {
            for rest in manifest.text.split("addModule(\"").skip(1) {
                let Some((name, rest)) = rest.split_once('"') else { continue };
                let statement = rest.split(';').next().unwrap_or("");
                let path = statement.split_once("root_source_file").and_then(|(_, after)| after.split_once('"'));
                let Some((path, _)) = path.and_then(|(_, after)| after.split_once('"')) else { continue };
                if let Some(path) = join(folder(&manifest.path), path) {
                    named.push((name.to_owned(), path));
                }
            }
        }
        ZigModules { named }
    }

    pub fn resolve(&self, modules: &Modules, table: &Table<'_>, file: usize, text: &str) -> Module {
        let is_file = std::path::Path::new(text).extension().is_some_and(|extension| extension == "zig");
        let path = if is_file {
            join(folder(&table.files[file].path), text)
        } else {
            self.named.iter().find(|(name, _)| name == text).map(|(_, path)| path.clone())
        };
        let found = path.and_then(|path| modules.path(&path));
        match found {
            Some(at) => Module::Node(table.files[at as usize].base),
            None if is_file => Module::Unknown,
            None => Module::External,
        }
    }
}
