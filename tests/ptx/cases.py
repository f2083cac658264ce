#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes test cases of the forms of instructions: asm statements with operands.

    cases.py [--ptxas PTXAS] FORMS.txt      prints SIGNATURE TEXT lines, a tab between

Signature: the letters of the results, _, those of the sources (h r l f d as in asm
constraints; G S A C L are the address of 64 bytes of the thread's own in global and
shared memory, the same as G as a generic address, in constant and local memory).
What is no function of its operands (clocks, cache policies) makes no case; of forms
that differ in order, scope and hints alone there is one.
"""
import re
import sys
import zlib

import forms

# Heads that answer differently each time, end the thread, or have no answer.
NO_CASE = re.compile(
    r"^(exit|trap|brkpt|pmevent|nanosleep|griddepcontrol|createpolicy|cp\.|st\.async|red\.async"
    r"|mbarrier|barrier\.cluster|activemask|elect|fence|membar|prefetch|discard|applypriority"
    r"|cvta|isspacep|mapa|getctarank|bar|ld\.param|multimem|shfl|ldu\b)")
# Words that change no value of a thread that is alone with its memory.
SILENT = re.compile(
    r"\.(weak|volatile|relaxed|acquire|release|acq_rel|cta|cluster|gpu|sys|mmio|ca|cg|cs|lu|cv|wb|wt"
    r"|nc|L1::\w+|L2::\w+)(?=\.|$)")
KEPT_ORDERS = re.compile(r"^(ld|st|atom|red)\.(volatile|acquire\.gpu|release\.sys|acq_rel\.cta)")


def letters(text):
    """Operands' letters one by one; braces make tuples."""
    out, i = [], 0
    while i < len(text):
        if text[i] == "{":
            end = text.index("}", i)
            out.append(tuple(text[i + 1:end]))
            i = end
        else:
            out.append(text[i])
        i += 1
    return out


CELL = "GSACL"
SPACE_OF = {"G": "global", "C": "const", "L": "local"}


