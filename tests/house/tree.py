# SPDX-License-Identifier: Apache-2.0
"""The source tree as the checks of this folder see it: files, rooms, includes.

A room is a folder with sources of ours. A file includes by name ("x.h"); the name is looked for as the build does:
in the file's own room, then in the rooms of its top folder, then elsewhere.
"""
import collections
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOPS = ["base", "include", "formats", "jit", "sim", "libraries", "compiler", "driver", "recorder", "checkers", "debugger"]
SOURCE = re.compile(r"\.(c|h|cpp|S|def)$")


def tracked(*patterns):
    """Paths of tracked files, relative to the root, in git's order."""
    out = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", *patterns], capture_output=True, text=True, check=True)
    return [f for f in out.stdout.split("\0") if f and os.path.isfile(os.path.join(ROOT, f))]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def sources():
    """Sources of the product: what stands in the top folders of TOPS."""
    return [f for f in tracked() if SOURCE.search(f) and f.split("/")[0] in TOPS]


def rooms(files):
    """{room: [files]}; a room's name is its folder."""
    found = collections.defaultdict(list)
    for f in files:
        found[os.path.dirname(f)].append(f)
    return dict(found)


INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def includes(files):
    """[(file, included file)] for each include of one of these files by another."""
    by_name = collections.defaultdict(list)
    for f in files:
        by_name[os.path.basename(f)].append(f)
    pairs = []
    for f in files:
        for name in INCLUDE.findall(read(f)):
            found = [g for g in by_name[os.path.basename(name)] if ("/" + g).endswith("/" + name)]
            for near in (os.path.dirname(f) + "/", f.split("/")[0] + "/", ""):
                close = [g for g in found if g.startswith(near)]
                if close:
                    pairs.append((f, close[0]))
                    break
    return pairs
