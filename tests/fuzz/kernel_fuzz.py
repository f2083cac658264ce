#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels against a reference that knows no threads.

A program is drawn as a tree of statements: those of one thread (expressions, branches, loops of
any length, early returns), and those where threads meet (barriers, exchanges by shared memory and
atomics, shuffles and votes, loops and branches that all threads of a block take together). It is
written twice: as a CUDA kernel, and as C++ for gcc in which each statement of one thread is a loop
over the block's threads, so that meeting is a matter of order. All values are defined: unsigned
arithmetic, masked shifts, checked conversions, no contraction of floats; NaN is written as one.
The program compares what both give; the kernel is run on each engine, each body and under several
schedules, and under the checkers, which must have nothing to report.

  kernel_fuzz.py --cudasim build/cudasim --seeds 1:20 [--keep FOLDER] [--kernels 4]

The drawing of programs follows Csmith (Yang, Chen, Eide, Regehr, PLDI 2011) and its offspring for
OpenCL (Lidbury, Lascu, Chong, Donaldson, "Many-core compiler fuzzing", PLDI 2015)."""
import argparse
import os
import random
import subprocess
import sys
import tempfile

# name, C type, is it an integer
VARIABLES = ([(f'u{i}', 'unsigned') for i in range(4)] + [(f'i{i}', 'int') for i in range(2)] +
             [(f'w{i}', 'unsigned long long') for i in range(2)] + [('l0', 'long long')] +
             [(f'f{i}', 'float') for i in range(3)] + [(f'd{i}', 'double') for i in range(2)] +
             [('h0', 'unsigned short'), ('c0', 'signed char')])
BY_TYPE = {}
for name_, type_ in VARIABLES:
    BY_TYPE.setdefault(type_, []).append(name_)
INTEGERS = ['unsigned', 'int', 'unsigned long long', 'long long', 'unsigned short', 'signed char']
FLOATS = ['float', 'double']
SHAPES = [(32, 1, 1), (64, 1, 1), (128, 1, 1), (256, 1, 1), (96, 1, 1), (16, 16, 1), (32, 8, 1),
          (8, 8, 2), (7, 5, 1), (33, 1, 1), (100, 1, 1), (1, 64, 1), (4, 4, 4), (1, 1, 1)]
GRIDS = [(1, 1), (3, 1), (4, 1), (2, 2), (7, 1), (70, 1)]
N_IN = 1024

COMMON = r'''
#include <cstdint>
#include <cstring>
#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif
BOTH inline int to_int(double x) { return x > -1e9 && x < 1e9 ? (int)x : 7; }
BOTH inline int to_intf(float x) { return x > -1e9f && x < 1e9f ? (int)x : 7; }
BOTH inline long long to_long(double x) { return x > -1e18 && x < 1e18 ? (long long)x : 9; }
BOTH inline unsigned bits(float x)
{
	unsigned u;
	memcpy(&u, &x, 4);
	return x != x ? 0x7fffffffu : u;
}
BOTH inline unsigned long long bits(double x)
{
	unsigned long long u;
	memcpy(&u, &x, 8);
	return x != x ? 0x7fffffffffffffffull : u;
}
BOTH inline void sort8(unsigned *a)
{
	for (int i = 1; i < 8; i++)
		for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
			unsigned other = a[j];
			a[j] = a[j - 1];
			a[j - 1] = other;
		}
}
BOTH inline unsigned fold8(const unsigned *a, unsigned n)
{
	unsigned sum = n;
	for (unsigned i = 0; i < (n & 7); i++)
		sum = sum * 3 + a[i];
	return sum;
}
BOTH inline unsigned again(unsigned n, unsigned x) { return n ? again(n - 1, x * 5 + n) + (x >> 3) : x; }
struct pair { unsigned first; float second; };
BOTH inline struct pair swapped(struct pair p)
{
	struct pair q = {(unsigned)to_intf(p.second), (float)(p.first & 0xffff)};
	return q;
}
BOTH inline float least(float a, float b) { return a < b ? a : b; }
BOTH inline double least(double a, double b) { return a < b ? a : b; }
BOTH inline float most(float a, float b) { return a > b ? a : b; }
BOTH inline double most(double a, double b) { return a > b ? a : b; }
'''

# What the reference has in the place of CUDA's functions of integers.
REFERENCE = r'''
#include <cmath>
#include <vector>
static int __popc(unsigned x) { int n = 0; for (; x; x &= x - 1) n++; return n; }
static int __popcll(unsigned long long x) { int n = 0; for (; x; x &= x - 1) n++; return n; }
static int __clz(int x) { unsigned u = (unsigned)x; int n = 0; while (n < 32 && !(u >> (31 - n) & 1)) n++; return n; }
static int __ffs(int x) { for (int i = 0; i < 32; i++) if ((unsigned)x >> i & 1) return i + 1; return 0; }
static unsigned __brev(unsigned x) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i); return r; }
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { n &= 31; return n ? hi << n | lo >> (32 - n) : hi; }
static unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
	unsigned long long both = (unsigned long long)b << 32 | a;
	unsigned r = 0;
	for (int i = 0; i < 4; i++)
		r |= (unsigned)(both >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
	return r;
}
static unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
static unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
'''


class Kernel:
    """One kernel, drawn from a seed; device() and reference() write it."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.name = f'k{seed}'
        self.shape = self.r.choice(SHAPES)
        self.grid = self.r.choice(GRIDS)
        self.nt = self.shape[0] * self.shape[1] * self.shape[2]
        self.warps = self.nt % 32 == 0
        self.dynamic = self.r.random() < 0.5 # shared memory by the launch
        self.returned = False     # threads may have left
        self.counter = 0
        self.names = []           # loop counters in scope
        self.in_loop = 0
        self.budget = self.r.randint(10, 45)
        self.functions = [self.function(i) for i in range(self.r.randint(0, 2))]
        self.stages = []
        while self.budget > 0:
            self.stages.append(self.stage(0))

    # ---- expressions of one thread -------------------------------------------------------

    def function(self, i):
        keep, self.pure = self.names, True
        self.names = ['x', 'y']
        name = f'{self.name}_f{i}'
        body = f'unsigned r = {self.expr("unsigned", 3)};\n'
        if self.r.random() < 0.5:
            body += f'for (unsigned q = 0; q < (x & 7); q++) r = r * 5 + {self.expr("unsigned", 2)};\n'
        if self.r.random() < 0.5:
            body += f'if (r & 1) return {self.expr("unsigned", 2)};\n'
        self.names, self.pure = keep, False
        inline = self.r.choice(['', '__noinline__ ', '__forceinline__ '])
        return name, inline, f'(unsigned x, unsigned y)\n{{\n{body}return r;\n}}\n'

    pure = False

    def leaf(self, type_):
        r = self.r
        kind = r.random()
        if kind < 0.25:
            if type_ in FLOATS:
                value = r.choice(['0.0', '1.0', '-1.5', '3.25', '1e-3', '1e10', '0.1', '-7.0'])
                return value + ('f' if type_ == 'float' else '')
            return f'({type_}){r.choice([0, 1, 2, 3, 5, 7, 31, 64, 100, 255, 1000, 65535, 0x7fffffff])}'
        if self.pure:
            return f'({type_}){r.choice(self.names)}'
        if kind < 0.35 and self.names:
            return f'({type_}){r.choice(self.names)}'
        if kind < 0.50:
            return f'({type_})' + r.choice(['$tid', '$tid', '$gid', '$bid', '$x', '$y', 'p0', 'p1'])
        if kind < 0.62:
            if type_ in FLOATS:
                return f'({type_})fin[{self.index(1)}]'
            return f'({type_})in[{self.index(1)}]'
        return '$v' + r.choice(BY_TYPE[type_])

    def index(self, depth):
        """An index into the inputs."""
        r = self.r
        kind = r.random()
        if kind < 0.4:
            return f'($gid + {r.randint(0, 9)}) % {N_IN}'
        if kind < 0.55:
            return f'($gid * {r.choice([2, 3, 4, 16])} + {r.randint(0, 9)}) % {N_IN}'
        if kind < 0.65:
            return f'p0 % {N_IN}'
        if kind < 0.75 and self.names and not self.pure:
            return f'((unsigned){r.choice(self.names)} * 8 + $tid) % {N_IN}'
        return f'({self.expr("unsigned", depth)}) & {N_IN - 1}'

    def shift(self, type_):
        return {'unsigned': 31, 'int': 31, 'unsigned long long': 63, 'long long': 63,
                'unsigned short': 15, 'signed char': 7}[type_]

    def expr(self, type_, depth):
        r = self.r
        if depth <= 0 or r.random() < 0.15:
            return self.leaf(type_)
        sub = lambda t=type_: self.expr(t, depth - 1)
        kind = r.random()
        if kind < 0.12:
            return f'({self.cond(depth - 1)} ? {sub()} : {sub()})'
        if type_ in FLOATS:
            if kind < 0.70:
                return f'({sub()} {r.choice("++--**/")} {sub()})'
            if kind < 0.78:
                return f'{r.choice(["least", "most"])}({sub()}, {sub()})'
            if kind < 0.86:
                root = 'sqrtf(fabsf(%s))' if type_ == 'float' else 'sqrt(fabs(%s))'
                return root % sub()
            other = r.choice(['unsigned', 'int', 'long long', 'unsigned long long',
                              'double' if type_ == 'float' else 'float'])
            return f'({type_})({sub(other)})'
        if kind < 0.55:
            # Unsigned arithmetic wraps; what is narrower is brought back by a cast.
            wide = 'unsigned long long' if 'long' in type_ else 'unsigned'
            op = r.choice('++--**&|^')
            return f'({type_})(({wide}){sub()} {op} ({wide}){sub()})'
        if kind < 0.63:
            op = r.choice(['<<', '>>'])
            wide = {'int': 'unsigned', 'long long': 'unsigned long long'}.get(type_, type_) \
                if op == '<<' else type_
            return f'({type_})(({wide}){sub()} {op} ({sub("unsigned")} & {self.shift(type_)}))'
        if kind < 0.70:
            wide = 'unsigned long long' if 'long' in type_ else 'unsigned'
            return f'({type_})(({wide}){sub()} {r.choice("/%")} (({wide}){sub()} | 1))'
        if kind < 0.74:
            # Signed division by what is neither 0 nor -1.
            return f'({type_})((int){sub("int")} {r.choice("/%")} (int)(({sub("int")} & 0xff) + 1))'
        if kind < 0.86:
            choices = [lambda: f'__popc({sub("unsigned")})', lambda: f'__clz({sub("int")})',
                       lambda: f'__ffs({sub("int")})', lambda: f'__brev({sub("unsigned")})',
                       lambda: f'__umulhi({sub("unsigned")}, {sub("unsigned")})',
                       lambda: f'__mulhi({sub("int")}, {sub("int")})',
                       lambda: f'__popcll({sub("unsigned long long")})',
                       lambda: f'__funnelshift_l({sub("unsigned")}, {sub("unsigned")}, {sub("unsigned")})',
                       lambda: f'__byte_perm({sub("unsigned")}, {sub("unsigned")}, {sub("unsigned")} & 0x7777)',
                       lambda: f'min({sub("int")}, {sub("int")})',
                       lambda: f'umax({sub("unsigned")}, {sub("unsigned")})',
                       lambda: f'umin({sub("unsigned")}, {sub("unsigned")})']
            if self.pure:
                choices = choices[-3:]
            else:
                choices += [lambda: f'fold8($va, {sub("unsigned")})',
                            lambda: f'again({sub("unsigned")} & 3, {sub("unsigned")})',
                            lambda: f'table[{sub("unsigned")} & 63]', lambda: 'table[p0 & 63]',
                            lambda: f'swapped({{{sub("unsigned")}, {sub("float")}}}).first']
            if not self.pure and self.functions_so_far():
                choices.append(lambda: f'{r.choice(self.functions_so_far())[0]}'
                                       f'({sub("unsigned")}, {sub("unsigned")})')
                choices.append(choices[-1])
            return f'({type_}){r.choice(choices)()}'
        if kind < 0.92 and not self.pure:
            if r.random() < 0.5:
                return f'({type_})to_intf({sub("float")})' if 'long' not in type_ \
                    else f'({type_})to_long({sub("double")})'
            return f'({type_})bits({sub(r.choice(FLOATS))})'
        return f'({type_})({sub(r.choice(INTEGERS))})'

    def functions_so_far(self):
        return getattr(self, 'functions', [])

    def cond(self, depth):
        r = self.r
        type_ = r.choice(['unsigned', 'int', 'unsigned', 'float', 'double', 'long long'])
        if self.pure:
            type_ = 'unsigned'
        kind = r.random()
        if kind < 0.2:
            return f'({self.expr("unsigned", depth)} & {r.choice([1, 2, 3, 4, 8])})'
        one = f'({self.expr(type_, depth)} {r.choice(["<", "<=", ">", ">=", "==", "!="])} ' \
              f'{self.expr(type_, depth)})'
        if kind < 0.35:
            return f'({one} {r.choice(["&&", "||"])} {self.cond(depth - 1)})'
        if kind < 0.5 and not self.pure:
            return f'($tid {r.choice(["<", ">=", "!="])} {r.randint(0, self.nt)}u)'
        return one

    # ---- statements of one thread -----------------------------------------------------------

    def fresh(self):
        self.counter += 1
        return f'k{self.counter}'

    def assign(self):
        r = self.r
        name, type_ = r.choice(VARIABLES)
        if r.random() < 0.3 and type_ in ('unsigned', 'unsigned long long'):
            return f'$v{name} {r.choice(["+=", "-=", "*=", "^=", "|=", "&="])} {self.expr(type_, 2)};\n'
        return f'$v{name} = {self.expr(type_, 3)};\n'

    def block(self, depth, n=None):
        return ''.join(self.statement(depth) for _ in range(n or self.r.randint(1, 3)))

    def statement(self, depth):
        r = self.r
        self.budget -= 1
        kind = r.random()
        if depth >= 3 or kind < 0.42:
            return self.assign()
        if kind < 0.58:
            text = f'if ({self.cond(2)}) {{\n{self.block(depth + 1)}}}'
            if r.random() < 0.4:
                text += f' else {{\n{self.block(depth + 1)}}}'
            return text + '\n'
        if kind < 0.72:
            return self.loop(depth)
        if kind < 0.77:
            cases = ''.join(f'case {i}:\n{self.block(depth + 1, 1)}'
                            + ('break;\n' if r.random() < 0.7 else '') for i in range(r.randint(2, 5)))
            in_loop, self.in_loop = self.in_loop, 0
            cases += f'default:\n{self.assign()}break;\n' if r.random() < 0.6 else 'break;\n'
            self.in_loop = in_loop
            return f'switch ({self.expr("unsigned", 2)} % 6) {{\n{cases}}}\n'
        if kind < 0.83:
            if r.random() < 0.2:
                return 'sort8($va);\n'
            if r.random() < 0.5:
                return f'$va[{self.expr("unsigned", 2)} & 7] = {self.expr("unsigned", 2)};\n'
            return f'$v{r.choice(BY_TYPE["unsigned"])} = $va[{self.expr("unsigned", 2)} & 7];\n'
        if kind < 0.90:
            if r.random() < 0.3:
                return self.quad()
            if r.random() < 0.5:
                return f'own[$gid * 4 + ({self.expr("unsigned", 1)} & 3)] = {self.expr("unsigned", 2)};\n'
            return f'$v{r.choice(BY_TYPE["unsigned"])} = own[$gid * 4 + ({self.expr("unsigned", 1)} & 3)];\n'
        if kind < 0.94:
            return f'$atomicAdd(&gcount[{self.expr("unsigned", 2)} & 63], {self.expr("unsigned", 2)});\n'
        if self.in_loop:
            return f'if ({self.cond(1)}) {r.choice(["break", "continue"])};\n'
        if kind > 0.985 and self.may_leave:
            self.returned = True
            return f'if ({self.cond(1)}) $return;\n'
        return self.assign()

    may_leave = True  # what comes before in a loop would meet those who have left
    left = False      # whole warps may have left

    def quad(self):
        """Four words of memory at once."""
        if self.r.random() < 0.5:
            return f'put4(own + $gid * 4, {", ".join(self.expr("unsigned", 1) for _ in range(4))});\n'
        return '$vu1 += sum4(own + $gid * 4);\n'

    def loop(self, depth):
        r = self.r
        k = self.fresh()
        kind = r.random()
        if kind < 0.3:
            head = f'for (int {k} = 0; {k} < {r.randint(1, 9)}; {k}++)'
        elif kind < 0.5:
            head = f'for (unsigned {k} = 0; {k} < ({self.expr("unsigned", 2)} & 7); {k}++)'
        elif kind < 0.6:
            head = f'for (int {k} = (int)($tid & 15); {k} >= 0; {k} -= {r.randint(1, 4)})'
        elif kind < 0.8:
            total = self.nt * self.grid[0] * self.grid[1]
            head = f'for (unsigned {k} = $gid; {k} < {r.choice([1, 2, 3]) * total + r.randint(0, 40)}u; {k} += {total}u)'
        else:
            head = f'for (unsigned {k} = p1 & 3; {k} < (p0 & 7); {k}++)'
        if depth >= 1 and kind >= 0.6 and kind < 0.8:
            head = f'for (unsigned {k} = $tid; {k} < {2 * self.nt + 5}u; {k} += {self.nt}u)'
        self.names.append(k)
        self.in_loop += 1
        body = self.block(depth + 1)
        self.in_loop -= 1
        self.names.pop()
        return f'{head} {{\n{body}}}\n'

    # ---- where threads meet ---------------------------------------------------------------------

    def stage(self, depth):
        """A statement that all threads of the block execute: (kind, parts...)."""
        r = self.r
        self.budget -= 1
        self.may_leave = depth == 0
        kind = r.random()
        if depth < 2 and kind < 0.10:
            k = self.fresh()
            self.names.append(k)
            inner = [self.stage(depth + 1) for _ in range(r.randint(1, 3))]
            self.names.pop()
            bound = r.choice(['3', '5', '(p0 & 3) + 1', '($bid & 1) + 1'])
            return 'around', f'for (unsigned {k} = 0; {k} < {bound}; {k}++)', inner
        if depth < 2 and kind < 0.17:
            inner = [self.stage(depth + 1) for _ in range(r.randint(1, 3))]
            return 'around', r.choice(['if (p0 & 4)', 'if (($bid ^ p1) & 1)', 'if (p0 > p1)']), inner
        if depth < 2 and kind < 0.21:
            k = self.fresh()
            self.names.append(k)
            inner = [self.stage(depth + 1) for _ in range(r.randint(1, 2))]
            self.names.pop()
            return 'until', k, self.cond(2), inner
        if kind < 0.38:
            return ('share', r.choice(['unsigned', 'float', 'double', 'unsigned long long']),
                    self.r.choice([1, 3, 5, 7, 11]) if self.nt & (self.nt - 1) == 0 else 1,
                    self.cond(2) if r.random() < 0.3 else '1', r.randint(0, 3))
        if kind < 0.45:
            op = r.choice(['Add', 'Max', 'Min', 'Xor', 'Or', 'And'])
            one = f'$atomic{op}(&count[{self.expr("unsigned", 2)} & 31], {self.expr("unsigned", 2)});\n'
            if r.random() < 0.4:
                k = self.fresh()
                one = f'for (unsigned {k} = 0; {k} < ($tid & 3); {k}++) {{\n{one}}}\n'
            if r.random() < 0.4:
                one = f'if ({self.cond(2)}) {{\n{one}}}\n'
            return 'count', one, self.expr('unsigned', 2)
        if kind < 0.50:
            return 'vote', r.choice(['count', 'or', 'and']), self.cond(2), r.choice(BY_TYPE['unsigned'])
        if kind < 0.55 and self.nt & (self.nt - 1) == 0 and not (self.returned or self.left):
            return r.choice(['tree', 'scan']), self.expr('unsigned', 2), r.choice(BY_TYPE['unsigned'])
        if kind < 0.73 and self.warps and not self.returned:
            return self.warp_stage()
        if kind > 0.975 and depth == 0:
            # Some leave: whole warps, so that those who stay may still meet as warps, or anybody.
            self.left = True
            if r.random() < 0.5:
                return 'each', f'if ($tid >= {r.choice([32, 64, 96])}u) $return;\n'
            self.returned = True
            return 'each', f'if ({self.cond(2)}) $return;\n'
        if kind > 0.93 and self.warps and not self.returned:
            return 'row', self.expr('unsigned', 2), r.randint(1, 31), r.choice(BY_TYPE['unsigned'])
        if depth < 2 and kind > 0.88 and self.warps and not self.returned:
            k = self.fresh()
            self.names.append(k)
            inner = [self.warp_stage() if r.random() < 0.6 else ('each', self.assign()) for _ in range(r.randint(1, 3))]
            self.names.pop()
            return 'warps', k, r.choice(['(($tid >> 5) & 3)', '(($tid >> 5) + $bid) % 3', '(p0 & 3)']), inner
        return 'each', self.block(0, r.randint(1, 4))

    def warp_stage(self):
        r = self.r
        # Who takes part: all, some warps, or some lanes of each warp.
        who = r.choice(['all', 'all', 'all', 'warps', 'lanes'])
        mask = 0xffffffff
        cond = '1'
        if who == 'warps':
            cond = r.choice(['(($tid >> 5) ^ p0) & 1', '($tid >> 5) < 2', '(($tid >> 5) + $bid) % 3'])
        if who == 'lanes':
            mask = r.choice([0x55555555, 0xaaaaaaaa, 0x0000ffff, 0xffff0000, 0x00ff00ff, 0x7fffffff,
                             0x00000001, r.getrandbits(32) | 1])
            cond = f'0x{mask:x}u >> ($tid & 31) & 1'
        type_ = r.choice(['unsigned', 'int', 'float', 'double', 'unsigned long long'])
        op = r.choice(['xor', 'up', 'down', 'idx', 'ballot', 'any', 'all', 'add', 'max', 'match'])
        if who == 'lanes' and op in ('xor', 'up', 'down', 'idx'):
            op = 'idx'
        lanes = [i for i in range(32) if mask >> i & 1]
        amount = r.choice([1, 2, 4, 8, 16, 3, 31]) if op != 'xor' else r.choice([1, 2, 4, 8, 16, 5, 31])
        width = r.choice([32, 32, 32, 16, 8, 4])
        if who == 'lanes':
            return ('warp', op, mask, cond, 'unsigned' if op in ('add', 'max', 'match') else type_,
                    self.expr('unsigned' if op in ('add', 'max', 'match') else type_, 2),
                    str(r.choice(lanes)), 32, self.cond(2))
        lane = str(amount)
        if op == 'idx':
            lane = f'(int)({self.expr("unsigned", 1)} & 31)'
        if op in ('add', 'max', 'match'):
            type_ = 'unsigned'
        return 'warp', op, mask, cond, type_, self.expr(type_, 2), lane, width, self.cond(2)

    # ---- writing -----------------------------------------------------------------------------------

    def place(self, text, device):
        """The placeholders of names, for the kernel or for the reference."""
        x, y, _ = self.shape
        here = {'$tid': 'tid', '$gid': 'gid', '$bid': 'bid', '$x': 'threadIdx.x', '$y': 'threadIdx.y',
                '$atomic': 'atomic', '$return': 'return', '$v': ''}
        there = {'$tid': 't', '$gid': '(bid * NT + t)', '$bid': 'bid', '$x': f'(t % {x})',
                 '$y': f'(t / {x} % {y})', '$atomic': 'atomic_', '$return': '{ T.alive = 0; goto next; }',
                 '$v': 'T.'}
        if device:
            text = text.replace('$gid', self.gid)
        for key, value in (here if device else there).items():
            text = text.replace(key, value)
        return text

    gid = 'gid'

    def signature(self, name):
        return (f'void {name}(const unsigned *in, const float *fin, unsigned *own, unsigned *gcount, '
                'unsigned long long *out, unsigned p0, unsigned p1)\n')

    def results(self):
        text = ''
        for i, (name, type_) in enumerate(VARIABLES):
            value = f'bits($v{name})' if type_ in FLOATS else f'(unsigned long long)$v{name}'
            text += f'out[$gid * {len(VARIABLES) + 1} + {i}] = {value};\n'
        text += 'for (int i = 0; i < 8; i++) $vu0 = $vu0 * 31 + $va[i];\n'
        return text + f'out[$gid * {len(VARIABLES) + 1} + {len(VARIABLES)}] = $vu0;\n'

    def start(self):
        text = ''
        for i, (name, type_) in enumerate(VARIABLES):
            text += f'$v{name} = ({type_})($tid * {i + 1} + {i});\n'
        return text + 'for (int i = 0; i < 8; i++) $va[i] = i * 3 + $tid;\n'

    def device(self):
        text = ''
        for name, inline, body in self.functions:
            text += f'{inline}__device__ unsigned {name}' + self.place(body, True)
        x, y, _ = self.shape
        text += '__global__ ' + self.signature(self.name) + '{\nenum { NT = %d };\n' % self.nt
        text += ('__shared__ unsigned sh_unsigned[NT];\n__shared__ float sh_float[NT];\n'
                 '__shared__ double sh_double[NT];\n__shared__ unsigned long long sh_ull[NT];\n'
                 '__shared__ unsigned count[32];\n')
        text += 'extern __shared__ unsigned rows[];\n' if self.dynamic else '__shared__ unsigned rows[NT];\n'
        text += f'const unsigned tid = threadIdx.x + {x} * (threadIdx.y + {y} * threadIdx.z);\n'
        text += 'const unsigned bid = blockIdx.x + gridDim.x * blockIdx.y;\n'
        text += 'const unsigned gid = bid * NT + tid;\n'
        for name, type_ in VARIABLES:
            text += f'{type_} {name};\n'
        text += 'unsigned a[8];\n' + self.place(self.start(), True)
        text += ('sh_unsigned[tid] = tid; sh_float[tid] = tid; sh_double[tid] = tid; sh_ull[tid] = tid;\n'
                 'for (unsigned i = tid; i < 32; i += NT) count[i] = i;\n__syncthreads();\n')
        for stage in self.stages:
            text += self.device_stage(stage)
        return text + self.place(self.results(), True) + '}\n'

    def device_stage(self, stage):
        p = lambda text: self.place(text, True)
        kind = stage[0]
        if kind == 'each':
            return p(stage[1])
        if kind == 'around':
            return p(stage[1]) + ' {\n' + ''.join(self.device_stage(s) for s in stage[2]) + '}\n'
        if kind == 'until':
            return (f'for (unsigned {stage[1]} = 0; {stage[1]} < 4; {stage[1]}++) {{\n'
                    f'if (!__syncthreads_or({p(stage[2])} ? 1 : 0)) break;\n'
                    + ''.join(self.device_stage(s) for s in stage[3]) + '}\n')
        if kind == 'share':
            _, type_, factor, cond, offset = stage
            sh = 'sh_' + ('ull' if 'long' in type_ else type_)
            value, to = BY_TYPE[type_][0], BY_TYPE[type_][-1]
            return (f'if ({p(cond)}) {sh}[(tid * {factor} + {offset}) % NT] = {value};\n__syncthreads();\n'
                    f'{to} = {sh}[(tid + u1 % 5) % NT];\n__syncthreads();\n')
        if kind == 'count':
            return (p(stage[1]) + '__syncthreads();\n' + p(f'$vu2 ^= count[{stage[2]} & 31];\n')
                    + '__syncthreads();\n')
        if kind == 'vote':
            return f'{stage[3]} += __syncthreads_{stage[1]}({p(stage[2])} ? 1 : 0);\n'
        if kind == 'tree':
            return (f'sh_unsigned[tid] = {p(stage[1])};\n__syncthreads();\n'
                    'for (unsigned s = NT / 2; s > 0; s >>= 1) {\nif (tid < s) sh_unsigned[tid] += sh_unsigned[tid + s];\n'
                    f'__syncthreads();\n}}\n{stage[2]} = sh_unsigned[0];\n__syncthreads();\n')
        if kind == 'scan':
            return (f'sh_unsigned[tid] = {p(stage[1])};\n__syncthreads();\n'
                    'for (unsigned o = 1; o < NT; o <<= 1) {\nunsigned add = tid >= o ? sh_unsigned[tid - o] : 0;\n'
                    '__syncthreads();\nsh_unsigned[tid] += add;\n__syncthreads();\n}\n'
                    f'{stage[2]} = sh_unsigned[tid];\n__syncthreads();\n')
        if kind == 'row':
            return (f'rows[tid] = {p(stage[1])};\n__syncwarp();\n'
                    f'{stage[3]} = rows[(tid & ~31u) + ((tid + {stage[2]}) & 31)];\n__syncwarp();\n')
        if kind == 'warps':
            return (f'for (unsigned {stage[1]} = 0; {stage[1]} < {p(stage[2])}; {stage[1]}++) {{\n'
                    + ''.join(self.device_stage(s) for s in stage[3]) + '}\n')
        _, op, mask, cond, type_, value, lane, width, test = stage
        value, lane, test, cond = p(value), p(lane), p(test), p(cond)
        to = BY_TYPE[type_][-1]
        m = f'0x{mask:x}u'
        call = {'xor': f'{to} = __shfl_xor_sync({m}, {value}, {lane}, {width});',
                'up': f'{to} = __shfl_up_sync({m}, {value}, {lane}, {width});',
                'down': f'{to} = __shfl_down_sync({m}, {value}, {lane}, {width});',
                'idx': f'{to} = __shfl_sync({m}, {value}, {lane}, {width});',
                'ballot': f'u3 = __ballot_sync({m}, {test});',
                'any': f'u3 += __any_sync({m}, {test}) ? 1 : 0;',
                'all': f'u3 += __all_sync({m}, {test}) ? 1 : 0;',
                'add': f'u3 = __reduce_add_sync({m}, {value});',
                'max': f'u3 = __reduce_max_sync({m}, {value});',
                'match': f'u3 = __match_any_sync({m}, {value} & 3);'}[op]
        return call + '\n' if cond == '1' else f'if ({cond}) {{\n{call}\n}}\n'

    def reference(self):
        text = ''
        for name, _, body in self.functions:
            text += f'static unsigned {name}' + self.place(body, False)
        text += self.signature(f'reference_{self.name}') + '{\nenum { NT = %d };\n' % self.nt
        text += 'struct thread { int alive, off;\n'
        for name, type_ in VARIABLES:
            text += f'{type_} {name};\n'
        text += 'unsigned a[8]; };\n'
        text += f'for (unsigned bid = 0; bid < {self.grid[0] * self.grid[1]}; bid++) {{\n'
        text += ('std::vector<thread> threads(NT);\nstd::vector<unsigned> sh_unsigned(NT);\nstd::vector<float> sh_float(NT);\n'
                 'std::vector<double> sh_double(NT);\nstd::vector<unsigned long long> sh_ull(NT);\nunsigned count[32];\nstd::vector<unsigned> rows(NT);\n'
                 'for (unsigned i = 0; i < 32; i++) count[i] = i;\n')
        text += self.each('T.alive = 1; T.off = 0;\n' + self.start() +
                          'sh_unsigned[t] = t; sh_float[t] = t; sh_double[t] = t; sh_ull[t] = t;\n', True)
        for stage in self.stages:
            text += self.reference_stage(stage)
        return text + self.each(self.results()) + '}\n}\n'

    def each(self, body, all_=False):
        test = '' if all_ else 'if (!T.alive) continue;\n' if 'T.off' in body else 'if (!T.alive || T.off) continue;\n'
        return ('for (unsigned t = 0; t < NT; t++) {\nthread &T = threads[t];\n' + test + '{\n'
                + self.place(body, False) + '}\n' + ('next:;\n' if '$return' in body else '') + '}\n') \
            .replace('next', self.fresh() + '_next')

    def reference_stage(self, stage):
        p = lambda text: self.place(text, False)
        kind = stage[0]
        if kind == 'each':
            return self.each(stage[1])
        if kind == 'around':
            return p(stage[1]) + ' {\n' + ''.join(self.reference_stage(s) for s in stage[2]) + '}\n'
        if kind == 'until':
            return (f'for (unsigned {stage[1]} = 0; {stage[1]} < 4; {stage[1]}++) {{\nint go = 0;\n'
                    + self.each(f'if ({stage[2]}) go = 1;\n') + 'if (!go) break;\n'
                    + ''.join(self.reference_stage(s) for s in stage[3]) + '}\n')
        if kind == 'share':
            _, type_, factor, cond, offset = stage
            sh = 'sh_' + ('ull' if 'long' in type_ else type_)
            value, to = BY_TYPE[type_][0], BY_TYPE[type_][-1]
            return (self.each(f'if ({cond}) {sh}[(t * {factor} + {offset}) % NT] = T.{value};\n')
                    + self.each(f'T.{to} = {sh}[(t + T.u1 % 5) % NT];\n'))
        if kind == 'count':
            return self.each(stage[1]) + self.each(f'$vu2 ^= count[{stage[2]} & 31];\n')
        if kind == 'vote':
            first = {'count': 'n += c;', 'or': 'n |= c;', 'and': 'n &= c;'}[stage[1]]
            return (f'{{\nint n = {1 if stage[1] == "and" else 0};\n'
                    + self.each(f'int c = {stage[2]} ? 1 : 0; {first}\n')
                    + self.each(f'T.{stage[3]} += n;\n') + '}\n')
        if kind == 'tree':
            return ('{\nunsigned n = 0;\n' + self.each(f'sh_unsigned[t] = {stage[1]};\n')
                    + 'for (unsigned s = NT / 2; s > 0; s >>= 1)\nfor (unsigned t = 0; t < s; t++) sh_unsigned[t] += sh_unsigned[t + s];\n'
                    + 'n = sh_unsigned[0];\n' + self.each(f'T.{stage[2]} = n;\n') + '}\n')
        if kind == 'scan':
            return (self.each(f'sh_unsigned[t] = {stage[1]};\n')
                    + 'for (unsigned t = 1; t < NT; t++) sh_unsigned[t] += sh_unsigned[t - 1];\n'
                    + self.each(f'T.{stage[2]} = sh_unsigned[t];\n'))
        if kind == 'row':
            return (self.each(f'rows[t] = {stage[1]};\n')
                    + self.each(f'T.{stage[3]} = rows[(t & ~31u) + ((t + {stage[2]}) & 31)];\n'))
        if kind == 'warps':
            k = stage[1]
            # A warp's turns are the same for all of its threads; others wait in the mean time.
            return (f'for (unsigned {k} = 0; {k} < 4; {k}++) {{\n'
                    + self.each(f'T.off = !({k} < {stage[2]});\n')
                    + ''.join(self.reference_stage(s) for s in stage[3]) + '}\n'
                    + self.each('T.off = 0;\n', True))
        _, op, mask, cond, type_, value, lane, width, test = stage
        to = BY_TYPE[type_][-1]
        text = f'{{\nstd::vector<{type_}> given(NT);\nstd::vector<int> lane(NT), is(NT), in_(NT);\n'
        text += self.each(f'in_[t] = {cond} ? 1 : 0;\nif (in_[t]) {{\ngiven[t] = {value}; lane[t] = {lane}; is[t] = {test} ? 1 : 0;\n}}\n')
        body = f'if (in_[t]) {{\nunsigned w = t & ~31u, l = t & 31, first = l & ~{width - 1}u; (void)first;\n'
        body += {
            'xor': f'unsigned s = l ^ lane[t]; T.{to} = s < first + {width} ? given[w + s] : given[t];\n',
            'up': f'T.{to} = l >= first + lane[t] ? given[t - lane[t]] : given[t];\n',
            'down': f'T.{to} = l + lane[t] < first + {width} ? given[t + lane[t]] : given[t];\n',
            'idx': f'T.{to} = given[w + first + lane[t] % {width}];\n',
            'ballot': 'T.u3 = 0; for (int i = 0; i < 32; i++) if (in_[w + i] && is[w + i]) T.u3 |= 1u << i;\n',
            'any': 'int n = 0; for (int i = 0; i < 32; i++) if (in_[w + i]) n |= is[w + i]; T.u3 += n;\n',
            'all': 'int n = 1; for (int i = 0; i < 32; i++) if (in_[w + i]) n &= is[w + i]; T.u3 += n;\n',
            'add': 'unsigned n = 0; for (int i = 0; i < 32; i++) if (in_[w + i]) n += given[w + i]; T.u3 = n;\n',
            'max': 'unsigned n = 0; for (int i = 0; i < 32; i++) if (in_[w + i] && given[w + i] > n) n = given[w + i]; T.u3 = n;\n',
            'match': 'unsigned n = 0; for (int i = 0; i < 32; i++) if (in_[w + i] && (given[w + i] & 3) == (given[t] & 3)) n |= 1u << i; T.u3 = n;\n',
        }[op]
        return text + self.each(body + '}\n') + '}\n'


