# SPDX-License-Identifier: Apache-2.0
"""A Python program that knows NVIDIA's libraries by their names only: compiles by NVRTC, links with the device's
runtime, which it looks for from where NVRTC's file lies (as CuPy does), loads, launches.

usage: run_program.py [FOLDER]    opens libnvrtc and libcudart by paths of FOLDER, as packages' own wheels are opened
"""
import ctypes
import os
import sys

SOURCE = b"""
extern "C" __global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}
"""


def check(what, status):
    if status:
        sys.exit(f"{what}: {status}")


def compiled(nvrtc):
    """The PTX, as bytes with the last NUL."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    check("create", nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE, b"scale.cu", 0, None, None))
    options = (ctypes.c_char_p * 1)(b"--gpu-architecture=compute_90")
    check("compile", nvrtc.nvrtcCompileProgram(program, 1, options))
    check("size", nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)))
    ptx = ctypes.create_string_buffer(size.value)
    check("get", nvrtc.nvrtcGetPTX(program, ptx))
    check("destroy", nvrtc.nvrtcDestroyProgram(ctypes.byref(program)))
    return ptx


def files_of(prefixes):
    """The paths of the libraries of this process whose names begin so, sorted by their names."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line[line.index("/"):].rstrip("\n") for line in maps if "/" in line}
    return sorted((f for f in files if os.path.basename(f).startswith(prefixes)), key=os.path.basename)


def linked(cuda, ptx):
    """The image, which is the state's that is not destroyed."""
    (nvrtc,) = files_of(("libcudasim-nvrtc", "libnvrtc.so"))
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(nvrtc)))
    runtime = os.path.join(toolkit, "lib64", "libcudadevrt.a")
    state, image, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    check("state", cuda.cuLinkCreate_v2(0, None, None, ctypes.byref(state)))
    check("PTX", cuda.cuLinkAddData_v2(state, 1, ptx, ctypes.c_size_t(len(ptx)), b"ptx", 0, None, None))
    check(runtime, cuda.cuLinkAddFile_v2(state, 4, runtime.encode(), 0, None, None))
    check("complete", cuda.cuLinkComplete(state, ctypes.byref(image), ctypes.byref(size)))
    return image


def launched(cuda, ptx, n):
    """What the kernel makes of 0, 1, 2, ..."""
    device, context, module, kernel, memory = (ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(),
                                               ctypes.c_void_p(), ctypes.c_uint64())
    values = (ctypes.c_float * n)(*range(n))
    check("init", cuda.cuInit(0))
    check("device", cuda.cuDeviceGet(ctypes.byref(device), 0))
    check("context", cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check("current", cuda.cuCtxSetCurrent(context))
    check("load", cuda.cuModuleLoadData(ctypes.byref(module), linked(cuda, ptx)))
    check("kernel", cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"scale"))
    check("memory", cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4 * n)))
    check("to the device", cuda.cuMemcpyHtoD_v2(memory, values, ctypes.c_size_t(4 * n)))
    by, length = ctypes.c_float(3), ctypes.c_int(n)
    parameters = (ctypes.c_void_p * 3)(*(ctypes.addressof(v) for v in (memory, by, length)))
    check("launch", cuda.cuLaunchKernel(kernel, (n + 63) // 64, 1, 1, 64, 1, 1, 0, None, parameters, None))
    check("from the device", cuda.cuMemcpyDtoH_v2(values, memory, ctypes.c_size_t(4 * n)))
    check("free", cuda.cuMemFree_v2(memory))
    check("unload", cuda.cuModuleUnload(module))
    return list(values)


def main():
    folder = os.path.join(sys.argv[1], "") if len(sys.argv) > 1 else ""
    nvrtc = ctypes.CDLL(folder + "libnvrtc.so.12")
    cudart = ctypes.CDLL(folder + "libcudart.so.12")
    cuda = ctypes.CDLL("libcuda.so.1")
    version = ctypes.c_int()
    check("version", cudart.cudaRuntimeGetVersion(ctypes.byref(version)))
    values = launched(cuda, compiled(nvrtc), 100)
    print("runtime", version.value)
    print("right" if values == [3.0 * i for i in range(100)] else values)
    print("from", *map(os.path.basename, files_of(("libcu", "libnv"))))


main()
