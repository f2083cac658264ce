# SPDX-License-Identifier: Apache-2.0
"""The Lomb-Scargle periodogram as a CuPy RawModule, in float and double, against SciPy's."""
import cupy as cp
import numpy as np
from scipy.signal import lombscargle

from check import check

SOURCE = r"""
template <typename real>
__global__ void __launch_bounds__(128) periodogram(const real *times, const real *values, int n,
                                                   const real *frequencies, real *power, int n_frequencies)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n_frequencies)
        return;
    real w = frequencies[k], sin2 = 0, cos2 = 0;
    for (int i = 0; i < n; i++) {
        sin2 += sin(2 * w * times[i]);
        cos2 += cos(2 * w * times[i]);
    }
    real tau = atan2(sin2, cos2) / (2 * w), ys = 0, yc = 0, ss = 0, cc = 0;
    for (int i = 0; i < n; i++) {
        real s = sin(w * (times[i] - tau)), c = cos(w * (times[i] - tau));
        ys += values[i] * s;
        yc += values[i] * c;
        ss += s * s;
        cc += c * c;
    }
    power[k] = (yc * yc / cc + ys * ys / ss) / 2;
}
"""

module = cp.RawModule(code=SOURCE, options=("-std=c++17",),
                      name_expressions=["periodogram<float>", "periodogram<double>"])
random = np.random.default_rng(7)
times = np.sort(random.uniform(0.0, 20.0, 500))
values = np.sin(2.0 * np.pi * 1.5 * times) + 0.3 * random.standard_normal(times.size)
values -= values.mean()
frequencies = 2.0 * np.pi * np.linspace(0.05, 4.0, 1000)
wanted = lombscargle(times, values, frequencies)
for name, dtype, rtol, atol in ("float", np.float32, 2e-3, 2e-3), ("double", np.float64, 1e-9, 0.0):
    kernel = module.get_function(f"periodogram<{name}>")
    power = cp.zeros(frequencies.size, dtype)
    kernel((-(-frequencies.size // 128),), (128,),
           (cp.asarray(times, dtype), cp.asarray(values, dtype), np.int32(times.size),
            cp.asarray(frequencies, dtype), power, np.int32(frequencies.size)))
    check(name, power.get(), wanted, rtol, atol)
    print(f"{name}: at most {kernel.max_threads_per_block} threads a block")
