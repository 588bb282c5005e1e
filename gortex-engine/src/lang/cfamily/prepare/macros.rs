//! Macros before, among and behind declarations: what is not the declaration's own is blanked.
//!
//! Knows the shapes macros take around declarations, not what they stand for.

use super::*;

/// A piece of a declaration's head.
#[derive(Clone, Copy, Debug)]
struct Piece {
    token: Token,
    start: usize,
    end: usize,
    /// The end of the parenthesised group right after a word.
    group: Option<usize>,
}

fn skip_group(bytes: &[u8], open: usize, left: u8, right: u8) -> Option<usize> {
    let mut scanner = Scanner::new(bytes, open);
    scanner.line_start = false;
    let mut depth = 0;
    while let Some((token, _, end)) = scanner.next() {
        match token {
            Token::Mark(byte) if byte == left => depth += 1,
            Token::Mark(byte) if byte == right => {
                depth -= 1;
                if depth == 0 {
                    return Some(end);
                }
            }
            _ => {}
        }
    }
    None
}

pub(super) fn blank_macros(out: &mut [u8], c_only: bool) -> bool {
    let source = out.to_vec();
    let mut scanner = Scanner::new(&source, 0);
    let mut head: Vec<Piece> = Vec::new();
    let mut has_value = false;
    let mut changed = false;
    // The names of the scopes around; only a type's own name matters, which is that of its constructors.
    let mut scopes: Vec<&[u8]> = Vec::new();
    while let Some((token, start, end)) = scanner.next() {
        let class = scopes.last().copied().unwrap_or_default();
        match token {
            Token::Directive => {}
            Token::Mark(b';') => {
                changed |= fix(out, &source, &head, b';', (class, c_only));
                head.clear();
                has_value = false;
            }
            Token::Mark(b'}') => {
                changed |= blank_lonely(out, &source, &head);
                head.clear();
                has_value = false;
                scopes.pop();
            }
            Token::Mark(b'{') => {
                changed |= fix(out, &source, &head, b'{', (class, c_only));
                if !opens_scope(&source, &head) || has_value {
                    scanner.at = skip_group(&source, start, b'{', b'}').unwrap_or(source.len());
                } else {
                    scopes.push(type_name(&source, &head));
                }
                // After a body a new declaration begins; after a value the old one goes on to its semicolon.
                if !has_value {
                    head.clear();
                }
            }
            Token::Mark(b'(') => {
                let Some(to) = skip_group(&source, start, b'(', b')') else { continue };
                scanner.at = to;
                match head.last_mut().filter(|last| last.token == Token::Word && last.group.is_none()) {
                    Some(word) => word.group = Some(to),
                    None => head.push(Piece { token: Token::Mark(b'('), start, end: to, group: None }),
                }
            }
            Token::Mark(b'<') if head.last().is_some_and(|last| &source[last.start..last.end] == b"template") => {
                if let Some(to) = skip_angles(&source, start) {
                    changed |= fix_parameters(out, &source, start, to);
                    scanner.at = to;
                }
                head.pop();
                changed |= blank_lonely(out, &source, &head);
                head.clear();
            }
            Token::Mark(b':') if is_label(&source, &head) => {
                changed |= fix_label(out, &source, &head, end);
                head.clear();
            }
            Token::Mark(b'=') => {
                // `operator+=` has no value.
                has_value |= !head.iter().rev().take(3).any(|piece| &source[piece.start..piece.end] == b"operator");
                head.push(Piece { token, start, end, group: None });
            }
            _ => head.push(Piece { token, start, end, group: None }),
        }
    }
    changed | blank_lonely(out, &source, &head)
}

/// Blanks macros that stand alone where a declaration would begin or end.
fn blank_lonely(out: &mut [u8], source: &[u8], head: &[Piece]) -> bool {
    let mut changed = false;
    if head.iter().all(|piece| piece.token == Token::Word && is_candidate(&source[piece.start..piece.end])) {
        for piece in head {
            changed |= blank(out, piece.start, piece.group.unwrap_or(piece.end));
        }
    }
    changed
}