class Case:
    """An asm statement in the making."""

    def __init__(self, head, cell_words=""):
        """cell_words: how many words of memory it may write, all of a cell if empty."""
        self.head, self.before, self.after, self.cell_words = head, "", "", cell_words
        self.results, self.sources, self.operands = [], [], []

    def dest(self, letter):
        if letter == "p":
            self.before += ".reg .pred dp; "
            self.after += " selp.u32 %R0, 1, 0, dp;"
            self.results.append("r")
            return "dp"
        if letter == "P":
            self.before += ".reg .pred dp, dq; .reg .u32 two; "
            self.after += " selp.u32 %R0, 1, 0, dp; selp.u32 two, 2, 0, dq; or.b32 %R0, %R0, two;"
            self.results.append("r")
            return "dp|dq"
        if letter == "R":
            self.before += ".reg .pred dp; .reg .u32 dr, ds; "
            self.after += " selp.u32 ds, 1, 0, dp; mov.b64 %R0, {dr, ds};"
            self.results.append("l")
            return "dr|dp"
        if letter == "q":
            self.before += ".reg .b128 dq; "
            self.after += " mov.b128 {%R0, %R1}, dq;"
            self.results += ["l", "l"]
            return "dq"
        if letter == "b":
            self.before += ".reg .b8 db; "
            self.after += " cvt.u32.u8 %R0, db;"
            self.results.append("r")
            return "db"
        if letter == "_":
            return "_"
        self.results.append(letter)
        return "%R" + str(len(self.results) - 1)

    def source(self, letter):
        if letter == "p":
            k = self.new_source("r")
            name = "sp%s" % k[2:]
            self.before += ".reg .pred %s; setp.lt.s32 %s, %s, 33; " % (name, name, k)
            return name
        if letter == "q":
            low, high = self.new_source("l"), self.new_source("l")
            name = "sq%s" % low[2:]
            self.before += ".reg .b128 %s; mov.b128 %s, {%s, %s}; " % (name, name, low, high)
            return name
        if letter == "b":
            k = self.new_source("r")
            self.before += ".reg .b8 sb; cvt.u8.u32 sb, %s; " % k
            return "sb"
        if letter in CELL:
            k = self.new_source(letter + str(self.cell_words))
            if letter in SPACE_OF:
                self.before += ".reg .u64 at; cvta.to.%s.u64 at, %s; " % (SPACE_OF[letter], k)
                return "[at]"
            return "[%s]" % k
        if letter == "M":
            return "0xffffffff"
        if letter in "nNK":
            return {"n": "4", "N": "128", "K": "16"}[letter]
        return self.new_source(letter)

    def new_source(self, letter):
        self.sources.append(letter)
        return "%S" + str(len(self.sources) - 1)

    def add(self, dest, sources, immediates=None):
        """The operands; immediates take the place of the n's."""
        for letter in letters(dest):
            many = isinstance(letter, tuple)
            parts = [self.dest(one) for one in letter]
            self.operands.append("{" + ", ".join(parts) + "}" if many else parts[0])
        values = list(immediates or [])
        for letter in letters(sources):
            if letter == "n" and values:
                self.operands.append(values.pop(0))
                continue
            many = isinstance(letter, tuple)
            parts = [self.source(one) for one in letter]
            self.operands.append("{" + ", ".join(parts) + "}" if many else parts[0])

    def finish(self):
        text = self.before + self.head + " " + ", ".join(self.operands) + ";" + self.after
        if self.before or self.after:
            text = "{ " + text + " }"
        n = len(self.results)
        text = re.sub(r"%R(\d+)", lambda m: "%" + m.group(1), text)
        text = re.sub(r"%S(\d+)", lambda m: "%" + str(int(m.group(1)) + n), text)
        return "".join(self.results) + "_" + "".join(self.sources), text


def case_of(head, dest, sources, immediates=None):
    """(signature, text) of a form; immediates take the place of its n's."""
    case = Case(head)
    case.add(dest, sources, immediates)
    return case.finish()


def register_cases(every):
    seen = set()
    for chapter, head, dest, sources in every:
        if NO_CASE.match(head) or "%" in sources or "b" in dest + sources:
            continue
        if chapter in ("memory", "atomic"):
            if not dest and not re.match("st|red", head):
                continue
            bare = SILENT.sub("", head)
            if bare != head and not KEPT_ORDERS.match(head):
                continue
            if "l" in sources and "cache_hint" in head:
                continue
        if chapter == "carry":
            continue
        if chapter == "compare" and re.search(r"\.(and|or|xor)\b", head):
            # One in five of the combinations.
            if zlib.crc32(head.encode()) % 5:
                continue
        form = (head, dest, sources)
        if form in seen:
            continue
        seen.add(form)
        if head.startswith("lop3"):
            for table in ("0xe8", "0x96", "0x1b", "0xca", "0"):
                yield case_of(head, dest, sources, [table])
        else:
            yield case_of(head, dest, sources)


