//! The attribute and the derive of `gortex-core`.
//!
//! `#[facade]` turns an async function into an operation; `#[derive(FacadeArgs)]` records where each argument sits in
//! the public request. Both generate code that could have been typed, report all problems of an item at once, each on
//! the offending token, and leave what needs the program's types (effects, facades, fixed keys) to `const` assertions
//! in the generated code.
//!
//! Knows no facade, no operation and no handler.

mod args;
mod facade;

use proc_macro::TokenStream;

/// Registers an async function as an operation of a public tool. Repeatable.
///
/// Keys: `domain = "..."`, `op = "..."`, `effect = "..."`; optionally `fixed(key = literal, ..)`, `hidden`,
/// `legacy = "..."`, `surface = path::to::TABLE`; or, instead of `domain` and `op`,
/// `legacy_only(rationale = "...", removal = "...")`.
#[proc_macro_attribute]
pub fn facade(attribute: TokenStream, item: TokenStream) -> TokenStream {
    facade::expand(attribute.into(), item.into()).into()
}

/// Records for each field of an argument struct where it sits in the public request, by `#[at(..)]`.
#[proc_macro_derive(FacadeArgs, attributes(at))]
pub fn facade_args(item: TokenStream) -> TokenStream {
    args::expand(item.into()).into()
}
