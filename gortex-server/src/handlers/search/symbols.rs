//! `search.symbols`: symbols by name, words or concept.

use std::collections::HashSet;

use gortex_core::Body;
use gortex_engine::facts::Kind;
use gortex_engine::lang::LANGUAGES;
use gortex_engine::query::external;
use gortex_engine::search::PathFilter;
use gortex_engine::search::rank::{self, Class, Fit, Found, Hit, SymbolQuery};
use gortex_engine::search::text::TextQuery;

use super::documents::{self, DocQuery};
use super::enclosing::{line_row, search_lines};
use crate::handlers::relations::external::external_brief;
use crate::handlers::shared::prelude::*;

/// Rows of a page when the caller says nothing.
const PAGE: usize = 20;
/// Rows that cursors lead through.
const ROWS: usize = 120;
/// Literal hits in the rider of an identifier that is no symbol.
const CONTENT: usize = 5;

/// What is searched.
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Corpus {
    /// Symbols.
    #[default]
    Code,
    /// Sections of documents.
    Docs,
    /// Text of other files.
    Content,
    /// Everything.
    All,
}

/// What kind of query it is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QueryClass {
    /// Told from the query.
    #[default]
    Auto,
    /// A name.
    Symbol,
    /// Words that describe something.
    Concept,
    /// A path.
    Path,
    /// A piece of a signature.
    Signature,
    /// Alternatives between `OR` or `|`.
    KeywordSoup,
}

/// Which other words count.
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Expand {
    /// All there are: words for each other, and nearness of meaning.
    #[default]
    Both,
    /// Words that programmers use for each other.
    Equivalence,
    /// Words of a language model; there is none in this build.
    Llm,
    /// None.
    Off,
}

/// Help of a model; there is none in this build.
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Assist {
    /// When there is one.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
    /// With a check of bodies.
    Deep,
}

/// Arguments of `search.symbols`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct SearchSymbols {
    /// Name, words or concept; clauses `kind:` `flavor:` `lang:` `path:` `repo:` narrow.
    #[at(top, target = "query")]
    query: String,
    /// Folders or files to narrow to, separated by commas.
    #[at(options)]
    path: Option<String>,
    /// Kinds to keep, separated by commas.
    #[at(options)]
    kind: Option<String>,
    /// Flavors of types to keep, separated by commas.
    #[at(options)]
    flavor: Option<String>,
    /// What is searched.
    #[at(options)]
    #[serde(default)]
    corpus: Corpus,
    /// What kind of query it is.
    #[at(options)]
    #[serde(default)]
    query_class: QueryClass,
    /// Which other words count.
    #[at(options)]
    #[serde(default)]
    expand: Expand,
    /// Help of a model.
    #[at(options)]
    #[serde(default)]
    assist: Assist,
    /// Hits of one file at the head; 3 when not given, 0 lifts the bound.
    #[at(options)]
    max_per_file: Option<usize>,
    /// Add how each row was ranked.
    #[at(options)]
    #[serde(default)]
    debug: bool,
    #[serde(flatten)]
    scope: ScopeArgs,
}

