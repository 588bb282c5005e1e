//! The workflow of a session: explore, implement, verify; edits wait for the second.
//!
//! Knows phases, not tools: what counts as an edit is told by its effect.

use serde::Serialize;

/// The phases in their order.
pub const PHASES: [&str; 3] = ["explore", "implement", "verify"];
/// The first phase in which edits are allowed.
const FIRST_EDITING: usize = 1;

/// What happens to an edit before its phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gating {
    /// It is refused.
    #[default]
    Block,
    /// The workflow moves on to the phase, and the edit passes.
    Warn,
}

/// A workflow under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workflow {
    /// What happens to early edits.
    pub gating: Gating,
    phase: usize,
}

impl Workflow {
    /// A workflow in its first phase.
    pub fn start(gating: Gating) -> Workflow {
        Workflow { gating, phase: 0 }
    }

    /// The current phase.
    pub fn phase(&self) -> &'static str {
        PHASES[self.phase]
    }

    /// Whether edits are allowed now.
    pub fn edits_allowed(&self) -> bool {
        self.phase >= FIRST_EDITING
    }

    /// Goes to the next phase; the last one stays.
    pub fn advance(&mut self) {
        self.phase = (self.phase + 1).min(PHASES.len() - 1);
    }

    /// Whether an edit may run now, moving on if that is what makes it.
    pub fn admit_edit(&mut self) -> bool {
        if self.gating == Gating::Warn {
            self.phase = self.phase.max(FIRST_EDITING);
        }
        self.edits_allowed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_wait_for_the_second_phase_and_the_last_one_stays() {
        let mut flow = Workflow::start(Gating::Block);
        assert!(!flow.admit_edit() && flow.phase() == "explore");
        flow.advance();
        assert!(flow.admit_edit());
        flow.advance();
        flow.advance();
        assert_eq!((flow.phase(), flow.edits_allowed()), ("verify", true));
    }

    #[test]
    fn a_warning_workflow_moves_on_with_the_first_edit() {
        let mut flow = Workflow::start(Gating::Warn);
        assert!(!flow.edits_allowed());
        assert!(flow.admit_edit());
        assert_eq!(flow.phase(), "implement");
    }
}
