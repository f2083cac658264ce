# SPDX-License-Identifier: Apache-2.0
"""Blocks that add to one sum without an atomic operation: cudasim check finds the race. README.md has the report."""
import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def total(x, sums):
    i = cuda.grid(1)
    if i < x.size:
        sums[0] += x[i]


@cuda.jit(lineinfo=True)
def atomic_total(x, sums):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(sums, 0, x[i])


x = np.ones(1024)
racy, right = np.zeros(1), np.zeros(1)
total[4, 256](x, racy)
atomic_total[4, 256](x, right)
print("with atomic.add:", right[0])
