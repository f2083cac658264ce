# SPDX-License-Identifier: Apache-2.0
"""The kernels of samples/python in Numba, on what Numba calls a GPU or with @njit(parallel=True) on the CPU's cores.

    kernels.py cuda|cpu small|full ROW SECONDS

Repeats the row for so many seconds and prints JSON: what one thread or point took in ns, the least and the median, and
how many there were. The result is compared with NumPy's before it is timed. `cuda` is cudasim's device under
`cudasim run`, and Numba's simulator with NUMBA_ENABLE_CUDASIM=1; arrays are on the device before the time begins."""
import json
import os
import statistics
import sys
import time

import numpy as np
from numba import config, cuda, njit, prange, vectorize

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "python"))
from distance import EARTH_RADIUS_KM, HERE, from_axes, great_circle
from mask import apply as apply_mask
from periodogram import periodogram as periodogram_cuda, power_at
from stencil import SIDE, step as tiled_cuda
from vectorize import gaussian

HEAT = 0.2
SAMPLES = 500


def in_python(function):
    """What a decorated function of the samples was made of, in Numba and in its simulator."""
    return getattr(function, "py_func", None) or function.fn


# For the CPU: the same functions in parallel loops.

great_circle_cpu = njit(in_python(great_circle))
power_cpu = njit(in_python(power_at))
gaussian_cpu = njit(gaussian)


@njit(parallel=True)
def distance_cpu(lat, lon, lats, lons, out):
    for row in prange(out.shape[0]):
        for column in range(out.shape[1]):
            out[row, column] = great_circle_cpu(lat, lon, lats[row], lons[column])


@njit(parallel=True)
def periodogram_cpu(times, values, frequencies, power):
    for k in prange(frequencies.size):
        power[k] = power_cpu(frequencies[k], times, values)


@njit(parallel=True)
def ufunc_cpu(x, mean, sigma, out):
    for i in prange(x.size):
        out[i] = gaussian_cpu(x[i], mean, sigma)


@njit(parallel=True)
def stencil_cpu(old, new, k):
    rows, columns = old.shape
    for i in prange(rows):
        for j in range(columns):
            if 0 < i < rows - 1 and 0 < j < columns - 1:
                around = old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1]
                new[i, j] = old[i, j] + k * (around - 4.0 * old[i, j])
            else:
                new[i, j] = old[i, j]


@njit(parallel=True)
def mask_cpu(frame, mask, out):
    for row in prange(frame.shape[0]):
        for column in range(frame.shape[1]):
            for channel in range(frame.shape[2]):
                out[row, column, channel] = frame[row, column, channel] if mask[row, column] else 0


# For CUDA: the sample of a stencil has a tile.

@cuda.jit
def stencil_cuda(old, new, k):
    j, i = cuda.grid(2)
    if i >= old.shape[0] or j >= old.shape[1]:
        return
    if 0 < i < old.shape[0] - 1 and 0 < j < old.shape[1] - 1:
        around = old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1]
        new[i, j] = old[i, j] + k * (around - 4.0 * old[i, j])
    else:
        new[i, j] = old[i, j]


# Rows: what returns (arguments, result's array, NumPy's result, points) for a size, the CPU's function, a launch.

def blocks(shape, threads):
    return tuple(-(-n // t) for n, t in zip(shape, threads)), threads


def distance(size):
    lats, lons = np.linspace(-90.0, 90.0, size[0]), np.linspace(-180.0, 180.0, size[1])
    half = np.sin(np.radians(lats - HERE[0]) / 2)[:, None] ** 2
    half = half + (np.cos(np.radians(HERE[0])) * np.cos(np.radians(lats))[:, None]
                   * np.sin(np.radians(lons - HERE[1]) / 2) ** 2)
    return [*HERE, lats, lons], 2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(half))


def periodogram(size):
    random = np.random.default_rng(7)
    times = np.sort(random.uniform(0.0, 20.0, SAMPLES))
    values = np.sin(2.0 * np.pi * 1.5 * times) + 0.3 * random.standard_normal(times.size)
    frequencies = 2.0 * np.pi * np.linspace(0.05, 4.0, size[0])
    angle = 2.0 * np.outer(frequencies, times)
    tau = np.arctan2(np.sin(angle).sum(1), np.cos(angle).sum(1)) / (2.0 * frequencies)
    angle = frequencies[:, None] * (times - tau[:, None])
    c, s = np.cos(angle), np.sin(angle)
    power = 0.5 * ((c @ values) ** 2 / (c * c).sum(1) + (s @ values) ** 2 / (s * s).sum(1))
    return [times, values, frequencies], power


def ufunc(size):
    x = np.linspace(-5.0, 5.0, size[0])
    return [x, 0.5, 1.5], np.exp(-0.5 * ((x - 0.5) / 1.5) ** 2) / (1.5 * np.sqrt(2.0 * np.pi))


def stencil(size):
    plate = np.random.default_rng(3).uniform(0.0, 100.0, size)
    wanted = plate.copy()
    inner = plate[1:-1, 1:-1]
    wanted[1:-1, 1:-1] += HEAT * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:] - 4.0 * inner)
    return [plate], wanted