def video_cases():
    """Selectors of the video instructions, and masks of lanes."""
    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for types in ("u32.u32.s32", "s32.s32.u32", "s32.s32.s32", "u32.u32.u32"):
            for a, b in (("b0", "h1"), ("h0", "b3"), ("b1", "b2")):
                yield "r_rr", f"{op}.{types} %0, %1.{a}, %2.{b};"
                yield "r_rr", f"{op}.{types}.sat %0, %1.{a}, %2.{b};"
                for second in ("add", "min", "max"):
                    yield "r_rrr", f"{op}.{types}.sat.{second} %0, %1.{a}, %2.{b}, %3;"
                for d in ("b0", "h1", "b2"):
                    for sat in ("", ".sat"):
                        yield "r_rrr", "{ .reg .u32 t; %s.%s%s t.%s, %%1.%s, %%2.%s, %%3; mov.u32 %%0, t; }" % (op, types, sat, d, a, b)
    for op in ("vshl", "vshr"):
        for types in ("u32.u32.u32", "s32.s32.u32", "u32.s32.u32", "s32.u32.u32"):
            for mode in ("clamp", "wrap"):
                for a, b in (("b0", "b1"), ("h1", "b0")):
                    for sat in ("", ".sat"):
                        yield "r_rr", f"{op}.{types}{sat}.{mode} %0, %1.{a}, %2.{b};"
                        for d in ("b0", "h1"):
                            yield "r_rrr", "{ .reg .u32 t; %s.%s%s.%s t.%s, %%1.%s, %%2.%s, %%3; mov.u32 %%0, t; }" % (op, types, sat, mode, d, a, b)
    for types in ("u32.u32", "s32.u32", "s32.s32"):
        for a, b in (("b0", "b1"), ("h1", "b0")):
            for d in ("b1", "h0"):
                yield "r_rrr", "{ .reg .u32 t; vset.%s.lt t.%s, %%1.%s, %%2.%s, %%3; mov.u32 %%0, t; }" % (types, d, a, b)
    for types in ("u32.u32.u32", "s32.s32.u32", "s32.u32.s32", "s32.s32.s32", "u32.s32.u32", "u32.u32.s32", "u32.s32.s32", "s32.u32.u32"):
        for end in ("", ".po", ".sat", ".shr7", ".shr15", ".sat.shr7", ".po.sat.shr15"):
            yield "r_rrr", f"vmad.{types}{end} %0, %1.h0, %2.b1, %3;"
            if "po" not in end:
                yield "r_rrr", f"vmad.{types}{end} %0, -%1, %2, %3;"
                yield "r_rrr", f"vmad.{types}{end} %0, %1.b0, -%2.h1, %3;"
                yield "r_rrr", f"vmad.{types}{end} %0, %1.b3, %2.h1, -%3;"
    for op in ("vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2"):
        for types in ("u32.u32.s32", "s32.s32.s32"):
            for d, a, b in (("h0", "", ""), ("h1", ".h10", ".h01"), ("h10", ".h13", ".h20"), ("h10", ".h01", ".h33")):
                for end in ("", ".sat", ".add"):
                    yield "r_rrr", "{ .reg .u32 t; %s.%s%s t.%s, %%1%s, %%2%s, %%3; mov.u32 %%0, t; }" % (op, types, end, d, a, b)
    for op in ("vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4"):
        for types in ("u32.u32.s32", "s32.s32.s32"):
            for d, a, b in (("b0", "", ""), ("b31", ".b3210", ".b0123"), ("b3210", ".b7654", ".b4527"), ("b210", ".b0404", ".b3333")):
                for end in ("", ".sat", ".add"):
                    yield "r_rrr", "{ .reg .u32 t; %s.%s%s t.%s, %%1%s, %%2%s, %%3; mov.u32 %%0, t; }" % (op, types, end, d, a, b)
    for op, d, a, b in (("vset2", "h1", ".h01", ".h32"), ("vset4", "b30", ".b0123", ".b7210")):
        for end in ("lt", "ge.add"):
            yield "r_rrr", "{ .reg .u32 t; %s.s32.u32.%s t.%s, %%1%s, %%2%s, %%3; mov.u32 %%0, t; }" % (op, end, d, a, b)


