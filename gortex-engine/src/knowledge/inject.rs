//! Dependencies that a framework hands over.

use super::{Arg, At, Makes, On, Rule};

pub(super) const RULES: &[Rule] = &[Rule::new(
    "fastapi.depends",
    &["python"],
    At::Call(&["Depends", "Security"]),
    On::Imported,
    Makes::Inject(Arg::Named(&["dependency"], 0)),
)
.from(&["fastapi"])
.proof(
    "from fastapi import Depends\ndef db():\n    pass\ndef show(x=Depends(db)):\n    pass\n",
    &["inject db"],
    "from shop import Depends\ndef db():\n    pass\ndef show(x=Depends(db)):\n    pass\n",
)];
