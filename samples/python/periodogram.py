# SPDX-License-Identifier: Apache-2.0
"""The Lomb-Scargle periodogram of unevenly sampled data in Numba, one frequency a thread, against SciPy's.

N. R. Lomb 1976, J. D. Scargle 1982; samples/periodogram has the same in CUDA C++."""
import math

import numpy as np
from numba import cuda
from scipy.signal import lombscargle

from check import check


@cuda.jit(device=True)
def power_at(w, times, values):
    sin2 = 0.0
    cos2 = 0.0
    for i in range(times.size):
        sin2 += math.sin(2.0 * w * times[i])
        cos2 += math.cos(2.0 * w * times[i])
    tau = math.atan2(sin2, cos2) / (2.0 * w)
    ys = yc = ss = cc = 0.0
    for i in range(times.size):
        s = math.sin(w * (times[i] - tau))
        c = math.cos(w * (times[i] - tau))
        ys += values[i] * s
        yc += values[i] * c
        ss += s * s
        cc += c * c
    return 0.5 * (yc * yc / cc + ys * ys / ss)


@cuda.jit
def periodogram(times, values, frequencies, power):
    k = cuda.grid(1)
    if k < frequencies.size:
        power[k] = power_at(frequencies[k], times, values)


def main():
    random = np.random.default_rng(7)
    times = np.sort(random.uniform(0.0, 20.0, 500))
    values = np.sin(2.0 * np.pi * 1.5 * times) + 0.3 * random.standard_normal(times.size)
    values -= values.mean()
    frequencies = 2.0 * np.pi * np.linspace(0.05, 4.0, 1000)
    power = np.zeros(frequencies.size)
    periodogram[-(-frequencies.size // 128), 128](times, values, frequencies, power)
    check("float64", power, lombscargle(times, values, frequencies), rtol=1e-9)
    print(f"the greatest power is at {frequencies[power.argmax()] / (2 * np.pi):.3f} Hz")


if __name__ == "__main__":
    main()