/// One past the `>` that ends a template's parameters: a `>` between parentheses compares.
fn skip_angles(bytes: &[u8], open: usize) -> Option<usize> {
    let mut scanner = Scanner::new(bytes, open);
    scanner.line_start = false;
    let mut depth = 0;
    while let Some((token, start, end)) = scanner.next() {
        match token {
            Token::Mark(b'<') => depth += 1,
            Token::Mark(b'>') => {
                depth -= 1;
                if depth == 0 {
                    return Some(end);
                }
            }
            Token::Mark(b'(') => scanner.at = skip_group(bytes, start, b'(', b')')?,
            Token::Mark(b';' | b'}') => return None,
            _ => {}
        }
    }
    None
}

/// `template <class T, ENABLE_IF(!sized<T>())>`: a macro with arguments among the parameters reads as a nameless one whose
/// default value is what stands in the parentheses.
fn fix_parameters(out: &mut [u8], source: &[u8], from: usize, to: usize) -> bool {
    const NAMELESS: &[u8] = b"int=";
    let mut scanner = Scanner::new(source, from);
    scanner.line_start = false;
    let mut changed = false;
    let mut begins = false;
    while let Some((token, start, end)) = scanner.next() {
        if start >= to {
            break;
        }
        let first = std::mem::replace(&mut begins, matches!(token, Token::Mark(b'<' | b',')));
        if token == Token::Mark(b'(') {
            scanner.at = skip_group(source, start, b'(', b')').unwrap_or(to);
        }
        let room = first && token == Token::Word && end - start >= NAMELESS.len() && is_candidate(&source[start..end]);
        if room && source[end..to].trim_ascii_start().starts_with(b"(") {
            blank(out, start, end);
            out[start..start + NAMELESS.len()].copy_from_slice(NAMELESS);
            changed = true;
        }
    }
    changed
}

/// `if CONSTEXPR (..)`: a macro between the key word and the condition, wherever statements are.
pub(super) fn blank_conditions(out: &mut [u8]) -> bool {
    let source = out.to_vec();
    let mut scanner = Scanner::new(&source, 0);
    let mut changed = false;
    let mut before: [(usize, usize); 2] = [(0, 0); 2];
    let mut mark = 0;
    while let Some((token, start, end)) = scanner.next() {
        let [key, word] = before;
        if token == Token::Mark(b'(') && &source[key.0..key.1] == b"if" && is_candidate(&source[word.0..word.1]) {
            changed |= blank(out, word.0, word.1);
        }
        if token == Token::Mark(b'(') {
            changed |= blank_convention(out, &source, end);
            // `unsigned(x) < y`: the grammar knows conversions to types of one word, of the same length here.
            let one_word: &[u8] = match &source[word.0..word.1] {
                b"unsigned" => b"uint32_t",
                b"long" => b"char",
                _ => b"",
            };
            if !one_word.is_empty() && !is_primitive(&source[key.0..key.1]) {
                out[word.0..word.1].copy_from_slice(one_word);
                changed = true;
            }
        }
        if token == Token::Directive {
            changed |= blank_comments(out, start, end);
        }
        // `INLINE void f();` wherever that stands, a local type's members too.
        let (macro_word, next) = (&source[word.0..word.1], &source[start..end]);
        let begins = matches!(mark, b';' | b'{' | b'}' | b'>' | b':' | 0);
        let declares = is_primitive(next) || matches!(next, b"inline" | b"static" | b"virtual" | b"explicit" | b"constexpr");
        if token == Token::Word && key == (0, 0) && begins && is_caps_word(macro_word) && declares {
            changed |= blank(out, word.0, word.1);
        }
        if token != Token::Word {
            mark = if let Token::Mark(byte) = token { byte } else { 0 };
        }
        before = [word, if token == Token::Word { (start, end) } else { (0, 0) }];
    }
    changed
}

