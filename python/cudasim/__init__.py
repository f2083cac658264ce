# SPDX-License-Identifier: Apache-2.0
"""cudasim from Python: the paths of its parts, building and running CUDA C++ programs, magics for notebooks
(`%load_ext cudasim`, docs/notebooks.md), and `pytest --cudasim` (docs/python.md)."""

from .failure import CudasimError
from .place import prefix, tool
from .program import build, include, run, toolkit

__all__ = ["CudasimError", "build", "include", "prefix", "run", "tool", "toolkit"]


def load_ipython_extension(shell):
    """What %load_ext calls. IPython is needed here only."""
    from .magics import CudasimMagics

    shell.register_magics(CudasimMagics)
