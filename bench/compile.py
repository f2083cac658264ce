#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long cudasim cc takes for sources of the tree, beside nvcc where one is
installed. bench/run puts the table into its report; alone:

    bench/compile.py [DRIVER]

Each figure is the least of three compilations to an object with -O3, nvcc's for
one architecture; the two take turns, so that a busy machine is busy for both."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AT_MOST = 1.5  # times nvcc
HIT_AT_MOST = 0.3  # seconds

# From small to large; the last two bring CUB and Thrust.
SOURCES = [
    "samples/limits/limits.cu", "bench/loops.cu", "tests/kernels/barriers.cu",
    "tests/kernels/floats.cu", "tests/kernels/arrays.cu", "tests/kernels/warps.cu",
    "tests/kernels/calls.cu", "tests/kernels/cub.cu", "tests/kernels/groups.cu",
]


def seconds(command, **environment):
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **environment})
    took = time.monotonic() - begin
    if done.returncode:
        sys.exit(f"{' '.join(command)}:\n{done.stdout}")
    return took


def rows(driver, nvcc):
    """(source, its lines, nvcc's seconds or None, ours, ours from the cache)"""
    with tempfile.TemporaryDirectory() as scratch:
        output = os.path.join(scratch, "x.o")
        cache = os.path.join(scratch, "cache")
        for source in SOURCES:
            path = os.path.join(ROOT, source)
            options = ["-O3", "-std=c++17", "--extended-lambda", "-arch=sm_90", "-I" + os.path.join(ROOT, "tests/kernels"),
                       "-c", path, "-o", output]
            nvcc_times, times = [], []
            for _ in range(3):
                if nvcc:
                    nvcc_times.append(seconds([nvcc, *options]))
                times.append(seconds([driver, "cc", *options], CUDASIM_CACHE="off"))
            hits = [seconds([driver, "cc", *options], CUDASIM_CACHE=cache) for _ in range(4)]
            with open(path, encoding="utf-8") as text:
                lines = sum(1 for _ in text)
            yield source, lines, min(nvcc_times) if nvcc else None, min(times), min(hits[1:])


def table(driver):
    nvcc = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
    if not os.access(nvcc, os.X_OK):
        nvcc = shutil.which("nvcc")
    lines = ["## Compiling", "",
             "`bench/compile.py`: one source to an object with `-O3`, seconds; nvcc for one "
             f"architecture. At most {AT_MOST} times nvcc, and at most {HIT_AT_MOST} s from the cache.", "",
             "| source | lines | nvcc | cudasim cc | factor | from the cache |", "|---|---|---|---|---|---|"]
    for source, n, theirs, ours, hit in rows(driver, nvcc):
        first, factor = (f"{theirs:.2f}", f"{ours / theirs:.2f}") if theirs else ("", "")
        lines.append(f"| {source} | {n} | {first} | {ours:.2f} | {factor} | {hit:.3f} |")
    return lines + [""]


if __name__ == "__main__":
    print("\n".join(table(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                                          os.path.join(ROOT, "build/cudasim")))))
