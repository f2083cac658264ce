# SPDX-License-Identifier: Apache-2.0
"""How long Python's libraries take to start: the import, the first call of a kernel and the second one.

    start.py LIBRARY

prints JSON, in seconds. Each adds 1 to 1024 floats and compares the result. `first` has the context, the compiler, the
launch and the copy of the result; `second` is the same call again. Exits with 77 where the library is not installed."""
import ctypes
import json
import sys
import time

N = 1024
SOURCE = """
extern "C" __global__ void increment(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] += 1.0f;
}
"""


def numba():
    import numpy as np
    from numba import cuda
    imported = time.perf_counter()

    @cuda.jit
    def increment(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += np.float32(1)
    x = np.zeros(N, np.float32)
    return imported, lambda: increment[N // 256, 256](x), lambda: x


def pycuda():
    import numpy as np
    import pycuda.autoinit
    import pycuda.driver as driver
    from pycuda.compiler import SourceModule
    imported = time.perf_counter()
    x, made = np.zeros(N, np.float32), []

    def call():
        if not made:
            made.append(SourceModule(SOURCE, no_extern_c=True).get_function("increment"))
        made[0](driver.InOut(x), np.int32(N), block=(256, 1, 1), grid=(N // 256, 1))
    return imported, call, lambda: x


def bindings():
    import numpy as np
    from cuda.bindings import driver, nvrtc
    imported = time.perf_counter()
    x, made = np.zeros(N, np.float32), []

    def check(result):
        if int(result[0]):
            raise RuntimeError(str(result[0]))
        return result[1] if len(result) == 2 else result[1:]

    def call():
        if not made:
            check(driver.cuInit(0))
            check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(0))))
            program = check(nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"increment.cu", 0, [], []))
            check(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_90"]))
            ptx = bytes(check(nvrtc.nvrtcGetPTXSize(program)))
            check(nvrtc.nvrtcGetPTX(program, ptx))
            module = check(driver.cuModuleLoadData(ptx))
            made.extend([check(driver.cuModuleGetFunction(module, b"increment")), check(driver.cuMemAlloc(x.nbytes))])
        kernel, memory = made
        check(driver.cuMemcpyHtoD(memory, x, x.nbytes))
        check(driver.cuLaunchKernel(kernel, N // 256, 1, 1, 256, 1, 1, 0, 0,
                                    ((memory, N), (None, ctypes.c_int)), 0))
        check(driver.cuMemcpyDtoH(x, memory, x.nbytes))
    return imported, call, lambda: x


class Memory:
    """What Triton takes for a tensor."""
    dtype = "fp32"

    def __init__(self, driver, n_bytes):
        self.memory = driver.cuMemAlloc(n_bytes)[1]

    def data_ptr(self):
        return int(self.memory)


def triton():
    import numpy as np
    from cuda.bindings import driver
    import triton_kernel
    imported = time.perf_counter()
    x, made = np.zeros(N, np.float32), []

    def call():
        if not made:
            driver.cuInit(0)
            driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
            made.append(Memory(driver, x.nbytes))
        driver.cuMemcpyHtoD(made[0].memory, x, x.nbytes)
        triton_kernel.increment[(N // 256,)](made[0], N, BLOCK=256)
        driver.cuMemcpyDtoH(x, made[0].memory, x.nbytes)
    return imported, call, lambda: x


def taichi():
    import numpy as np
    import taichi as ti
    imported = time.perf_counter()
    made = []

    def call():
        if not made:
            ti.init(arch=ti.cuda, log_level=ti.WARN, offline_cache=False)
            made.append(ti.field(ti.f32, N))

            @ti.kernel
            def increment():
                for i in made[0]:
                    made[0][i] += 1
            made.append(increment)
        made[1]()
        made.append(made[0].to_numpy())
    return imported, call, lambda: made[-1]


LIBRARIES = {"numba-cuda": numba, "PyCUDA": pycuda, "cuda.bindings, NVRTC": bindings, "Triton": triton, "Taichi": taichi}


def main():
    begin = time.perf_counter()
    try:
        imported, call, result = LIBRARIES[sys.argv[1]]()
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(77)
    seconds = {"import": imported - begin}
    for name in "first", "second":
        start = time.perf_counter()
        call()
        seconds[name] = time.perf_counter() - start
    if not (result() == 2).all():
        sys.exit("a wrong result")
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
