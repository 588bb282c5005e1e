//! `docs/telemetry.md`: what may be counted, from the list that decides it.

use std::fmt::Write as _;

use super::{COMMAND, cell, keep};
use crate::telemetry::{Dimension, KEYS};

/// The rules in words.
const HEAD: &str = "# Telemetry

Off. Nothing is counted, kept or sent until somebody turns it on; `gortex telemetry status` says what holds and why.

## Who decides

The strongest that says something wins:

1. `DO_NOT_TRACK` set to anything but 0, false, off or no: off.
2. `GORTEX_TELEMETRY`: `on`, `1`, `true` or `yes` is on; any other word is off.
3. The choice kept by `gortex telemetry on` or `off` (`consent.json`).
4. Off.

A running process notices a change within 15 seconds. Turning it off deletes what was counted and the mark of the last
sending.

## What is kept, and where

One file a day (UTC) in the folder `telemetry` of the state folder (`GORTEX_HOME`, else `XDG_STATE_HOME/gortex`):
`{\"day\": .., \"counts\": {\"key:dimension\": n}}`. The file is all there is; read it before you decide.

Days that ended are sent once, as they are, with the version of the program, to `GORTEX_TELEMETRY_ENDPOINT`, and only where that
is set: an https address, or http on this machine. There is no built-in address.

## What is never kept

No query, code, path, symbol, repository name, diff, prompt or answer, and no identifier of a user, machine or session. A
dimension is a word of the lists below, an operation of the registry, an error code or a bucket; it has at most 32 characters out
of `A-Z a-z 0-9 _ . < > + -`. A longer one is its first 23 characters, a dot and the first eight hexadecimal digits of its
SHA-256. Anything else is counted without a dimension; a key that is not in this list is not counted.

Hooks of hosts keep a log of their own effect on this machine; it is never sent and is no part of this.
";

fn page() -> String {
    let mut out = format!(
        "{HEAD}\n## The list\n\nWritten from the code by a test: `{COMMAND}`.\n\n| key | dimension | counts |\n|---|---|---|\n"
    );
    for spec in KEYS {
        let dimension = match spec.dimension {
            Dimension::None => "none".to_owned(),
            Dimension::Of(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" "),
            Dimension::Registered => "names of the registry, codes, buckets".to_owned(),
            Dimension::Digest => "8 hexadecimal digits, equal for everybody with this build".to_owned(),
        };
        let _ = writeln!(out, "| `{}` | {} | {} |", spec.name, cell(&dimension), cell(spec.about));
    }
    out
}

#[test]
fn the_page_of_telemetry_names_every_key() {
    keep("telemetry.md", &page());
}
