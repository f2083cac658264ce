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
import argparse
import os
import random
import subprocess
import sys
import tempfile

SHAPES = [(64, 1, 1), (64, 1, 1), (32, 1, 1), (128, 1, 1), (32, 2, 1)]
ODD_SHAPES = [(33, 1, 1), (7, 5, 1), (100, 1, 1), (8, 4, 2), (1, 1, 1)]
N_IN, N_OWN, N_COUNTS, ROW = 256, 4, 16, 6
# How programs are compiled, in turn.
WAYS = [[], [], [], ['-O0'], [], ['-G'], ['-O1', '-lineinfo'], ['-rdc=true']]
RUNS = [{'CUDASIM_ENGINE': engine, **schedule, **body}
        for engine in ('loops', 'fibers')
        for schedule in ({}, {'CUDASIM_SCHEDULE': 'inorder'}, {'CUDASIM_SCHEDULE': 'reverse'},
                         {'CUDASIM_SCHEDULE': 'random:7'})
        for body in ({}, {'CUDASIM_BODY': 'v3'}, {'CUDASIM_BODY': 'watched'})]
RUNS += [{'CUDASIM_ENGINE': 'pthreads'}, {'CUDASIM_ENGINE': 'pthreads', 'CUDASIM_SCHEDULE': 'random:7'},
         {'CUDASIM_CHECK': 'memcheck,racecheck,initcheck', 'CUDASIM_CHECK_OPTIONS': '--error-exitcode 9'}]

THREAD, OUTER = 'thread', 'outer'


