//! Policy: what a mode allows, derived from effects.
//!
//! Planning mode, the read-only switch, remote routing, fan-out and the annotations of a tool are all functions of an
//! effect. No list of names is kept anywhere, so a new operation can't be forgotten in one.
//!
//! Knows nothing of sessions: the host says which mode a call is in.

use serde::Serialize;

use crate::effect::Effect;
use crate::error::CallError;

/// The modes that restrict writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Everything is allowed.
    #[default]
    Normal,
    /// The session plans: it may look and keep session state.
    Planning,
    /// The server is read-only for every session.
    ReadOnly,
}

impl Mode {
    /// The mode's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Planning => "planning",
            Self::ReadOnly => "read_only",
        }
    }

    /// How a caller gets out of the mode.
    pub const fn recovery(self) -> &'static str {
        match self {
            Self::Normal => "",
            Self::Planning => "leave planning mode, then call again",
            Self::ReadOnly => "the server is read-only; restart it without the read-only option",
        }
    }
}

/// Whether a call of this effect runs in this mode. Session writes always run: the way out of a mode is one.
pub const fn permits(mode: Mode, effect: Effect) -> bool {
    matches!(mode, Mode::Normal) || !effect.is_mutating()
}

/// A condition of the host that a call must meet besides its mode, such as the phase of a workflow.
pub trait Gate: Send + Sync + std::fmt::Debug {
    /// Lets a call of this effect through, or says why not and how it would be. `public` tells which names `tool` and the
    /// way out are to use.
    fn admit(&self, tool: &str, effect: Effect, public: bool) -> Result<(), CallError>;
}

/// Whether a workflow phase gates calls of this effect.
pub const fn is_gated(effect: Effect) -> bool {
    effect.is_mutating()
}

/// What may happen to a call that a remote server could answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Federation {
    /// An enabled remote may answer; traversals may also fan out to several.
    Allowed,
    /// Refused with `remote_read_only` before any connection is opened.
    Refused,
}

/// Whether a call of this effect may leave the machine it was sent to.
pub const fn federation(effect: Effect) -> Federation {
    match effect {
        Effect::Read => Federation::Allowed,
        Effect::SessionWrite | Effect::LocalWrite | Effect::ControlWrite | Effect::ExternalWrite => Federation::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restricted_modes_let_readers_and_session_state_through() {
        for mode in [Mode::Planning, Mode::ReadOnly] {
            let open: Vec<&str> = Effect::ALL.into_iter().filter(|e| permits(mode, *e)).map(Effect::as_str).collect();
            assert_eq!(open, ["read", "session_write"]);
        }
        assert!(Effect::ALL.into_iter().all(|effect| permits(Mode::Normal, effect)));
    }

    #[test]
    fn only_readers_leave_the_machine() {
        let leave: Vec<&str> =
            Effect::ALL.into_iter().filter(|e| federation(*e) == Federation::Allowed).map(Effect::as_str).collect();
        assert_eq!(leave, ["read"]);
    }
}