def carry_cases():
    for t, letter in (("u32", "r"), ("s32", "r"), ("u64", "l"), ("s64", "l")):
        for op in ("add", "sub"):
            yield letter * 2 + "_" + letter * 2, f"{op}.cc.{t} %0, %2, %3; addc.{t} %1, 0, 0;"
            yield letter * 2 + "_" + letter * 2, f"{op}.cc.{t} %0, %2, %3; subc.{t} %1, 0, 0;"
            yield letter * 2 + "_" + letter * 4, f"{op}.cc.{t} %0, %2, %3; {op}c.{t} %1, %4, %5;"
            yield letter * 3 + "_" + letter * 4, f"{op}.cc.{t} %0, %3, %4; {op}c.cc.{t} %1, %5, %6; {op}c.{t} %2, 0, 0;"
        for part in ("lo", "hi"):
            yield letter * 2 + "_" + letter * 3, f"mad.{part}.cc.{t} %0, %2, %3, %4; addc.{t} %1, 0, 0;"
            yield letter * 3 + "_" + letter * 4, f"add.cc.{t} %0, %3, %4; madc.{part}.cc.{t} %1, %4, %5, %6; addc.{t} %2, 0, 0;"
            yield letter * 2 + "_" + letter * 4, f"sub.cc.{t} %0, %2, %3; madc.{part}.{t} %1, %4, %5, %2;"
    yield "rrr_rrrr", "mad.lo.cc.u32 %0, %3, %4, %5; madc.hi.cc.u32 %1, %3, %4, %6; addc.u32 %2, 0, 0;"
    yield "ll_ll", "{ .reg .u64 t; mul.lo.u64 %0, %2, %3; mul.hi.u64 t, %2, %3; add.cc.u64 %0, %0, %2; addc.u64 %1, t, 0; }"
    yield "rr_rrr", "{ .reg .pred p; setp.lt.u32 p, %4, 20; add.cc.u32 %0, %2, %3; @p add.cc.u32 %0, %0, %0; addc.u32 %1, 0, 0; }"