/// Finds symbols by name, by words or by concept.
#[facade(domain = "search", op = "symbols", effect = "read", fixed(assist = "off"))]
async fn search_symbols(graph: Graph, args: Args<SearchSymbols>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

/// The answer to a query of one repository or all, for operations that look there for symbols.
pub(crate) fn symbols_in(graph: &Graph, query: &str, repo: Option<&str>) -> Answer<Value> {
    let args = serde_json::from_value(json!({"query": query, "repo": repo, "assist": "off"}));
    let args: SearchSymbols = args.map_err(|error| CallError::internal(error.to_string()))?;
    match answer(graph, &args)?.body() {
        Body::Json(value) => Ok(value.clone()),
        Body::Text(_) => Ok(Value::Null),
    }
}

fn answer(graph: &Graph, args: &SearchSymbols) -> Answer<Reply> {
    if args.query.trim().is_empty() {
        return Err(CallError::invalid("query is required: it is empty").data("field", "query"));
    }
    let (query, outside) = query_of(graph, args)?;
    if outside != Outside::No && query.kinds.is_empty() && query.flavors.is_empty() || outside == Outside::ById {
        return externals(graph, &query.text);
    }
    let asks_code = matches!(args.corpus, Corpus::Code | Corpus::All);
    if query.text.is_empty() {
        return Err(CallError::invalid("the query has filter clauses only; add a name or words").data("field", "query"));
    }
    let found = if asks_code {
        let class = query.class.unwrap_or_else(|| Class::of(&query.text));
        // A name is meant as it is written; only a description is about meaning.
        let engine = graph.engine();
        let wanted = class == Class::Concept && args.expand == Expand::Both;
        engine.run(|| {
            let meaning = if wanted { graph.view().meaning(engine.model()) } else { None };
            rank::search_with(graph, graph.view().symbols(), meaning, &query)
        })
    } else {
        Found { class: Some(Class::of(&query.text)), ..Found::default() }
    };
    let mut rows: Vec<Value> = Vec::new();
    for hit in found.hits.iter().take(ROWS) {
        rows.push(serde_json::to_value(brief(graph, hit.node)).map_err(|error| CallError::internal(error.to_string()))?);
    }
    let mut total = found.total;
    let asked = DocQuery { text: &query.text, paths: &query.paths, repo: query.repo, comments: args.corpus != Corpus::Content };
    let sections = if args.corpus == Corpus::Code { Vec::new() } else { documents::find(graph, &asked) };
    if args.corpus != Corpus::Code {
        let kept = &sections[..sections.len().min(ROWS)];
        // Documentation of a symbol that is in the list already makes no second row.
        let known: HashSet<u32> = found.hits.iter().map(|hit| hit.node).collect();
        total += sections.iter().filter(|hit| documents::node(graph, hit).is_none_or(|node| !known.contains(&node))).count();
        rows = documents::merge(rows, documents::rows(graph, kept, &query.text));
    }
    let class = found.class.unwrap_or(Class::Concept);
    let mut body = json!({
        "results": rows,
        "total": total,
        "truncated": rows.len() < total,
        "query_class": class.as_str(),
    });
    for (key, set) in [("filters_relaxed", found.filters_relaxed), ("decomposed", found.decomposed)] {
        if set {
            body[key] = json!(true);
        }
    }
    riders(graph, args, &query, &found, &mut body);
    if args.debug {
        let ranks: Vec<Value> = found.hits.iter().take(PAGE).map(|hit| explain(graph, hit)).collect();
        body["rerank"] = json!(ranks);
    }
    Ok(Reply::json(body).rows("results").page(PAGE).generation(graph.generation))
}

/// Whether names from outside are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outside {
    No,
    /// By `kind:external`.
    ByKind,
    /// By an id or its beginning.
    ById,
}

/// Names from outside that a text finds.
fn externals(graph: &Graph, text: &str) -> Answer<Reply> {
    let found = external::search(graph, text);
    let mut rows = Vec::new();
    for at in found.iter().take(ROWS) {
        let row = serde_json::to_value(external_brief(graph, *at));
        rows.push(row.map_err(|error| CallError::internal(error.to_string()))?);
    }
    let mut body =
        json!({"results": rows, "total": found.len(), "truncated": rows.len() < found.len(), "query_class": "external"});
    if found.is_empty() {
        body["did_you_mean"] = json!(graph.externals().nearest(text));
    }
    Ok(Reply::json(body).rows("results").page(PAGE).generation(graph.generation))
}

/// How a hit came to its place: what each channel said, and what that made.
fn explain(graph: &Graph, hit: &Hit) -> Value {
    let round = |value: f32| f64::from((value * 1000.0).round()) / 1000.0;
    let said = hit.channels;
    json!({
        "id": graph.id(hit.node),
        "score": round(hit.score),
        "fit": hit.fit.as_str(),
        "signals": {"lexical": round(said.lexical), "semantic": round(said.semantic), "prior": round(said.prior)},
    })
}

