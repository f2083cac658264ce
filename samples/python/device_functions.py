# SPDX-License-Identifier: Apache-2.0
"""Device functions of Numba: called by kernels, by each other, with several results."""
import numpy as np
from numba import cuda

from check import check


@cuda.jit(device=True)
def clamp(x, low, high):
    return min(max(x, low), high)


@cuda.jit(device=True)
def polar(x, y):
    """The square of the radius, and the quadrant from 0 to 3."""
    quadrant = (0 if x >= 0 else 1) if y >= 0 else (2 if x < 0 else 3)
    return clamp(x, -1.0, 1.0) ** 2 + clamp(y, -1.0, 1.0) ** 2, quadrant


@cuda.jit
def kernel(x, y, radius, quadrant):
    i = cuda.grid(1)
    if i < x.size:
        radius[i], quadrant[i] = polar(x[i], y[i])


random = np.random.default_rng(3)
x, y = random.uniform(-2.0, 2.0, (2, 10_000))
radius, quadrant = np.zeros(x.size), np.zeros(x.size, np.int32)
kernel[-(-x.size // 256), 256](x, y, radius, quadrant)
check("radius", radius, np.clip(x, -1, 1) ** 2 + np.clip(y, -1, 1) ** 2, rtol=1e-15)
check("quadrant", quadrant, np.where(y >= 0, np.where(x >= 0, 0, 1), np.where(x < 0, 2, 3)))
