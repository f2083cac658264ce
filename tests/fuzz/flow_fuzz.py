#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random control flow, mostly irreducible, against the same text compiled by g++.

Kernels are drawn as trees of statements: branches, loops of all kinds, switches whose cases stand
in the middle of loops, labels anywhere, and gotos to any label, forwards, backwards and into loops.
Four kinds are drawn:

  thread   each thread goes its own way and meets nobody
  block    the outer tree depends on what all threads of the block share and holds barriers; inside
           are trees of single threads
  mixed    as block, but threads come to different barriers of the outer tree
  warp     the outer tree depends on what a warp shares and holds warp operations and barriers

Every cycle takes fuel, so all kernels end. Nothing races: a thread writes its own words, adds
commutatively, or exchanges words through shared memory in two buffers in turn.

The reference is the same text, compiled by g++ with a fiber for each thread: a barrier opens when
all threads that are left have come to it, a warp's operation when all lanes have.

  flow_fuzz.py --cudasim build/cudasim --seeds 1:2000 [--keep FOLDER] [--kernels 80]

A program holds many kernels, is compiled once in one of several ways, and run on all engines and
bodies under all schedules, and under the checkers, which must have nothing to report."""
import random
import sys

import programs
from flow_text import MAIN, PRELUDE, REFERENCE
from flow_tree import N_COUNTS, N_OWN, OUTER, THREAD, Tree

SHAPES = [(64, 1, 1), (64, 1, 1), (32, 1, 1), (128, 1, 1), (32, 2, 1)]
ODD_SHAPES = [(33, 1, 1), (7, 5, 1), (100, 1, 1), (8, 4, 2), (1, 1, 1)]
N_IN, ROW = 256, 6
# How programs are compiled, in turn.
WAYS = [[], [], [], ['-O0'], [], ['-G'], ['-O1', '-lineinfo'], ['-rdc=true']]
RUNS = [{'CUDASIM_ENGINE': engine, **schedule, **body}
        for engine in ('loops', 'fibers')
        for schedule in ({}, {'CUDASIM_SCHEDULE': 'inorder'}, {'CUDASIM_SCHEDULE': 'reverse'},
                         {'CUDASIM_SCHEDULE': 'random:7'})
        for body in ({}, {'CUDASIM_BODY': 'v3'}, {'CUDASIM_BODY': 'watched'})]
RUNS += [{'CUDASIM_ENGINE': 'pthreads'}, {'CUDASIM_ENGINE': 'pthreads', 'CUDASIM_SCHEDULE': 'random:7'},
         {'CUDASIM_CHECK': 'memcheck,racecheck,initcheck', 'CUDASIM_CHECK_OPTIONS': '--error-exitcode 9'}]


class Kernel:
    """One kernel, drawn from a seed."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.name = f'k{seed}'
        self.kind = r.choice(['thread', 'thread', 'block', 'mixed', 'warp'])
        self.barriers, self.warps = self.kind != 'thread', self.kind == 'warp'
        self.divergent = self.kind == 'mixed'
        self.shape = r.choice(SHAPES if self.warps or r.random() < 0.7 else ODD_SHAPES)
        self.n_threads = self.shape[0] * self.shape[1] * self.shape[2]
        self.grid = r.choice([1, 2, 3, 3, 40] if self.kind == 'thread' else [1, 2, 3])
        self.array = r.random() < 0.3
        self.labels = r.choice([0.1, 0.25, 0.4])
        self.leaves = r.random() < 0.4
        self.shared_names = ['u', 'v', 'p0', 'p1', 'blockIdx.x'] + (['(tid / 32)'] if self.warps else [])
        self.n_counters = self.n_names = 0
        self.functions, drawn = [], []
        for i in range(r.choice([0, 0, 1])):
            drawn.append(self.function(f'{self.name}_f{i}'))
        self.functions = [name for name, _ in drawn]
        self.before = ''.join(text for _, text in drawn)
        first = self.n_counters
        if self.barriers:
            self.tree = Tree(self, OUTER, r.randint(8, 30)).text
        else:
            self.tree = 'n = 8 + (tid & 31);\n' + Tree(self, THREAD, r.randint(8, 45)).text
        self.counters = range(first, self.n_counters)

    def counter(self):
        self.n_counters += 1
        return f'i{self.n_counters - 1}'

    def fresh(self):
        self.n_names += 1
        return f'at{self.n_names - 1}'

    def function(self, name):
        keep = self.array, self.leaves, self.barriers, self.kind
        self.array = self.leaves = self.barriers = False
        first = self.n_counters
        text = Tree(self, THREAD, 10).text
        self.array, self.leaves, self.barriers, self.kind = keep
        how = self.r.choice(['', '__noinline__ ', '__forceinline__ '])
        text = text.replace('own[', 'few[').replace('add(&counts', 'keep(&few')
        return name, (f'{how}__device__ unsigned {name}(const unsigned *in, unsigned x, unsigned y, unsigned tid)\n'
                      f'{{\nunsigned z = x ^ y, few[{N_COUNTS}] = {{0}};\nunsigned long long w = y;\nfloat f = 0;\nint n = 9;\n'
                      + self.declare(range(first, self.n_counters)) + text +
                      f'return x + 3 * y + 5 * z + (unsigned)(w >> 5) + few[x & {N_OWN - 1}] + (unsigned)f;\n}}\n')

    @staticmethod
    def declare(counters):
        return ''.join(f'unsigned i{i} = 0;\n' for i in counters)

    def meet(self, tree):
        """What stands in the outer tree beside its control flow."""
        r = self.r
        kind = r.random()
        if kind < 0.3:
            return f'n = 6 + ({r.choice("xyz")} & 15);\n' + Tree(self, THREAD, r.randint(3, 12)).text
        c = r.choice(['1', '2', '5', '(x & 7)', 'p0'])
        value, to = r.choice('xyz'), r.choice('xyz')
        if self.warps and kind < 0.85:
            k = r.choice([1, 2, 4, 8, 16])
            return r.choice([
                f'{to} ^= __shfl_xor_sync(~0u, {value}, {k});\n',
                f'{to} += __shfl_down_sync(~0u, {value}, {k});\n',
                f'{to} += __shfl_up_sync(~0u, {value}, {k}, 16);\n',
                f'{to} ^= __shfl_sync(~0u, {value}, (int)({r.choice("xyz")} & 31));\n',
                f'u ^= __ballot_sync(~0u, {value} & 1);\n',
                f'v += __any_sync(~0u, {value} & 4) ? 3 : 1;\n',
                f'if (__all_sync(~0u, {value} & 1)) u++;\n',
                f'v ^= __reduce_add_sync(~0u, {value});\n',
                f'rows[tid] = {value};\n__syncwarp();\n{to} += rows[(tid & ~31u) | ((tid + {c}) & 31)];\n__syncwarp();\n'])
        if kind < 0.92 or self.warps or self.divergent:
            return (f'words[par][tid] = {value};\n__syncthreads();\n'
                    f'{to} += words[par][(tid + {c}) % NT];\npar ^= 1;\n')
        return r.choice([f'u += __syncthreads_count({value} & 1);\n', f'v ^= __syncthreads_or({value} & 64) ? 5 : 2;\n',
                         f'if (__syncthreads_and({value} & 1)) u += 7;\n'])

    def text(self):
        store = (f'{{ unsigned long long *to = out + gid * {ROW}; to[0] = x; to[1] = y; to[2] = z; to[3] = w; '
                 f'to[4] = (unsigned long long)f; to[5] = {"u * 31ull + v" if self.barriers else "7"}; return; }}')
        text = self.before.replace('LEAVE', 'return x;')
        text += (f'__global__ void {self.name}(const unsigned *in, unsigned *all, unsigned *counts, '
                 'unsigned long long *out, unsigned p0, unsigned p1)\n{\n')
        if self.barriers:
            text += f'enum {{ NT = {self.n_threads} }};\n__shared__ unsigned words[2][NT];\n'
            text += '__shared__ unsigned rows[NT];\n' if self.warps else ''
        text += ('const unsigned tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n'
                 f'const unsigned gid = blockIdx.x * {self.n_threads} + tid;\n'
                 f'unsigned *own = all + gid * {N_OWN};\n'
                 'unsigned x = in[gid & 255], y = tid * 7 + p0, z = p1 + blockIdx.x, u = p0, v = p1, par = 0;\n'
                 'unsigned long long w = x + 5ull;\nfloat f = 0;\nint n = 20, un = 12;\n')
        text += 'unsigned a[4] = {x, y, 3, 4};\n' if self.array else ''
        text += self.declare(self.counters)
        text += '(void)own; (void)u; (void)v; (void)par; (void)n; (void)un;\n'
        if self.barriers:
            text += 'words[0][tid] = words[1][tid] = tid;\n__syncthreads();\n'
        if self.warps:
            text += 'rows[tid] = tid;\n__syncwarp();\n'
        text += self.tree.replace('LEAVE', store)
        if self.array:
            text += 'x += a[0] + 3 * a[1] + 5 * a[2] + 7 * a[3];\n'
        return text + store + '\n}\n'


