# SPDX-License-Identifier: Apache-2.0
"""How long CuPy takes for the first calls of kernels, and for the next: prints JSON, seconds by kind.

Each kernel has a constant of its own, so that no cache has it. Exits with 77 where CuPy is not installed."""
import json
import random
import sys
import time

begin = time.perf_counter()
try:
    import cupy
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)
seconds = {"import": [time.perf_counter() - begin]}
constant = random.SystemRandom().randrange(1, 10**6)
x = cupy.ones(1024, "f4")
cupy.cuda.Device().synchronize()


def measure(kind, call, wanted):
    """The first call and the least of ten others."""
    took = []
    for _ in range(11):
        start = time.perf_counter()
        result = call()
        cupy.cuda.Device().synchronize()
        took.append(time.perf_counter() - start)
    if not (result.get() == wanted).all():
        sys.exit(f"{kind}: a wrong result")
    seconds[kind] = [took[0], min(took[1:])]


def raw():
    y = cupy.empty_like(x)
    scale((8,), (128,), (x, y))
    return y


scale = cupy.RawKernel(
    'extern "C" __global__ void scale(const float *x, float *y)\n'
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i] * %d; }" % constant, "scale")
product = cupy.ElementwiseKernel("T x", "T y", "y = x * %d" % constant, "product")
total = cupy.ReductionKernel("T x", "T y", "x", "a + b", "y = a * %d" % constant, "0", "total")
measure("`RawKernel`", raw, constant)
measure("`ElementwiseKernel`", lambda: product(x), constant)
measure("`ReductionKernel`", lambda: total(x), 1024 * constant)
print(json.dumps(seconds))
