//! Proof that the disk holds what was written: the file is read again after the rename.
//!
//! Refused for files whose name looks like a place for secrets, because a digest of a short secret gives the secret away.
//!
//! Knows nothing of how the file was written.

use super::hash::sha256;
use serde::Serialize;
use std::fs;
use std::io;
use std::path::Path;

/// What the disk holds after a write, next to what it held before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhysicalEvidence {
    /// The digest before; absent for a new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_sha256: Option<String>,
    /// True for a new file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub before_absent: bool,
    /// The digest of what was read back.
    pub after_sha256: String,
    /// How many bytes were read back.
    pub byte_count: u64,
    /// The real file, with links resolved.
    pub resolved_path: String,
    /// When it was read back, in UTC.
    pub verified_at: String,
    /// Always `sha256`.
    pub hash_algorithm: &'static str,
    /// Always `full_file`.
    pub hash_scope: &'static str,
    /// Always `disk`.
    pub content_source: &'static str,
}

/// Reads a file again.
pub(super) fn collect(abs: &Path, before: Option<&[u8]>, now_ms: u64) -> io::Result<PhysicalEvidence> {
    let bytes = fs::read(abs)?;
    Ok(PhysicalEvidence {
        before_sha256: before.map(sha256),
        before_absent: before.is_none(),
        after_sha256: sha256(&bytes),
        byte_count: bytes.len() as u64,
        resolved_path: abs.display().to_string(),
        verified_at: timestamp(now_ms),
        hash_algorithm: "sha256",
        hash_scope: "full_file",
        content_source: "disk",
    })
}

/// True for file names that usually hold secrets.
pub fn is_secret_shaped(rel: &str) -> bool {
    let name = rel.rsplit('/').next().unwrap_or(rel).to_ascii_lowercase();
    let stem_or_whole = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd"];
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    name == ".env"
        || name.starts_with(".env.")
        || extension == "env"
        || stem_or_whole.contains(&name.as_str())
        || ["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx"].contains(&extension)
        || ["credentials", "secrets"].iter().any(|word| name == *word || name.starts_with(&format!("{word}.")))
}

/// Milliseconds since 1970 as `2026-12-01T03:07:32Z`.
pub fn timestamp(ms: u64) -> String {
    let seconds = ms / 1000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days are counted from 1 March of year 0, so that the leap day is the last one of its year.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest % 3600 / 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_right_at_leap_days_and_turns_of_the_year() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(951_782_399_000), "2000-02-28T23:59:59Z");
        assert_eq!(timestamp(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(timestamp(1_735_689_599_999), "2024-12-31T23:59:59Z");
        assert_eq!(timestamp(1_796_094_452_000), "2026-12-01T03:07:32Z");
    }

    #[test]
    fn secret_names_are_recognised_and_look_alikes_are_not() {
        for name in [".env", "a/.env.local", "prod.env", "keys/server.PEM", "id_ed25519", "config/credentials.json"] {
            assert!(is_secret_shaped(name), "{name}");
        }
        for name in ["env.py", "src/environment.rs", "key.rs", "secretary.md", "a.pem.md"] {
            assert!(!is_secret_shaped(name), "{name}");
        }
    }
}
