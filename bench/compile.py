#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long cudasim cc takes for sources of the tree, beside nvcc where one is
installed. bench/run puts the table into its report; alone:

    bench/compile.py [DRIVER [TIMES]]

Each figure is the least of TIMES (3) compilations to an object with -O3, nvcc's for
one architecture; the two take turns, so that a busy machine is busy for both. CPU
time, of all processes of a compilation, says most where the machine is busy."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AT_MOST = 1.5  # times nvcc
HIT_AT_MOST = 0.3  # seconds

# From small to large; the last three bring cooperative groups, CUB and Thrust.
SOURCES = [
    "samples/limits/limits.cu", "bench/loops.cu", "tests/kernels/barriers.cu",
    "tests/kernels/floats.cu", "tests/kernels/arrays.cu", "tests/kernels/warps.cu",
    "tests/kernels/calls.cu", "tests/kernels/groups.cu", "tests/kernels/cub.cu",
    "tests/kernels/thrust.cu",
]


def seconds(command, **environment):
    """Wall and CPU time."""
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **environment})
    took, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)}:\n{done.stdout}")
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(times):
    """The least of each column; None without rows."""
    return [min(column) for column in zip(*times)] or None


def rows(driver, nvcc, repeat):
    """(source, its lines, nvcc's seconds or None, ours, ours from the cache); seconds are
    (wall, CPU)"""
    with tempfile.TemporaryDirectory() as scratch:
        output = os.path.join(scratch, "x.o")
        cache = os.path.join(scratch, "cache")
        for source in SOURCES:
            path = os.path.join(ROOT, source)
            options = ["-O3", "-std=c++17", "--extended-lambda", "-arch=sm_90", "-I" + os.path.join(ROOT, "tests/kernels"),
                       "-c", path, "-o", output]
            nvcc_times, times = [], []
            for _ in range(repeat):
                if nvcc:
                    nvcc_times.append(seconds([nvcc, *options]))
                times.append(seconds([driver, "cc", *options], CUDASIM_CACHE="off"))
            hits = [seconds([driver, "cc", *options], CUDASIM_CACHE=cache) for _ in range(1 + repeat)]
            with open(path, encoding="utf-8") as text:
                lines = sum(1 for _ in text)
            yield source, lines, least(nvcc_times), least(times), least(hits[1:])


def table(driver, repeat=3):
    """The report's section, line by line."""
    nvcc = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
    if not os.access(nvcc, os.X_OK):
        nvcc = shutil.which("nvcc")
    yield from ["## Compiling", "",
                "`bench/compile.py`: one source to an object with `-O3`, nvcc for one architecture, wall / CPU "
                f"seconds. At most {AT_MOST} times nvcc, and at most {HIT_AT_MOST} s from the cache.", "",
                f"Load {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors when this section was measured.", "",
                "| source | lines | nvcc | cudasim cc | factor | from the cache |", "|---|---|---|---|---|---|"]
    for source, n, theirs, ours, hit in rows(driver, nvcc, repeat):
        first = f"{theirs[0]:.2f} / {theirs[1]:.2f}" if theirs else ""
        factor = f"{ours[0] / theirs[0]:.2f} / {ours[1] / theirs[1]:.2f}" if theirs else ""
        yield (f"| {source} | {n} | {first} | {ours[0]:.2f} / {ours[1]:.2f} | {factor} | "
               f"{hit[0]:.3f} / {hit[1]:.3f} |")
    yield ""


if __name__ == "__main__":
    for line in table(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                                      os.path.join(ROOT, "build/cudasim")),
                      int(sys.argv[2]) if len(sys.argv) > 2 else 3):
        print(line, flush=True)
