# SPDX-License-Identifier: Apache-2.0
"""A five-point stencil with a tile in shared memory: steps of heat conduction on a plate."""
import numpy as np
from numba import cuda, float64

from check import check

SIDE = 16  # of a block
TILE = SIDE + 2


@cuda.jit
def step(old, new, k):
    tile = cuda.shared.array((TILE, TILE), float64)
    j, i = cuda.grid(2)  # neighbours in x are neighbours in memory
    ti, tj = cuda.threadIdx.y + 1, cuda.threadIdx.x + 1
    inside = i < old.shape[0] and j < old.shape[1]
    if inside:
        tile[ti, tj] = old[i, j]
        if ti == 1 and i > 0:
            tile[0, tj] = old[i - 1, j]
        if ti == SIDE and i < old.shape[0] - 1:
            tile[SIDE + 1, tj] = old[i + 1, j]
        if tj == 1 and j > 0:
            tile[ti, 0] = old[i, j - 1]
        if tj == SIDE and j < old.shape[1] - 1:
            tile[ti, SIDE + 1] = old[i, j + 1]
    cuda.syncthreads()
    if not inside:
        return
    if 0 < i < old.shape[0] - 1 and 0 < j < old.shape[1] - 1:
        around = tile[ti - 1, tj] + tile[ti + 1, tj] + tile[ti, tj - 1] + tile[ti, tj + 1]
        new[i, j] = tile[ti, tj] + k * (around - 4.0 * tile[ti, tj])
    else:
        new[i, j] = tile[ti, tj]


def main():
    plate = np.zeros((100, 130))
    plate[0, :] = 100.0
    plate[40:60, 50:80] = 50.0
    wanted = plate.copy()
    old, new = cuda.to_device(plate), cuda.device_array_like(plate)
    blocks = tuple(-(-n // SIDE) for n in plate.shape[::-1])
    for _ in range(20):
        step[blocks, (SIDE, SIDE)](old, new, 0.2)
        old, new = new, old
        inner = wanted[1:-1, 1:-1]
        around = wanted[:-2, 1:-1] + wanted[2:, 1:-1] + wanted[1:-1, :-2] + wanted[1:-1, 2:]
        wanted[1:-1, 1:-1] = inner + 0.2 * (around - 4.0 * inner)
    check("20 steps", old.copy_to_host(), wanted, rtol=1e-12, atol=1e-12)


if __name__ == "__main__":
    main()