ATOMICS = ''.join(f'static void atomic_{op}(unsigned *a, unsigned b) {{ *a = {how}; }}\n' for op, how in [
    ('Add', '*a + b'), ('Max', 'umax(*a, b)'), ('Min', 'umin(*a, b)'), ('Xor', '*a ^ b'),
    ('Or', '*a | b'), ('And', '*a & b')])

QUADS = r'''
__device__ inline void put4(unsigned *to, unsigned a, unsigned b, unsigned c, unsigned d)
{
	*(uint4 *)to = make_uint4(a, b, c, d);
}
__device__ inline unsigned sum4(const unsigned *from)
{
	uint4 v = *(const uint4 *)from;
	return v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}
'''
REFERENCE_QUADS = r'''
static void put4(unsigned *to, unsigned a, unsigned b, unsigned c, unsigned d) { to[0] = a, to[1] = b, to[2] = c, to[3] = d; }
static unsigned sum4(const unsigned *from) { return from[0] + 3 * from[1] + 5 * from[2] + 7 * from[3]; }
'''
TABLE = ' unsigned table[64] = {' + ', '.join(str(i * i * 2654435 % 4294967291) + 'u' for i in range(64)) + '};\n'

MAIN = r'''
static int differ(const char *kernel, const char *what, const unsigned long long *got,
		  const unsigned long long *wanted, size_t n, size_t row)
{
	for (size_t i = 0; i < n; i++)
		if (got[i] != wanted[i]) {
			printf("%s: %s of thread %zu, place %zu: %llx is not %llx\n", kernel, what,
			       i / row, i % row, got[i], wanted[i]);
			return 1;
		}
	return 0;
}

typedef void function(const unsigned *, const float *, unsigned *, unsigned *, unsigned long long *,
		      unsigned, unsigned);

static int compare(const char *name, function *kernel, function *reference, dim3 grid, dim3 block,
		   unsigned p0, unsigned p1)
{
	const size_t n = (size_t)grid.x * grid.y * block.x * block.y * block.z, row = ROW;
	std::vector<unsigned> in(N_IN), own(4 * n), counts(64);
	std::vector<float> fin(N_IN);
	for (unsigned i = 0; i < N_IN; i++) {
		in[i] = (i * 2654435761u) ^ (i << 7);
		fin[i] = (float)(int)(in[i] % 2001 - 1000) / 8;
	}
	std::vector<unsigned long long> out(row * n), wanted(row * n), wide(4 * n + 64), expected(4 * n + 64);
	unsigned *d_in, *d_own, *d_counts;
	float *d_fin;
	unsigned long long *d_out;
	cudaMalloc(&d_in, N_IN * 4), cudaMalloc(&d_fin, N_IN * 4), cudaMalloc(&d_own, 16 * n);
	cudaMalloc(&d_counts, 64 * 4), cudaMalloc(&d_out, row * n * 8);
	cudaMemcpy(d_in, in.data(), N_IN * 4, cudaMemcpyHostToDevice);
	cudaMemcpy(d_fin, fin.data(), N_IN * 4, cudaMemcpyHostToDevice);
	cudaMemset(d_own, 0, 16 * n), cudaMemset(d_counts, 0, 64 * 4), cudaMemset(d_out, 0, row * n * 8);
	kernel<<<grid, block, 4 * block.x * block.y * block.z>>>(d_in, d_fin, d_own, d_counts, d_out, p0, p1);
	cudaError_t error = cudaDeviceSynchronize();
	if (error != cudaSuccess) {
		printf("%s: %s\n", name, cudaGetErrorName(error));
		return 1;
	}
	reference(in.data(), fin.data(), own.data(), counts.data(), wanted.data(), p0, p1);
	cudaMemcpy(out.data(), d_out, row * n * 8, cudaMemcpyDeviceToHost);
	int bad = differ(name, "a variable", out.data(), wanted.data(), row * n, row);
	for (size_t i = 0; i < 4 * n; i++)
		expected[i] = own[i];
	for (size_t i = 0; i < 64; i++)
		expected[4 * n + i] = counts[i];
	cudaMemcpy(own.data(), d_own, 16 * n, cudaMemcpyDeviceToHost);
	cudaMemcpy(counts.data(), d_counts, 64 * 4, cudaMemcpyDeviceToHost);
	for (size_t i = 0; i < 4 * n; i++)
		wide[i] = own[i];
	for (size_t i = 0; i < 64; i++)
		wide[4 * n + i] = counts[i];
	bad |= differ(name, "memory", wide.data(), expected.data(), 4 * n + 64, 4);
	cudaFree(d_in), cudaFree(d_fin), cudaFree(d_own), cudaFree(d_counts), cudaFree(d_out);
	return bad;
}
'''

