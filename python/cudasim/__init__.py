# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ in notebooks: `%load_ext cudasim` defines the magics of magics.py. docs/notebooks.md is the manual."""


def load_ipython_extension(shell):
    """What %load_ext calls. IPython is needed here only."""
    from .magics import CudasimMagics

    shell.register_magics(CudasimMagics)
