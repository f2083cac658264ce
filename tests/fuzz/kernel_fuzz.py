#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels against a reference that knows no threads.

A program is drawn as a tree of statements: those of one thread (expressions, branches, loops of
any length, early returns), and those where threads meet (barriers, exchanges by shared memory and
atomics, shuffles and votes, hand-overs from warp to warp by mbarriers, turns that warps take by a flag, loops
and branches that all threads of a block take together). It is written twice: as a CUDA kernel, and as C++ for gcc in which each statement of one thread is a loop
over the block's threads, so that meeting is a matter of order. All values are defined: unsigned
arithmetic, masked shifts, checked conversions, no contraction of floats; NaN is written as one.
The program compares what both give; the kernel is run on each engine, each body and under several
schedules, and under the checkers, which must have nothing to report.

  kernel_fuzz.py --cudasim build/cudasim --seeds 1:20 [--keep FOLDER] [--kernels 4]

The drawing of programs follows Csmith (Yang, Chen, Eide, Regehr, PLDI 2011) and its offspring for
OpenCL (Lidbury, Lascu, Chong, Donaldson, "Many-core compiler fuzzing", PLDI 2015)."""
import random
import sys

import programs
from kernel_text import ATOMICS, COMMON, MAIN, QUADS, REFERENCE, REFERENCE_QUADS, TABLE, WAITS
from kernel_thread import BY_TYPE, FLOATS, N_IN, VARIABLES, Thread

SHAPES = [(32, 1, 1), (64, 1, 1), (128, 1, 1), (256, 1, 1), (96, 1, 1), (16, 16, 1), (32, 8, 1),
          (8, 8, 2), (7, 5, 1), (33, 1, 1), (100, 1, 1), (1, 64, 1), (4, 4, 4), (1, 1, 1)]
GRIDS = [(1, 1), (3, 1), (4, 1), (2, 2), (7, 1), (70, 1)]


class Kernel(Thread):
    """One kernel, drawn from a seed; device() and reference() write it."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.name = f'k{seed}'
        self.shape = r.choice(SHAPES)
        self.grid = r.choice(GRIDS)
        self.nt = self.shape[0] * self.shape[1] * self.shape[2]
        self.warps = self.nt % 32 == 0
        self.dynamic = r.random() < 0.5 # shared memory by the launch
        super().__init__(r)
        self.waits = False
        self.stages = []
        while self.budget > 0:
            self.stages.append(self.stage(0))

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
        if 0.79 < kind < 0.88 and self.warps and self.nt >= 64 and not (self.returned or self.left):
            return self.hand_over() if kind < 0.84 else self.turns()
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

    def hand_over(self):
        """The first half of the warps fills two buffers by turns, the others use them."""
        r, i = self.r, self.fresh()
        self.waits = True
        self.names.append(i)
        value = self.expr('unsigned', 2)
        self.names.pop()
        return ('hand', i, r.randint(1, 6), value, r.choice(BY_TYPE['unsigned']), r.choice(['all', 'lane', 'even']),
                r.choice(['all', 'lane']))

    def turns(self):
        """One warp after the other."""
        r, n = self.r, self.nt // 32
        self.waits = True
        where = r.choice(['(tid >> 5)', f'({n - 1} - (tid >> 5))', f'(((tid >> 5) + {r.randint(0, n - 1)}) % {n})'])
        return 'turns', where, self.expr('unsigned', 2), r.choice(BY_TYPE['unsigned'])

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
        if self.waits:
            text += ('__shared__ unsigned long long bars[4];\n__shared__ unsigned handed[2][NT];\n'
                     '__shared__ volatile unsigned turn;\n__shared__ unsigned summed[32];\n')
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
        if kind == 'hand':
            _, i, rounds, value, to, first, second = stage
            half = self.nt // 64 * 32
            arrive = {'all': 'arrive(&bars[$bar]);\n', 'even': 'if (tid % 2 == 0) arrive(&bars[$bar]);\n',
                      'lane': '__syncwarp();\nif (tid % 32 == 0) arrive(&bars[$bar]);\n'}
            # Who has not arrived must not go on before its warp has.
            before = '__syncwarp();\n' if first == 'even' else ''
            n = {'all': 1, 'even': 2, 'lane': 32}
            return (f'if (tid < 4) set(&bars[tid], tid < 2 ? {half // n[first]} : {(self.nt - half) // n[second]});\n'
                    f'__syncthreads();\nif (tid < {half}) {{\nfor (unsigned {i} = 0; {i} < {rounds}; {i}++) {{\n'
                    f'if ({i} > 1) await(&bars[2 + {i} % 2], ({i} / 2 + 1) & 1);\n'
                    f'handed[{i} % 2][tid] = {p(value)};\n' + before + arrive[first].replace('$bar', f'{i} % 2')
                    + f'}}\n}} else {{\nfor (unsigned {i} = 0; {i} < {rounds}; {i}++) {{\n'
                    f'await(&bars[{i} % 2], {i} / 2 & 1);\n'
                    f'{to} = {to} * 3 + handed[{i} % 2][(tid * 5 + {i}) % {half}];\n' + arrive[second].replace('$bar', f'2 + {i} % 2')
                    + '}\n}\n__syncthreads();\nif (tid < 4) drop(&bars[tid]);\n__syncthreads();\n')
        if kind == 'turns':
            _, where, value, to = stage
            return ('if (tid == 0) turn = 0;\nif (tid < 32) summed[tid] = tid;\n__syncthreads();\n'
                    f'while (turn != {where}) ;\n__syncwarp();\n'
                    f'summed[tid & 31] = summed[tid & 31] * 3 + {p(value)};\n__syncwarp();\n__threadfence_block();\n'
                    f'if ((tid & 31) == 0) atomicExch((unsigned *)&turn, {where} + 1);\n__syncthreads();\n'
                    f'{to} ^= summed[tid & 31];\n__syncthreads();\n')
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
        if kind == 'hand':
            _, i, rounds, value, to, _, _ = stage
            half = self.nt // 64 * 32
            return (f'{{\nunsigned handed[{rounds}][{half}];\n'
                    + self.each(f'if (t < {half}) for (unsigned {i} = 0; {i} < {rounds}; {i}++) handed[{i}][t] = {value};\n')
                    + self.each(f'if (t >= {half}) for (unsigned i = 0; i < {rounds}; i++) '
                                f'T.{to} = T.{to} * 3 + handed[i][(t * 5 + i) % {half}];\n') + '}\n')
        if kind == 'turns':
            _, where, value, to = stage
            where = where.replace('tid', 't')
            return ('{\nunsigned summed[32];\nfor (unsigned i = 0; i < 32; i++) summed[i] = i;\n'
                    'for (unsigned turn = 0; turn < NT / 32; turn++) {\n'
                    + self.each(f'if ({where} == turn) summed[t & 31] = summed[t & 31] * 3 + {value};\n') + '}\n'
                    + self.each(f'T.{to} ^= summed[t & 31];\n') + '}\n')
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


