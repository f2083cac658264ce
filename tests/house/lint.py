#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our C and C++ through clang's front end, as errors what the other compiler's build lets pass.

usage: lint.py BUILD LLVM           warnings of clang of that version
       lint.py BUILD LLVM --tidy    clang-tidy with the checks of .clang-tidy

BUILD holds compile_commands.json. One line of TAP for each top folder. Nothing is written.
"""
import collections
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

import tree

# Subjects of the debugger's tests, whose lines tests know by number: odd on purpose.
SUBJECTS = ("tests/unit/debugger/expression_subject.cpp", "tests/unit/debugger/symbols_sample.cpp")
# What only the other compiler knows.
LEFT_OUT = ("-Wno-builtin-declaration-mismatch", "-fdiagnostics-color")


def commands(build):
    """[(file, arguments after the compiler)] of our sources, each once."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), tree.ROOT)
        if path.startswith("..") or path.endswith(".S") or path in found or path in SUBJECTS:
            continue
        words = shlex.split(entry["command"])
        if os.path.basename(words[0]) == "ccache":
            words = words[1:]
        keep, skip = [], False
        for word in words[1:]:
            if skip:
                skip = False
            elif word in ("-o", "-MF", "-MQ", "-c"):
                skip = word != "-c"
            elif word != "-MD" and not word.startswith(LEFT_OUT):
                keep.append(word)
        found[path] = keep
    return sorted(found.items())


def run(build, llvm, path, words, tidy):
    if tidy:
        command = [f"clang-tidy-{llvm}", "--quiet", "--warnings-as-errors=*", os.path.join(tree.ROOT, path), "--",
                   *[w for w in words if not w.endswith((".c", ".cpp"))]]
    else:
        compiler = f"clang++-{llvm}" if path.endswith(".cpp") else f"clang-{llvm}"
        command = [compiler, "-fsyntax-only", "-Werror", *words, "-Wno-c23-extensions"]
    done = subprocess.run(command, cwd=build, capture_output=True, text=True)
    return path, done.returncode, done.stdout + ("" if tidy else done.stderr)


def main():
    build, llvm, tidy = sys.argv[1], sys.argv[2], "--tidy" in sys.argv
    todo = commands(build)
    bad, count = collections.defaultdict(list), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, status, text in pool.map(lambda item: run(build, llvm, *item, tidy), todo):
            top = path.split("/")[0]
            count[top] += 1
            if status:
                bad[top].append(text.strip() or f"{path}: status {status}")
    print(f"1..{len(count)}")
    for number, top in enumerate(sorted(count), 1):
        print(f"{'not ok' if bad[top] else 'ok'} {number} - {top}, {count[top]} files")
        for text in bad[top]:
            print("\n".join("# " + line for line in text.split("\n")[:20]))
    return any(bad.values()) or not todo


if __name__ == "__main__":
    sys.exit(main())