/// A list separated by commas.
fn words(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The engine's query of a call.
fn query_of(graph: &Graph, args: &SearchSymbols) -> Result<(SymbolQuery, Outside), CallError> {
    let mut query = SymbolQuery { max_per_file: args.max_per_file.unwrap_or(3), ..SymbolQuery::default() };
    query.kinds = words(args.kind.as_deref());
    query.flavors = words(args.flavor.as_deref());
    let repo = rank::lift_clauses(&args.query, &mut query);
    let scope = ScopeArgs { repo: args.scope.repo.clone().or(repo) };
    query.repo = scope.repo_number(graph)?;
    if let Some(path) = args.path.as_deref().filter(|path| !path.trim().is_empty()) {
        query.paths.extend(PathFilter::parse(path));
    }
    let asked = query.kinds.len();
    query.kinds.retain(|kind| kind != "external");
    let by_kind = if query.kinds.len() < asked { Outside::ByKind } else { Outside::No };
    let outside = if graph.externals().is_id(query.text.trim()) { Outside::ById } else { by_kind };
    check_kinds(&mut query)?;
    for language in &query.languages {
        let known =
            LANGUAGES.iter().any(|one| one.name.eq_ignore_ascii_case(language) || one.extensions.contains(&language.as_str()));
        if !known && !matches!(language.as_str(), "golang" | "c++") {
            return Err(CallError::invalid(format!("`{language}` is no indexed language"))
                .data("field", "lang")
                .data("valid_values", LANGUAGES.iter().map(|one| one.name).collect::<Vec<_>>()));
        }
    }
    query.class = match args.query_class {
        QueryClass::Auto => None,
        QueryClass::Symbol => Some(Class::Symbol),
        QueryClass::Concept => Some(Class::Concept),
        QueryClass::Path => Some(Class::Path),
        QueryClass::Signature => Some(Class::Signature),
        QueryClass::KeywordSoup => Some(Class::KeywordSoup),
    };
    query.equivalence = matches!(args.expand, Expand::Both | Expand::Equivalence);
    Ok((query, outside))
}

/// Moves flavors given as kinds to their place; an unknown word is an error that lists the known ones.
fn check_kinds(query: &mut SymbolQuery) -> Result<(), CallError> {
    let mut kinds: Vec<&str> = Kind::ALL.iter().filter(|kind| **kind != Kind::File).map(|kind| kind.node_kind()).collect();
    kinds.push("external");
    kinds.sort_unstable();
    kinds.dedup();
    let flavors: Vec<&str> = Kind::ALL.iter().filter_map(|kind| kind.flavor()).collect();
    let fine: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    let (moved, kept) = std::mem::take(&mut query.kinds)
        .into_iter()
        .partition(|word| flavors.contains(&word.as_str()) && !kinds.contains(&word.as_str()));
    query.kinds = kept;
    query.flavors.extend::<Vec<String>>(moved);
    if let Some(unknown) = query.kinds.iter().find(|word| !kinds.contains(&word.as_str()) && !fine.contains(&word.as_str())) {
        return Err(CallError::invalid(format!("`{unknown}` is no kind")).data("field", "kind").data("valid_values", kinds));
    }
    if let Some(unknown) = query.flavors.iter().find(|word| !flavors.contains(&word.as_str())) {
        return Err(CallError::invalid(format!("`{unknown}` is no flavor"))
            .data("field", "flavor")
            .data("valid_values", flavors));
    }
    Ok(())
}

/// What an empty or doubtful answer adds.
fn riders(graph: &Graph, args: &SearchSymbols, query: &SymbolQuery, found: &Found, body: &mut Value) {
    if args.corpus == Corpus::Content {
        body["corpus_note"] = json!("text files in sections; PDF and office files are not read by this build");
    }
    if matches!(args.assist, Assist::On | Assist::Deep) || args.expand == Expand::Llm {
        body["assist"] = json!({"engaged": false, "reason": "no model is configured"});
    }
    if found.class == Some(Class::KeywordSoup) {
        body["query_advice"] =
            json!({"reason": "alternatives were searched one by one", "split_into": rank::disjuncts(&query.text)});
    } else if found.class == Some(Class::Concept) && query.text.split_whitespace().count() > 12 {
        body["query_advice"] = json!({
            "reason": "a long description; explore(task) localizes it with call paths and source",
            "split_into": rank::names_of(graph, &found.hits, 3),
        });
    }
    if found.total == 0
        && args.corpus == Corpus::Code
        && let Some(repo) = query.repo
    {
        let wider = rank::search(graph, graph.view().symbols(), &SymbolQuery { repo: None, ..query.clone() });
        body["scope_note"] = json!(format!(
            "nothing in repository `{}`; without `repo` there are {} results",
            graph.repos[usize::from(repo)],
            wider.total
        ));
    }
    let identifier = found.class == Some(Class::Symbol) && query.kinds.is_empty() && query.flavors.is_empty();
    let doubtful = found.hits.first().is_none_or(|hit| hit.fit >= Fit::SomeWords);
    if identifier && doubtful && args.corpus == Corpus::Code {
        let literal = TextQuery { pattern: &query.text, limit: CONTENT, ..TextQuery::default() };
        let searched = search_lines(graph, &literal, &query.paths, query.repo);
        if let Ok((lines, places)) = searched
            && !lines.matches.is_empty()
        {
            let rows: Vec<Value> = lines.matches.iter().map(|one| line_row(graph, places[one.file], one)).collect();
            body["content_matches"] = json!({
                "note": "no symbol has this name; these lines contain it",
                "term": query.text,
                "matches": rows,
                "count": rows.len(),
                "count_is_exact": lines.total_is_exact,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::{Value, json};

    fn names(answer: &Value) -> Vec<&str> {
        answer["results"].as_array().expect("rows").iter().filter_map(|row| row["name"].as_str()).collect()
    }

    fn find(fixture: &Fixture, query: &str) -> Value {
        fixture.json("search", json!({"operation": "symbols", "query": query}))
    }

    const TREE: &str = "//- src/user.py\nclass UserService:\n    \"\"\"Finds and stores users.\"\"\"\n    def find_user(self, name):\n        return name\n\ndef getUser():\n    return UserService().find_user('x')\n//- tests/test_user.py\nfrom src.user import getUser\n\ndef test_getUser():\n    getUser()\n\ndef find_user_helper():\n    pass\n//- lib/auth.go\npackage lib\n\n// Checks the credentials of a request.\nfunc VerifyLogin(token string) bool {\n\treturn token != \"\"\n}\n";

    #[test]
    fn exact_names_lead_and_forms_follow() {
        let fixture = Fixture::new(TREE);
        assert_eq!(names(&find(&fixture, "getUser"))[0], "getUser");
        assert_eq!(names(&find(&fixture, "getuser"))[0], "getUser");
        assert_eq!(names(&find(&fixture, "get_user"))[0], "getUser");
        assert_eq!(names(&find(&fixture, "find_user"))[..2], ["find_user", "find_user_helper"]);
        assert_eq!(names(&find(&fixture, "UserService.find_user"))[0], "find_user");
        assert_eq!(names(&find(&fixture, "UserServise"))[0], "UserService");
        assert_eq!(names(&find(&fixture, "finduser"))[0], "find_user");
        assert_eq!(find(&fixture, "getUser")["query_class"], "symbol");
    }

    #[test]
    fn concepts_are_found_in_documentation_and_names() {
        let fixture = Fixture::new(TREE);
        let answer = find(&fixture, "checking request credentials");
        assert_eq!(names(&answer)[0], "VerifyLogin");
        assert_eq!(answer["query_class"], "concept");
        assert_eq!(names(&find(&fixture, "stored users"))[0], "UserService");
    }

    #[test]
    fn a_row_can_explain_its_place() {
        let fixture = Fixture::new(TREE);
        let ask = json!({"operation": "symbols", "query": "checking request credentials", "options": {"debug": true}});
        let answer = fixture.json("search", ask);
        let first = &answer["rerank"][0];
        assert_eq!((&first["id"], &first["signals"]["lexical"]), (&json!("lib/auth.go::VerifyLogin"), &json!(100.0)));
        assert!(first["signals"]["prior"].as_f64().is_some_and(|prior| prior > 0.0));
        assert_eq!(first["signals"]["semantic"], json!(0.0));
    }

    #[test]
    fn filters_narrow_and_are_dropped_when_nothing_is_left() {
        let fixture = Fixture::new(TREE);
        assert_eq!(names(&find(&fixture, "user kind:class")), ["UserService"]);
        assert!(names(&find(&fixture, "user lang:go")).is_empty());
        assert!(names(&find(&fixture, "user path:tests")).iter().all(|name| *name != "UserService"));
        let relaxed = find(&fixture, "VerifyLogin kind:class");
        assert_eq!((&relaxed["filters_relaxed"], names(&relaxed)[0]), (&json!(true), "VerifyLogin"));
        for options in
            [json!({"kind": "sideways"}), json!({"query_class": "sideways"}), json!({"corpus": "x"}), json!({"flavor": "x"})]
        {
            fixture.error("search", json!({"operation": "symbols", "query": "one", "options": options}));
        }
        fixture.error("search", json!({"operation": "symbols", "query": " "}));
    }

    #[test]
    fn documents_are_a_corpus_of_their_own() {
        let fixture = Fixture::new(
            "//- docs/guide.md\n# Guide\nHello.\n## Rate limits\nA client may call ten times a minute.\n//- a.py\ndef limit_rate():\n    \"\"\"Bounds how often a client calls.\"\"\"\n",
        );
        let ask = |corpus: &str| {
            fixture.json("search", json!({"operation": "symbols", "query": "client rate limits", "options": {"corpus": corpus}}))
        };
        let docs = ask("docs");
        assert_eq!(names(&docs), ["Rate limits", "limit_rate"]);
        let row = &docs["results"][0];
        assert_eq!((&row["id"], &row["heading_path"]), (&json!("docs/guide.md#L3"), &json!(["Guide", "Rate limits"])));
        assert_eq!((&row["end_line"], &row["line"]), (&json!(4), &json!(4)));
        assert_eq!(docs["results"][1]["corpus"], "comment");
        assert_eq!(names(&ask("content")), ["Rate limits"]);
        assert_eq!(names(&ask("code")), ["limit_rate"]);
        let all = ask("all");
        assert_eq!((names(&all).len(), &all["total"]), (2, &json!(2)));
        let none = json!({"operation": "symbols", "query": "unheard", "options": {"corpus": "docs"}});
        assert_eq!(fixture.json("search", none)["total"], 0);
    }

    #[test]
    fn a_name_that_is_no_symbol_is_looked_for_in_the_text() {
        let fixture = Fixture::new("//- a.py\nx = 1\n//- notes.md\nset FLUX_CAPACITOR here\n");
        let answer = find(&fixture, "FLUX_CAPACITOR");
        assert_eq!(answer["total"], 0);
        assert_eq!(answer["content_matches"]["matches"][0]["path"], "notes.md");
    }

    #[test]
    fn case_06_a_nested_function_is_a_symbol() {
        let fixture = Fixture::new(
            "//- src/Panel.tsx\nexport const Panel = () => {\n  const rows = () => {\n    return \"one\";\n  };\n  const cells = () => {\n    return \"one\";\n  };\n  return <div>{rows()}{cells()}</div>;\n};\n",
        );
        let answer = find(&fixture, "cells");
        assert_eq!((&answer["results"][0]["name"], &answer["results"][0]["start_line"]), (&json!("cells"), &json!(5)));
    }

    #[test]
    fn case_09_a_bundle_does_not_win() {
        let body: Vec<String> = (0..3000).map(|i| format!("function f{i}(){{return f{}()}}", (i + 1) % 3000)).collect();
        let body = body.concat();
        let fixture = Fixture::laid(|root| {
            std::fs::create_dir_all(root.join("public")).expect("made");
            std::fs::create_dir_all(root.join("src")).expect("made");
            let bundle = format!("!function(){{{body}function handleLogin(){{return f1()}}}}();\n");
            std::fs::write(root.join("public/app.bundle.js"), bundle).expect("written");
            std::fs::write(root.join("src/login.js"), "export function handleLogin(user) {\n  return user.id;\n}\n")
                .expect("written");
        });
        assert_eq!(find(&fixture, "handleLogin")["results"][0]["file_path"], "src/login.js");
    }

    // Fields called `token` of fifty structs filled the head of an answer about tokens.
    #[test]
    fn same_named_leaves_do_not_fill_the_head() {
        let leaves: Vec<String> = (0..30).map(|at| format!("//- f{at}.rs\npub struct S{at} {{ pub token: u32 }}\n")).collect();
        let fixture =
            Fixture::new(&format!("//- lex.rs\n/// Reads the next token.\npub fn next_token() {{}}\n{}", leaves.concat()));
        let answer = find(&fixture, "read the next token");
        let head = names(&answer);
        assert!(head.iter().take(3).any(|name| *name == "next_token"));
        assert_eq!(head.iter().take(2).filter(|name| **name == "token").count(), 1, "{head:?}");
        let literal = find(&fixture, "token");
        assert_eq!(names(&literal)[..5], ["token"; 5]);
        assert!(literal["next_cursor"].is_string());
    }

    #[test]
    fn pages_follow_each_other() {
        let tree: Vec<String> = (0..45).map(|at| format!("//- f{at:02}.py\ndef handler_{at:02}():\n    pass\n")).collect();
        let fixture = Fixture::new(&tree.concat());
        let mut seen = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let page = fixture.json("search", json!({"operation": "symbols", "query": "handler", "output": {"cursor": cursor}}));
            seen.extend(names(&page).into_iter().map(str::to_owned));
            cursor = page["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(seen.len(), 45);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 45);
    }
}
