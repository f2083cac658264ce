# SPDX-License-Identifier: Apache-2.0
"""Cells of CUDA C++ as source files, built by `cudasim cc`.

The file of a cell has the cell's own lines: the magic's line is an empty one there, so that compiler messages,
breakpoints and reports count as the notebook does. All files lie in one folder, which goes when Python ends and is
not shown: cell 3 is cell3.cu in all that is printed."""

import os
import re
import subprocess
import sys
import tempfile

from .failure import CudasimError
from .place import tool

_folder = None


def folder():
    """Where cells are kept."""
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="cudasim-")
    return _folder.name


def hide_folder(text):
    return text.replace(folder() + os.sep, "")


def _write(name, cell):
    path = os.path.join(folder(), name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n" + cell)
    return path


def _compile(arguments):
    """Prints what the compiler says. Cells saved earlier are found by #include, and so are files beside the
    notebook."""
    command = [tool(), "cc", "-g", "-I", folder(), "-I", os.getcwd(), *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    sys.stderr.write(hide_folder(done.stdout))
    if done.returncode:
        raise CudasimError("the cell was not built")


def _without_comments(text):
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)


def executable(name, cell, options):
    """Builds name.cu of a cell with options of `cudasim cc`. Returns the executable's path."""
    if not re.search(r"\bmain\s*\(", _without_comments(cell)):
        raise CudasimError("the cell has no main(); `%%cu --save NAME.cuh` keeps a cell for others to #include")
    source, path = _write(name + ".cu", cell), os.path.join(folder(), name)
    _compile([source, "-o", path, *options])
    return path


def header(name, cell, options):
    """Keeps a cell as a file that others include. It is compiled, so that its own errors are reported here."""
    if os.path.basename(name) != name or not name.endswith((".cuh", ".h", ".hpp")):
        raise CudasimError(f"--save {name}: give a name that ends in .cuh, .h or .hpp, without a folder")
    path = _write(name, cell)
    try:
        alone = _write("alone.cu", f'#include "{name}"\n')
        _compile(["-c", alone, "-o", os.path.join(folder(), "alone.o"), *options])
    except CudasimError:
        os.unlink(path)
        raise
