#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints cases of matrix instructions: each with any bits, and with numbers of one size.

What these give is in matrix.txt; record.py records them.
"""

# Letters of a, b, c, d; how many of each; the bits to keep and to set that tame a and b, c.
FLOATS = {
    "f16": ("0xbfffbfff", "0"),
    "bf16": ("0x87ff87ff", "0x38003800"),
    "tf32": ("0x87ffffff", "0x38000000"),
}
TAME_F32 = ("0x8fffffff", "0x30000000")
TAME_F16X2 = ("0xbfffbfff", "0")
TAME_F64 = ("0x803fffffffffffff", "0x3fc0000000000000")


def mma(shape, dtype, atype, btype, ctype, n_a, n_b, n_c, letter, c_letter, tame=None, extra=""):
    """One instruction; tame: (and, or) of a and b, and of c."""
    d = ", ".join("%%%d" % k for k in range(n_c))
    counts, names, k = (n_a, n_b, n_c), [], n_c
    text = ""
    letters = (letter, letter, c_letter)
    for group, (count, one) in enumerate(zip(counts, letters)):
        group_names = []
        for i in range(count):
            name = "%%%d" % k
            if tame:
                kind = {"r": "b32", "f": "b32", "d": "b64"}[one]
                keep, put = tame[1] if group == 2 else tame[0]
                temp = "t%d" % k
                register = {"r": "b32", "f": "f32", "d": "f64"}[one]
                text += ".reg .%s %s; and.%s %s, %s, %s; or.%s %s, %s, %s; " % (
                    register.replace("f", "b"), temp, kind, temp, name, keep, kind, temp, temp, put)
                name = temp
            group_names.append(name)
            k += 1
        names.append("{" + ", ".join(group_names) + "}")
    text += "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s {%s}, %s;" % (shape, extra, dtype, atype, btype, ctype, d, ", ".join(names))
    if tame:
        text = "{ " + text + " }"
    return c_letter * n_c + "_" + letter * n_a + letter * n_b + c_letter * n_c, text


def cases():
    for kind, ab in FLOATS.items():
        shapes = {"tf32": (("m16n8k4", 2, 1), ("m16n8k8", 4, 2))}.get(kind, (("m16n8k8", 2, 1), ("m16n8k16", 4, 2)))
        for shape, n_a, n_b in shapes:
            for tame in (None, (ab, TAME_F32)):
                yield mma(shape, "f32", kind, kind, "f32", n_a, n_b, 4, "r", "f", tame)
            if kind == "f16":
                for tame in (None, (ab, TAME_F16X2)):
                    yield mma(shape, "f16", kind, kind, "f16", n_a, n_b, 2, "r", "r", tame)
    for shape, n_a, n_b, n_c in (("m8n8k4", 1, 1, 2), ("m16n8k4", 2, 1, 4), ("m16n8k8", 4, 2, 4), ("m16n8k16", 8, 4, 4)):
        for tame in (None, (TAME_F64, TAME_F64)):
            yield mma(shape, "f64", "f64", "f64", "f64", n_a, n_b, n_c, "d", "d", tame)
    for bits, shapes in ((8, (("m8n8k16", 1, 1, 2), ("m16n8k16", 2, 1, 4), ("m16n8k32", 4, 2, 4))),
                         (4, (("m8n8k32", 1, 1, 2), ("m16n8k32", 2, 1, 4), ("m16n8k64", 4, 2, 4)))):
        for shape, n_a, n_b, n_c in shapes:
            for a in ("u%d" % bits, "s%d" % bits):
                for b in ("u%d" % bits, "s%d" % bits):
                    for extra in ("", ".satfinite") if bits == 8 else (".satfinite" if a[0] == b[0] else "",):
                        yield mma(shape, "s32", a, b, "s32", n_a, n_b, n_c, "r", "r", None, extra)
    for trans in ("", ".trans"):
        for n in (1, 2, 4):
            regs = ", ".join("%%%d" % k for k in range(n))
            yield "r" * n + "_S0", "ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 {%s}, [%%%d];" % (n, trans, regs, n)
            values = ", ".join("%%%d" % (k + 1) for k in range(n))
            yield "_S2" + "r" * n, "stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%0], {%s};" % (n, trans, values)
    yield "r_r", "movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"


if __name__ == "__main__":
    for signature, text in cases():
        print(signature, text, sep="\t")
