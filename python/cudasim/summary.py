# SPDX-License-Identifier: Apache-2.0
"""What CUDASIM_SUMMARY=FILE.json reports, as tables."""

import html
import json

from .failure import CudasimError

_KINDS = ("kernels", "copies", "calls", "ranges")
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns"))


def _time(ns):
    scale, unit = next((u for u in _UNITS if ns >= u[0]), _UNITS[-1])
    return f"{ns / scale:.3g} {unit}" if scale > 1 else f"{ns:.0f} ns"


class Summary:
    """The lists of objects as they are in the file: kernels, copies, calls, ranges."""

    def __init__(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                self.data = json.load(file)
        except (OSError, ValueError) as error:
            raise CudasimError("the program wrote no summary: it called no function of CUDA, "
                               f"or did not end by exit() ({error})") from None
        for kind in _KINDS:
            setattr(self, kind, self.data.get(kind, []))

    def _tables(self):
        """(head, rows) for each kind that has any."""
        for kind in _KINDS:
            entries = self.data.get(kind, [])
            extra = ["bytes"] if any("bytes" in entry for entry in entries) else []
            rows = [[entry["name"], str(entry["count"]), _time(entry["total_ns"]),
                     _time(entry["total_ns"] / entry["count"] if entry["count"] else 0), _time(entry["min_ns"]),
                     _time(entry["max_ns"]), *(str(entry.get(name, "")) for name in extra)] for entry in entries]
            if rows:
                yield [kind, "count", "total", "mean", "least", "most", *extra], rows

    def __repr__(self):
        lines = []
        for head, rows in self._tables():
            widths = [max(map(len, column)) for column in zip(head, *rows)]
            for row in head, *rows:
                cells = [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:]))]
                lines.append("  ".join(cells))
            lines.append("")
        return "\n".join(lines[:-1])

    def _repr_html_(self):
        def row(cells, tag):
            first, rest = f'<{tag} style="text-align: left">', f'<{tag} style="text-align: right">'
            return "<tr>" + "".join((rest if i else first) + html.escape(cell) + f"</{tag}>"
                                    for i, cell in enumerate(cells)) + "</tr>"

        return "".join("<table><thead>" + row(head, "th") + "</thead><tbody>" +
                       "".join(row(cells, "td") for cells in rows) + "</tbody></table>" for head, rows in self._tables())
