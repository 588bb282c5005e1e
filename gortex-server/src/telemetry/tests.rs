//! What is counted, when, and that nothing else can be.

use std::io::{Read as _, Write as _};

use super::*;

fn no(_: &str) -> Option<String> {
    None
}

fn env(pairs: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
    move |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
}

/// Everything below a folder as one text.
fn everything(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| std::fs::read_to_string(entry.path()).unwrap_or_default()).collect()
}

#[test]
fn nothing_is_written_without_consent() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("telemetry");
    let telemetry = Telemetry::open(place.clone(), no);
    telemetry.count("install", "");
    telemetry.flush();
    assert!(!place.exists() && !telemetry.is_on());
}

#[test]
fn consent_is_asked_in_the_documented_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |pairs| Consent::of(folder.path(), env(pairs));
    assert_eq!(of(&[]), Consent { enabled: false, source: Source::Default });
    Consent::keep(folder.path(), true, "cli").expect("kept");
    assert_eq!(of(&[]), Consent { enabled: true, source: Source::Choice });
    assert_eq!(of(&[("GORTEX_TELEMETRY", "off")]), Consent { enabled: false, source: Source::Environment });
    assert!(!of(&[("GORTEX_TELEMETRY", "maybe")]).enabled, "a word nobody can read is a no");
    assert_eq!(of(&[("GORTEX_TELEMETRY", "on"), ("DO_NOT_TRACK", "1")]).source, Source::DoNotTrack);
    assert!(of(&[("DO_NOT_TRACK", "0")]).enabled);
    std::fs::write(folder.path().join(consent::FILE), "{").expect("a file");
    assert!(!of(&[]).enabled, "a damaged choice is a no");
}

#[test]
fn counts_of_two_processes_add_up_and_off_deletes_them() {
    let folder = tempfile::tempdir().expect("a folder");
    Consent::keep(folder.path(), true, "cli").expect("kept");
    for _ in 0..2 {
        let telemetry = Telemetry::open(folder.path().to_owned(), no);
        telemetry.count("index", "1k-10k");
        telemetry.count("index", "31415 files of /home/é");
        telemetry.count("made_up", "x");
        telemetry.flush();
    }
    let days = rollup::days(folder.path());
    let counts: Vec<(&str, u64)> = days[0].counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(counts, [("index", 2), ("index:1k-10k", 2)]);
    Consent::keep(folder.path(), false, "cli").expect("kept");
    assert!(rollup::days(folder.path()).is_empty());
    assert!(everything(folder.path()).contains("\"enabled\":false"));
}

#[test]
fn a_dimension_is_bounded_and_of_its_kind() {
    let long = "workspace_admin.temporal_verify.invalid_argument";
    let name = keys::counter("mcp_facade_invalid", long).expect("a key");
    assert!(name.starts_with("mcp_facade_invalid:workspace_admin.tempora.") && name.len() == 19 + 32, "{name}");
    assert_eq!(keys::counter("mcp_facade_call", "read.file"), Some("mcp_facade_call:read.file".to_owned()));
    for unsafe_word in ["", "a b", "söurce", "a/b", "C:\\x"] {
        assert_eq!(keys::counter("mcp_facade_call", unsafe_word), Some("mcp_facade_call".to_owned()), "{unsafe_word}");
    }
    assert_eq!(keys::counter("surface_schema", "deadbeef"), Some("surface_schema:deadbeef".to_owned()));
    assert_eq!(keys::counter("surface_schema", "deadbee"), Some("surface_schema".to_owned()));
    assert_eq!(keys::counter("client", "my-company-agent"), Some("client".to_owned()));
}

#[test]
fn buckets_have_the_documented_bounds() {
    assert_eq!(
        [0, 999, 1_000, 99_999, 100_000, 10_000_000].map(keys::time),
        ["<1ms", "<1ms", "1-10ms", "10-100ms", "100ms-1s", "10s+"]
    );
    assert_eq!([99, 100, 1_000, 10_000].map(keys::files), ["<100", "100-1k", "1k-10k", "10k+"]);
    assert_eq!([21, 22].map(keys::tools), ["11-21", "22-50"]);
    assert_eq!([1, 2, 3, 5, 6, 11].map(keys::calls), ["1", "2", "3-5", "3-5", "6-10", "10+"]);
    assert_eq!(keys::bytes(12_000), "12-30kB");
}

#[test]
fn keys_are_sorted_and_their_words_are_safe() {
    assert!(KEYS.is_sorted_by(|a, b| a.name < b.name));
    for spec in KEYS {
        if let keys::Dimension::Of(words) = spec.dimension {
            for word in words {
                assert_eq!(keys::counter(spec.name, word), Some(format!("{}:{word}", spec.name)));
            }
        }
    }
}

#[test]
fn days_are_those_of_the_calendar() {
    let known = [(0, "1970-01-01"), (951_782_400, "2000-02-29"), (1_796_083_199, "2026-11-30"), (4_102_444_800, "2100-01-01")];
    for (seconds, day) in known {
        assert_eq!(rollup::day_of(seconds), day);
    }
}

/// A listener that takes one request, answers with `status`, and gives back what it was sent.
fn listener(status: &'static str) -> (String, std::thread::JoinHandle<String>) {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/in?key=secret", socket.local_addr().expect("an address"));
    let taken = std::thread::spawn(move || {
        let (mut stream, _) = socket.accept().expect("a connection");
        let mut text = Vec::new();
        let mut buffer = [0; 4096];
        while !text.ends_with(b"}}") {
            let read = stream.read(&mut buffer).expect("bytes");
            text.extend_from_slice(&buffer[..read]);
        }
        write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").expect("answered");
        String::from_utf8_lossy(&text).into_owned()
    });
    (address, taken)
}

#[test]
fn a_day_that_ended_is_sent_once_and_only_to_the_endpoint_that_is_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut past = Rollup::default();
    past.add("2026-01-02".to_owned(), "install".to_owned(), 3);
    past.add(rollup::today(), "install".to_owned(), 9);
    past.merge_into(folder.path()).expect("written");
    assert_eq!(Endpoint::from_env(no).expect("none"), None);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let to = |address: &str| {
        let address = address.to_owned();
        Endpoint::from_env(move |_| Some(address.clone())).expect("an address").expect("set")
    };

    let (address, taken) = listener("503 Busy");
    let error = runtime.block_on(to(&address).send(folder.path())).expect_err("refused");
    assert!(error.to_string().contains("503") && !error.to_string().contains("secret"), "{error}");
    taken.join().expect("asked");

    let (address, taken) = listener("204 No Content");
    assert_eq!(runtime.block_on(to(&address).send(folder.path())).expect("sent"), 1);
    let request = taken.join().expect("asked");
    assert!(request.ends_with(r#"{"schema":1,"version":"0.1.0","day":"2026-01-02","counts":{"install":3}}"#), "{request}");
    assert_eq!(runtime.block_on(to(&address).send(folder.path())).expect("nothing is due"), 0);
}

#[test]
fn an_endpoint_that_would_leak_is_refused() {
    for address in ["http://example.org/x", "ftp://localhost/", "not an address"] {
        Endpoint::from_env(move |_| Some(address.to_owned())).expect_err(address);
    }
}