RUNS = [{}, {'CUDASIM_BODY': 'v3'}, {'CUDASIM_ENGINE': 'fibers'}, {'CUDASIM_BODY': 'watched'},
        {'CUDASIM_SCHEDULE': 'reverse'}, {'CUDASIM_SCHEDULE': 'random:7'},
        {'CUDASIM_ENGINE': 'fibers', 'CUDASIM_SCHEDULE': 'random:3'},
        {'CUDASIM_CHECK': 'memcheck,racecheck,initcheck', 'CUDASIM_CHECK_OPTIONS': '--error-exitcode 9'}]


def write(folder, kernels):
    row = len(VARIABLES) + 1
    declared = ''.join(k.signature(f'reference_{k.name}').rstrip() + ';\n' for k in kernels)
    with open(f'{folder}/common.h', 'w') as f:
        f.write(COMMON + declared)
    with open(f'{folder}/reference.cpp', 'w') as f:
        f.write('#include "common.h"\n' + REFERENCE + ATOMICS + REFERENCE_QUADS + 'static const' + TABLE + ''.join(k.reference() for k in kernels))
    with open(f'{folder}/kernels.cu', 'w') as f:
        f.write('#include "common.h"\n#include <cstdio>\n#include <vector>\n'
                f'enum {{ N_IN = {N_IN}, ROW = {row} }};\n')
        f.write(QUADS + '__constant__' + TABLE + ''.join(k.device() for k in kernels) + MAIN + 'int main()\n{\nint bad = 0;\n')
        for k in kernels:
            for p0, p1 in (5, 2), (14, 9):
                f.write(f'bad += compare("{k.name}", {k.name}, reference_{k.name}, dim3({k.grid[0]}, {k.grid[1]}), '
                        f'dim3({k.shape[0]}, {k.shape[1]}, {k.shape[2]}), {p0}, {p1});\n')
        f.write('printf("%d bad\\n", bad);\nreturn bad != 0;\n}\n')


