# SPDX-License-Identifier: Apache-2.0
"""What a cell fails with."""


class CudasimError(Exception):
    """Shown as one line: a traceback through this package says nothing about the user's cell."""

    def _render_traceback_(self):
        return [f"CudasimError: {self}"]
