#!/usr/bin/env python3
"""A SCIP index as truth: one line per (mention, definition).

usage: scip_truth.py INDEX.scip CORPUS > truth.tsv

Reads the protobuf wire format itself, so that it shares no code with what it judges. A line is

    path  line  column  kind  definition-path  definition-line

with lines from 1 and columns in bytes from 0. `kind` is `in` (a definition inside the corpus), `local` (a local definition,
parameter or type parameter), `module` (a file or namespace) or `out` (a package outside, with `-` and 0).

Left out, because the index says nothing or is plainly wrong about them: local symbols that no occurrence defines (scip-typescript
writes these for some re-exported names), and with scip-python a name whose symbol has another name although the file has no such
alias (`from x import *` mixes neighbours up), or a built-in where the name is imported or an attribute. They are counted on stderr.
"""
import os
import re
import sys


def varint(buf, at):
    value = shift = 0
    while True:
        byte = buf[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(buf):
    at = 0
    while at < len(buf):
        key, at = varint(buf, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(buf, at)
        elif wire == 2:
            length, at = varint(buf, at)
            value, at = buf[at : at + length], at + length
        elif wire == 5:
            value, at = buf[at : at + 4], at + 4
        elif wire == 1:
            value, at = buf[at : at + 8], at + 8
        else:
            raise ValueError(f"wire type {wire}")
        yield number, value


def packed(buf):
    at, out = 0, []
    while at < len(buf):
        value, at = varint(buf, at)
        out.append(value)
    return out


def documents(path):
    """(relative path, position encoding, [(line, column, symbol, roles)]."""
    with open(path, "rb") as file:
        data = file.read()
    for number, body in fields(data):
        if number != 2:
            continue
        name, encoding, occurrences = "", 0, []
        for key, value in fields(body):
            if key == 1:
                name = value.decode()
            elif key == 6:
                encoding = value
            elif key == 2:
                span, symbol, roles = [], "", 0
                for k, v in fields(value):
                    if k == 1:
                        span = packed(v) if isinstance(v, bytes) else span + [v]
                    elif k == 2:
                        symbol = v.decode()
                    elif k == 3:
                        roles = v
                if symbol and span:
                    occurrences.append((span[0], span[1], symbol, roles))
        yield name, encoding, occurrences


def byte_column(line, column, encoding):
    if encoding == 1 or line.isascii():
        return column
    if encoding == 3:
        return len(line[:column].encode())
    return len(line.encode("utf-16-le")[: column * 2].decode("utf-16-le", "ignore").encode())


def is_inner(symbol):
    """Parameters `(x)` and type parameters `[T]` end like this; locals begin with `local `."""
    return symbol.endswith(")") and not symbol.endswith("().") or symbol.endswith("]")


def misnamed(symbol, name, whole, before):
    """Whether scip-python's symbol can't be what stands here."""
    own = re.search(r"([\w]+)(?:#|\(\)\.|\.|:)$", symbol)
    if not own:
        return False
    if own.group(1) != name:
        return own.group(1) not in ("__init__", "__new__") and not re.search(rf"\bas\s+{re.escape(name)}\b", whole)
    if "builtins" not in symbol.split(own.group(1))[0]:
        return False
    imported = re.search(rf"^\s*(?:from\s+\S+\s+)?import\s+(?:[^()\n]*\b{name}\b|\([^()]*\b{name}\b[^()]*\))", whole, re.M)
    return before.endswith(".") and name[0].isupper() or bool(imported)


def main():
    index, corpus = sys.argv[1:3]
    docs = list(documents(index))
    defined, lines = {}, {}
    for name, encoding, occurrences in docs:
        full = os.path.join(corpus, name)
        if not os.path.exists(full):
            continue
        with open(full, encoding="utf-8", errors="replace", newline="") as file:
            lines[name] = file.read().split("\n")
        for line, column, symbol, roles in occurrences:
            if roles & 1:
                key = (name, symbol) if symbol.startswith("local ") else symbol
                defined.setdefault(key, []).append((name, line + 1))
    rows, left_out = set(), 0
    for name, encoding, occurrences in docs:
        if name not in lines:
            continue
        text = lines[name]
        whole = "\n".join(text)
        for line, column, symbol, roles in occurrences:
            if roles & 1 or line >= len(text):
                continue
            column = byte_column(text[line], column, encoding)
            local = symbol.startswith("local ")
            targets = defined.get((name, symbol) if local else symbol)
            if local and not targets:
                left_out += 1
                continue
            if symbol.startswith("scip-python") and not symbol.endswith(("/", "/__init__:")):
                here = text[line].encode()[column:].decode("utf-8", "replace")
                word = re.match(r"\w+", here)
                if word and misnamed(symbol, word.group(), whole, text[line].encode()[:column].decode("utf-8", "replace")):
                    left_out += 1
                    continue
            if symbol.endswith(("/", "/__init__:")):
                kind = "module"
            else:
                kind = "local" if local or is_inner(symbol) else "in" if targets else "out"
            for path, at in targets or [("-", 0)]:
                rows.add((name, line + 1, column, kind, path, at))
    print(f"{left_out} occurrences left out", file=sys.stderr)
    for row in sorted(rows):
        print(*row, sep="\t")


if __name__ == "__main__":
    main()
