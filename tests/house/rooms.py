#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rooms of the source tree: files, lines, who includes whom; and what must hold of them.

usage: rooms.py            prints the table of docs/HACKING.md
       rooms.py --write    writes it there, between the lines that begin and end it
       rooms.py --check    what must hold, a line of TAP each; the exit status says whether it does
"""
import collections
import os
import re
import sys

import tree

# Top folders from the lowest layer up: one includes those that stand before it and that it names.
LAYERS = {
    "include": [],
    "base": ["include"],
    "formats": ["base", "include"],
    "jit": ["formats", "base", "include"],
    "sim": ["jit", "formats", "base", "include"],
    "libraries": ["jit", "formats", "base", "include"],
    "compiler": ["formats", "base", "include"],
    "driver": ["formats", "base", "include"],
    "recorder": ["formats", "base", "include"],
    "checkers": ["formats", "base", "include"],
    "debugger": ["formats", "base", "include"],
}

MOST_FILES = 25
MOST_LINES = 600
MOST_FUNCTION = 80
BEGIN = "<!-- rooms: written by tests/house/rooms.py --write -->"
END = "<!-- end of rooms -->"


def edges(files):
    """{(room, other room): number of includes}."""
    found = collections.Counter()
    for f, g in tree.includes(files):
        a, b = os.path.dirname(f), os.path.dirname(g)
        if a != b:
            found[a, b] += 1
    return found


def table(files):
    """The table, as Markdown."""
    rooms, between = tree.rooms(files), edges(files)
    lines = ["| room | files | lines | includes |", "| --- | ---: | ---: | --- |"]
    for room, members in sorted(rooms.items()):
        others = [b for a, b in sorted(between) if a == room and b.split("/")[0] not in ("include", "base")]
        top = room.split("/")[0]
        names = [b[len(top) + 1:] or top if b.split("/")[0] == top else b for b in others]
        count = sum(tree.read(f).count("\n") for f in members)
        lines.append(f"| `{room}` | {len(members)} | {count} | {', '.join(names)} |")
    return "\n".join(lines)


def without_counts(text):
    """The rows of a table without the numbers of files and lines, which change with every change."""
    cells = [line.split("|") for line in text.strip().split("\n")]
    return [(row[1].strip(), row[4].strip()) for row in cells if len(row) > 4]


def cycles(files):
    """Sets of rooms of one top folder that include each other, by Tarjan's algorithm."""
    graph = collections.defaultdict(set)
    for a, b in edges(files):
        if a.split("/")[0] == b.split("/")[0]:
            graph[a].add(b)
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted(graph[v]):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for v in sorted(graph):
        if v not in index:
            visit(v)
    return found


def functions(path):
    """[(name, length)] of the functions of a file in the house's format: braces in the first column."""
    lines = tree.read(path).split("\n")
    start, found = None, []
    for number, text in enumerate(lines):
        if text == "{":
            start = number
        elif text == "}" and start is not None:
            found.append((name_of(lines[:start]), number - start + 1))
            start = None
    return found


def name_of(lines):
    """The name of a function whose head ends these lines: what stands before its first parenthesis."""
    at = len(lines)
    while at > 1 and lines[at - 1] and not lines[at - 1].endswith((";", "}", "*/")):
        at -= 1
        names = re.findall(r"(\w+)\(", lines[at])
        if names and not lines[at][0].isspace():
            return names[0]
    return "?"


def faults(files):
    """{what must hold: [where it does not]}."""
    wrong = {name: [] for name in ("layers", "cycles", "room size", "file length", "function length")}
    for f, g in tree.includes(files):
        a, b = f.split("/")[0], g.split("/")[0]
        if a != b and b not in LAYERS[a]:
            wrong["layers"].append(f"{f} includes {g}")
    wrong["cycles"] = [" ".join(circle) for circle in cycles(files)]
    for room, members in sorted(tree.rooms(files).items()):
        if len(members) > MOST_FILES and not room.startswith("include"):
            wrong["room size"].append(f"{room}: {len(members)} files, at most {MOST_FILES}")
    tests = tree.tracked("tests/*.c", "tests/*.h", "tests/*.cpp", "tests/*.cu", "tests/*.py")
    for f in [f for f in files if not f.endswith(".def")] + tests:
        n = tree.read(f).count("\n")
        if n > MOST_LINES:
            wrong["file length"].append(f"{f}: {n} lines, at most {MOST_LINES}")
    for f in files:
        for name, length in functions(f):
            if length > MOST_FUNCTION:
                wrong["function length"].append(f"{f} {name}: {length} lines, at most {MOST_FUNCTION}")
    return wrong


def main():
    files = tree.sources()
    if "--check" in sys.argv:
        wrong = faults(files)
        written = tree.read("docs/HACKING.md").split(BEGIN)[-1].split(END)[0]
        stale = without_counts(written) != without_counts(table(files))
        wrong["table"] = ["docs/HACKING.md: run tests/house/rooms.py --write"] if stale else []
        print(f"1..{len(wrong)}")
        for number, (name, lines) in enumerate(wrong.items(), 1):
            print(f"{'not ok' if lines else 'ok'} {number} - {name}")
            for line in lines:
                print(f"# {line}")
        return any(wrong.values())
    if "--write" in sys.argv:
        path = os.path.join(tree.ROOT, "docs/HACKING.md")
        before, rest = tree.read("docs/HACKING.md").split(BEGIN)
        after = rest.split(END)[1]
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{before}{BEGIN}\n\n{table(files)}\n\n{END}{after}")
        return 0
    print(table(files))
    return 0


if __name__ == "__main__":
    sys.exit(main())
