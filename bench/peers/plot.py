# SPDX-License-Identifier: Apache-2.0
"""Draws ns a thread of each kernel and peer: plot.py FILE.svg, the data as JSON on stdin."""

import json
import sys

import matplotlib
matplotlib.use("svg")
matplotlib.rcParams["svg.fonttype"] = "none"
matplotlib.rcParams["svg.hashsalt"] = "cudasim"
import matplotlib.pyplot as pyplot

MARKS = [("C", "k", "|"), ("cudasim", "tab:red", "o"), ("fibers", "tab:orange", "o"),
         ("PoCL", "tab:blue", "s"), ("PoCL loops", "tab:blue", "<"), ("PoCL repl", "tab:blue", ">"),
         ("HIP-CPU", "tab:green", "D"), ("pthreads", "tab:brown", "x"), ("Oclgrind", "tab:purple", "^"),
         ("Numba", "tab:gray", "v")]


def main():
    data = json.load(sys.stdin)
    rows = list(data["cells"])[::-1]
    figure, axes = pyplot.subplots(figsize=(10, 0.36 * len(rows) + 1.4))
    for name, colour, mark in MARKS:
        points = [(data["cells"][row][name]["cpu"], y) for y, row in enumerate(rows)
                  if isinstance(data["cells"][row].get(name), dict)]
        if points:
            axes.scatter(*zip(*points), c=colour, marker=mark, s=45, label=name, alpha=0.85)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(axis="both", alpha=0.3)
    axes.set_xlabel("ns of processor time a CUDA thread, one core")
    axes.legend(ncol=5, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    figure.tight_layout()
    figure.savefig(sys.argv[1], metadata={"Date": None, "Creator": None})


main()
