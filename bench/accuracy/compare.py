#!/usr/bin/env python3
"""Our edges against a compiler's: precision and recall of calls and references, and what the errors have in common.

usage: compare.py CORPUS TRUTH.tsv EDGES.tsv [--only PREFIX] [--samples N] [--class NAME]

TRUTH is what a producer of this folder wrote (see `scip_truth.py`), EDGES what `gortex-bench edges CORPUS` printed. Both are
compared at places: path, line and byte column of a mention.

Precision: of our edges (resolved or inferred, confidence 50 or more) at places where truth says something, those whose target
truth names. Recall: of truth's places with a definition inside the corpus, those where one of our edges has that target. A
constructor stands for its type on both sides, and all definitions of one name in one scope (overloads, property and setter, a
declaration and its body) stand for each other; the name in such a definition is no mention. What an alias holds (`f = g; f()` as a call of g) is no statement of truth's and
is left out. Calls are told by syntax: the name is followed by an argument list, or by `new`.
"""
import argparse
import collections
import os
import re

CALLABLE = {"function", "method", "constructor", "macro", "class", "struct", "record", "enum", "interface", "trait"}
TARGETED = {"function", "method", "constructor", "class", "interface", "type_alias", "struct", "enum", "trait", "record", "union"}
CONSTRUCTORS = {"__init__", "constructor", "__new__"}


class Text:
    """The bytes of the corpus, by line."""

    def __init__(self, root):
        self.root, self.files = root, {}

    def line(self, path, line):
        if path not in self.files:
            try:
                with open(os.path.join(self.root, path), "rb") as file:
                    self.files[path] = file.read().split(b"\n")
            except OSError:
                self.files[path] = []
        lines = self.files[path]
        return lines[line - 1] if 0 < line <= len(lines) else b""

    def name(self, path, line, column):
        found = re.match(rb"[~#@$]?[\w$]+", self.line(path, line)[column:])
        return found.group().decode("utf-8", "replace") if found else ""

    def is_call(self, path, line, column):
        text = self.line(path, line)
        name = re.match(rb"[~#@$]?[\w$]+", text[column:])
        if not name:
            return False
        before, after = text[:column], text[column + name.end() :]
        if re.match(rb"(import|from|use|package|#include)\b", text.lstrip()):
            return False
        if re.search(rb"\bnew\s+(?:[\w.]+\.)?$", before):
            return True
        return bool(re.match(rb"(?:!|\?\.)?(?:::<[^()]*>|<[\w\s,.\[\]<>|?&*:']*>)?\s*\(", after)) or bool(
            re.match(rb"![\[{ ]", after) and path.endswith(".rs")
        )

    def shape(self, path, line, column):
        before = self.line(path, line)[:column].rstrip()
        if not before and line > 1:
            before = b""
        for mark in (b"::", b"->", b"?.", b"."):
            if before.endswith(mark):
                rest = before[: -len(mark)].rstrip()
                word = re.search(rb"(\w+|[)\]>}'\"])$", rest)
                word = word.group().decode() if word else "start"
                if word in ("self", "this", "super", "cls", "Self"):
                    return f"{word}{mark.decode()}"
                kind = "call" if word == ")" else "index" if word == "]" else "chain" if re.search(rb"[.>:]\w+$", rest) else "name"
                return f"{kind}{mark.decode()}"
        return "bare"


def load_edges(path):
    defs, edges, loose, names = {}, collections.defaultdict(list), {}, set()
    owner_of, first = {}, {}
    with open(path, encoding="utf-8") as file:
        for row in file:
            part = row.rstrip("\n").split("\t")
            if part[0] == "def":
                _, where, line, column, kind, name, owner_line, owner_file = part
                names.add((where, int(line), int(column)))
                defs.setdefault((where, int(line)), []).append((kind, name))
                group = first.setdefault((owner_file, owner_line, name), (where, int(line)))
                if group != (where, int(line)):
                    owner_of[(where, int(line))] = group
                if kind == "constructor" or name in CONSTRUCTORS:
                    owner_of[(where, int(line))] = (owner_file, int(owner_line))
            elif part[0] == "edge":
                _, where, line, column, kind, role, to, at, tier, confidence, flags, name = part
                if int(flags) & 4 or kind in ("overrides",) or int(at) == 0:
                    continue
                edges[(where, int(line), int(column))].append((kind, (to, int(at)), tier, int(confidence), int(flags), name))
            else:
                _, where, line, column, role, reason, _ = part
                loose[(where, int(line), int(column))] = reason
    return defs, edges, loose, owner_of, names


