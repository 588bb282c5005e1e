//! Every rule holds in its own source and says nothing in its counterpart.

use super::{At, EVENT, Makes, Rule, rules};
use crate::facts::{ClueKind, ExtractLimits, Kind, NONE, extract};
use crate::lang::Lang;
use crate::lang::common::with_stack;

/// What the tables make of a source, one line each.
fn yields(language: &str, source: &str) -> Vec<String> {
    let lang = Lang::named(language).expect("a language");
    let facts = extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
    let view = facts.view();
    let mut found = Vec::new();
    for row in view.clues {
        let mention = view.refs.get(row.mention as usize).map(|row| view.str(row.name));
        let target = view.defs.get(row.target as usize).map(|def| view.str(def.name));
        let meant = mention.or(target).unwrap_or("here");
        found.push(match row.kind() {
            ClueKind::Handler => {
                let def = &view.defs[row.owner as usize];
                format!("{} {} -> {meant}", def.kind().as_str(), view.str(def.name).trim_start_matches(EVENT))
            }
            ClueKind::Inject => format!("inject {meant}"),
            kind => format!("{} {}", kind.as_str(), view.str(row.text).trim_start_matches(EVENT)),
        });
    }
    for (at, def) in view.defs.iter().enumerate().filter(|(_, def)| matches!(def.kind(), Kind::Route | Kind::Event)) {
        let handled = view.clues.iter().any(|row| row.kind() == ClueKind::Handler && row.owner == at as u32);
        if !handled {
            found.push(format!("{} {} -> here", def.kind().as_str(), view.str(def.name).trim_start_matches(EVENT)));
        }
        assert!(def.parent == NONE || (def.parent as usize) < at, "a parent stands before its child");
    }
    found.sort();
    found.dedup();
    found
}

#[test]
fn every_rule_holds_where_it_should_and_nowhere_else() {
    with_stack(|| {
        let mut wrong = Vec::new();
        for rule in rules().iter().filter(|rule| !matches!(rule.at, At::Link)) {
            let language = rule.languages[0];
            let (yes, no) = (yields(language, rule.proof.yes), yields(language, rule.proof.no));
            if yes != rule.proof.gives || !no.is_empty() {
                wrong.push(format!(
                    "{} ({language}):\n  yields {yes:?}\n  not    {:?}\n  counterpart {no:?}",
                    rule.id, rule.proof.gives
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn rules_are_well_formed() {
    for rule in rules() {
        let Rule { id, languages, proof, .. } = rule;
        assert!(id.split('.').count() == 2 && id.bytes().all(|c| c.is_ascii_lowercase() || matches!(c, b'.' | b'_')), "{id}");
        assert!(!languages.is_empty() && languages.iter().all(|name| Lang::named(name).is_some()), "{id}: languages");
        assert!(
            matches!(rule.at, At::Link) || !proof.yes.is_empty() && !proof.no.is_empty() && !proof.gives.is_empty(),
            "{id}: proof"
        );
        assert!(!matches!(rule.makes, Makes::Route { .. }) || !rule.evidence.is_empty(), "{id}: a route needs a framework");
    }
    // An edge keeps the number in one byte.
    assert!(rules().len() < usize::from(u8::MAX));
}
