# SPDX-License-Identifier: Apache-2.0
"""One function as a ufunc for the CPU and for CUDA: Numba's @vectorize with both targets."""
import math

import numpy as np
from numba import vectorize

from check import check


def gaussian(x, mean, sigma):
    z = (x - mean) / sigma
    return math.exp(-0.5 * z * z) / (sigma * math.sqrt(2.0 * math.pi))


def main():
    signature = ["float64(float64, float64, float64)"]
    on_cpu = vectorize(signature, target="cpu")(gaussian)
    on_cuda = vectorize(signature, target="cuda")(gaussian)

    x = np.linspace(-5.0, 5.0, 100_001)
    wanted = np.exp(-0.5 * ((x - 0.5) / 1.5) ** 2) / (1.5 * np.sqrt(2.0 * np.pi))
    check("cpu", on_cpu(x, 0.5, 1.5), wanted, rtol=1e-14)
    check("cuda", on_cuda(x, 0.5, 1.5), wanted, rtol=1e-14)
    # A column of means against a row of places.
    means = np.array([[-1.0], [0.0], [1.0]])
    check("broadcast", on_cuda(x[None, :], means, 1.0), on_cpu(x[None, :], means, 1.0), rtol=1e-14)


if __name__ == "__main__":
    main()