class Tree:
    """The text of one tree of statements, with its own labels."""

    def __init__(self, kernel, level, size):
        self.k, self.r, self.level = kernel, kernel.r, level
        self.left = size          # statements that may still be drawn
        self.n_gotos = 0
        text = self.sequence(0, '', self.r.randint(3, 7))
        self.text = self.resolve(text)

    # ---- expressions ----------------------------------------------------------------------

    def number(self):
        return f'{self.r.choice([0, 1, 2, 3, 5, 7, 8, 13, 31, 64, 255, 1000003])}u'

    def leaf(self):
        r = self.r
        if r.random() < 0.3:
            return self.number()
        if self.level == OUTER and not self.k.divergent:
            return r.choice(self.k.shared_names)
        names = ['x', 'y', 'z', 'tid', '(unsigned)w', 'x', 'y', f'in[({r.choice("xyz")} + tid) & 255]']
        if self.k.array:
            names.append(f'a[{r.choice("xyz")} & 3]')
        if self.k.barriers:
            names += ['u', 'v']
        return r.choice(names)

    def expr(self, depth=2):
        r = self.r
        if depth == 0 or r.random() < 0.25:
            return self.leaf()
        a, b = self.expr(depth - 1), self.expr(depth - 1)
        kind = r.random()
        if kind < 0.7:
            return f'({a} {r.choice(["+", "-", "*", "^", "&", "|", "+"])} {b})'
        if kind < 0.8:
            return f'({a} >> {r.randint(1, 9)})'
        if kind < 0.9:
            return f'({a} / ({b} | 1u))'
        return f'({self.cond(1)} ? {a} : {b})'

    def cond(self, depth=1):
        r = self.r
        kind = r.random()
        if kind < 0.45:
            return f'({self.expr(depth)} & {r.choice([1, 1, 2, 3, 4, 6])}u)'
        if kind < 0.8:
            return f'{self.expr(depth)} {r.choice(["<", ">", "==", "!="])} {self.expr(depth)}'
        return f'({self.cond(0)} {r.choice(["&&", "||"])} {self.cond(0)})'

    @property
    def fuel(self):
        return 'n' if self.level == THREAD else 'un'

    def back(self):
        """A condition under which a cycle may go on: it takes fuel."""
        r, n = self.r, self.fuel
        kind = r.random()
        if kind < 0.4:
            return f'({n} -= {r.randint(1, 3)}) > 0'
        if kind < 0.6:
            return f'({n} -= {r.randint(1, 3)}) > (int)({self.leaf()} & {r.choice([3, 7, 15])}u)'
        if kind < 0.8:
            return f'{self.cond()} && {n}-- > 0'
        return f'{n}-- > 0 && {self.cond()}'

    # ---- statements -----------------------------------------------------------------------

    def assign(self):
        r = self.r
        if self.level == OUTER:
            return f'{r.choice("uv")} {r.choice(["=", "+=", "^="])} {self.expr()};\n'
        kind = r.random()
        if kind < 0.6:
            return f'{r.choice("xyz")} {r.choice(["=", "+=", "^=", "-="])} {self.expr()};\n'
        if kind < 0.68:
            return f'w = w * 3 + {self.expr(1)};\n'
        if kind < 0.76:
            return f'own[{r.choice("xyz")} & {N_OWN - 1}] {r.choice(["=", "+="])} {self.expr(1)};\n'
        if kind < 0.82 and self.k.array:
            return f'a[{r.choice("xyz")} & 3] {r.choice(["=", "+="])} {self.expr(1)};\n'
        if kind < 0.86:
            return f'add(&counts[{self.leaf()} & {N_COUNTS - 1}], {self.leaf()});\n'
        if kind < 0.92 and self.k.functions:
            return f'{r.choice("xyz")} = {r.choice(self.k.functions)}(in, {self.leaf()}, {self.leaf()}, tid);\n'
        return f'f += (float)({self.leaf()} & 255u);\n'

    def sequence(self, depth, inside, n):
        text = ''
        for _ in range(n):
            if self.left <= 0:
                break
            text += self.statement(depth, inside)
        return text

    def block(self, depth, inside, most=3):
        return '{\n' + self.sequence(depth + 1, inside, self.r.randint(1, most)) + '}\n'

    def label(self):
        return '@L@:;\n'

    def goto(self):
        return '@G@'

    def statement(self, depth, inside):
        """inside: l in a loop, s in a switch, the innermost last."""
        r = self.r
        self.left -= 1
        kind = r.random()
        text = self.label() if r.random() < self.k.labels else ''
        if self.level == OUTER and kind < 0.4:
            return text + self.k.meet(self)
        if depth > 4 or kind < 0.35:
            return text + self.assign()
        if kind < 0.50:
            return text + self.goto()
        if kind < 0.60:
            other = 'else ' + self.block(depth, inside) if r.random() < 0.5 else ''
            return text + f'if ({self.cond()}) {self.block(depth, inside)}{other}'
        if kind < 0.78:
            return text + self.loop(depth, inside)
        if kind < 0.90:
            return text + self.switch(depth, inside)
        if kind < 0.96 and inside:
            word = 'break' if 'l' not in inside or r.random() < 0.6 else 'continue'
            return text + f'if ({self.cond()}) {word};\n'
        if kind < 0.97 and self.k.leaves and not (self.k.warps and self.level == THREAD):
            return text + f'if ({self.cond()} && {self.expr(1)} % 5u == 0) LEAVE\n'
        return text + self.assign()

    def loop(self, depth, inside):
        kind = self.r.random()
        body = lambda: self.block(depth, inside + 'l', 4)
        if kind < 0.25:
            return f'while ({self.back()}) {body()}'
        if kind < 0.50:
            return f'do {body()}while ({self.back()});\n'
        if kind < 0.60:
            return (f'for (;;) {{\nif (!({self.back()})) break;\n' + self.sequence(depth + 1, inside + 'l', 3)
                    + '}\n')
        i = self.k.counter()
        most = self.r.choice(['3u', f'({self.leaf()} & 3u)', f'1u + ({self.leaf()} & 3u)'])
        return f'for ({i} = 0; {i} < {most}; {i}++) {body()}'

    def switch(self, depth, inside):
        """Cases that fall through, or stand in a loop (Duff's device)."""
        r = self.r
        n = r.choice([2, 3, 4, 4])
        inside += 's'
        numbers = list(range(n)) + (['default'] if r.random() < 0.5 else [])
        r.shuffle(numbers)
        text = f'switch ({self.expr(1)} & {3 if n > 2 else 1}u) {{\n'
        if r.random() < 0.5:
            for number in numbers:
                text += (f'case {number}:\n' if number != 'default' else 'default:\n')
                text += self.sequence(depth + 1, inside, r.randint(1, 2))
                text += self.assign()
                if r.random() < 0.5:
                    text += 'break;\n'
            return text + '}\n'
        first, rest = numbers[0], numbers[1:]
        name = lambda number: f'case {number}:\n' if number != 'default' else 'default:\n'
        opened = []
        within = lambda: inside + ''.join('l' for how in opened if how != 'if')
        text += name(first)
        for number in rest:
            text += self.sequence(depth + 1, within(), 1)
            if len(opened) < 3 and r.random() < 0.5:
                how = r.choice(['do', 'while', 'if'])
                text += {'do': 'do {\n', 'while': f'while ({self.back()}) {{\n',
                         'if': f'if ({self.cond()}) {{\n'}[how]
                opened.append(how)
            text += self.assign() + name(number) + self.assign()
        while opened:
            text += self.sequence(depth + 1, within(), 1) + '}\n'
            if opened.pop() == 'do':
                text = text[:-1] + f' while ({self.back()});\n'
        return text + '}\n'

    def resolve(self, text):
        """Number the labels, and give each goto one of them."""
        r, parts, n = self.r, text.split('@'), 0
        prefix = self.k.fresh()
        for i, part in enumerate(parts):
            if part == 'L' and i % 2:
                parts[i] = f'{prefix}_{n}'
                n += 1
        passed, out = 0, []
        for i, part in enumerate(parts):
            if part == 'G' and i % 2:
                out.append(self.jump(prefix, passed, n))
                continue
            passed += i % 2
            out.append(part)
        return ''.join(out)

    def jump(self, prefix, passed, n):
        """A goto where `passed` of n labels stand before."""
        if not n:
            return self.assign()
        target = self.r.randrange(n)
        if target >= passed: # forwards
            return f'if ({self.cond()}) goto {prefix}_{target};\n'
        if self.r.random() < 0.25: # a choice of labels
            other = self.r.randrange(n)
            return (f'if ({self.back()}) {{\nif ({self.cond()}) goto {prefix}_{target};\n'
                    f'goto {prefix}_{other};\n}}\n')
        return f'if ({self.back()}) goto {prefix}_{target};\n'


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


