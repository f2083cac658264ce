# SPDX-License-Identifier: Apache-2.0
"""The kernels in Numba's CUDA dialect, for its simulator (NUMBA_ENABLE_CUDASIM=1).

    numba_kernels.py LIBRARY [OPTIONS OF main.c]

LIBRARY is main.c as a shared library (numba.c). The simulator has no shuffles, so the warp
reduction trades values through shared memory, as in OpenCL."""

import ctypes
import math
import os
import sys

import numba
import numpy as np
from numba import cuda
from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray

BLOCK, TILE, WARP, BINS, SORTED = 256, 16, 32, 256, 512
F, D, I = np.float32, np.float64, np.int32


@cuda.jit
def add(a, b, c, n):
    i = cuda.grid(1)
    if i < n:
        c[i] = a[i] + b[i]


@cuda.jit
def saxpy(n, a, x, y):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        y[i] = a * x[i] + y[i]


@cuda.jit
def reduce(values, sums):
    s = cuda.shared.array(BLOCK, F)
    t = cuda.threadIdx.x
    s[t] = values[cuda.blockIdx.x * BLOCK + t]
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = s[0]


@cuda.jit
def warp_sum(values, sums):
    s = cuda.shared.array(BLOCK + WARP, F)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    value = values[i]
    if t < WARP:
        s[BLOCK + t] = 0
    delta = WARP // 2
    while delta > 0:
        s[t] = value
        cuda.syncthreads()
        value += s[t + delta]
        cuda.syncthreads()
        delta //= 2
    if t % WARP == 0:
        sums[i // WARP] = value


@cuda.jit
def product(a, b, c, columns, depth):
    ta = cuda.shared.array((TILE, TILE), F)
    tb = cuda.shared.array((TILE, TILE), F)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * TILE + x, cuda.blockIdx.y * TILE + y
    total = F(0)
    for t in range(0, depth, TILE):
        ta[y, x] = a[row * depth + t + x]
        tb[y, x] = b[(t + y) * columns + column]
        cuda.syncthreads()
        for k in range(TILE):
            total += ta[y, k] * tb[k, x]
        cuda.syncthreads()
    c[row * columns + column] = total


@cuda.jit
def transpose(source, out, side):
    tile = cuda.shared.array((32, 33), F)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    for j in range(0, 32, 8):
        tile[ty + j, tx] = source[(y + j) * side + x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * 32 + tx, cuda.blockIdx.x * 32 + ty
    for j in range(0, 32, 8):
        out[(y + j) * side + x] = tile[tx, ty + j]


@cuda.jit
def stencil5(a, out, side):
    x, y = cuda.grid(2)
    i = y * side + x
    if x > 0 and y > 0 and x < side - 1 and y < side - 1:
        out[i] = F(0.25) * (a[i - 1] + a[i + 1] + a[i - side] + a[i + side]) - a[i]


@cuda.jit
def stencil7(a, out, side, n_planes):
    x, y, z = cuda.grid(3)
    plane = side * side
    i = z * plane + y * side + x
    if x > 0 and y > 0 and z > 0 and x < side - 1 and y < side - 1 and z < n_planes - 1:
        out[i] = (a[i - 1] + a[i + 1] + a[i - side] + a[i + side] + a[i - plane] +
                  a[i + plane] - F(6) * a[i])


@cuda.jit
def histogram(values, out, n):
    counts = cuda.shared.array(BINS, I)
    counts[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        cuda.atomic.add(counts, values[i] & (BINS - 1), 1)
    cuda.syncthreads()
    cuda.atomic.add(out, cuda.threadIdx.x, counts[cuda.threadIdx.x])


@cuda.jit
def scan(values, out, totals, n):
    s = cuda.shared.array((2, BLOCK), I)
    t = cuda.threadIdx.x
    i, here = cuda.blockIdx.x * BLOCK + t, 0
    s[0, t] = values[i] if i < n else 0
    cuda.syncthreads()
    stride = 1
    while stride < BLOCK:
        s[1 - here, t] = s[here, t] + s[here, t - stride] if t >= stride else s[here, t]
        here = 1 - here
        cuda.syncthreads()
        stride *= 2
    if i < n:
        out[i] = s[here, t]
    if t == BLOCK - 1:
        totals[cuda.blockIdx.x] = s[here, t]


@cuda.jit
def scan_add(out, totals, n):
    i = cuda.blockIdx.x * BLOCK + cuda.threadIdx.x
    if cuda.blockIdx.x > 0 and i < n:
        out[i] += totals[cuda.blockIdx.x - 1]


@cuda.jit
def circles(n, latitude, longitude, out):
    a0, o0 = 0.9, 0.3
    i = cuda.grid(1)
    if i >= n:
        return
    s1, s2 = math.sin((latitude[i] - a0) / 2), math.sin((longitude[i] - o0) / 2)
    h = s1 * s1 + math.cos(a0) * math.cos(latitude[i]) * s2 * s2
    out[i] = 2 * 6371.0 * math.asin(math.sqrt(h))


def lomb_scargle(real):
    @cuda.jit
    def kernel(t, y, out, n_samples):
        f = cuda.grid(1)
        w = real(0.01) * real(f + 1)
        xc = xs = cc = cs = real(0)
        for i in range(n_samples):
            c, s = real(math.cos(w * t[i])), real(math.sin(w * t[i]))
            xc += y[i] * c
            xs += y[i] * s
            cc += c * c
            cs += c * s
        ss = real(n_samples) - cc
        tau = math.atan2(2 * cs, cc - ss) / (2 * w)
        ct, st = math.cos(w * tau), math.sin(w * tau)
        p, q = ct * xc + st * xs, ct * xs - st * xc
        out[f] = 0.5 * (p * p / (ct * ct * cc + 2 * ct * st * cs + st * st * ss) +
                        q * q / (ct * ct * ss - 2 * ct * st * cs + st * st * cc))
    return kernel


@cuda.jit
def bodies(p, a, n):
    i = cuda.grid(1)
    mx, my, mz = p[4 * i], p[4 * i + 1], p[4 * i + 2]
    ax = ay = az = F(0)
    for j in range(n):
        dx, dy, dz = p[4 * j] - mx, p[4 * j + 1] - my, p[4 * j + 2] - mz
        d = dx * dx + dy * dy + dz * dz + F(1e-3)
        inverse = F(1 / math.sqrt(d))
        s = p[4 * j + 3] * inverse * inverse * inverse
        ax += dx * s
        ay += dy * s
        az += dz * s
    a[4 * i], a[4 * i + 1], a[4 * i + 2], a[4 * i + 3] = ax, ay, az, 0


@cuda.jit(device=True)
def normal(d):
    k = 1 / (1 + 0.2316419 * abs(d))
    c = 0.39894228 * math.exp(-0.5 * d * d) * (
        k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
    return 1 - c if d > 0 else c


@cuda.jit
def options(n, price, strike, years, call, put):
    rate, volatility = 0.02, 0.3
    i = cuda.grid(1)
    if i >= n:
        return
    root = math.sqrt(years[i])
    d1 = (math.log(price[i] / strike[i]) +
          (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root)
    d2 = d1 - volatility * root
    c1, c2, discount = normal(d1), normal(d2), math.exp(-rate * years[i])
    call[i] = price[i] * c1 - strike[i] * discount * c2
    put[i] = strike[i] * discount * (1 - c2) - price[i] * (1 - c1)


@cuda.jit
def mandelbrot(out, side, deepest):
    x, y = cuda.grid(2)
    cr, ci = F(-2) + F(3) * F(x) / F(side), F(-1.5) + F(3) * F(y) / F(side)
    r = i = F(0)
    n = 0
    while n < deepest and r * r + i * i < 4:
        r, i = r * r - i * i + cr, F(2) * r * i + ci
        n += 1
    out[y * side + x] = n


@cuda.jit
def level(first, to, depth, n, at, more):
    i = cuda.grid(1)
    if i >= n or depth[i] != at:
        return
    for e in range(first[i], first[i + 1]):
        if depth[to[e]] < 0:
            depth[to[e]] = at + 1
            more[0] = 1


@cuda.jit
def sort(values, out):
    s = cuda.shared.array(SORTED, I)
    t, begin = cuda.threadIdx.x, cuda.blockIdx.x * SORTED
    s[t] = values[begin + t]
    s[t + SORTED // 2] = values[begin + t + SORTED // 2]
    size = 2
    while size <= SORTED:
        stride = size // 2
        while stride > 0:
            cuda.syncthreads()
            j = 2 * t - (t & (stride - 1))
            a, b = s[j], s[j + stride]
            if (a > b) == (not j & size):
                s[j], s[j + stride] = b, a
            stride //= 2
        size *= 2
    cuda.syncthreads()
    out[begin + t] = s[t]
    out[begin + t + SORTED // 2] = s[t + SORTED // 2]


@cuda.jit
def empty():
    pass


# In the order of kernels.def: the kernel, and what its pointers point to.
KERNELS = [
    (add, F), (saxpy, F), (reduce, F), (warp_sum, F), (product, F), (transpose, F), (stencil5, F),
    (stencil7, F), (histogram, I), (scan, I), (scan_add, I), (circles, D), (lomb_scargle(F), F),
    (lomb_scargle(D), D), (bodies, F), (options, F), (mandelbrot, I), (level, I), (sort, I), (empty, I),
]


# ---- the machine (machine.h) ----------------------------------------------------------------

class Argument(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("memory", ctypes.c_void_p), ("i", ctypes.c_int),
                ("f", ctypes.c_float)]


memories = {}  # handle -> bytes
triple = ctypes.POINTER(ctypes.c_uint)
size_t, pointer = ctypes.c_size_t, ctypes.c_void_p
TYPES = [("name", ctypes.c_char_p), ("is_plain", ctypes.c_int),
         ("memory_new", ctypes.CFUNCTYPE(pointer, size_t)),
         ("memory_free", ctypes.CFUNCTYPE(None, pointer)),
         ("write", ctypes.CFUNCTYPE(None, pointer, pointer, size_t)),
         ("read", ctypes.CFUNCTYPE(None, pointer, pointer, size_t)),
         ("launch", ctypes.CFUNCTYPE(None, ctypes.c_int, triple, triple, ctypes.POINTER(Argument),
                                     ctypes.c_int)),
         ("wait", ctypes.CFUNCTYPE(None))]


class Machine(ctypes.Structure):
    _fields_ = TYPES


def memory_new(size):
    handle = len(memories) + 1
    memories[handle] = np.zeros(size, np.uint8)
    return handle


def memory_free(handle):
    memories[handle] = None


def write(handle, source, size):
    ctypes.memmove(memories[handle].ctypes.data, source, size)


def read(handle, to, size):
    ctypes.memmove(to, memories[handle].ctypes.data, size)


def launch(which, grid, block, arguments, n_arguments):
    kernel, real = KERNELS[which]
    values = []
    for a in arguments[:n_arguments] if n_arguments else []:
        if a.kind == 0:
            values.append(FakeCUDAArray(memories[a.memory].view(real)))
        else:
            values.append(a.i if a.kind == 1 else F(a.f))
    try:
        kernel[tuple(grid[:3]), tuple(block[:3])](*values)
    except BaseException as error:  # ctypes would only print it
        print(f"Numba: {error}", file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)


def main():
    library = ctypes.CDLL(sys.argv[1])
    functions = [memory_new, memory_free, write, read, launch, lambda: None]
    machine = Machine(f"Numba {numba.__version__}".encode(), 0,
                      *[kind(f) for (_, kind), f in zip(TYPES[2:], functions)])
    library.machine_give(ctypes.byref(machine))
    words = [b"numba"] + [w.encode() for w in sys.argv[2:]]
    return library.peer_main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words))


sys.exit(main())
