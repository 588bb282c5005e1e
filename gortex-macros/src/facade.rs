//! `#[facade(..)]`: parse, check, generate.
//!
//! The function leaves untouched, its remaining attributes included, so that a second `#[facade]` on it simply expands
//! again; what is generated is one anonymous constant beside it. On an error the function still leaves, so that an
//! editor keeps working.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, ExprUnary, FnArg, Ident, ItemFn, Lit, LitStr, Meta, Path, Token, Type, UnOp};

use crate::args::Errors;

/// The effects, and their variants in `gortex_core::Effect`.
const EFFECTS: [(&str, &str); 5] = [
    ("read", "Read"),
    ("local_write", "LocalWrite"),
    ("session_write", "SessionWrite"),
    ("control_write", "ControlWrite"),
    ("external_write", "ExternalWrite"),
];

/// Generates the registration, or the errors; the function leaves in both cases.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let generated = parse(attribute, item.clone()).and_then(|found| check(&found).map(|()| generate(&found)));
    let generated = generated.unwrap_or_else(Error::into_compile_error);
    quote! { #item #generated }
}

/// The attribute's keys as written, and the function.
struct Found {
    keys: Keys,
    function: ItemFn,
}

/// Parses both halves; everything wrong with the keys is reported together.
fn parse(attribute: TokenStream, item: TokenStream) -> Result<Found, Error> {
    let keys: Keys = syn::parse2(attribute)?;
    let function: ItemFn =
        syn::parse2(item).map_err(|error| Error::new(error.span(), "`#[facade]` stands on an async function"))?;
    Ok(Found { keys, function })
}

/// The keys of one attribute.
#[derive(Default)]
struct Keys {
    domain: Option<LitStr>,
    op: Option<LitStr>,
    effect: Option<LitStr>,
    legacy: Option<LitStr>,
    fixed: Vec<(Ident, Value)>,
    hidden: Option<Span>,
    legacy_only: Option<(Span, LitStr, LitStr)>,
    surface: Option<Path>,
}

/// A literal that may be fixed.
enum Value {
    Bool(bool),
    Str(LitStr),
    Int(i64),
}

impl Parse for Keys {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut keys = Self::default();
        let mut errors = Errors::default();
        for meta in Punctuated::<Meta, Token![,]>::parse_terminated(input)? {
            keys.read(&meta, &mut errors);
        }
        errors.finish(keys)
    }
}

impl Keys {
    /// Takes in one key.
    fn read(&mut self, meta: &Meta, errors: &mut Errors) {
        let key = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
        let seen = match key.as_str() {
            "domain" => text(meta, errors).is_some_and(|value| self.domain.replace(value).is_some()),
            "op" => text(meta, errors).is_some_and(|value| self.op.replace(value).is_some()),
            "effect" => text(meta, errors).is_some_and(|value| self.effect.replace(value).is_some()),
            "legacy" => text(meta, errors).is_some_and(|value| self.legacy.replace(value).is_some()),
            "hidden" => {
                if !matches!(meta, Meta::Path(_)) {
                    errors.push(Error::new(meta.span(), "`hidden` takes no value"));
                }
                self.hidden.replace(meta.span()).is_some()
            }
            "fixed" => {
                let again = !self.fixed.is_empty();
                self.fixed = fixed(meta, errors);
                again
            }
            "legacy_only" => {
                let again = self.legacy_only.is_some();
                self.legacy_only = legacy_only(meta, errors);
                again
            }
            "surface" => {
                let path = match meta {
                    Meta::NameValue(pair) => match &pair.value {
                        Expr::Path(path) => Some(path.path.clone()),
                        _ => None,
                    },
                    Meta::Path(_) | Meta::List(_) => None,
                };
                if path.is_none() {
                    errors.push(Error::new(meta.span(), "expected `surface = path::to::TABLE`"));
                }
                path.is_some_and(|path| self.surface.replace(path).is_some())
            }
            _ => {
                errors.push(Error::new(
                    meta.path().span(),
                    "unknown key; expected domain, op, effect, fixed, hidden, legacy, legacy_only or surface",
                ));
                false
            }
        };
        if seen {
            errors.push(Error::new(meta.path().span(), format!("`{key}` is given twice")));
        }
    }
}