def run(command, env=None, seconds=300):
    """What the command says where it fails, else None."""
    try:
        done = subprocess.run(command, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds, text=True, errors='replace')
    except subprocess.TimeoutExpired:
        return f'no end in {seconds} s'
    return None if done.returncode == 0 else f'status {done.returncode}: {done.stdout[-3000:]}'


def program(cudasim, folder, seeds):
    """Build and run the program of these seeds; the failures as lines."""
    write(folder, [Kernel(seed) for seed in seeds])
    # gcc 12 makes 0.0 - (double)u, which is 0 for 0, to -(double)u, unless rounding may change.
    for command in (['g++', '-O1', '-w', '-ffp-contract=off', '-frounding-math', '-fwrapv', '-c', f'{folder}/reference.cpp',
                     '-o', f'{folder}/reference.o'],
                    [cudasim, 'cc', '-w', '-fmad=false', f'{folder}/kernels.cu', f'{folder}/reference.o',
                     '-o', f'{folder}/program']):
        said = run(command)
        if said:
            return [f'{command[0]}: {said}']
    failures = []
    for env in RUNS:
        said = run([f'{folder}/program'], {'CUDASIM': '1', **env})
        if said:
            failures.append(f'{env}: {said}')
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--cudasim', required=True)
    parser.add_argument('--seeds', default='1:8', help='FIRST:LAST')
    parser.add_argument('--kernels', type=int, default=4, help='kernels a program')
    parser.add_argument('--keep', help='where programs that fail are kept')
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(':'))
    bad = 0
    print('TAP version 13')
    programs = [range(i, min(i + options.kernels, last + 1))
                for i in range(first, last + 1, options.kernels)]
    for number, seeds in enumerate(programs, 1):
        with tempfile.TemporaryDirectory() as folder:
            if options.keep:
                folder = f'{options.keep}/{seeds[0]}'
                os.makedirs(folder, exist_ok=True)
            failures = program(options.cudasim, folder, seeds)
        print(f'{"not " if failures else ""}ok {number} - kernels {seeds[0]} to {seeds[-1]}', flush=True)
        for line in '\n'.join(failures).splitlines():
            print('#', line, flush=True)
        bad += bool(failures)
    print(f'1..{len(programs)}')
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