/// Comments between the lines of a definition end it, for the grammar.
fn blank_comments(out: &mut [u8], from: usize, to: usize) -> bool {
    let mut changed = false;
    let mut at = from;
    while let Some(open) = memchr::memmem::find(&out[at..to], b"/*") {
        let end = skip_comment(out, at + open).min(to);
        let goes_on = out[end..to].split(|byte| *byte == b'\n').next().is_some_and(|rest| rest.trim_ascii_end().ends_with(b"\\"));
        changed |= goes_on && blank(out, at + open, end);
        at = end;
    }
    changed
}

/// `(CDECL *name)(..)`: a macro between the parenthesis and the star of a pointer to a function.
fn blank_convention(out: &mut [u8], source: &[u8], open: usize) -> bool {
    let mut scanner = Scanner::new(source, open);
    scanner.line_start = false;
    let Some((Token::Word, start, end)) = scanner.next() else { return false };
    if !is_candidate(&source[start..end]) {
        return false;
    }
    for expected in [Token::Mark(b'*'), Token::Word, Token::Mark(b')'), Token::Mark(b'(')] {
        if scanner.next().is_none_or(|(token, ..)| token != expected) {
            return false;
        }
    }
    blank(out, start, end)
}

/// `f(int x UNUSED)`: macros behind the names of parameters.
fn fix_arguments(out: &mut [u8], source: &[u8], open: usize, to: usize) -> bool {
    let mut scanner = Scanner::new(source, open);
    scanner.line_start = false;
    let mut last: Vec<(usize, usize)> = Vec::new();
    let mut changed = false;
    while let Some((token, start, end)) = scanner.next() {
        if start >= to {
            break;
        }
        match token {
            Token::Word => last.push((start, end)),
            Token::Mark(b'=') => {
                changed |= blank_behind_name(out, source, &last);
                // The grammar takes no `= {}` here; any other value does.
                if let (Some((Token::Mark(b'{'), open, _)), Some((Token::Mark(b'}'), _, shut))) = (scanner.next(), scanner.next())
                {
                    blank(out, open, shut);
                    out[open] = b'0';
                    changed = true;
                }
                last.clear();
            }
            Token::Mark(b',' | b')') => {
                changed |= blank_behind_name(out, source, &last);
                last.clear();
            }
            Token::Mark(b'*' | b'&') => {}
            _ => last.clear(),
        }
    }
    changed
}

/// Blanks the last of a parameter's words when it is a macro behind type and name.
fn blank_behind_name(out: &mut [u8], source: &[u8], words: &[(usize, usize)]) -> bool {
    let [.., ty, name, (from, to)] = *words else { return false };
    let (ty, name) = (&source[ty.0..ty.1], &source[name.0..name.1]);
    let plain = |word: &[u8]| !is_storage(word) && !is_tag(word);
    let named = plain(ty) && plain(name) && !is_primitive(name) && !is_candidate(name);
    named && is_candidate(&source[from..to]) && blank(out, from, to)
}

/// The name of the type that a head introduces; empty for a namespace.
fn type_name<'s>(source: &'s [u8], head: &[Piece]) -> &'s [u8] {
    let text = |piece: &Piece| &source[piece.start..piece.end];
    let Some(tag) = head.iter().position(|piece| is_tag(text(piece))) else { return b"" };
    let names = head[tag + 1..].iter().take_while(|piece| !matches!(piece.token, Token::Mark(b':' | b'<')));
    names.filter(|piece| piece.token == Token::Word && text(piece) != b"final").last().map_or(b"", text)
}

/// The end of the braces that open at `open`, where they are closed at all.
pub(in crate::lang::cfamily) fn braces_end(source: &[u8], open: usize) -> Option<usize> {
    skip_group(source, open, b'{', b'}')
}