RUNS = [{}, {'CUDASIM_BODY': 'v3'}, {'CUDASIM_ENGINE': 'fibers'}, {'CUDASIM_BODY': 'watched'},
        {'CUDASIM_SCHEDULE': 'reverse'}, {'CUDASIM_SCHEDULE': 'random:7'},
        {'CUDASIM_ENGINE': 'fibers', 'CUDASIM_SCHEDULE': 'random:3'}]


# racecheck, too, but for programs with hand-overs: it would search for minutes through what threads know by hundreds
# of arrivals.
def runs(kernels):
    tools = 'memcheck,initcheck' if any(k.waits for k in kernels) else 'memcheck,racecheck,initcheck'
    return RUNS + [{'CUDASIM_CHECK': tools, 'CUDASIM_CHECK_OPTIONS': '--error-exitcode 9'}]


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
        f.write(WAITS + QUADS + '__constant__' + TABLE + ''.join(k.device() for k in kernels) + MAIN + 'int main()\n{\nint bad = 0;\n')
        for k in kernels:
            for p0, p1 in (5, 2), (14, 9):
                f.write(f'bad += compare("{k.name}", {k.name}, reference_{k.name}, dim3({k.grid[0]}, {k.grid[1]}), '
                        f'dim3({k.shape[0]}, {k.shape[1]}, {k.shape[2]}), {p0}, {p1});\n')
        f.write('printf("%d bad\\n", bad);\nreturn bad != 0;\n}\n')


def program(cudasim, folder, seeds, options):
    kernels = [Kernel(seed) for seed in seeds]
    write(folder, kernels)
    # gcc 12 makes 0.0 - (double)u, which is 0 for 0, to -(double)u, unless rounding may change.
    return programs.failures(folder, cudasim, ['-frounding-math'], ['-fmad=false', *(options.flags or '').split()], runs(kernels), 300)


if __name__ == '__main__':
    sys.exit(programs.main(__doc__, program, kernels=4, seeds='1:8'))
