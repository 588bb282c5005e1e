use gortex_core::{Answer, Effect, FacadeSpec, Reply, facade};

const TABLE: &[FacadeSpec] = &[FacadeSpec::new("look", Effect::Read, "Looks.")];

/// Looks near. The rest is detail.
#[facade(domain = "look", op = "near", effect = "read", surface = TABLE)]
async fn look_near() -> Answer<Reply> {
    Ok(Reply::text(""))
}

fn main() {
    let all: Vec<_> = gortex_core::inventory::iter::<gortex_core::Operation>.into_iter().collect();
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].id().as_str(), all[0].legacy, all[0].summary), ("look.near", "look_near", "Looks near."));
}