/// Whether a brace after this head holds declarations.
fn opens_scope(source: &[u8], head: &[Piece]) -> bool {
    let mut scope = false;
    let mut language = false;
    for piece in head {
        let text = &source[piece.start..piece.end];
        match piece.token {
            Token::Word if matches!(text, b"class" | b"struct" | b"union" | b"namespace") => scope = true,
            Token::Word if text == b"enum" => return false,
            Token::Word if piece.group.is_some() && !is_candidate(text) && text != b"alignas" && text != b"decltype" => {
                return false;
            }
            Token::Word if text == b"extern" => language = true,
            Token::Quoted if language => return true,
            _ => {}
        }
    }
    scope
}

fn is_label(source: &[u8], head: &[Piece]) -> bool {
    head.iter().any(|piece| {
        matches!(
            &source[piece.start..piece.end],
            b"public" | b"private" | b"protected" | b"signals" | b"Q_SIGNALS" | b"slots" | b"Q_SLOTS"
        )
    }) && head
        .iter()
        .all(|piece| piece.token == Token::Word && (piece.group.is_none() || is_candidate(&source[piece.start..piece.end])))
        && head.len() < 6
        && !head.iter().any(|piece| matches!(&source[piece.start..piece.end], b"class" | b"struct"))
}

/// `public slots:` becomes `public:`; `signals:` vanishes.
fn fix_label(out: &mut [u8], source: &[u8], head: &[Piece], colon: usize) -> bool {
    let access = |piece: &Piece| matches!(&source[piece.start..piece.end], b"public" | b"private" | b"protected");
    let mut changed = false;
    for piece in head.iter().filter(|piece| !access(piece)) {
        changed |= blank(out, piece.start, piece.group.unwrap_or(piece.end));
    }
    if !head.iter().any(access) {
        changed |= blank(out, colon - 1, colon);
    }
    changed
}

fn is_caps_word(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(is_caps)
}

/// Words that may be macros standing for an attribute.
fn is_candidate(word: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(word) else { return false };
    let compiler =
        text.starts_with("__") && !matches!(text, "__int128" | "__typeof__" | "__typeof" | "__auto_type" | "__float128");
    compiler || is_caps(text)
}

fn is_storage(word: &[u8]) -> bool {
    matches!(
        word,
        b"static"
            | b"extern"
            | b"inline"
            | b"const"
            | b"volatile"
            | b"register"
            | b"typedef"
            | b"constexpr"
            | b"virtual"
            | b"explicit"
            | b"friend"
            | b"mutable"
            | b"restrict"
            | b"typename"
            | b"using"
            | b"return"
    )
}

fn is_primitive(word: &[u8]) -> bool {
    matches!(
        word,
        b"void"
            | b"char"
            | b"short"
            | b"int"
            | b"long"
            | b"float"
            | b"double"
            | b"signed"
            | b"unsigned"
            | b"bool"
            | b"_Bool"
            | b"auto"
            | b"size_t"
            | b"ssize_t"
            | b"int8_t"
            | b"int16_t"
            | b"int32_t"
            | b"int64_t"
            | b"uint8_t"
            | b"uint16_t"
            | b"uint32_t"
            | b"uint64_t"
            | b"uintptr_t"
            | b"intptr_t"
    )
}

/// Words of the language that a declaration's head may hold beside types and storage.
fn is_reserved(word: &[u8]) -> bool {
    matches!(
        word,
        b"operator"
            | b"template"
            | b"namespace"
            | b"override"
            | b"final"
            | b"noexcept"
            | b"throw"
            | b"try"
            | b"requires"
            | b"default"
            | b"delete"
            | b"thread_local"
            | b"_Thread_local"
            | b"_Noreturn"
            | b"_Atomic"
            | b"consteval"
            | b"constinit"
            | b"alignas"
            | b"decltype"
            | b"concept"
            | b"asm"
            | b"else"
            | b"if"
            | b"for"
            | b"while"
            | b"do"
            | b"switch"
            | b"case"
            | b"public"
            | b"private"
            | b"protected"
            | b"new"
            | b"typeof"
    )
}