def warp_cases():
    """Shuffles with bounds and masks; lanes 0..31 of the inputs make a warp."""
    for mode in ("up", "down", "bfly", "idx"):
        for bound in (("0", "0x1800", "0x1e00") if mode == "up" else ("31", "0x1807", "0x1c1f", "0x0f1f")):
            for lane in ("1", "5", "16", "31"):
                yield "l_r", "{ .reg .pred p; .reg .u32 a, b; shfl.sync.%s.b32 a|p, %%1, %s, %s, 0xffffffff; selp.u32 b, 1, 0, p; mov.b64 %%0, {a, b}; }" % (mode, lane, bound)
        yield "l_rr", "{ .reg .pred p; .reg .u32 a, b; shfl.sync.%s.b32 a|p, %%1, %%2, 0x101f, -1; selp.u32 b, 1, 0, p; mov.b64 %%0, {a, b}; }" % mode
        yield "r_rr", "shfl.sync.%s.b32 %%0, %%1, %%2, 0, 0xffffffff;" % mode
        yield "f_f", "shfl.sync.%s.b32 %%0, %%1, 3, 0x1f, 0xffffffff;" % mode
    for op in ("any", "all"):
        for t, letter in (("b32", "r"), ("b64", "l")):
            yield "r_" + letter, "{ .reg .%s t; and.%s t, %%1, 3; match.%s.sync.%s %%0, t, 0xffffffff; }" % (t, t, op, t)
    for t in ("b32",):
        yield "l_r", "{ .reg .pred p; .reg .u32 a, b; shr.u32 a, %1, 31; match.all.sync.b32 a|p, a, 0xffffffff; selp.u32 b, 1, 0, p; mov.b64 %0, {a, b}; }"
        yield "l_r", "{ .reg .pred p; .reg .u32 a, b; and.b32 a, %1, 0; match.all.sync.b32 a|p, a, 0xffffffff; selp.u32 b, 1, 0, p; mov.b64 %0, {a, b}; }"
    for op in ("all", "any", "uni"):
        yield "r_r", "{ .reg .pred p; setp.ne.u32 p, %%1, 0xfffff; vote.sync.%s.pred p, p, 0xffffffff; selp.u32 %%0, 1, 0, p; }" % op
        yield "r_r", "{ .reg .pred p; setp.ne.u32 p, %%1, 0xfffff; vote.sync.%s.pred p, !p, 0xffffffff; selp.u32 %%0, 1, 0, p; }" % op
    # Half a warp each, with a mask of its own.
    yield "r_r", "{ .reg .pred p; .reg .u32 m, l; mov.u32 l, %laneid; setp.lt.u32 p, l, 16; selp.u32 m, 0xffff, 0xffff0000, p; mov.u32 %0, 0; @p redux.sync.add.u32 %0, %1, m; @!p redux.sync.max.s32 %0, %1, m; }"
    yield "r_r", "{ .reg .pred p; .reg .u32 m, l; mov.u32 l, %laneid; setp.lt.u32 p, l, 10; @p bra LOW%=; shfl.sync.bfly.b32 %0, %1, 1, 31, 0xfffffc00; bra.uni END%=; LOW%=: shfl.sync.down.b32 %0, %1, 2, 31, 0x3ff; END%=: bar.warp.sync 0xffffffff; }"
    yield "r_r", "{ .reg .pred p; .reg .u32 l; mov.u32 l, %laneid; and.b32 l, l, 1; setp.eq.u32 p, l, 0; mov.u32 %0, 7; @p bra EVEN%=; activemask.b32 l; bra.uni END%=; EVEN%=: mov.u32 l, 1; END%=: bar.warp.sync 0xffffffff; mov.u32 %0, l; }"
    yield "r_r", "{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %0, 1, %0, p; }"
    yield "r_r", "{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
    # The whole block of 128 threads.
    for id_ in ("0", "3"):
        for count in ("", ", 128"):
            yield "r_r", "{ .reg .pred p; setp.lt.s32 p, %%1, 33; bar.red.popc.u32 %%0, %s%s, p; }" % (id_, count)
            yield "r_r", "{ .reg .pred p; setp.lt.s32 p, %%1, 33; barrier.cta.red.and.pred p, %s%s, p; selp.u32 %%0, 1, 0, p; }" % (id_, count)
            yield "r_r", "{ .reg .pred p; setp.lt.s32 p, %%1, 33; barrier.red.or.aligned.pred p, %s%s, !p; selp.u32 %%0, 1, 0, p; }" % (id_, count)
            yield "r_S", "{ mov.u32 %%0, 0; st.shared.u32 [%%1], 5; barrier.cta.sync %s%s; ld.shared.u32 %%0, [%%1]; }" % (id_, count)
    yield "r_r", "{ .reg .pred p; .reg .u32 w; mov.u32 w, %tid.x; setp.lt.u32 p, w, 64; mov.u32 %0, 1; @p bar.arrive 5, 128; @!p bar.sync 5, 128; bar.sync 0; }"