def load_truth(path):
    places = collections.defaultdict(set)
    with open(path, encoding="utf-8") as file:
        for row in file:
            where, line, column, kind, to, at = row.rstrip("\n").split("\t")
            places[(where, int(line), int(column))].add((kind, to, int(at)))
    return places


def relation(text, place):
    if text.is_call(*place):
        return "call"
    line = text.line(place[0], place[1]).lstrip()
    if re.match(rb"(import|from|use|pub use|export \{|export \*|#include)\b", line):
        return "import"
    return "reference"


def compare(text, truth, defs, edges, loose, owner_of, names, only):
    whole = lambda target: owner_of.get(target, target)
    score = collections.defaultdict(lambda: [0, 0, 0, 0])  # right, wrong, found, missed
    errors = collections.defaultdict(list)
    through = 0
    for place, rows in truth.items():
        if only and not place[0].startswith(only):
            continue
        name = text.name(*place)
        if any(known == name for _, known in defs.get(place[:2], [])) and place in names:
            continue
        accepted, is_ours = set(), False
        for kind, to, at in rows:
            known = defs.get((to, at), [])
            is_definition = any(k in TARGETED and n == name for k, n in known)
            if kind == "in" or kind == "local" and is_definition:
                accepted.add(whole((to, at)))
                is_ours = True
        if any(kind == "module" for kind, *_ in rows) and not is_ours:
            continue
        what = relation(text, place)
        row = score[what]
        found = edges.get(place, [])
        right = [edge for edge in found if whole(edge[1]) in accepted]
        for edge in {(e[0], whole(e[1]), e[4] & 1, e[5], e[1]) for e in found if e[2] != "text_matched" and e[3] >= 50}:
            kind, target, aliased, target_name, exact = edge
            if target in accepted:
                row[0] += 1
            elif aliased and target_name != name:
                through += 1
            elif right and any(k in CONSTRUCTORS or k2 == "constructor" for k2, k in defs.get(exact, [])):
                row[0] += 1
            else:
                row[1] += 1
                said = "other" if accepted else sorted(kind for kind, *_ in rows)[0]
                errors[f"{what} wrong: truth says {said} [{text.shape(*place)}]"].append((place, target, sorted(accepted)))
        if is_ours:
            calls = {"calls", "instantiates", "annotated"}
            data = lambda target: not any(kind in CALLABLE for kind, _ in defs.get(target, []))
            hit = [e for e in right if what != "call" or e[0] in calls or data(e[1])]
            if hit:
                row[2] += 1
            else:
                row[3] += 1
                reason = loose.get(place) or ("other target" if found and not right else "kind" if right else "no mention")
                if not any(target in defs for target in accepted):
                    reason += ", target not a definition of ours"
                errors[f"{what} missed: {reason} [{text.shape(*place)}]"].append((place, None, sorted(accepted)))
    return score, errors, through


def ratio(part, rest):
    return f"{part / (part + rest):.3f}" if part + rest else "-"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("truth")
    parser.add_argument("edges")
    parser.add_argument("--only", default="")
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--classes", type=int, default=12)
    parser.add_argument("--match", default="")
    parser.add_argument("--row", default="", help="print one row of the result table with this label")
    args = parser.parse_args()
    text = Text(args.corpus)
    defs, edges, loose, owner_of, names = load_edges(args.edges)
    score, errors, through = compare(text, load_truth(args.truth), defs, edges, loose, owner_of, names, args.only)
    if args.row:
        call, ref, imp = score["call"], score["reference"], score["import"]
        cells = []
        for one in (call, ref, imp):
            cells += [ratio(one[0], one[1]), ratio(one[2], one[3]), str(one[2] + one[3])]
        print(f"| {args.row} | " + " | ".join(cells) + " |")
        return
    for what in ("call", "reference", "import"):
        right, wrong, found, missed = score[what]
        print(f"{what:10} precision {ratio(right, wrong)} ({wrong} wrong of {right + wrong})   recall {ratio(found, missed)} ({missed} missed of {found + missed})")
    print(f"through aliases, not judged: {through}")
    ranked = sorted(((key, rows) for key, rows in errors.items() if args.match in key), key=lambda one: (-len(one[1]), one[0]))
    for key, rows in ranked[: args.classes]:
        print(f"{len(rows):6}  {key}")
        step = max(1, len(rows) // max(1, args.samples))
        for place, ours, accepted in rows[::step][: args.samples]:
            line = text.line(place[0], place[1]).decode("utf-8", "replace").strip()[:110]
            print(f"          {place[0]}:{place[1]}:{place[2]} {text.name(*place)}   ours {ours} truth {accepted}\n              {line}")


if __name__ == "__main__":
    main()
