#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""State of the debugger stands in struct debugger (debugger/repl/debugger.h): no variable with
external linkage in debugger/ can be changed.

usage: globals.py    as TAP; a line for each variable that can
"""
import re
import sys

import tree

# A declaration or definition at file scope: of a variable, for there is no parenthesis but that of
# a pointer to a function.
VARIABLE = re.compile(
    r"^(?:extern )?(?!static\b|typedef\b|__extension__\b|(?:struct|enum|union) \w+;)"
    r"((?:[A-Za-z_]\w* )+\**(?:const )?\**(?:\(\*(?:const )?)?(?!__attribute__)\w+(?:\[[^\]]*\])*\)?)"
    r"(?:\([^;{]*\))?(?: __attribute__\(\(.*\)\))?(?: = .*|, .*;|;)", re.MULTILINE)

# The C library's; what compiled device code asks for by name.
FOREIGN = ["char **environ", "HIDDEN int64_t __cudasim_self_offset"]


def is_constant(declaration):
    """Is what is declared itself constant, not only what it points at?"""
    if "*" in declaration:
        return declaration.rsplit("*", 1)[1].lstrip().startswith("const ")
    return declaration.startswith("const ")


def is_function(line, declaration):
    """A prototype: a name with parameters behind it."""
    return "(*" not in declaration and line[line.index(declaration) + len(declaration):].startswith("(")


def faults(files):
    """[(file, line, declaration)] of the variables that can be changed."""
    found = []
    for file in files:
        text = tree.read(file)
        for match in VARIABLE.finditer(text):
            declaration = match.group(1)
            if not (is_function(match.group(0), declaration) or is_constant(declaration) or
                    declaration in FOREIGN):
                found.append((file, text.count("\n", 0, match.start()) + 1, declaration))
    return found


def main():
    wrong = faults([f for f in tree.sources() if f.startswith("debugger/")])
    print(f"1..1\n{'not ok' if wrong else 'ok'} 1 - no mutable variable of debugger/ is external")
    for file, line, declaration in wrong:
        print(f"# {file}:{line}: {declaration}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
