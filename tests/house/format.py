#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sources are as clang-format-19 writes them (.clang-format, .clang-format-ignore).

usage: format.py           one line of TAP for each top folder
       format.py --fix     writes them so
"""
import collections
import re
import subprocess
import sys

import tree

FORMATTER = "clang-format-19"


def main():
    files = [f for f in tree.tracked() if re.search(r"\.(c|h|cpp)$", f)]
    if "--fix" in sys.argv:
        return subprocess.run([FORMATTER, "-i", *files], cwd=tree.ROOT).returncode
    done = subprocess.run([FORMATTER, "--dry-run", "-Werror", "-ferror-limit=0", *files], cwd=tree.ROOT, capture_output=True, text=True)
    wrong = collections.defaultdict(set)
    for path in re.findall(r"^(\S+?):\d+:\d+: error:", done.stderr, re.M):
        wrong[path.split("/")[0]].add(path)
    if done.returncode and not wrong:
        print(f"1..1\nnot ok 1 - {FORMATTER}: {done.stderr.strip()}")
        return 1
    tops = sorted({f.split("/")[0] for f in files})
    print(f"1..{len(tops)}")
    for number, top in enumerate(tops, 1):
        print(f"{'not ok' if wrong[top] else 'ok'} {number} - {top}")
        for path in sorted(wrong[top]):
            print(f"# {path}: run tests/house/format.py --fix")
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
