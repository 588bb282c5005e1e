//! Effects: what a call may change, as a closed set of five classes.
//!
//! A public tool has exactly one effect, an operation has the effect of its tool, and a capability parameter of a
//! handler states the effect it needs. `Effect::permits` is the only comparison of these; it is `const`, so the macro
//! can prove at compile time that no handler holds a capability its operation does not grant.
//!
//! Knows nothing of tools, names or policy.

use std::fmt;

use serde::Serialize;

/// The class of externally observable change a call may cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing that outlives the call.
    Read,
    /// Changes state of the connection or of a speculative overlay.
    SessionWrite,
    /// Changes files of the checkout or durable local knowledge.
    LocalWrite,
    /// Changes what the server tracks, indexes or has configured.
    ControlWrite,
    /// Changes something on another machine, such as a forge.
    ExternalWrite,
}

impl Effect {
    /// Every effect, weakest first.
    pub const ALL: [Self; 5] = [Self::Read, Self::SessionWrite, Self::LocalWrite, Self::ControlWrite, Self::ExternalWrite];

    /// The name used on the wire and in `#[facade(effect = "...")]`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::SessionWrite => "session_write",
            Self::LocalWrite => "local_write",
            Self::ControlWrite => "control_write",
            Self::ExternalWrite => "external_write",
        }
    }

    /// The effect with this wire name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.as_str() == name)
    }

    /// Whether an operation of this effect may hold a capability that needs `needs`.
    ///
    /// A capability of the same class is always granted. Every writing operation may also touch its own session,
    /// because applying a branch drops it and a receipt is session state; a reader may touch nothing.
    pub const fn permits(self, needs: Option<Self>) -> bool {
        match needs {
            None | Some(Self::Read) => true,
            Some(Self::SessionWrite) => !matches!(self, Self::Read),
            Some(Self::LocalWrite) => matches!(self, Self::LocalWrite),
            Some(Self::ControlWrite) => matches!(self, Self::ControlWrite),
            Some(Self::ExternalWrite) => matches!(self, Self::ExternalWrite),
        }
    }

    /// Whether the change outlives the session: local, control and external writes.
    pub const fn is_mutating(self) -> bool {
        matches!(self, Self::LocalWrite | Self::ControlWrite | Self::ExternalWrite)
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// String equality that the compiler can evaluate.
pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_granted_no_writer_and_every_writer_its_session() {
        let granted = |effect: Effect| -> Vec<&str> {
            Effect::ALL.into_iter().filter(|n| effect.permits(Some(*n))).map(Effect::as_str).collect()
        };
        assert_eq!(granted(Effect::Read), ["read"]);
        assert_eq!(granted(Effect::SessionWrite), ["read", "session_write"]);
        assert_eq!(granted(Effect::LocalWrite), ["read", "session_write", "local_write"]);
        assert_eq!(granted(Effect::ControlWrite), ["read", "session_write", "control_write"]);
        assert_eq!(granted(Effect::ExternalWrite), ["read", "session_write", "external_write"]);
    }

    #[test]
    fn names_round_trip_and_foreign_names_do_not() {
        for effect in Effect::ALL {
            assert_eq!(Effect::parse(effect.as_str()), Some(effect));
        }
        assert_eq!(Effect::parse("write"), None);
        assert!(same("é", "é") && !same("a", "b") && !same("a", "ab"));
    }
}