def mask(size):
    frame = np.random.default_rng(5).integers(0, 256, (*size, 3), dtype=np.uint8)
    rows, columns = np.ogrid[:size[0], :size[1]]
    inside = (rows - size[0] / 2) ** 2 + (columns - size[1] / 2) ** 2 < (size[0] / 2.4) ** 2
    return [frame, inside], np.where(inside[..., None], frame, 0).astype(np.uint8)


def gaussian_on_cuda():
    """The ufunc; of Numba's simulator, which has none on the device, a kernel that calls the function."""
    if not config.ENABLE_CUDASIM:
        made = vectorize(["float64(float64, float64, float64)"], target="cuda")(gaussian)
        return lambda x, mean, sigma, out: made(x, mean, sigma, out=out)
    function = cuda.jit(device=True)(gaussian)

    @cuda.jit
    def kernel(x, mean, sigma, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i], mean, sigma)
    return lambda x, mean, sigma, out: kernel[blocks(x.shape, (256,))](x, mean, sigma, out)


ROWS = {
    "great-circle distance": (distance, (16, 64), (2048, 4096), distance_cpu,
                              lambda a, b, c, d, out: from_axes[blocks(out.shape[::-1], (16, 16))](a, b, c, d, out)),
    "Lomb-Scargle periodogram": (periodogram, (256,), (20_000,), periodogram_cpu,
                                 lambda t, v, f, out: periodogram_cuda[blocks(f.shape, (128,))](t, v, f, out)),
    "Gaussian ufunc": (ufunc, (1024,), (8_000_000,), ufunc_cpu, None),
    "5-point stencil": (stencil, (32, 32), (2048, 2048), lambda old, new: stencil_cpu(old, new, HEAT),
                        lambda old, new: stencil_cuda[blocks(old.shape[::-1], (SIDE, SIDE))](old, new, HEAT)),
    "5-point stencil, tile in shared memory": (
        stencil, (32, 32), (2048, 2048), lambda old, new: stencil_cpu(old, new, HEAT),
        lambda old, new: tiled_cuda[blocks(old.shape[::-1], (SIDE, SIDE))](old, new, HEAT)),
    "2D mask": (mask, (32, 32), (2160, 3840), mask_cpu,
                lambda frame, m, out: apply_mask[blocks(m.shape[::-1], (16, 16))](frame, m, out)),
}


def main():
    where, size, row, seconds = sys.argv[1:]
    problem, small, full, on_cpu, on_cuda = ROWS[row]
    arguments, wanted = problem(small if size == "small" else full)
    out = np.zeros_like(wanted)
    work, wait = on_cpu, lambda: None
    if where == "cuda":
        work, wait = on_cuda or gaussian_on_cuda(), cuda.synchronize
        arguments = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
        out = cuda.to_device(out)
    work(*arguments, out)
    wait()
    np.testing.assert_allclose(out.copy_to_host() if where == "cuda" else out, wanted, rtol=1e-9, atol=1e-9)
    points = wanted.size // (3 if problem is mask else 1)
    took, processor, begin = [], [], time.perf_counter()
    while len(took) < 3 or time.perf_counter() - begin < float(seconds):
        start, start_processor = time.perf_counter(), time.process_time()
        work(*arguments, out)
        wait()
        took.append((time.perf_counter() - start) / points * 1e9)
        processor.append((time.process_time() - start_processor) / points * 1e9)
    print(json.dumps({"least": min(took), "median": statistics.median(took), "processor": min(processor),
                      "repetitions": len(took), "points": points}))


if __name__ == "__main__":
    if sys.argv[1:] == ["rows"]:
        print(json.dumps(list(ROWS)))
    else:
        main()
