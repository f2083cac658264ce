# SPDX-License-Identifier: Apache-2.0
"""Expressions and statements of one thread, as kernel_fuzz.py draws them.

Names stand as placeholders ($tid, $v...), which Kernel.place() replaces for the kernel and for the reference."""

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
N_IN = 1024


class Thread:
    """Draws what one thread does; a subclass sets the kernel's name and the launch: name, nt, grid."""

    def __init__(self, r):
        self.r = r
        self.returned = False     # threads may have left
        self.counter = 0
        self.names = []           # loop counters in scope
        self.in_loop = 0
        self.budget = r.randint(10, 45)
        self.functions = [self.function(i) for i in range(r.randint(0, 2))]

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