def other_cases():
    """Control flow, scopes, special registers, cells, asynchronous copies, mbarriers."""
    yield "r_rr", "{ .reg .pred p; setp.gt.s32 p, %1, %2; @p mov.u32 %0, 1; @!p mov.u32 %0, 2; }"
    yield "r_r", "{ .reg .u32 i, n; .reg .pred p; and.b32 n, %1, 15; mov.u32 i, 0; mov.u32 %0, 1; AGAIN%=: mad.lo.u32 %0, %0, 3, i; add.u32 i, i, 1; setp.le.u32 p, i, n; @p bra AGAIN%=; }"
    yield "r_rr", "{ .reg .pred p; setp.eq.u32 p, %1, %2; mov.u32 %0, 3; @p bra.uni DONE%=; add.u32 %0, %0, %1; { .reg .u32 t; mov.u32 t, 5; { .reg .u32 t; mov.u32 t, 9; } xor.b32 %0, %0, t; } DONE%=: }"
    yield "r_r", "{ .reg .u32 i; and.b32 i, %1, 3; TABLE%=: .branchtargets A%=, B%=, C%=, D%=; brx.idx i, TABLE%=; A%=: mov.u32 %0, 10; bra E%=; B%=: mov.u32 %0, 20; bra E%=; C%=: mov.u32 %0, 30; bra E%=; D%=: mov.u32 %0, 40; E%=: add.u32 %0, %0, i; }"
    yield "r_r", "// a comment; with a semicolon\\n{ /* and another; */ .reg .u32 %r<4>; add.u32 %r1, %1, (1 + 2) * 4; sub.u32 %r2, %r1, -7; xor.b32 %0, %r2, 0xffU; }"
    yield "r_r", "{ .reg .v2 .b32 v; mov.b32 v.x, %1; not.b32 v.y, v.x; mad.lo.u32 %0, v.x, 5, v.y; }"
    yield "f_ff", "{ .reg .v4 .f32 v; mov.v4.f32 v, {%1, %2, %2, %1}; add.rn.f32 %0, v.y, v.w; }"
    yield "l_rr", "{ .reg .v2 .b32 v; mov.b32 v.x, %1; mov.b32 v.y, %2; mov.b64 %0, {v.x, v.y}; }"
    yield "l_rr", "{ .reg .v2 .u32 v; mov.v2.u32 v, {%1, %2}; mov.b64 %0, {v.y, v.x}; }"
    yield "r_G", "{ .reg .v4 .u32 v; ld.global.v4.u32 v, [%1]; add.u32 %0, v.x, v.w; st.global.v4.u32 [%1+16], v; }"
    yield "r_G", "{ .reg .v2 .u32 v; ld.global.v2.u32 {v.y, v.x}, [%1+8]; sub.u32 %0, v.x, v.y; }"
    yield "r_r", "{ .local .align 8 .b32 tmp[4]; .reg .u64 a; st.local.u32 [tmp+4], %1; st.local.u32 [tmp], 3; ld.local.u32 %0, [tmp+4]; mov.u64 a, tmp; ld.local.u8 a, [a+6]; .reg .u32 b; cvt.u32.u64 b, a; add.u32 %0, %0, b; }"
    yield "r_r", "{ .shared .align 16 .b32 all[128]; .reg .u32 t, a, b; mov.u32 t, %tid.x; mov.u32 b, all; mad.lo.u32 a, t, 4, b; st.shared.u32 [a], %1; bar.sync 0; xor.b32 t, t, 33; mad.lo.u32 a, t, 4, b; ld.shared.u32 %0, [a]; bar.sync 0; }"
    for name in ("tid.x", "tid.y", "ntid.x", "ntid.z", "ctaid.x", "nctaid.x", "nctaid.y", "laneid", "lanemask_eq", "lanemask_lt",
                 "lanemask_le", "lanemask_gt", "lanemask_ge", "cluster_ctarank", "cluster_nctarank", "cluster_ctaid.x",
                 "cluster_nctaid.y", "clusterid.x", "nclusterid.x"):
        yield "r_", f"mov.u32 %0, %{name};"
    yield "h_", "mov.u16 %0, %ntid.x;"
    yield "l_", "cvt.u64.u32 %0, %tid.x;"
    yield "r_", "{ .reg .u32 a, b, c, d; mov.v4.u32 {a, b, c, d}, %tid; mad.lo.u32 %0, a, 3, b; add.u32 %0, %0, c; }"
    yield "r_", "{ .reg .v4 .u32 v; mov.v4.u32 v, %nctaid; mad.lo.u32 %0, v.x, 3, v.y; add.u32 %0, %0, v.z; }"
    yield "r_", "{ .reg .pred p; mov.pred p, %is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
    yield "r_G", "{ .reg .pred p; .reg .u64 g; cvta.global.u64 g, %1; isspacep.global p, g; selp.u32 %0, 1, 0, p; isspacep.shared p, g; @p add.u32 %0, %0, 2; isspacep.local p, g; @p add.u32 %0, %0, 4; isspacep.const p, g; @p add.u32 %0, %0, 8; }"
    yield "r_S", "{ .reg .pred p; .reg .u64 g; cvt.u64.u32 g, %1; cvta.shared.u64 g, g; isspacep.global p, g; selp.u32 %0, 1, 0, p; isspacep.shared::cta p, g; @p add.u32 %0, %0, 2; isspacep.shared::cluster p, g; @p add.u32 %0, %0, 4; isspacep.const p, g; @p add.u32 %0, %0, 8; }"
    yield "r_L", "{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; isspacep.local p, %1; @p add.u32 %0, %0, 2; isspacep.shared p, %1; @p add.u32 %0, %0, 4; }"
    for bytes_ in ("4", "8", "16"):
        yield "_SG", "cp.async.ca.shared.global [%%0], [%%1], %s; cp.async.commit_group; cp.async.wait_group 0;" % bytes_
        yield "_SGr", "{ .reg .u32 n; and.b32 n, %%2, 3; cp.async.ca.shared::cta.global [%%0+16], [%%1], %s, n; cp.async.wait_all; }" % bytes_
        yield "_SGr", "{ .reg .pred p; setp.lt.s32 p, %%2, 33; cp.async.ca.shared.global [%%0], [%%1+16], %s, p; cp.async.wait_all; }" % bytes_
    yield "_SG", "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, 7; cp.async.wait_all;"
    b = "shared.b64"
    yield "rr_S", "{ .reg .u64 s; .reg .pred p; mbarrier.init.%s [%%2], 2; mbarrier.arrive.%s s, [%%2]; mbarrier.test_wait.%s p, [%%2], s; selp.u32 %%0, 1, 0, p; mbarrier.arrive.%s _, [%%2]; mbarrier.test_wait.%s p, [%%2], s; selp.u32 %%1, 1, 0, p; mbarrier.inval.%s [%%2]; st.shared.u64 [%%2], 0; }" % (b, b, b, b, b, b)
    yield "rr_S", "{ .reg .u64 s; .reg .pred p; mbarrier.init.%s [%%2], 3; mbarrier.arrive.%s s, [%%2], 2; mbarrier.pending_count.b64 %%0, s; mbarrier.arrive_drop.%s s, [%%2]; mbarrier.test_wait.parity.%s p, [%%2], 0; selp.u32 %%1, 1, 0, p; mbarrier.arrive.%s s, [%%2]; mbarrier.pending_count.b64 %%0, s; mbarrier.inval.%s [%%2]; st.shared.u64 [%%2], 0; }" % (b, b, b, b, b, b)
    yield "rr_S", "{ .reg .u64 s; .reg .pred p; mbarrier.init.%s [%%2], 1; mbarrier.arrive.expect_tx.%s s, [%%2], 8; mbarrier.test_wait.%s p, [%%2], s; selp.u32 %%0, 1, 0, p; mbarrier.complete_tx.relaxed.cta.%s [%%2], 8; mbarrier.test_wait.%s p, [%%2], s; selp.u32 %%1, 1, 0, p; mbarrier.inval.%s [%%2]; st.shared.u64 [%%2], 0; }" % (b, b, b, b.replace("shared", "shared::cta"), b, b)
    yield "r_S", "{ .reg .pred p; mbarrier.init.%s [%%1], 3; mbarrier.arrive.noComplete.%s _, [%%1], 2; mbarrier.test_wait.parity.%s p, [%%1], 1; selp.u32 %%0, 1, 0, p; mbarrier.inval.%s [%%1]; st.shared.u64 [%%1], 0; }" % (b, b, b, b)
    yield "r_SG", "{ .reg .pred p; .reg .u64 s; mbarrier.init.%s [%%1], 1; fence.proxy.async.shared::cta; mbarrier.arrive.expect_tx.%s s, [%%1], 32; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%1+16], [%%2], 32, [%%1]; AGAIN%%=: mbarrier.try_wait.%s p, [%%1], s; @!p bra AGAIN%%=; selp.u32 %%0, 1, 0, p; mbarrier.inval.%s [%%1]; st.shared.u64 [%%1], 0; }" % (b, b, b, b)
    yield "r_S", "{ .reg .pred p; .reg .u64 s; mbarrier.init.%s [%%1], 1; mbarrier.arrive.expect_tx.%s s, [%%1], 16; st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%%1+16], {7, 9}, [%%1]; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u64 [%%1+24], 5, [%%1]; AGAIN%%=: mbarrier.try_wait.%s p, [%%1], s; @!p bra AGAIN%%=; selp.u32 %%0, 1, 0, p; mbarrier.inval.%s [%%1]; st.shared.u64 [%%1], 0; }" % (b, b, b, b)
    yield "r_Sr", "{ .reg .pred p; .reg .u64 s; mbarrier.init.%s [%%1], 1; mbarrier.arrive.expect_tx.%s s, [%%1], 4; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%%1+16], %%2, [%%1]; AGAIN%%=: mbarrier.try_wait.%s p, [%%1], s; @!p bra AGAIN%%=; selp.u32 %%0, 1, 0, p; mbarrier.inval.%s [%%1]; st.shared.u64 [%%1], 0; }" % (b, b, b, b)
    for op in ("add.u32", "add.u64", "min.s32", "max.u64", "inc.u32", "dec.u32", "and.b32", "xor.b64", "add.f32", "add.f64",
               "add.noftz.f16", "add.noftz.bf16", "min.f16", "max.bf16", "or.b64", "min.s64"):
        yield "_GS", "fence.proxy.async; cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%0], [%%1], 32; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" % op
    yield "_GS", "fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%0+16], [%1], 48; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;"
    for op in ("add.u32", "inc.u32", "xor.b32", "max.s32", "add.u64"):
        yield "r_S", "{ .reg .pred p; .reg .u64 s; mbarrier.init.%s [%%1], 1; fence.proxy.async.shared::cta; mbarrier.arrive.expect_tx.%s s, [%%1], 16; cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.%s [%%1+16], [%%1+32], 16, [%%1]; AGAIN%%=: mbarrier.try_wait.%s p, [%%1], s; @!p bra AGAIN%%=; selp.u32 %%0, 1, 0, p; mbarrier.inval.%s [%%1]; st.shared.u64 [%%1], 0; }" % (b, b, op, b, b)
    yield "r_r", "{ .reg .u32 t; .reg .pred p; setp.lt.s32 p, %1, 0; mov.u32 %0, 4; @p bra NEG%=; add.u32 %0, %0, 1; NEG%=: add.u32 %0, %0, 16; }"
    yield "r_rr", "{ .reg .pred p, q; setp.lt.and.s32 p|q, %1, %2, !%p9; selp.u32 %0, 1, 2, p; }".replace("!%p9", "1")
    yield "h_rr", "{ .reg .b16 a, b; mov.b32 {a, b}, %1; mov.b32 {_, b}, %2; xor.b16 %0, a, b; }"
    yield "r_l", "{ .reg .b16 a, b, c, d; mov.b64 {a, b, c, d}, %1; mov.b32 %0, {d, b}; }"
    yield "l_ll", "{ .reg .b128 q; .reg .u64 a, b; mov.b128 q, {%1, %2}; mov.b128 {a, b}, q; sub.u64 %0, a, b; }"


def main():
    every = list(forms.forms())
    if len(sys.argv) > 2 and sys.argv[1] == "--ptxas":
        every = forms.accepted(sys.argv[2])
    out = list(dict.fromkeys(list(register_cases(every)) + list(video_cases()) + list(carry_cases())
                             + list(warp_cases()) + list(other_cases())))
    for signature, text in out:
        print(signature, text, sep="\t")


if __name__ == "__main__":
    main()
