# SPDX-License-Identifier: Apache-2.0
"""Trees of statements, mostly irreducible, as flow_fuzz.py draws them."""

N_OWN, N_COUNTS = 4, 16     # words of a thread in memory, counts of all
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