/// The string of `key = "..."`.
fn text(meta: &Meta, errors: &mut Errors) -> Option<LitStr> {
    if let Meta::NameValue(pair) = meta
        && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value
    {
        return Some(text.clone());
    }
    errors.push(Error::new(meta.span(), "expected `key = \"text\"`"));
    None
}

/// The pairs of `fixed(key = literal, ..)`.
fn fixed(meta: &Meta, errors: &mut Errors) -> Vec<(Ident, Value)> {
    const FORM: &str = "expected `fixed(key = literal, ..)`";
    let Meta::List(list) = meta else {
        errors.push(Error::new(meta.span(), FORM));
        return Vec::new();
    };
    let pairs = match list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) {
        Ok(pairs) => pairs,
        Err(error) => {
            errors.push(error);
            return Vec::new();
        }
    };
    if pairs.is_empty() {
        errors.push(Error::new(list.span(), FORM));
    }
    let mut found: Vec<(Ident, Value)> = Vec::new();
    for pair in pairs {
        let Meta::NameValue(pair) = &pair else {
            errors.push(Error::new(pair.span(), FORM));
            continue;
        };
        let Some(key) = pair.path.get_ident() else {
            errors.push(Error::new(pair.path.span(), "a fixed key is the name of an argument"));
            continue;
        };
        if found.iter().any(|(other, _)| other == key) {
            errors.push(Error::new(key.span(), format!("`{key}` is fixed twice")));
        }
        match value(&pair.value) {
            Some(value) => found.push((key.clone(), value)),
            None => errors.push(Error::new(pair.value.span(), "a fixed value is a bool, a string or an integer literal")),
        }
    }
    found
}

/// The literal that an expression is.
fn value(expression: &Expr) -> Option<Value> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(Value::Bool(value.value)),
        Expr::Lit(ExprLit { lit: Lit::Str(value), .. }) => Some(Value::Str(value.clone())),
        Expr::Lit(ExprLit { lit: Lit::Int(value), .. }) => value.base10_parse().ok().map(Value::Int),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match value(expr) {
            Some(Value::Int(value)) => Some(Value::Int(-value)),
            _ => None,
        },
        _ => None,
    }
}

/// The two sentences of `legacy_only(rationale = "...", removal = "...")`.
fn legacy_only(meta: &Meta, errors: &mut Errors) -> Option<(Span, LitStr, LitStr)> {
    let (mut rationale, mut removal) = (None, None);
    if let Meta::List(list) = meta
        && let Ok(pairs) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
    {
        for pair in &pairs {
            let text = text(pair, errors)?;
            if pair.path().is_ident("rationale") {
                rationale = Some(text);
            } else if pair.path().is_ident("removal") {
                removal = Some(text);
            } else {
                errors.push(Error::new(pair.path().span(), "expected rationale or removal"));
                return None;
            }
        }
    }
    let full = |text: &Option<LitStr>| text.as_ref().is_some_and(|text| !text.value().trim().is_empty());
    if full(&rationale) && full(&removal) {
        return rationale.zip(removal).map(|(rationale, removal)| (meta.span(), rationale, removal));
    }
    errors.push(Error::new(meta.span(), "expected `legacy_only(rationale = \"why\", removal = \"when\")`"));
    None
}

/// Everything that can be said without the program's types.
fn check(found: &Found) -> Result<(), Error> {
    let mut errors = Errors::default();
    check_keys(&found.keys, found.function.sig.ident.span(), &mut errors);
    check_function(&found.function, &mut errors);
    errors.finish(())
}

