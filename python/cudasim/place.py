# SPDX-License-Identifier: Apache-2.0
"""Where cudasim lies: in this package, as its wheel installs it, or on PATH."""

import os
import shutil

from .failure import CudasimError


def prefix():
    """The folder of a wheel's installed tree (bin, lib, include, share), or None where this package came without."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prefix")
    return path if os.path.isfile(os.path.join(path, "bin", "cudasim")) else None


def tool():
    """The path of the program `cudasim`."""
    own = prefix()
    path = os.path.join(own, "bin", "cudasim") if own else shutil.which("cudasim")
    if not path:
        raise CudasimError("there is no cudasim on PATH: install its wheel, or start this program by `cudasim run`")
    return path
