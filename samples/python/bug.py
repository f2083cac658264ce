# SPDX-License-Identifier: Apache-2.0
"""A moving average with a bug, to find with a breakpoint: README.md has the session."""
import numpy as np
from numba import cuda


@cuda.jit(debug=True, opt=False)
def average(x, out):
    i = cuda.grid(1)
    if i < x.size:
        total = 0.0
        count = 0
        for j in range(i - 1, i + 2):
            if j < x.size:
                total += x[j]
                count += 1
        out[i] = total / count


x = np.arange(8.0) + 1.0
out = np.zeros(8)
average[1, 8](x, out)
print(out)
