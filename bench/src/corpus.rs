//! Which folders are measured: those given, or those that `bench/fetch.sh` brought.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The folders given, or every folder of `bench/corpora`, canonical and in the order of their names.
pub fn folders(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = if given.is_empty() { fetched()? } else { given.to_vec() };
    for folder in &mut found {
        *folder = folder.canonicalize().with_context(|| format!("no folder `{}`", folder.display()))?;
    }
    Ok(found)
}

fn fetched() -> Result<Vec<PathBuf>> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora");
    let mut found: Vec<PathBuf> = std::fs::read_dir(&home)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_dir())
        .collect();
    if found.is_empty() {
        bail!("no corpora in `{}`: run bench/fetch.sh, or give a folder", home.display());
    }
    found.sort();
    Ok(found)
}

/// The name of a corpus: that of its folder.
pub fn name(folder: &Path) -> String {
    folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}