PRELUDE = r'''
__device__ inline void add(unsigned *to, unsigned n) { atomicAdd(to, n); }
__device__ inline void keep(unsigned *to, unsigned n) { *to += n; }
'''

REFERENCE = r'''
#include <cstdio>
#include <cstdlib>
#include <ucontext.h>
#include <vector>
#define __device__
#define __noinline__ __attribute__((noinline))
#define __forceinline__
#define __global__
#define __shared__ static
struct dim { unsigned x, y, z; };
static dim threadIdx, blockIdx, blockDim;
static void add(unsigned *to, unsigned n) { *to += n; }
static void keep(unsigned *to, unsigned n) { *to += n; }

/* A thread is a fiber; it waits with an operation, a value and an operand. */
enum { RUNS, AT_BARRIER, IN_WARP, ENDED, STACK = 1 << 16 };
struct fiber {
	ucontext_t context;
	int state, op;
	unsigned value, operand, result;
};
static fiber fibers[1024];
static std::vector<char> stacks(1024 * STACK);
static ucontext_t scheduler;
static fiber *self;
static void (*body)(void);

static unsigned wait(int state, int op, unsigned value, unsigned operand)
{
	fiber *mine = self;
	mine->state = state, mine->op = op, mine->value = value, mine->operand = operand;
	swapcontext(&mine->context, &scheduler);
	return mine->result;
}
static void run_fiber()
{
	body();
	self->state = ENDED;
	swapcontext(&self->context, &scheduler);
}

enum { SYNC, COUNT, AND, OR, WARP, XOR, DOWN, UP16, INDEX, BALLOT, ANY, ALL, SUM };
static void __syncthreads() { wait(AT_BARRIER, SYNC, 0, 0); }
static int __syncthreads_count(unsigned p) { return (int)wait(AT_BARRIER, COUNT, p != 0, 0); }
static int __syncthreads_and(unsigned p) { return (int)wait(AT_BARRIER, AND, p != 0, 0); }
static int __syncthreads_or(unsigned p) { return (int)wait(AT_BARRIER, OR, p != 0, 0); }
static void __syncwarp() { wait(IN_WARP, WARP, 0, 0); }
static unsigned __shfl_xor_sync(unsigned, unsigned v, int k) { return wait(IN_WARP, XOR, v, (unsigned)k); }
static unsigned __shfl_down_sync(unsigned, unsigned v, int k) { return wait(IN_WARP, DOWN, v, (unsigned)k); }
static unsigned __shfl_up_sync(unsigned, unsigned v, int k, int) { return wait(IN_WARP, UP16, v, (unsigned)k); }
static unsigned __shfl_sync(unsigned, unsigned v, int k) { return wait(IN_WARP, INDEX, v, (unsigned)k); }
static unsigned __ballot_sync(unsigned, unsigned p) { return wait(IN_WARP, BALLOT, p != 0, 0); }
static int __any_sync(unsigned, unsigned p) { return (int)wait(IN_WARP, ANY, p != 0, 0); }
static int __all_sync(unsigned, unsigned p) { return (int)wait(IN_WARP, ALL, p != 0, 0); }
static unsigned __reduce_add_sync(unsigned, unsigned v) { return wait(IN_WARP, SUM, v, 0); }

static void stuck(const char *what)
{
	printf("the reference is stuck: %s\n", what);
	exit(2);
}

/* All n that have not ended wait there, for one operation (a barrier's without a value may have
 * several places). */
static bool together(const fiber *first, unsigned n, int state)
{
	const fiber *one = nullptr;
	for (unsigned i = 0; i < n; i++) {
		if (first[i].state == ENDED)
			continue;
		if (first[i].state != state)
			return false;
		if (one && one->op != first[i].op)
			stuck("operations differ");
		one = &first[i];
	}
	return one != nullptr;
}
static void finish(fiber *first, unsigned n)
{
	unsigned count = 0, alive = 0, sum = 0, bits = 0;
	for (unsigned i = 0; i < n; i++)
		if (first[i].state != ENDED) {
			alive++, count += first[i].value != 0, sum += first[i].value;
			bits |= (unsigned)(first[i].value != 0) << (i & 31);
		}
	for (unsigned i = 0; i < n; i++) {
		fiber *f = &first[i];
		unsigned from = i;
		if (f->state == ENDED)
			continue;
		f->state = RUNS;
		switch (f->op) {
		case COUNT: f->result = count; break;
		case AND: case ALL: f->result = count == alive; break;
		case OR: case ANY: f->result = count > 0; break;
		case BALLOT: f->result = bits; break;
		case SUM: f->result = sum; break;
		case XOR: from = i ^ f->operand; break;
		case DOWN: from = i + f->operand < 32 ? i + f->operand : i; break;
		case UP16: from = (i & 15) >= f->operand ? i - f->operand : i; break;
		case INDEX: from = f->operand & 31; break;
		}
		if (f->op >= XOR && f->op <= INDEX)
			f->result = first[from].value;
	}
}

static void run_block(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		fiber *f = &fibers[i];
		getcontext(&f->context);
		f->context.uc_stack.ss_sp = &stacks[(size_t)i * STACK];
		f->context.uc_stack.ss_size = STACK;
		f->state = RUNS;
		makecontext(&f->context, run_fiber, 0);
	}
	for (;;) {
		unsigned n_ended = 0;
		for (unsigned i = 0; i < n; i++) {
			if (fibers[i].state == RUNS) {
				self = &fibers[i];
				threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
				swapcontext(&scheduler, &self->context);
			}
			n_ended += fibers[i].state == ENDED;
		}
		if (n_ended == n)
			return;
		bool any = false;
		for (unsigned w = 0; w < n; w += 32)
			if (together(&fibers[w], n - w < 32 ? n - w : 32, IN_WARP)) {
				finish(&fibers[w], n - w < 32 ? n - w : 32);
				any = true;
			}
		if (!any && together(fibers, n, AT_BARRIER)) {
			finish(fibers, n);
			any = true;
		}
		if (!any)
			stuck("nobody can go on");
	}
}

static struct { const unsigned *in; unsigned *all, *counts; unsigned long long *out; unsigned p0, p1; } given;
template <void (*kernel)(const unsigned *, unsigned *, unsigned *, unsigned long long *, unsigned, unsigned)>
static void call() { kernel(given.in, given.all, given.counts, given.out, given.p0, given.p1); }
static void run_grid(void (*what)(void), unsigned grid, dim block)
{
	body = what, blockDim = block;
	for (unsigned b = 0; b < grid; b++) {
		blockIdx = {b, 0, 0};
		run_block(block.x * block.y * block.z);
	}
}
'''

