# SPDX-License-Identifier: Apache-2.0
"""The command `cudasim` of a wheel, and `python -m cudasim`."""

import os
import sys

from .failure import CudasimError
from .place import tool


def main():
    try:
        path = tool()
    except CudasimError as error:
        sys.exit(f"cudasim: {error}")
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
