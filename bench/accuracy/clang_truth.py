#!/usr/bin/env python3
"""What clang says every name of a C or C++ tree means, as truth for the accuracy bench.

usage: clang_truth.py CORPUS FILE-OR-FOLDER.. [-- CLANG-ARGUMENTS] > truth.tsv

Reads each translation unit with libclang (Python package `libclang`, or Debian's `libclang-dev` with the package `clang`). A mention
counts with its declaration and its definition, in whichever unit that is. Code that the preprocessor removed has no truth. Lines
are `path line column kind definition-path definition-line`; see scip_truth.py.
"""
import os
import sys

from clang.cindex import Config, CursorKind, Index, TranslationUnit, conf

REFERENCES = {
    CursorKind.DECL_REF_EXPR,
    CursorKind.MEMBER_REF_EXPR,
    CursorKind.TYPE_REF,
    CursorKind.TEMPLATE_REF,
    CursorKind.MEMBER_REF,
    CursorKind.OVERLOADED_DECL_REF,
    CursorKind.MACRO_INSTANTIATION,
}
LOCAL = {CursorKind.PARM_DECL, CursorKind.TEMPLATE_TYPE_PARAMETER, CursorKind.TEMPLATE_NON_TYPE_PARAMETER, CursorKind.TEMPLATE_TEMPLATE_PARAMETER}
FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE}


def main():
    own, extra = sys.argv[1:], []
    if "--" in own:
        cut = own.index("--")
        own, extra = own[:cut], own[cut + 1 :]
    root = os.path.realpath(own[0])
    units = []
    for name in own[1:]:
        full = os.path.join(root, name)
        if os.path.isdir(full):
            for folder, _, files in os.walk(full):
                units += [os.path.join(folder, one) for one in files if one.endswith((".c", ".cc", ".cpp"))]
        else:
            units.append(full)
    places, definitions = {}, {}
    index = Index.create()

    def rel(location):
        if not location.file:
            return None
        path = os.path.realpath(location.file.name)
        return os.path.relpath(path, root) if path.startswith(root + os.sep) else None

    def visit(cursor):
        for child in cursor.get_children():
            where = rel(child.location)
            if where is None and child.kind.is_declaration() and child.location.file:
                continue
            if child.is_definition() and where:
                usr = child.get_usr()
                if usr:
                    definitions.setdefault(usr, set()).add((where, child.location.line))
            if child.kind in REFERENCES and where:
                mention(child, where)
            visit(child)

    def mention(child, where):
        target = child.referenced
        if target is None:
            return
        location = child.location
        candidates = [target]
        if child.kind == CursorKind.OVERLOADED_DECL_REF:
            # A name in a template that overload resolution has not settled: any of them is right.
            count = conf.lib.clang_getNumOverloadedDecls(target)
            candidates = [conf.lib.clang_getOverloadedDecl(target, i) for i in range(count)]
        key = (where, location.line, location.column - 1)
        for one in candidates:
            kind = "local" if one.kind in LOCAL or is_local(one) else "in"
            at = rel(one.location)
            if at == where and (one.location.line, one.location.column) == (location.line, location.column):
                continue  # an unsettled name that libclang calls its own declaration
            place = (at, one.location.line) if at else None
            places.setdefault(key, set()).add((kind, place, one.get_usr()))

    def is_local(target):
        parent = target.semantic_parent
        return target.kind == CursorKind.VAR_DECL and parent is not None and parent.kind in FUNCTIONS

    for unit in sorted(units):
        args = extra + (["-std=c++17"] if unit.endswith((".cc", ".cpp")) else [])
        visit(index.parse(unit, args, options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD).cursor)
    rows = set()
    for key, targets in places.items():
        for kind, place, usr in targets:
            found = set(definitions.get(usr, set())) | ({place} if place else set())
            if not found:
                rows.add((*key, "out", "-", 0))
            for at in found:
                rows.add((*key, kind, *at))
    for row in sorted(rows):
        print(*row, sep="\t")


if __name__ == "__main__":
    if os.environ.get("LIBCLANG"):
        Config.set_library_file(os.environ["LIBCLANG"])
    main()
