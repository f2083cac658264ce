#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random accesses of one warp to shared memory, without a barrier, against lanes in step.

A kernel is a row of statements: stores, loads, and stores of what was loaded elsewhere, at addresses that depend on
the lane, alone, under a condition or in a loop that all lanes take alike. The array is volatile, so that compilers
keep the order of accesses. Where a statement stores different values, it stores each to a place of its own.

The reference is a program by g++ that does each statement for all lanes, all its loads before its stores. Kernels 1
to 400 have these results on an H200, compiled with -O3 and with -G, and so they have with --rows 2 and 4.

  lockstep_fuzz.py --cudasim build/cudasim --seeds 1:400 [--rows 2] [--keep FOLDER] [--kernels 100]

The block is one warp. With --rows it has as many rows of threads: addresses and conditions are of the thread's number, its
row and its column."""
import random
import re
import sys

import programs

LANES, WORDS, ROUNDS = 32, 2048, 5
RUNS = [{**engine, **schedule}
        for engine in ({}, {'CUDASIM_ENGINE': 'fibers'}, {'CUDASIM_BODY': 'watched'})
        for schedule in ({}, {'CUDASIM_SCHEDULE': 'reverse'}, {'CUDASIM_SCHEDULE': 'random:7'})]
WAYS = [['-O3'], ['-O1'], ['-O0'], ['-G']]
# What threads and the reference have: the lane n, its column x and row y, the round k of a loop, the width w of the
# block, v of their own.
HEAD = f'enum {{ LANES = {LANES}, WORDS = {WORDS}, WANTED = LANES + WORDS }};\n'


class Kernel:
    """The statements of one kernel, drawn from a seed: each (kind, condition, to, from, value), or (rounds, statements)."""

    def __init__(self, seed, rows):
        self.r = random.Random(seed)
        self.rows, self.w = rows, LANES // rows
        self.name = f'k{seed}'
        self.statements = self.draw(self.r.randint(2, 6), in_loop=False)

    def draw(self, n, in_loop):
        if not in_loop:
            return [(self.r.choice([2, 3, ROUNDS]), self.draw(self.r.randint(1, 3), True)) if self.r.random() < 0.2
                    else self.statement(False) for _ in range(n)]
        return [self.statement(True) for _ in range(n)]

    def statement(self, in_loop):
        kind = self.r.choice(['store', 'load', 'store', 'load', 'move', 'add'])
        condition, to, source = self.condition(), self.address(in_loop), self.address(in_loop)
        if kind != 'load' and not self.all_differ(condition, to):
            return 'store', condition, to, source, str(self.r.randint(1, 999))
        return kind, condition, to, source, self.r.choice(['v', 'v + 1', 'v * 5 + x', 'x', str(self.r.randint(1, 999))])

    def condition(self):
        n = self.r.choice([1, 2, 3, 4, 5, 7, 8, 15, 16, 24])
        return self.in_rows(self.r.choice([
            '1', '1', '1', f'x < {n}', f'x == {n}', 'x == 0', 'x == w - 1', f'x >= {n}', '(x & 1) == 0', f'x % {n} == 0',
            f'x >= {n} && x < {n + 8}']), ['n', 'y'])

    def address(self, in_loop):
        n, row = self.r.choice([0, 0, 1, 1, 2, 3, 8, 10, 16, 17, 18, 32, 36]), self.r.choice([16, 18, 20, 33])
        text = self.r.choice([
            f'x + {n}', f'x + {n}', 'x', f'x * {row} + {n}', f'{n}', f'x * {self.r.choice([2, 4, 8])} + {n}',
            f'(x ^ {self.r.choice([1, 3, 8, 16])})', f'31 - x + {n}', f'x / {self.r.choice([2, 4, 8])} + {n}',
            f'x % {self.r.choice([4, 8])} + {n}', f'(x / 8 + 1) * {row} + x % 8 + 1', f'(x + {n}) % 32'])
        text = self.in_rows(text, ['n', 'n', '(y * w + x)', f'(y * {row} + x)', f'(y * {row} + x)', f'(x * {row} + y)'])
        if in_loop and self.r.random() < 0.7:
            text += self.r.choice([' + k', ' + k * 32', ' + k * w', ' + k * 18', ' - k + 5'])
        return text

    def in_rows(self, text, lanes):
        """The text with x in another form, or as it is."""
        if self.rows == 1:
            return text
        other = re.sub(r'\bx\b', self.r.choice(['x'] + lanes), text)
        inside = all(0 <= value(other, names) < WORDS - LANES * ROUNDS for names in self.lanes(0))
        return other if inside else re.sub(r'\bx\b', 'n', text)

    def all_differ(self, condition, address):
        """Does each lane store to a place of its own, in each round?"""
        for k in range(ROUNDS):
            of = [value(address, names) for names in self.lanes(k) if value(condition, names)]
            if len(of) != len(set(of)):
                return False
        return True

    def lanes(self, k):
        return [{'n': n, 'x': n % self.w, 'y': n // self.w, 'w': self.w, 'k': k} for n in range(LANES)]

    def device(self):
        return (f'__global__ void {self.name}(const unsigned *in, unsigned *out)\n{{\n'
                '\tvolatile __shared__ unsigned s[WORDS];\n\tint x = threadIdx.x, w = blockDim.x;\n'
                + ('\tint n = x;\n' if self.rows == 1 else '\tint y = threadIdx.y, n = y * w + x;\n') +
                '\tunsigned v = in[n];\n\tfor (int i = n; i < WORDS; i += LANES)\n\t\ts[i] = 7 * i;\n\t__syncthreads();\n'
                + lines(self.statements, device_line) +
                '\t__syncthreads();\n\tout[n] = v;\n'
                '\tfor (int i = n; i < WORDS; i += LANES)\n\t\tout[LANES + i] = s[i];\n}\n')

    def reference(self):
        return (f'static void {self.name}(const unsigned *in, unsigned *out)\n{{\n'
                '\tunsigned *lanes = out, *s = out + LANES, kept[LANES];\n'
                f'\tconst int w = {self.w};\n\tfor (int n = 0; n < LANES; n++)\n\t\tlanes[n] = in[n];\n'
                '\tfor (int i = 0; i < WORDS; i++)\n\t\ts[i] = 7 * i;\n'
                + lines(self.statements, reference_line) + '\t(void)kept, (void)w;\n}\n')


def value(text, names):
    return eval(text.replace('/', '//').replace('&&', 'and'), {}, names)


def lines(statements, line, indent='\t'):
    text = ''
    for statement in statements:
        if len(statement) == 2:
            rounds, inner = statement
            text += f'{indent}for (int k = 0; k < {rounds}; k++) {{\n{lines(inner, line, indent + chr(9))}{indent}}}\n'
        else:
            text += line(indent, *statement)
    return text


def device_line(indent, kind, condition, to, source, value):
    what = {'store': f's[{to}] = {value}', 'load': f'v = 3 * v + s[{source}]', 'move': f's[{to}] = s[{source}]',
            'add': f's[{to}] = s[{source}] + v'}[kind]
    return f'{indent}if ({condition})\n{indent}\t{what};\n'


def reference_line(indent, kind, condition, to, source, value):
    def each(what):
        return (f'{indent}for (int n = 0; n < LANES; n++) {{\n{indent}\tunsigned &v = lanes[n];\n'
                f'{indent}\tint x = n % w, y = n / w;\n'
                f'{indent}\tif ({condition})\n{indent}\t\t{what};\n{indent}\t(void)v, (void)x, (void)y;\n{indent}}}\n')
    if kind == 'store':
        return each(f's[{to}] = {value}')
    if kind == 'load':
        return each(f'v = 3 * v + s[{source}]')
    return each(f'kept[n] = s[{source}]' + (' + v' if kind == 'add' else '')) + each(f's[{to}] = kept[n]')


def table(kernels):
    return ', '.join(kernel.name for kernel in kernels)


def device_program(kernels, rows):
    quoted = ', '.join(f'"{kernel.name}"' for kernel in kernels)
    return ('#include <cstdio>\n#include <cuda_runtime.h>\n' + HEAD + f'enum {{ WIDTH = {LANES // rows} }};\n' + 'void wanted(int kernel, const unsigned *in, unsigned *out);\n'
            + '\n'.join(kernel.device() for kernel in kernels)
            + f'static void (*const kernels[])(const unsigned *, unsigned *) = {{{table(kernels)}}};\n'
            + f'static const char *const names[] = {{{quoted}}};\n' + '''
int main()
{
	static unsigned want[WANTED];
	unsigned *in, *out;
	int wrong = 0;
	cudaMallocManaged(&in, LANES * sizeof *in);
	cudaMallocManaged(&out, WANTED * sizeof *out);
	for (int i = 0; i < LANES; i++)
		in[i] = i * 37 % 101;
	for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		kernels[i]<<<1, dim3(WIDTH, LANES / WIDTH)>>>(in, out);
		cudaError_t error = cudaDeviceSynchronize();
		if (error) {
			printf("%s: %s\\n", names[i], cudaGetErrorString(error));
			return 1;
		}
		wanted(i, in, want);
		for (int k = 0; k < WANTED; k++)
			if (out[k] != want[k]) {
				printf("%s: %s %d is %u, not %u\\n", names[i], k < LANES ? "lane" : "word",
				       k < LANES ? k : k - LANES, out[k], want[k]);
				wrong++;
				break;
			}
	}
	return wrong != 0;
}
''')


def reference_program(kernels):
    return (HEAD + '\n'.join(kernel.reference() for kernel in kernels)
            + f'static void (*const kernels[])(const unsigned *, unsigned *) = {{{table(kernels)}}};\n'
            + 'void wanted(int kernel, const unsigned *in, unsigned *out)\n{\n\tkernels[kernel](in, out);\n}\n')


def program(cudasim, folder, seeds, options):
    kernels = [Kernel(seed, options.rows) for seed in seeds]
    for name, text in ('kernels.cu', device_program(kernels, options.rows)), ('reference.cpp', reference_program(kernels)):
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
            file.write(text)
    way = options.flags.split() if options.flags else WAYS[seeds[0] // options.kernels % len(WAYS)]
    return [f'{" ".join(way)} {line}' for line in programs.failures(folder, cudasim, [], way, RUNS, 900)]


if __name__ == '__main__':
    sys.exit(programs.main(__doc__, program, kernels=100, seeds='1:100',
                           more={'--rows': {'type': int, 'default': 1, 'choices': [1, 2, 4], 'help': 'of threads in the block'}}))
