# SPDX-License-Identifier: Apache-2.0
"""Great-circle distances from one place to all points of a mesh, in three versions that differ in the bytes they copy.

The haversine formula; angles in degrees, distances in kilometres."""
import math

import numpy as np
from numba import cuda

from check import check

EARTH_RADIUS_KM = 6371.0
ROWS, COLUMNS = 181, 361
SOUTH, WEST, STEP = -90.0, -180.0, 1.0
HERE = (52.37, 4.90)


@cuda.jit(device=True)
def great_circle(lat1, lon1, lat2, lon2):
    half_lat = math.sin(math.radians(lat2 - lat1) / 2.0)
    half_lon = math.sin(math.radians(lon2 - lon1) / 2.0)
    h = half_lat * half_lat + math.cos(math.radians(lat1)) * math.cos(math.radians(lat2)) * half_lon * half_lon
    return 2.0 * EARTH_RADIUS_KM * math.asin(math.sqrt(h))


@cuda.jit
def from_arrays(lat1, lon1, lat2, lon2, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = great_circle(lat1[i], lon1[i], lat2[i], lon2[i])


@cuda.jit
def from_axes(lat, lon, lats, lons, out):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = great_circle(lat, lon, lats[row], lons[column])


@cuda.jit
def generated(lat, lon, south, west, step, out):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = great_circle(lat, lon, south + row * step, west + column * step)


def run(name, kernel, shape, arguments, wanted):
    """Copies the arrays among the arguments there and the result back, and counts both."""
    there = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
    copied = sum(a.nbytes for a in arguments if isinstance(a, np.ndarray))
    out = cuda.device_array(shape)
    threads = (256,) if len(shape) == 1 else (16, 16)
    blocks = tuple(-(-n // t) for n, t in zip(reversed(shape), threads))
    kernel[blocks, threads](*there, out)
    back = out.copy_to_host()
    check(name, back.reshape(wanted.shape), wanted, rtol=1e-12, atol=1e-9)
    print(f"{name}: {copied:,} bytes copied to the device, {back.nbytes:,} back")


def main():
    lats = SOUTH + STEP * np.arange(ROWS)
    lons = WEST + STEP * np.arange(COLUMNS)
    mesh_lat, mesh_lon = np.meshgrid(lats, lons, indexing="ij")
    half = np.sin(np.radians(mesh_lat - HERE[0]) / 2) ** 2
    half += np.cos(np.radians(HERE[0])) * np.cos(np.radians(mesh_lat)) * np.sin(np.radians(mesh_lon - HERE[1]) / 2) ** 2
    wanted = 2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(half))
    run("arrays", from_arrays, (ROWS * COLUMNS,), [np.full(ROWS * COLUMNS, HERE[0]), np.full(ROWS * COLUMNS, HERE[1]),
                                                   mesh_lat.ravel(), mesh_lon.ravel()], wanted)
    run("axes", from_axes, (ROWS, COLUMNS), [*HERE, lats, lons], wanted)
    run("generated", generated, (ROWS, COLUMNS), [*HERE, SOUTH, WEST, STEP], wanted)


if __name__ == "__main__":
    main()