MAIN = r'''
#include <cstdio>
#include <vector>
typedef void kernel_type(const unsigned *, unsigned *, unsigned *, unsigned long long *, unsigned, unsigned);
typedef void reference_type(const unsigned *, unsigned *, unsigned *, unsigned long long *, unsigned, unsigned);

template <typename T> static int differ(const char *kernel, const char *what, const std::vector<T> &got,
					const std::vector<T> &wanted, size_t row)
{
	for (size_t i = 0; i < got.size(); i++)
		if (got[i] != wanted[i]) {
			printf("%s: %s of thread %zu, place %zu: %llx is not %llx\n", kernel, what, i / row, i % row,
			       (unsigned long long)got[i], (unsigned long long)wanted[i]);
			return 1;
		}
	return 0;
}

static int compare(const char *name, kernel_type *kernel, reference_type *reference, unsigned grid, dim3 block,
		   unsigned p0, unsigned p1)
{
	const size_t n = (size_t)grid * block.x * block.y * block.z;
	std::vector<unsigned> in(N_IN), all(N_OWN * n), counts(N_COUNTS), got_all(all), got_counts(counts);
	std::vector<unsigned long long> out(ROW * n), got_out(ROW * n);
	for (unsigned i = 0; i < N_IN; i++)
		in[i] = (i * 2654435761u) >> 7;
	unsigned *d_in, *d_all, *d_counts;
	unsigned long long *d_out;
	cudaMalloc(&d_in, N_IN * 4), cudaMalloc(&d_all, all.size() * 4);
	cudaMalloc(&d_counts, N_COUNTS * 4), cudaMalloc(&d_out, out.size() * 8);
	cudaMemcpy(d_in, in.data(), N_IN * 4, cudaMemcpyHostToDevice);
	cudaMemset(d_all, 0, all.size() * 4), cudaMemset(d_counts, 0, N_COUNTS * 4);
	cudaMemset(d_out, 0, out.size() * 8);
	kernel<<<grid, block>>>(d_in, d_all, d_counts, d_out, p0, p1);
	cudaError_t error = cudaDeviceSynchronize();
	if (error != cudaSuccess) {
		printf("%s: %s\n", name, cudaGetErrorName(error));
		return 1;
	}
	reference(in.data(), all.data(), counts.data(), out.data(), p0, p1);
	cudaMemcpy(got_all.data(), d_all, all.size() * 4, cudaMemcpyDeviceToHost);
	cudaMemcpy(got_counts.data(), d_counts, N_COUNTS * 4, cudaMemcpyDeviceToHost);
	cudaMemcpy(got_out.data(), d_out, out.size() * 8, cudaMemcpyDeviceToHost);
	cudaFree(d_in), cudaFree(d_all), cudaFree(d_counts), cudaFree(d_out);
	return differ(name, "a variable", got_out, out, ROW) | differ(name, "memory", got_all, all, N_OWN) |
	       differ(name, "a count", got_counts, counts, N_COUNTS);
}
'''


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


