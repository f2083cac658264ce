#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rooms of the source tree: files, lines, who includes whom; and what must hold of them.

usage: rooms.py            prints the table of docs/HACKING.md
       rooms.py --write    writes it there, between the lines that begin and end it
       rooms.py --check    what must hold, a line of TAP each; the exit status says whether it does
"""
import collections
import os
import sys

import tree

# Top folders from the lowest layer up: one includes those that stand before it and that it names.
LAYERS = {
    "include": [],
    "base": ["include"],
    "sim": ["base", "include"],
    "libraries": ["base", "include"],
    "compiler": ["base", "include"],
    "driver": ["base", "include"],
    "recorder": ["base", "include"],
    "checkers": ["base", "include"],
    "debugger": ["base", "include"],
}

# Rooms of one top folder that include each other all the same, each with its reason.
CYCLES = {
}

# What does not hold yet.
TODO = ["cycles", "room size", "file length", "function length"]

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
    """[(line, length)] of the functions of a file in the house's format: braces in the first column."""
    start, found = None, []
    for number, text in enumerate(tree.read(path).split("\n"), 1):
        if text == "{":
            start = number
        elif text == "}" and start:
            found.append((start, number - start + 1))
            start = None
    return found


def faults(files):
    """{what must hold: [what does not]}."""
    rooms = tree.rooms(files)
    wrong = collections.defaultdict(list)
    for name in ("layers", "cycles", "room size", "file length", "function length"):
        wrong[name] = []
    for f, g in tree.includes(files):
        a, b = f.split("/")[0], g.split("/")[0]
        if a != b and b not in LAYERS[a]:
            wrong["layers"].append(f"{f} includes {g}")
    for circle in cycles(files):
        new = [room for room in circle if not any(room in known for known in CYCLES)]
        if new or len({known for known in CYCLES if set(known) & set(circle)}) > 1:
            wrong["cycles"].append(" ".join(circle))
    for room, members in sorted(rooms.items()):
        if len(members) > MOST_FILES and not room.startswith("include"):
            wrong["room size"].append(f"{room}: {len(members)} files, at most {MOST_FILES}")
    for f in files:
        if f.endswith(".def"):
            continue
        n = tree.read(f).count("\n")
        if n > MOST_LINES:
            wrong["file length"].append(f"{f}: {n} lines, at most {MOST_LINES}")
        for line, length in functions(f):
            if length > MOST_FUNCTION:
                wrong["function length"].append(f"{f}:{line}: {length} lines, at most {MOST_FUNCTION}")
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
            todo = " # TODO" if name in TODO and lines else ""
            print(f"{'not ok' if lines else 'ok'} {number} - {name}{todo}")
            for line in lines:
                print(f"# {line}")
        return any(lines for name, lines in wrong.items() if name not in TODO)
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
