#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""State of the debugger stands in struct debugger (debugger/repl/debugger.h): no other variable of
debugger/ at file scope can be changed, but for those of one thread and those in KEPT.

usage: globals.py    as TAP; a line for each variable that can
"""
import re
import sys

import tree

# A declaration or definition at file scope: of a variable, for there is no parenthesis but that of
# a pointer to a function.
VARIABLE = re.compile(
    r"^(?:extern |static )?(?!typedef\b|__extension__\b|(?:struct|enum|union) \w+;)"
    r"((?:[A-Za-z_]\w* )+\**(?:const )?\**(?:\(\*(?:const )?)?(?!__attribute__)\w+(?:\[[^\]]*\])*\)?)"
    r"(?:\([^;{]*\))?(?: __attribute__\(\(.*\)\))?(?: = .*|, .*;|;)", re.MULTILINE)

# The C library's; what compiled device code asks for by name.
FOREIGN = ["char **environ", "HIDDEN int64_t __cudasim_self_offset"]

# Statics that are not struct debugger's: (file, name), each group with its reason.
KEPT = [
    ("repl/debugger.c", "debugger"),
    # Only their addresses matter: what is sent with a signal.
    ("calls/call_guard.c", "late_mark"), ("host/host_trap.c", "interrupt_mark"), ("host/host_trap.c", "block_mark"),
    # Functions that the run control calls: constants, but breakers are handed on as ones that vary.
    ("run/control_break.c", "at_location"), ("run/control_break.c", "at_launch"),
    # A library of its own, which checkers use.
    ("symbolizer/symbolizer.c", "lock"), ("symbolizer/symbolizer.c", "dwfl"),
]


def is_constant(declaration):
    """Is what is declared itself constant, not only what it points at?"""
    if "*" in declaration:
        return declaration.rsplit("*", 1)[1].lstrip().startswith("const ")
    return declaration.startswith("const ")


def is_function(line, declaration):
    """A prototype: a name with parameters behind it."""
    return "(*" not in declaration and line[line.index(declaration) + len(declaration):].startswith("(")


def is_kept(file, declaration):
    name = re.search(r"(\w+)(?:\[[^\]]*\])*\)?$", declaration).group(1)
    return any(file == f"debugger/{f}" and name == n for f, n in KEPT)


def faults(files):
    """[(file, line, declaration)] of the variables that can be changed."""
    found = []
    for file in files:
        text = tree.read(file)
        for match in VARIABLE.finditer(text):
            declaration = match.group(1)
            if not (is_function(match.group(0), declaration) or is_constant(declaration) or
                    declaration in FOREIGN or declaration.startswith("_Thread_local ") and
                    match.group(0).startswith("static ") or is_kept(file, declaration)):
                found.append((file, text.count("\n", 0, match.start()) + 1, declaration))
    return found


def main():
    wrong = faults([f for f in tree.sources() if f.startswith("debugger/")])
    print(f"1..1\n{'not ok' if wrong else 'ok'} 1 - what varies in debugger/ stands in struct debugger")
    for file, line, declaration in wrong:
        print(f"# {file}:{line}: {declaration}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