def run(command, env=None, seconds=900):
    """What the command says where it fails, else None."""
    try:
        done = subprocess.run(command, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds, text=True, errors='replace')
    except subprocess.TimeoutExpired:
        return f'no end in {seconds} s'
    return None if done.returncode == 0 else f'status {done.returncode}: {done.stdout[-3000:]}'


def program(cudasim, folder, seeds, way):
    """Build and run the program of these seeds; the failures as lines."""
    write(folder, [Kernel(seed) for seed in seeds])
    for command in (['g++', '-O1', '-w', '-ffp-contract=off', '-fwrapv', '-c', f'{folder}/reference.cpp',
                     '-o', f'{folder}/reference.o'],
                    [cudasim, 'cc', '-w', *way, f'{folder}/kernels.cu', f'{folder}/reference.o',
                     '-o', f'{folder}/program']):
        said = run(command)
        if said:
            return [f'{" ".join(command)}: {said}']
    failures = []
    for env in RUNS:
        said = run([f'{folder}/program'], {'CUDASIM': '1', **env})
        if said:
            failures.append(f'{" ".join(way)} {env}: {said}')
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--cudasim', required=True)
    parser.add_argument('--seeds', default='1:80', help='FIRST:LAST')
    parser.add_argument('--kernels', type=int, default=80, help='kernels a program')
    parser.add_argument('--keep', help='where programs are kept')
    parser.add_argument('--flags', help='how to compile, in the place of several ways in turn')
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(':'))
    bad = 0
    print('TAP version 13')
    programs = [range(i, min(i + options.kernels, last + 1))
                for i in range(first, last + 1, options.kernels)]
    for number, seeds in enumerate(programs, 1):
        way = WAYS[seeds[0] // options.kernels % len(WAYS)]
        if options.flags is not None:
            way = options.flags.split()
        with tempfile.TemporaryDirectory() as folder:
            if options.keep:
                folder = f'{options.keep}/{seeds[0]}'
                os.makedirs(folder, exist_ok=True)
            failures = program(options.cudasim, folder, seeds, way)
        print(f'{"not " if failures else ""}ok {number} - kernels {seeds[0]} to {seeds[-1]} {" ".join(way)}',
              flush=True)
        for line in '\n'.join(failures).splitlines():
            print('#', line, flush=True)
        bad += bool(failures)
    print(f'1..{len(programs)}')
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
