# SPDX-License-Identifier: Apache-2.0
"""A two-dimensional mask on a frame of three channels, with a two-dimensional grid."""
import numpy as np
from numba import cuda

from check import check


@cuda.jit
def apply(frame, mask, out):
    column, row = cuda.grid(2)
    if row < frame.shape[0] and column < frame.shape[1]:
        for channel in range(frame.shape[2]):
            out[row, column, channel] = frame[row, column, channel] if mask[row, column] else 0


def main():
    random = np.random.default_rng(5)
    frame = random.integers(0, 256, (240, 319, 3), dtype=np.uint8)
    rows, columns = np.ogrid[:240, :319]
    mask = (rows - 120) ** 2 + (columns - 160) ** 2 < 100**2
    out = np.empty_like(frame)
    apply[(20, 15), (16, 16)](frame, mask, out)
    check("mask", out, np.where(mask[..., None], frame, 0))


if __name__ == "__main__":
    main()
