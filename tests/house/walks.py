#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The functions that ARCHITECTURE.md's walks through the code name are in the files that it names.

A name stands as `function()`; its file is the next one in parentheses behind it, or else the last before it.
One line of TAP a walk.
"""
import os
import re
import sys

import tree

SECTION = "## Five walks through the code"
# A definition: the name and its parameters from the first column on, up to a brace; or a member's.
DEFINITION = r"^[A-Za-z_][^;#\n]*?\b(?:\w+::)?%s\([^;{]*?\)[^;{]*?\n?\{"


def main():
    text = tree.read("docs/ARCHITECTURE.md").split(SECTION)[1].split("\n## ")[0]
    where = {}
    for path in tree.sources():
        where.setdefault(os.path.basename(path), []).append(path)
    walks = [part for part in re.split(r"\n\n", text) if part.startswith("**")]
    failed = not walks
    print(f"1..{len(walks)}")
    for number, walk in enumerate(walks, 1):
        wrong, pending = [], []
        for name, file in re.findall(r"`(\w+)\(\)`|\(`([\w./]+)`\)", walk):
            if name:
                pending.append(name)
                continue
            checked, pending = pending, []
            wrong += missing(checked[-1:], file, where) + (missing(checked[:-1], None, where))
        wrong += missing(pending, None, where)
        title = re.match(r"\*\*(.*?)\*\*", walk)[1]
        print(f"{'not ok' if wrong else 'ok'} {number} - {title}")
        for line in wrong:
            print(f"# {line}")
        failed |= bool(wrong)
    return failed


def missing(names, file, where):
    """What is not defined: in the file, or in any where none is named with it."""
    paths = where.get(os.path.basename(file), []) if file else [p for group in where.values() for p in group]
    if not paths:
        return [f"{file} is not there"]
    found = []
    for name in names:
        pattern = re.compile(DEFINITION % name, re.M)
        if not any(pattern.search(tree.read(path)) for path in paths):
            found.append(f"{name}() is not defined" + (f" in {file}" if file else ""))
    return found


if __name__ == "__main__":
    sys.exit(main())
