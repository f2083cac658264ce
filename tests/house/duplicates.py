#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Places where six or more lines stand twice.

Lines are compared without blanks at their ends; empty lines, includes and licence lines do not count. A place is a
longest run of equal lines in two files, or in one file twice.

usage: duplicates.py            prints the number of places
       duplicates.py --list     each of them, with its length
       duplicates.py --check    as TAP: there are at most MOST
"""
import collections
import sys

import tree

RUN = 6
MOST = 16 # lower it with each place that goes


def lines_of(path):
    """[(number, text)] of the lines that count."""
    lines = []
    for number, text in enumerate(tree.read(path).split("\n"), 1):
        text = text.strip()
        if text and not text.startswith(("#include", "/* SPDX", "// SPDX", "# SPDX")):
            lines.append((number, text))
    return lines


def places(files):
    """[(length, file, line, other file, other line)], longest first."""
    texts = {f: lines_of(f) for f in files}
    windows = collections.defaultdict(list)
    for f, lines in texts.items():
        for i in range(len(lines) - RUN + 1):
            run = tuple(text for _, text in lines[i:i + RUN])
            if sum(len(text) > 2 for text in run) > RUN // 2:
                windows[run].append((f, i))
    pairs = set()
    for where in windows.values():
        if len(where) > 1:
            pairs.update((where[0], other) for other in where[1:])
    found = []
    for (f, i), (g, j) in sorted(pairs):
        if ((f, i - 1), (g, j - 1)) in pairs:
            continue
        n = RUN
        while ((f, i + n - RUN + 1), (g, j + n - RUN + 1)) in pairs:
            n += 1
        found.append((n, f, texts[f][i][0], g, texts[g][j][0]))
    return sorted(found, reverse=True)


if __name__ == "__main__":
    found = places([f for f in tree.sources() if not f.endswith(".def")])
    if "--list" in sys.argv:
        for n, f, i, g, j in found:
            print(f"{n:4} {f}:{i} {g}:{j}")
    if "--check" in sys.argv:
        print(f"1..1\n{'ok' if len(found) <= MOST else 'not ok'} 1 - {len(found)} places, at most {MOST}")
        sys.exit(len(found) > MOST)
    print(f"{len(found)} places")
