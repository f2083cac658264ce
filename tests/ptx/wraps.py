#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A case for every form of instruction that can be run by itself.

    case(form) -> (signature, text) or None

form is what forms.forms() yields. Most are run as they stand (cases.case_of); a form
whose effect is no value, or that needs something before it, stands in statements that
make one: a barrier behind a store and before a neighbour's load, an mbarrier between its
init and a count of the arrivals that it still takes. reason(form) says why there is no
case. What the statements use beside the form is itself a form that has a case.
"""
import re

import cases
import forms

# Whose answer differs from run to run, and what ends a thread or a kernel.
NO_ANSWER = [
    (re.compile(r"^(exit|trap|brkpt)$"), "ends the thread or the kernel"),
    (re.compile(r"%(clock|clock_hi|clock64|globaltimer\w*)$"), "the time"),
    (re.compile(r"%(smid|warpid|gridid)$"), "where and when the block ran"),
    (re.compile(r"%aggr_smem_size$"), "the shared memory of all cases in the kernel"),
    (re.compile(r"%envreg0$"), "the driver's own"),
    (re.compile(r"^(mma|wmma|ldmatrix|stmatrix|movmatrix)\."), "of whole warps: tests/kernels/mma.cu, wmma.cu have answers"),
]


def reason(form):
    """Why a form has no case, or None."""
    text = form[1] + " " + form[3] if form[3].startswith("%") else form[1]
    for pattern, why in NO_ANSWER:
        if pattern.search(text):
            return why
    return None


def build(results, sources, text):
    """A case: %R0 is the first result, %S0 the first source."""
    n = len(results)
    text = re.sub(r"%R(\d+)", lambda m: "%" + m.group(1), text)
    text = re.sub(r"%S(\d+)", lambda m: "%" + str(int(m.group(1)) + n), text)
    return "".join(results) + "_" + "".join(sources), text


POLICY = ".reg .b64 pol; createpolicy.fractional.L2::evict_normal.b64 pol; "
GENERIC = ".reg .u64 g; cvt.u64.u32 g, %S0; cvta.shared.u64 g, g; "


def touched(head):
    """How many words of the cell a store or an atomic operation may write, and one more."""
    lanes = 8 if ".v8" in head else 4 if ".v4" in head else 2 if ".v2" in head else 1
    kind = re.findall(r"\.(?:b|u|s|f|bf)(\d+)(x2)?(?=\.|$)", head)[-1]
    return max(1, int(kind[0]) * (2 if kind[1] else 1) * lanes // 64) + 1


def memory(head, dest, sources):
    if head.startswith("ld.param"):
        return build(dest, ["Q"], "{ .reg .u64 a; cvta.to.param.u64 a, %%S0; %s %%R0, [a]; }" % head)
    size = 0 if head.startswith("ld") else touched(head)
    hint = "cache_hint" in head
    one = cases.Case(head, size)
    if hint:
        one.before = POLICY
        sources = sources[:-1]
    one.add(dest, sources)
    if hint:
        one.operands.append("pol")
    return one.finish()


def carry(head, dest, sources):
    """The flag that goes in comes from a sum, the one that comes out is a result."""
    kind = head.rsplit(".", 1)[1]
    n = len(sources)
    takes, gives = head.split(".")[0][-1] == "c", ".cc" in head
    results = [dest] * (2 if gives else 1)
    text = head + " %R0, " + ", ".join("%%S%d" % k for k in range(n)) + ";"
    letters = [dest] * n
    if takes:
        letters += [dest] * 2
        text = "add.cc.%s %%R0, %%S%d, %%S%d; " % (kind, n, n + 1) + text
    if gives:
        text += " addc.%s %%R1, 0, 0;" % kind
    return build(results, letters, text)


# ---- blocks ---------------------------------------------------------------

def meet(head, sources):
    """A store, the barrier, and a load of what another thread stored."""
    operands = head + " " + {"": "", "n": "4", "nN": "4, 128", "M": "0xffffffff"}[sources]
    before = ("{ .reg .u32 t, u; .reg .pred p; mov.u32 t, %%tid.x; xor.b32 u, t, %d; sub.u32 u, u, t; "
              "mad.lo.u32 u, u, 64, %%S0; st.shared.u32 [%%S0], %%S1; " % (5 if "warp" in head else 97))
    if "cluster" in head:
        other = "barrier.cluster.wait;" if "arrive" in head else "barrier.cluster.arrive;"
        both = operands + "; " + other if "arrive" in head else other + " " + operands + ";"
        if "relaxed" in head:
            both = "fence.acq_rel.cluster; " + both
        middle = both
    elif "arrive" in head:
        middle = "setp.lt.u32 p, t, 64; @p %s; @!p bar.sync 4, 128; @p mov.u32 u, %%S0;" % operands
    else:
        middle = operands + ";"
    return build("r", ["S1", "r"], before + middle + " ld.shared.u32 %R0, [u]; bar.sync 0; }")


# ---- caches and fences ------------------------------------------------------

def around(head, sources):
    """A store, the instruction, a load."""
    if sources.startswith("G"):
        text = "%s [a]%s;" % (head, ", 128" if "n" in sources else "")
    else:
        text = head + ";"
    # What discard leaves of a line is nothing: a line has the cells of two lanes.
    return build("r", ["G1", "r"],
                 "{ .reg .u64 a; and.b64 a, %%S0, -128; st.global.u32 [%%S0], %%S1; %s bar.warp.sync -1; "
                 "%sld.global.u32 %%R0, [%%S0]; }" % (text, "st.global.u64 [%S0], 3; " if "discard" in head else ""))


def prefetch(head, sources):
    if ".local" in head:
        return build("r", ["L0"], "{ .reg .u64 a; cvta.to.local.u64 a, %%S0; %s [a]; ld.local.u32 %%R0, [a]; }" % head)
    return build("r", ["G0"], "%s [%%S0]; ld.global.u32 %%R0, [%%S0];" % head)


def policy(head, sources):
    operands = {"": "", "f": ", 0.5", "l": ", 0x10f0000000000000", "Grr": ", [%S0], 128, 1024"}[sources]
    return build("r", ["G0"], "{ .reg .b64 pol; %s pol%s; ld.global.L2::cache_hint.b32 %%R0, [%%S0], pol; }" % (head, operands))


# ---- addresses ----------------------------------------------------------------

LETTER_OF = {"global": "G0", "shared": "S0", "shared::cta": "S0", "shared::cluster": "S0", "const": "C",
             "local": "L0", "param": "Q", "param::entry": "Q"}


def cvta(head):
    """There and back again, and what lies there."""
    space = re.sub(r"^cvta(\.to)?\.|\.u64$", "", head)
    if space.startswith("shared"):
        there = ("cvt.u64.u32 a, %%S0; cvta.%s.u64 g, a; ld.u64 %%R0, [g]; cvta.to.%s.u64 b, g; "
                 "setp.eq.u64 p, a, b;" % (space, space))
    else:
        there = ("cvta.to.%s.u64 a, %%S0; cvta.%s.u64 b, a; ld.u64 %%R0, [b]; "
                 "setp.eq.u64 p, %%S0, b;" % (space, space))
    return build(["l", "r"], [LETTER_OF[space]],
                 "{ .reg .u64 a, b, g; .reg .pred p; %s selp.u32 %%R1, 1, 0, p; }" % there)


def isspacep(head):
    tests = "".join("%s p, %s; selp.u32 t, %d, 0, p; add.u32 %%R0, %%R0, t; " % (head, a, 1 << k)
                    for k, a in enumerate(("%S0", "g", "%S2", "%S3")))
    return build("r", ["G0", "S0", "C", "L0"],
                 "{ .reg .u64 g; .reg .u32 t; .reg .pred p; cvt.u64.u32 g, %%S1; cvta.shared.u64 g, g; "
                 "mov.u32 %%R0, 0; %s}" % tests)


def mapa(head):
    wide = head.endswith("64")
    before = "{ .reg .u64 a, b; .reg .u32 c, d; .reg .pred p; "
    if ".shared" in head:
        if wide:
            text = "cvt.u64.u32 a, %%S0; %s b, a, 0; ld.shared::cluster.u64 %%R0, [b];" % head
        else:
            text = "%s c, %%S0, 0; ld.shared::cluster.u64 %%R0, [c];" % head
    elif wide:
        text = "cvt.u64.u32 a, %%S0; cvta.shared.u64 a, a; %s b, a, 0; ld.u64 %%R0, [b];" % head
    else:
        # Half of a generic address says nothing; that it is the same half does.
        text = ("cvt.u64.u32 a, %%S0; cvta.shared.u64 a, a; mapa.u64 b, a, 0; cvt.u32.u64 c, a; %s d, c, 0; "
                "cvt.u32.u64 c, b; setp.eq.u32 p, c, d; selp.u64 %%R0, 1, 0, p;" % head)
    return build("l", ["S0"], before + text + " }")


def getctarank(head):
    before = "{ .reg .u64 a; .reg .u32 c; cvt.u64.u32 a, %S0; "
    if ".shared" not in head:
        before += "cvta.shared.u64 a, a; "
    return build("r", ["S0"], before + "cvt.u32.u64 c, a; %s %%R0, %s; }" % (head, "a" if head.endswith("64") else "c"))


def special(head, dest, name):
    if dest == "p":
        return build("r", [], "{ .reg .pred p; %s p, %s; selp.u32 %%R0, 1, 0, p; }" % (head, name))
    return build(dest, [], "%s %%R0, %s;" % (head, name))


# ---- mbarriers, in the first word of a cell in shared memory ------------------

BAR = ".reg .u64 g, t; .reg .u32 n; .reg .pred p, q; cvt.u64.u32 g, %S0; cvta.shared.u64 g, g; "
INIT = "mbarrier.init.shared.b64 [%%S0], %d; "
ARRIVE = "mbarrier.arrive.shared.b64 t, [%S0]; "
COMPLETE = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%S0], 8; "
OVER = "mbarrier.inval.shared.b64 [%S0]; st.shared.u64 [%S0], 0; }"


def bit(value, test="mbarrier.test_wait.parity.shared.b64 p, [%S0], 0;"):
    return "%s @p add.u32 %%R0, %%R0, %d; " % (test, value)


def arrivals(phase, factor):
    """Adds factor times the arrivals that end the phase, 8 at most."""
    label = "%d%%=" % phase
    return ("mov.u32 n, 0; A%s: mbarrier.test_wait.parity.shared.b64 p, [%%S0], %d; @p bra B%s; " % (label, phase, label)
            + ARRIVE + "add.u32 n, n, 1; setp.lt.u32 q, n, 8; @q bra A%s; B%s: mad.lo.u32 %%R0, n, %d, %%R0; " % (label, label, factor))


def mbarrier(head, dest, sources):
    at = "[%S0]" if ".shared" in head else "[g]"
    start = "{ " + BAR + "mov.u32 %R0, 0; "
    op = head.split(".")[1]
    if op == "init":
        body = "%s %s, 3; " % (head, at) + arrivals(0, 1) + arrivals(1, 16)
    elif op == "inval":
        body = INIT % 3 + "%s %s; st.shared.u64 [%%S0], 0; mov.u32 %%R0, 1; " % (head, at)
        return build("r", ["S2"], start + body + "}")
    elif op in ("expect_tx", "complete_tx"):
        expect, complete = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%S0], 8; ", COMPLETE
        form = "%s %s, 8; " % (head, at)
        if op == "expect_tx":
            expect = form
        else:
            complete = form
        body = INIT % 1 + expect + ARRIVE + bit(1) + complete + bit(2)
    elif op in ("arrive", "arrive_drop"):
        number = {1: "", 2: ", 2"}[len(sources)]
        after = ""
        if "expect_tx" in head:
            number, after = ", 8", bit(1024) + COMPLETE
        form = "%s %s, %s%s; " % (head, "_" if dest == "_" else "t", at, number)
        count = "" if dest == "_" else "mbarrier.pending_count.b64 n, t; mad.lo.u32 %R0, n, 256, %R0; "
        body = INIT % 4 + form + count + after + arrivals(0, 1) + arrivals(1, 16)
    elif op == "pending_count":
        body = INIT % 3 + ARRIVE + "%s %%R0, t; " % head + arrivals(0, 16)
    else:
        what = "0" if ".parity" in head else "t"
        hint = ", 20" if len(sources) == 3 else ""
        test = "%s p, %s, %s%s;" % (head, at, what, hint)
        # The state is that of the phase: the second arrival's goes elsewhere.
        body = INIT % 2 + ARRIVE + bit(1, test) + "mbarrier.arrive.shared.b64 _, [%S0]; " + bit(2, test)
    return build("r", ["S2"], start + body + OVER)


WAIT = "AGAIN%=: mbarrier.try_wait.parity.shared.b64 p, [%S0], 0; @!p bra AGAIN%=; selp.u32 %R0, 1, 0, p; "


def signalled(form, n_bytes, sources):
    """An asynchronous operation that completes bytes of the mbarrier."""
    text = ("{ " + BAR + INIT % 1 + "fence.proxy.async.shared::cta; mbarrier.arrive.expect_tx.shared.b64 t, [%%S0], %d; " % n_bytes
            + form + " " + WAIT + OVER)
    return build("r", sources, text)


def remote(head, sources):
    """st.async and red.async: [to], value, [bar]."""
    shared = ".shared" in head
    values = [c for c in sources if c in "rlfd"]
    names = ["%%S%d" % (k + 1) for k in range(len(values))]
    value = "{" + ", ".join(names) + "}" if "{" in sources else names[0]
    n_bytes = sum({"r": 4, "f": 4, "l": 8, "d": 8}[c] for c in values)
    to = "%S0" if shared else "g"
    return signalled("%s [%s+16], %s, [%s];" % (head, to, value, to), n_bytes, ["S5"] + values)


def copy(head, sources):
    """cp.async, without .bulk."""
    if head == "cp.async.commit_group" or "wait" in head:
        form = head + (" 4;" if "wait_group" in head else ";")
        return build("", ["S4", "G0"], "cp.async.ca.shared.global [%%S0], [%%S1], 8; cp.async.ca.shared.global [%%S0+16], [%%S1], 8; %s cp.async.wait_all;" % form)
    if "mbarrier" in head:
        at = "[%S0]" if ".shared" in head else "[g]"
        arrive = "" if "noinc" in head else ARRIVE
        return build("r", ["S5", "G0"], "{ " + BAR + INIT % 1 + "cp.async.ca.shared.global [%S0+16], [%S1], 16; "
                     + "%s %s; " % (head, at) + arrive + WAIT + OVER)
    size = "16" if "K" in sources else "4"
    before, last, tokens = "", "", ["S4", "G0"]
    if "r" in sources:
        before, last = ".reg .u32 n; and.b32 n, %%S2, %d; " % (int(size) - 1), ", n"
        tokens.append("r")
    if "p" in sources:
        before, last = ".reg .pred p; setp.lt.s32 p, %S2, 33; ", ", p"
        tokens.append("r")
    if "cache_hint" in head:
        before, last = before + POLICY, last + ", pol"
    return build("", tokens, "{ %s%s [%%S0], [%%S1], %s%s; cp.async.wait_all; }" % (before, head, size, last))


def bulk(head, sources):
    hint = ", pol" if "cache_hint" in head else ""
    end = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    if "prefetch" in head:
        return build("r", ["G0"], "%s [%%S0], 32; ld.global.u32 %%R0, [%%S0];" % head)
    if "commit_group" in head or "wait_group" in head:
        form = head + (" 4;" if "wait_group" in head else ";")
        first = "fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%S0], [%S1], 16; "
        commit = "cp.async.bulk.commit_group; " if "wait_group" in head else ""
        return build("", ["G3", "S0"], first + commit + form + " " + end)
    if "bulk_group" in head:
        return build("", ["G5", "S0"], "{ %sfence.proxy.async; %s [%%S0], [%%S1], 32%s; %s }" % (POLICY if hint else "", head, hint, end))
    before = "{ " + POLICY + head if hint else head
    after = " }" if hint else ""
    if ".global" in head:
        return signalled("%s [%%S0+16], [%%S1], 32, [%%S0]%s;%s" % (before, hint, after), 32, ["S7", "G0"])
    return signalled("%s [%%S0+16], [%%S1], 16, [%%S0]%s;%s" % (before, hint, after), 16, ["S5", "S0"])


def nothing(head, sources):
    operand = {"": "", "n": " 4", "r": " t"}[sources]
    return build("r", ["r"], "{ .reg .u32 t; and.b32 t, %%S0, 63; %s%s; mov.u32 %%R0, t; }" % (head, operand))


def case(form):
    """(signature, text) of a form, or None where reason(form) has one."""
    chapter, head, dest, sources = form
    op = head.split(".")[0]
    if reason(form):
        return None
    if chapter == "carry":
        return carry(head, dest, sources)
    if sources.startswith("%"):
        return special(head, dest, sources)
    if op in ("ld", "ldu", "st", "atom", "red") and "async" not in head:
        return memory(head, dest, sources)
    if op in ("bar", "barrier") and ".red" not in head:
        return meet(head, sources)
    if op in ("fence", "membar", "discard", "applypriority"):
        return around(head, sources)
    if op in ("prefetch", "prefetchu"):
        return prefetch(head, sources)
    if op == "createpolicy":
        return policy(head, sources)
    if op == "cvta":
        return cvta(head)
    if op == "isspacep":
        return isspacep(head)
    if op == "mapa":
        return mapa(head)
    if op == "getctarank":
        return getctarank(head)
    if op == "mbarrier":
        return mbarrier(head, dest, sources)
    if op in ("st", "red"):
        return remote(head, sources)
    if op == "cp":
        return bulk(head, sources) if ".bulk" in head else copy(head, sources)
    if op in ("griddepcontrol", "nanosleep", "pmevent"):
        return nothing(head, sources)
    return cases.case_of(head, dest, sources, ["0xe8"] if op == "lop3" else None)


def needs_cluster(text):
    """Whether a statement is illegal where no cluster was asked for."""
    return bool(re.search(r"(st|red)\.async|reduce\.async\.bulk\.shared|bulk\.shared::cluster|barrier\.cluster|mapa|getctarank|mbarrier\S*shared::cluster", text))
