# SPDX-License-Identifier: Apache-2.0
"""Where cudasim lies: in this package, as its wheel installs it, or on PATH."""

import os
import shutil

from .failure import CudasimError


def prefix():
    """The folder of an installed tree (bin, lib, include, share) that this package is a part of, or None. In a wheel the
    tree lies in the package; the package's copy in the tree is the one that `cudasim run` puts on PYTHONPATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in os.path.join(here, "prefix"), os.path.normpath(os.path.join(here, "..", "..", "..", "..")):
        if os.path.isfile(os.path.join(path, "bin", "cudasim")):
            return path
    return None


def tool():
    """The path of the program `cudasim`."""
    own = prefix()
    path = os.path.join(own, "bin", "cudasim") if own else shutil.which("cudasim")
    if not path:
        raise CudasimError("there is no cudasim on PATH: install its wheel, or start this program by `cudasim run`")
    return path