/// Missing, superfluous and misspelt keys.
fn check_keys(keys: &Keys, at: Span, errors: &mut Errors) {
    if keys.effect.is_none() {
        errors.push(Error::new(at, "`#[facade]` needs `effect = \"...\"`"));
    }
    if let Some(effect) = &keys.effect
        && !EFFECTS.iter().any(|(name, _)| *name == effect.value())
    {
        errors.push(Error::new(
            effect.span(),
            "unknown effect; expected read, local_write, session_write, control_write or external_write",
        ));
    }
    match &keys.legacy_only {
        Some((span, ..)) => {
            if keys.domain.is_some() || keys.op.is_some() || keys.hidden.is_some() {
                errors.push(Error::new(*span, "a legacy-only variant has no domain, op or hidden"));
            }
        }
        None => {
            if keys.domain.is_none() {
                errors.push(Error::new(at, "`#[facade]` needs `domain = \"...\"`"));
            }
            if keys.op.is_none() {
                errors.push(Error::new(at, "`#[facade]` needs `op = \"...\"`"));
            }
        }
    }
    for name in keys.op.iter().chain(&keys.legacy) {
        let text = name.value();
        let word = text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !word {
            errors.push(Error::new(name.span(), "a name is lower-case letters, digits and `_`"));
        }
    }
}

/// The form of the function.
fn check_function(function: &ItemFn, errors: &mut Errors) {
    let signature = &function.sig;
    if signature.asyncness.is_none() {
        errors.push(Error::new(signature.fn_token.span, "a handler is an `async fn`"));
    }
    if !signature.generics.params.is_empty() {
        errors.push(Error::new(signature.generics.span(), "a handler has no generic parameters"));
    }
    for input in &signature.inputs {
        if let FnArg::Receiver(receiver) = input {
            errors.push(Error::new(receiver.span(), "a handler is a plain function, without `self`"));
        }
    }
    if doc(function).is_empty() {
        errors.push(Error::new(signature.ident.span(), "a handler has a doc comment: its first sentence is what callers read"));
    }
}

/// The doc comment, lines joined as written.
fn doc(function: &ItemFn) -> String {
    let mut lines = Vec::new();
    for attribute in &function.attrs {
        if attribute.path().is_ident("doc")
            && let Meta::NameValue(pair) = &attribute.meta
            && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value
        {
            let line = text.value();
            lines.push(line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned());
        }
    }
    lines.join("\n").trim().to_owned()
}

/// The first sentence of a doc comment, on one line.
fn first_sentence(doc: &str) -> String {
    let paragraph = doc.split("\n\n").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    match paragraph.find(". ") {
        Some(end) => paragraph[..=end].to_owned(),
        None => paragraph,
    }
}

