# SPDX-License-Identifier: Apache-2.0
"""How long NVRTC takes for small programs, through ctypes: prints JSON, seconds by program.

Each program has a constant of its own, so that no cache of an earlier run has it, and is then compiled again as it is."""
import ctypes
import json
import os
import random
import sys
import time

SMALL = 'extern "C" __global__ void k(int *p) { *p = %d; }'
PROGRAMS = {
    "a small one, the first of a process": SMALL,
    "another small one": SMALL,
    "`cuda/std/complex`": '#include <cuda/std/complex>\nextern "C" __global__ void k(float *p)\n'
                          "{ cuda::std::complex<float> c(p[0], p[1]); c = c * c; p[0] = c.real() + %d; }",
    "`cub::BlockReduce`": '#include <cub/block/block_reduce.cuh>\nextern "C" __global__ void k(int *p)\n'
                          "{ typedef cub::BlockReduce<int, 128> R; __shared__ typename R::TempStorage t;\n"
                          "  int s = R(t).Sum(p[threadIdx.x]); if (!threadIdx.x) *p = s + %d; }",
}


def main():
    library = ctypes.CDLL("libnvrtc.so.13")
    top = os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/include"
    options = [b"--gpu-architecture=compute_90", b"-I" + top.encode(), b"-I" + top.encode() + b"/cccl"]
    words = (ctypes.c_char_p * len(options))(*options)

    def seconds(source):
        program = ctypes.c_void_p()
        library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None)
        start = time.perf_counter()
        status = library.nvrtcCompileProgram(program, len(options), words)
        took = time.perf_counter() - start
        if status:
            size = ctypes.c_size_t()
            library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            library.nvrtcGetProgramLog(program, log)
            sys.exit(log.value.decode())
        library.nvrtcDestroyProgram(ctypes.byref(program))
        return took

    constant = random.SystemRandom().randrange(10**9)
    sources = {name: source % (constant + i) for i, (name, source) in enumerate(PROGRAMS.items())}
    print(json.dumps({name: [seconds(source), seconds(source)] for name, source in sources.items()}))


if __name__ == "__main__":
    main()
