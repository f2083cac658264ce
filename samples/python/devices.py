# SPDX-License-Identifier: Apache-2.0
"""Two devices, chosen by number: CUDASIM_DEVICES=2 cudasim run python devices.py"""
import numpy as np
from numba import cuda

from check import check


@cuda.jit
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


print(len(cuda.gpus), "devices")
for number in range(len(cuda.gpus)):
    cuda.select_device(number)
    x = np.arange(1000.0)
    there = cuda.to_device(x)
    scale[4, 256](there, number + 2.0)
    check(f"device {cuda.get_current_device().id}", there.copy_to_host(), x * (number + 2.0))