/// The registration.
fn generate(found: &Found) -> TokenStream {
    let Found { keys, function } = found;
    let name = &function.sig.ident;
    let types: Vec<&Type> = function
        .sig
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => Some(&*typed.ty),
            FnArg::Receiver(_) => None,
        })
        .collect();
    let legacy = keys.legacy.as_ref().map_or_else(|| name.to_string().trim_start_matches("r#").to_owned(), LitStr::value);
    let domain = keys.domain.as_ref().map(LitStr::value).unwrap_or_default();
    let op = keys.op.as_ref().map(LitStr::value).unwrap_or_default();
    let effect = keys.effect.as_ref().map(LitStr::value).unwrap_or_default();
    let variant = EFFECTS.iter().find(|(word, _)| *word == effect).map_or("Read", |(_, variant)| variant);
    let variant = Ident::new(variant, Span::call_site());
    let id = if domain.is_empty() { legacy.clone() } else { format!("{domain}.{op}") };
    let doc = doc(function);
    let summary = first_sentence(&doc);
    let hidden = keys.hidden.is_some();
    let fixed = keys.fixed.iter().map(|(key, value)| {
        let key = key.to_string();
        let key = key.trim_start_matches("r#");
        match value {
            Value::Bool(value) => quote!((#key, ::gortex_core::Fixed::Bool(#value))),
            Value::Str(value) => quote!((#key, ::gortex_core::Fixed::Str(#value))),
            Value::Int(value) => quote!((#key, ::gortex_core::Fixed::Int(#value))),
        }
    });
    let legacy_only = match &keys.legacy_only {
        Some((_, rationale, removal)) => quote!(::core::option::Option::Some(::gortex_core::LegacyOnly {
            rationale: #rationale,
            removal: #removal,
        })),
        None => quote!(::core::option::Option::None),
    };
    let proofs = proofs(keys, &types, &variant, &effect, &id);
    let extractors: Vec<TokenStream> =
        types.iter().map(|ty| quote_spanned!(ty.span()=> <#ty as ::gortex_core::FromCall>)).collect();
    let values: Vec<Ident> = (0..types.len()).map(|at| Ident::new(&format!("p{at}"), Span::call_site())).collect();
    quote! {
        #[allow(clippy::all, clippy::pedantic)] // generated: what a handler's signature makes of it is not its author's taste
        const _: () = {
            #proofs
            fn run(
                call: ::std::sync::Arc<::gortex_core::Call>,
            ) -> ::gortex_core::Running {
                ::std::boxed::Box::pin(async move {
                    #(let #values = #extractors::from_call(&call).await?;)*
                    let answer = #name(#(#values),*).await?;
                    ::core::mem::drop(call);
                    ::gortex_core::IntoReply::into_reply(answer)
                })
            }
            ::gortex_core::inventory::submit! {
                ::gortex_core::Operation {
                    facade: #domain,
                    name: #op,
                    legacy: #legacy,
                    effect: ::gortex_core::Effect::#variant,
                    fixed: &[#(#fixed),*],
                    hidden: #hidden,
                    legacy_only: #legacy_only,
                    summary: #summary,
                    doc: #doc,
                    args: ::gortex_core::operation::only_args(&[#(#extractors::ARGS),*]),
                    needs: &[#(#extractors::NEEDS),*],
                    uses: &[#(#extractors::USES),*],
                    run,
                    module: ::core::module_path!(),
                    at: ::core::concat!(::core::file!(), ":", ::core::line!()),
                }
            }
        };
    }
}

/// What only the compiler can check, each with its span and its sentence.
fn proofs(keys: &Keys, types: &[&Type], variant: &Ident, effect: &str, id: &str) -> TokenStream {
    let mut out = TokenStream::new();
    for ty in types {
        let message = format!(
            "parameter `{}` can change what `{id}` may not: its effect is `{effect}`",
            quote!(#ty).to_string().replace(" < ", "<").replace(" >", ">").replace(" :: ", "::")
        )
        .replace('{', "{{")
        .replace('}', "}}");
        out.extend(quote_spanned! {ty.span()=>
            const _: () = ::core::assert!(
                ::gortex_core::Effect::#variant.permits(<#ty as ::gortex_core::FromCall>::NEEDS),
                #message
            );
        });
    }
    if let Some(last) = types.last() {
        out.extend(quote_spanned! {last.span()=>
            const _: () = ::core::assert!(
                ::gortex_core::operation::count_args(&[#(<#types as ::gortex_core::FromCall>::ARGS),*]) <= 1,
                "a handler takes one argument struct"
            );
        });
    }
    if let Some(domain) = &keys.domain {
        let table = keys.surface.as_ref().map_or_else(|| quote!(::gortex_core::FACADE_V1), |path| quote!(#path));
        let unknown = format!("there is no facade `{}`", domain.value()).replace('{', "{{").replace('}', "}}");
        out.extend(quote_spanned! {domain.span()=>
            const _: () =
                ::core::assert!(::gortex_core::facade::effect_of(#table, #domain).is_some(), #unknown);
        });
        if let Some(claimed) = &keys.effect {
            out.extend(quote_spanned! {claimed.span()=>
                const _: () = match ::gortex_core::facade::effect_of(#table, #domain) {
                    ::core::option::Option::Some(actual)
                        if actual as u8 != ::gortex_core::Effect::#variant as u8 =>
                    {
                        ::core::panic!("{}", ::gortex_core::facade::effect_mismatch(actual))
                    }
                    _ => {}
                };
            });
        }
    }
    for (key, _) in &keys.fixed {
        let text = key.to_string();
        let text = text.trim_start_matches("r#");
        let message = format!("no argument of the handler is named `{text}`");
        out.extend(quote_spanned! {key.span()=>
            const _: () = ::core::assert!(
                ::gortex_core::operation::declares(&[#(<#types as ::gortex_core::FromCall>::ARGS),*], #text),
                #message
            );
        });
    }
    out
}
