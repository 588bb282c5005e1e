//! `workspace.proxy`: remote servers, of which this build reaches none.

use crate::handlers::shared::prelude::*;

/// Says which remote servers this session can reach.
#[facade(domain = "workspace", op = "proxy", effect = "read")]
async fn proxy_status() -> Answer<Reply> {
    Ok(Reply::json(json!({
        "remotes": [],
        "note": "this server asks no remote servers: every answer is from the repositories it indexes itself; \
                 `gortex track <path>` adds one",
    })))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::Fixture;

    #[test]
    fn there_are_no_remotes_and_that_is_no_error() {
        let answer = Fixture::new("").json("workspace", json!({"operation": "proxy"}));
        assert_eq!(answer["remotes"], json!([]));
        assert!(answer["note"].is_string());
    }
}
