//! The two hashes callers know: git's blob SHA-1 (guards) and SHA-256 (digests, evidence), as lower-case hex.
//!
//! Knows nothing of files: bytes in, text out.

use sha1::Digest as _;
use std::fmt::Write as _;

/// The hash git gives a blob with these bytes, as 40 hex digits.
pub fn git_blob_sha1(bytes: &[u8]) -> String {
    let mut hasher = sha1::Sha1::new();
    hasher.update(format!("blob {}\0", bytes.len()));
    hasher.update(bytes);
    hex(&hasher.finalize())
}

/// The SHA-256 of these bytes, as 64 hex digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&sha2::Sha256::digest(bytes))
}

/// SHA-256 over several fields, each preceded by its length, so that no two lists of fields look alike.
pub(super) fn fingerprint(fields: &[&[u8]]) -> String {
    let mut hasher = sha2::Sha256::new();
    for field in fields {
        hasher.update((field.len() as u64).to_le_bytes());
        hasher.update(field);
    }
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a `String` can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_as_git_does() {
        assert_eq!(git_blob_sha1(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(git_blob_sha1(b"x = 1\n"), "7d4290a117a4ddcc11daae7ea675841033830c8f");
        assert_eq!(git_blob_sha1(b"x = 1\ny = 2\n"), "2c1854573a40224de599dd57077637eb5f882072");
    }

    #[test]
    fn sha256_of_nothing() {
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn moving_a_border_between_fields_changes_the_fingerprint() {
        assert_ne!(fingerprint(&[b"ab", b"c"]), fingerprint(&[b"a", b"bc"]));
    }
}