def write(folder, kernels):
    texts = ''.join(k.text() for k in kernels)
    call = ('(const unsigned *in, unsigned *all, unsigned *counts, unsigned long long *out, unsigned p0, unsigned p1)')
    with open(f'{folder}/reference.cpp', 'w') as f:
        f.write(REFERENCE + texts)
        for k in kernels:
            f.write(f'void reference_{k.name}{call}\n{{\ngiven = {{in, all, counts, out, p0, p1}};\n'
                    f'run_grid(call<{k.name}>, {k.grid}, {{{k.shape[0]}, {k.shape[1]}, {k.shape[2]}}});\n}}\n')
    with open(f'{folder}/kernels.cu', 'w') as f:
        f.write(f'enum {{ N_IN = {N_IN}, N_OWN = {N_OWN}, N_COUNTS = {N_COUNTS}, ROW = {ROW} }};\n')
        f.write(PRELUDE + texts + MAIN)
        for k in kernels:
            f.write(f'void reference_{k.name}{call};\n')
        f.write('int main()\n{\nint bad = 0;\n')
        for k in kernels:
            for p0, p1 in (5, 2), (14, 9):
                f.write(f'bad += compare("{k.name} ({k.kind})", {k.name}, reference_{k.name}, {k.grid}, '
                        f'dim3({k.shape[0]}, {k.shape[1]}, {k.shape[2]}), {p0}, {p1});\n')
        f.write('printf("%d bad\\n", bad);\nreturn bad != 0;\n}\n')


def program(cudasim, folder, seeds, options):
    write(folder, [Kernel(seed) for seed in seeds])
    way = WAYS[seeds[0] // options.kernels % len(WAYS)]
    if options.flags is not None:
        way = options.flags.split()
    return [f'{" ".join(way)} {line}' for line in programs.failures(folder, cudasim, [], way, RUNS, 900)]


if __name__ == '__main__':
    sys.exit(programs.main(__doc__, program, kernels=80, seeds='1:80'))
