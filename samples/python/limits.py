# SPDX-License-Identifier: Apache-2.0
"""The device's limits as Numba reports them, and what a launch beyond them gives."""
import numpy as np
from numba import cuda

device = cuda.get_current_device()
print(device.name.decode() if isinstance(device.name, bytes) else device.name, device.compute_capability)
for name in ("MAX_THREADS_PER_BLOCK", "MAX_BLOCK_DIM_X", "MAX_BLOCK_DIM_Z", "MAX_GRID_DIM_X", "MAX_GRID_DIM_Y",
             "MAX_SHARED_MEMORY_PER_BLOCK", "WARP_SIZE", "MULTIPROCESSOR_COUNT"):
    print(f"{name:28} {getattr(device, name)}")


@cuda.jit
def fill(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = i


out = np.zeros(2048, np.int64)
fill[2, 1024](out)
assert (out == np.arange(2048)).all()
try:
    fill[1, 1025](out)
except Exception as error:  # Numba's class of it differs between versions
    print("1025 threads a block:", str(error).strip().splitlines()[0])
else:
    raise SystemExit("a block of 1025 threads was launched")
