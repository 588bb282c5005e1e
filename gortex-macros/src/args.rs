//! `#[derive(FacadeArgs)]`.
//!
//! Reads `#[at(..)]` and the two serde attributes that change a field's name or place (`rename`, `flatten`), and writes
//! one constant. A field without `#[at]` gets its place from its name, later and in one place, so nothing is decided here.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Expr, ExprLit, Field, Fields, Lit, LitStr, Meta, Token};

/// The selectors of a target.
const SELECTORS: [&str; 6] = ["file", "symbol", "symbols", "query", "artifact", "repo"];

/// The containers of a request, and their variants in `gortex_core::Container`.
const CONTAINERS: [(&str, &str); 6] = [
    ("arguments", "Arguments"),
    ("options", "Options"),
    ("source", "Source"),
    ("context", "Context"),
    ("guard", "Guard"),
    ("output", "Output"),
];

/// Generates the impl, or the errors and an impl without fields so that no second error follows.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let name = &input.ident;
    let (generics, type_generics, bounds) = input.generics.split_for_impl();
    let (fields, errors) = match fields(&input) {
        Ok(fields) => (fields, None),
        Err(error) => (Vec::new(), Some(error.into_compile_error())),
    };
    quote! {
        #errors
        impl #generics ::gortex_core::FacadeArgs for #name #type_generics #bounds {
            const FIELDS: &'static [::gortex_core::FieldSpec] = &[#(#fields),*];
        }
    }
}

/// The descriptors of all fields, or all errors.
fn fields(input: &DeriveInput) -> Result<Vec<TokenStream>, Error> {
    let mut errors = Errors::default();
    for attribute in &input.attrs {
        check_container(attribute, &mut errors);
    }
    let named = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(named) => Some(&named.named),
            Fields::Unit => None,
            Fields::Unnamed(_) => {
                errors.push(Error::new(input.ident.span(), "arguments have names: use a struct with named fields"));
                None
            }
        },
        Data::Enum(_) | Data::Union(_) => {
            errors.push(Error::new(input.ident.span(), "arguments are a struct with named fields"));
            None
        }
    };
    let found = named.into_iter().flatten().filter_map(|field| descriptor(field, &mut errors)).collect();
    errors.finish(found)
}

/// Refuses serde attributes on the struct that would rename fields behind the derive's back.
fn check_container(attribute: &Attribute, errors: &mut Errors) {
    if !attribute.path().is_ident("serde") {
        return;
    }
    let Ok(metas) = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else { return };
    for meta in metas {
        if meta.path().is_ident("rename_all") {
            errors.push(Error::new(meta.span(), "rename fields one by one: `rename_all` is not read by FacadeArgs"));
        }
    }
}

/// One `FieldSpec`.
fn descriptor(field: &Field, errors: &mut Errors) -> Option<TokenStream> {
    let ident = field.ident.as_ref()?;
    let mut name = ident.to_string().trim_start_matches("r#").to_owned();
    let mut flatten = false;
    let mut places = Vec::new();
    for attribute in &field.attrs {
        if attribute.path().is_ident("serde") {
            let Ok(metas) = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else { continue };
            for meta in metas {
                if meta.path().is_ident("flatten") {
                    flatten = true;
                } else if meta.path().is_ident("skip") || meta.path().is_ident("skip_deserializing") {
                    return None;
                } else if let Meta::NameValue(pair) = &meta
                    && pair.path.is_ident("rename")
                    && let Some(text) = literal(&pair.value)
                {
                    name = text.value();
                }
            }
        } else if attribute.path().is_ident("at") {
            match attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) {
                Ok(metas) if metas.is_empty() => {
                    errors.push(Error::new(attribute.span(), "say where: `#[at(options)]`, `#[at(target = \"symbol\")]`"));
                }
                Ok(metas) => places.extend(metas.iter().filter_map(|meta| place(meta, errors))),
                Err(error) => errors.push(error),
            }
        }
    }
    if flatten {
        if !places.is_empty() {
            errors.push(Error::new(ident.span(), "a flattened struct says `#[at]` on its own fields"));
        }
        let ty = &field.ty;
        return Some(quote! {
            ::gortex_core::FieldSpec {
                name: #name,
                at: &[],
                flatten: ::core::option::Option::Some(<#ty as ::gortex_core::FacadeArgs>::FIELDS),
            }
        });
    }
    Some(quote! {
        ::gortex_core::FieldSpec { name: #name, at: &[#(#places),*], flatten: ::core::option::Option::None }
    })
}

/// One place out of `#[at(..)]`.
fn place(meta: &Meta, errors: &mut Errors) -> Option<TokenStream> {
    let key = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
    let value = match meta {
        Meta::Path(_) => None,
        Meta::NameValue(pair) => match literal(&pair.value) {
            Some(text) => Some(text),
            None => {
                errors.push(Error::new(pair.value.span(), "expected a string literal"));
                return None;
            }
        },
        Meta::List(list) => {
            errors.push(Error::new(list.span(), "expected `place` or `place = \"name\"`"));
            return None;
        }
    };
    if key == "target" || key == "to" {
        let variant = syn::Ident::new(if key == "to" { "To" } else { "Target" }, Span::call_site());
        return match value {
            Some(text) if SELECTORS.contains(&text.value().as_str()) => Some(quote!(::gortex_core::At::#variant(#text))),
            Some(text) => {
                errors.push(Error::new(
                    text.span(),
                    format!("unknown selector `{}`; expected one of {}", text.value(), SELECTORS.join(", ")),
                ));
                None
            }
            None => {
                errors.push(Error::new(meta.span(), format!("say which selector: `{key} = \"symbol\"`")));
                None
            }
        };
    }
    let public = match value {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    };
    if key == "top" {
        return Some(quote!(::gortex_core::At::Top(#public)));
    }
    if let Some((_, variant)) = CONTAINERS.iter().find(|(name, _)| *name == key) {
        let variant = syn::Ident::new(variant, Span::call_site());
        return Some(quote!(::gortex_core::At::In(::gortex_core::Container::#variant, #public)));
    }
    errors.push(Error::new(
        meta.path().span(),
        "unknown place; expected target, to, top, arguments, options, source, context, guard or output",
    ));
    None
}

/// The string literal that an expression is.
fn literal(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

/// All errors of one item.
#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    /// Adds an error.
    pub(crate) fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// The value if there were no errors.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Error> {
        self.0.map_or(Ok(value), Err)
    }
}