/// Whether `(..)` holds nothing but a type: words and stars.
fn is_type_in_parens(group: &[u8]) -> bool {
    let inner = group.trim_ascii().strip_prefix(b"(").and_then(|inner| inner.strip_suffix(b")")).unwrap_or_default();
    let plain =
        |byte: &u8| byte.is_ascii_whitespace() || *byte == b'*' || *byte == b'_' || *byte >= 0x80 || byte.is_ascii_alphanumeric();
    inner.trim_ascii().first().is_some_and(|byte| !byte.is_ascii_digit() && *byte != b'*') && inner.iter().all(plain)
}

/// Which of the pieces before a function's name are plain words too many: a type is one word, or made of the language's own.
fn surplus(source: &[u8], head: &[Piece], name: usize) -> Vec<usize> {
    let text = |at: usize| &source[head[at].start..head[at].end];
    let odd = |at: usize| match head[at].token {
        Token::Word => is_reserved(text(at)) || matches!(text(at), b"using" | b"typedef" | b"return" | b"friend"),
        Token::Mark(byte) => byte != b'*' && byte != b'&',
        _ => false,
    };
    if (0..name).any(odd) {
        return Vec::new();
    }
    let words = (0..name).filter(|at| head[*at].token == Token::Word && !is_storage(text(*at)));
    let mut plain: Vec<usize> = Vec::new();
    let mut settled = false;
    let mut tagged = false;
    for at in words {
        if std::mem::take(&mut tagged) {
            continue;
        }
        if is_tag(text(at)) {
            (settled, tagged) = (true, true);
        } else if is_primitive(text(at)) {
            settled = true;
        } else if !is_candidate(text(at)) {
            plain.push(at);
        }
    }
    if !settled {
        let star = (0..name).find(|at| head[*at].token == Token::Mark(b'*')).unwrap_or(name);
        if let Some(last) = plain.iter().rposition(|at| *at < star) {
            plain.remove(last);
        }
    }
    plain
}

fn is_tag(word: &[u8]) -> bool {
    matches!(word, b"class" | b"struct" | b"union" | b"enum")
}

/// Blanks macros in the head of one declaration, when a type and a name remain. `around` is the name of the
/// type around, and whether the file is C.
fn fix(out: &mut [u8], source: &[u8], head: &[Piece], ended: u8, around: (&[u8], bool)) -> bool {
    let (class, c_only) = around;
    let text = |piece: &Piece| &source[piece.start..piece.end];
    let operator = head.iter().position(|piece| text(piece) == b"operator");
    let stop = head.iter().position(|piece| matches!(piece.token, Token::Mark(b'=' | b',' | b'[')));
    if ended == b'{'
        && head.first().is_some_and(|first| text(first) == b"enum")
        && head.get(1).is_some_and(|next| next.token == Token::Mark(b':'))
    {
        // The grammar knows a base only where there is a name: `enum : unsigned { A };`
        return blank(out, head[1].start, head[head.len() - 1].end);
    }
    let stop = stop.filter(|stop| operator.is_none_or(|at| at > *stop));
    let colon = head.windows(3).position(|three| {
        three[1].token == Token::Mark(b':') && three[0].token != Token::Mark(b':') && three[2].token != Token::Mark(b':')
    });
    let upto = stop.unwrap_or(head.len()).min(colon.map_or(head.len(), |at| at + 1));
    let head = &head[..upto];
    let qualified = |at: usize| {
        let mark = |at: Option<&Piece>, marks: &[u8]| {
            at.is_some_and(|piece| matches!(piece.token, Token::Mark(byte) if marks.contains(&byte)))
        };
        mark(head.get(at + 1), b":<>,") || (at > 0 && mark(head.get(at - 1), b":~<,"))
    };
    let word = |at: usize| head[at].token == Token::Word;
    let candidate = |at: usize| word(at) && is_candidate(text(&head[at])) && !qualified(at);
    let called = (0..head.len()).find(|at| word(*at) && head[*at].group.is_some() && !candidate(*at));
    let is_type = |at: usize| word(at) && !is_storage(text(&head[at])) && !candidate(at);
    let name = called.or_else(|| {
        let tagged = |at: usize| ended == b'{' && at > 0 && is_tag(text(&head[at - 1])) && at + 1 < head.len();
        let last_called =
            (0..head.len()).rev().find(|at| candidate(*at) && head[*at].group.is_some() && !tagged(*at) && (0..*at).any(is_type));
        last_called.or_else(|| (0..head.len()).rev().find(|at| word(*at)))
    });
    let Some(name) = name else { return false };
    if head.first().is_some_and(|first| text(first) == b"namespace") {
        let mut changed = false;
        for at in (1..head.len()).filter(|at| candidate(*at) && (*at > 1 || head[*at].group.is_some())) {
            changed |= blank(out, head[at].start, head[at].group.unwrap_or(head[at].end));
        }
        return changed;
    }
    let tag = (0..name).find(|at| word(*at) && is_tag(text(&head[*at])));
    let has_type = (0..name).any(is_type);
    let mut changed = false;
    if let (Some(tag), None) = (tag, called) {
        // `class API Widget {`: a macro between the key word and the name.
        if ended == b'{' {
            for at in (tag + 1..name).filter(|at| candidate(*at)) {
                changed |= blank(out, head[at].start, head[at].group.unwrap_or(head[at].end));
            }
        }
        for at in (0..tag).filter(|at| candidate(*at)) {
            changed |= blank(out, head[at].start, head[at].group.unwrap_or(head[at].end));
        }
        return changed;
    }
    // A constructor or destructor has no type that a macro could stand for.
    let constructs = called.is_some_and(|at| {
        let initializes = ended == b'{' && colon.is_some_and(|colon| colon >= at);
        let marked = (0..at).any(|at| text(&head[at]) == b"explicit" || head[at].token == Token::Mark(b'~'));
        initializes || marked || text(&head[at]) == class
    });
    let has_type = has_type || constructs;
    // Where nothing else is the type, one of the macros is.
    let star = (0..name).find(|at| head[*at].token == Token::Mark(b'*')).unwrap_or(name);
    let keep = (!has_type).then(|| (0..star).find(|at| candidate(*at) && !text(&head[*at]).starts_with(b"__"))).flatten();
    for at in (0..name).filter(|at| candidate(*at)) {
        let tagged = at > 0 && word(at - 1) && is_tag(text(&head[at - 1]));
        if tagged {
            continue;
        }
        if keep == Some(at) {
            if let Some(group) = head[at].group {
                // `API(type *) f(void)`: the type is inside, and the grammar of C knows that.
                if !(c_only && is_type_in_parens(&source[head[at].end..group])) {
                    changed |= blank(out, head[at].end, group);
                }
            }
            continue;
        }
        if has_type || keep.is_some() {
            changed |= blank(out, head[at].start, head[at].group.unwrap_or(head[at].end));
        }
    }
    if let Some(group) = called.and_then(|at| head[at].group) {
        changed |= fix_arguments(out, source, head[name].end, group);
        for at in surplus(source, head, name) {
            changed |= blank(out, head[at].start, head[at].group.unwrap_or(head[at].end));
        }
        let tail = name + 1..head.len();
        let attribute = |at: &usize| word(*at) && text(&head[*at]).contains(&b'_') && !is_reserved(text(&head[*at]));
        let only =
            tail.clone().all(|at| word(at) && (is_reserved(text(&head[at])) || is_storage(text(&head[at])) || attribute(&at)));
        for at in tail.filter(|at| only && attribute(at) && !candidate(*at)) {
            changed |= blank(out, head[at].start, head[at].group.unwrap_or(head[at].end));
        }
    }
    if called.is_some() || head[name].group.is_some() {
        for at in (name + 1..head.len()).filter(|at| candidate(*at)) {
            changed |= blank(out, head[at].start, head[at].group.unwrap_or(head[at].end));
        }
    }
    changed
}
