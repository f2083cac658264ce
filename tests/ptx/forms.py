#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every form of PTX instruction that may stand in inline assembly, as patterns.

A pattern is an instruction with groups and operands:

    cvt{.rn,.rz}{,.sat}<f16|bf16><f32> 0:1

{a,b} is one of these (an empty one is none), <a|b> one of these types. After the
blank: the destination, a colon, the sources. Digits are the pattern's types by
number, letters are registers: b 8 bits, h 16, r 32, l 64, q 128, p a predicate, P two
of them (p|q), R a register and a predicate (d|p); n a number; G S C L an address in
global, shared, constant, local memory, A a generic one, X in brackets; v2 and v4 before a type's
digit are vectors of it. Patterns propose more than there is: ptxas takes what is PTX
for sm_90.

    forms.py --ptxas PTXAS [--refused] [--without FILE]

prints what ptxas takes (or does not), for ptx_forms_test.c: statements with <a|b>
where there are alternatives; --without leaves out what stands in FILE. Of the lists,
gaps.txt is what ptxas takes and the translator does not; it is kept by hand.
"""
import argparse
import itertools
import re
import subprocess
import tempfile

from form_patterns import SPECIALS, SPECIALS64, chapters

WIDTH = {"pred": "p", "tf32": "r", "b8": "h", "u8": "h", "s8": "h", "b128": "q", "f32": "f", "f64": "d"}


def letter(kind):
    """The register that holds a type."""
    if kind in WIDTH:
        return WIDTH[kind]
    lanes = 2 if kind.endswith("x2") else 1
    bits = int(re.match(r"[a-z]+(\d+)", kind).group(1)) * lanes
    if kind.startswith("e"):
        return "h"
    return {8: "h", 16: "h", 32: "r", 64: "l", 4: "r", 2: "r"}[bits]


def expand(pattern):
    """Yields (instruction, types, operands)."""
    head, _, operands = pattern.partition(" ")
    pieces = re.findall(r"\{[^}]*\}|<[^>]*>|[^{<]+", head)
    choices = []
    for piece in pieces:
        if piece[0] == "{":
            choices.append([(p, None) for p in piece[1:-1].split(",")])
        elif piece[0] == "<":
            choices.append([("." + p, p) for p in piece[1:-1].split("|")])
        else:
            choices.append([(piece, None)])
    for choice in itertools.product(*choices):
        text = "".join(c[0] for c in choice)
        types = [c[1] for c in choice if c[1]]
        yield text, types, operands


def resolve(text, types, operands):
    """Operands as letters: types by number become their registers."""
    dest, _, sources = operands.partition(":")
    booleans = any("." + b in text for b in ("and", "or", "xor"))
    if text.startswith("setp") and types[0].endswith("x2"):
        pass
    sources = sources.replace("B", "p" if booleans else "")
    n = 8 if ".v8" in text else 4 if ".v4" in text else 2

    # Between these and 8 bits ptxas wants registers of that size.
    narrow = "bf16" in types and text.startswith("cvt")

    def swap(part):
        part = re.sub(r"V(\d)", lambda m: "{" + letter(types[int(m.group(1))]) * n + "}", part)
        return re.sub(r"\d", lambda m: "b" if narrow and types[int(m.group(0))] in ("u8", "s8")
                      else letter(types[int(m.group(0))]), part)

    return swap(dest), swap(sources)


def forms():
    """Yields (chapter, instruction, destination, sources), each once."""
    seen = set()
    for chapter, text in chapters().items():
        for pattern in filter(None, text.splitlines()):
            for head, types, operands in expand(pattern.strip()):
                form = (head,) + resolve(head, types, operands)
                if form not in seen:
                    seen.add(form)
                    yield (chapter,) + form
    for name in SPECIALS:
        yield "move", "mov.u32", "r", "%" + name
    for name in SPECIALS64:
        yield "move", "mov.u64", "l", "%" + name
    yield "move", "mov.pred", "p", "%is_explicit_cluster"


REGISTER = {"b": "%b", "h": "%h", "r": "%r", "l": "%l", "q": "%q", "f": "%f", "d": "%d", "p": "%p"}
ADDRESS = {"G": "[%l9]", "S": "[%r9]", "A": "[%l9]", "C": "[%l9]", "L": "[%l9]"}


def operand_text(letters, start):
    """The operands that the letters stand for, registers numbered from start."""
    out, i, k = [], 0, start
    while i < len(letters):
        c = letters[i]
        if c == "%":
            out.append(letters[i:])
            break
        if c == "{":
            end = letters.index("}", i)
            regs = []
            for one in letters[i + 1:end]:
                regs.append(REGISTER[one] + str(k))
                k += 1
            out.append("{" + ", ".join(regs) + "}")
            i = end
        elif c == "P":
            out.append(f"%p{k}|%p{k + 1}")
            k += 2
        elif c == "R":
            out.append(f"%r{k}|%p{k}")
            k += 1
        elif c == "M":
            out.append("0xffffffff")
        elif c == "n":
            out.append("4")
        elif c == "N":
            out.append("128")
        elif c == "K":
            out.append("16")
        elif c == "_":
            out.append("_")
        elif c in ADDRESS:
            out.append(ADDRESS[c])
        else:
            out.append(REGISTER[c] + str(k))
            k += 1
        i += 1
    return out, k


def statement(head, dest, sources):
    if "S" in sources and ".shared" not in head:
        sources = sources.replace("S", "A")
    first, k = operand_text(dest, 0)
    rest, _ = operand_text(sources, k)
    if head.split(".")[0] in ("discard", "applypriority", "fence"):
        rest = [r.replace("4", "128") if r == "4" else r for r in rest]
    return (head + " " + ", ".join(first + rest)).strip() + ";"


def ptxas_takes(ptxas, target, all_forms):
    """The set of indices of forms that ptxas assembles without an error."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(".version 9.0\n.target %s\n.address_size 64\n" % target)
        where = {}
        line = 4
        per = 200
        for start in range(0, len(all_forms), per):
            head = (".entry k%d(.param .u32 unused) {\n.reg .b8 %%b<16>; .reg .b16 %%h<16>; .reg .b32 %%r<64>; .reg .b64 %%l<16>;"
                    " .reg .b128 %%q<16>; .reg .f32 %%f<64>; .reg .f64 %%d<64>; .reg .pred %%p<16>;\n" % start)
            f.write(head)
            line += 2
            for k in range(start, min(start + per, len(all_forms))):
                f.write(statement(*all_forms[k][1:]) + "\n")
                where[line] = k
                line += 1
            f.write("ret; }\n")
            line += 1
        f.flush()
        out = subprocess.run([ptxas, "-arch=" + target, "-O0", "-o", "/dev/null", f.name],
                             capture_output=True, text=True)
    bad = {}
    for message in (out.stderr + out.stdout).splitlines():
        m = re.search(r"line (\d+);?\s*(?:error|fatal)?\s*:?\s*(.*)", message)
        if not m or ("error" not in message and "fatal" not in message):
            m = re.search(r"32-bit address on line '(\d+)'", message)
        if m and int(m.group(1)) in where:
            bad.setdefault(where[int(m.group(1))], message)
    return bad, out


def accepted(ptxas, target="sm_90", refused=False):
    """The forms that ptxas takes, or those that it does not."""
    every = list(forms())
    wrong = set()
    while True:
        left = [k for k in range(len(every)) if k not in wrong]
        bad, out = ptxas_takes(ptxas, target, [every[k] for k in left])
        wrong |= {left[k] for k in bad}
        if not bad:
            break
    if out.returncode:
        raise SystemExit(out.stderr + out.stdout)
    return [form for k, form in enumerate(every) if (k in wrong) == refused]


def pattern_lines(statements):
    """Statements that differ in one word of the instruction are one line."""
    patterns = set()
    for one in statements:
        head, _, operands = one.rstrip(";").partition(" ")
        patterns.add((tuple(frozenset([word]) for word in head.split(".")), operands))
    while True:
        n = len(patterns)
        for i in range(max(len(head) for head, _ in patterns) - 1, 0, -1):
            merged = {}
            for head, operands in patterns:
                rest = head[:i] + (frozenset(),) + head[i + 1:] if i < len(head) else head
                merged.setdefault((rest, operands, i < len(head)), set()).update(head[i] if i < len(head) else ())
            patterns = {(rest[:i] + (frozenset(words),) + rest[i + 1:] if has else rest, operands)
                        for (rest, operands, has), words in merged.items()}
        if len(patterns) == n:
            break
    return sorted(".".join(next(iter(w)) if len(w) == 1 else "<" + "|".join(sorted(w)) + ">" for w in head)
                  + " " + operands for head, operands in patterns)


def expand_line(line):
    m = re.search(r"<([^<>]*)>", line)
    if not m:
        return [line]
    return [one for word in m.group(1).split("|") for one in expand_line(line[:m.start()] + word + line[m.end():])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("--without")
    args = parser.parse_args()
    left_out = set()
    if args.without:
        for line in open(args.without):
            if not line.startswith("#"):
                left_out.update(one.strip() for one in expand_line(line))
    statements = [statement(*form[1:]).rstrip(";") for form in accepted(args.ptxas, "sm_90", args.refused)]
    print("# SPDX-License-Identifier: Apache-2.0")
    print("# Forms of PTX instructions that ptxas 13.0 %s for sm_90." % ("refuses" if args.refused else "takes"))
    print("\n".join(pattern_lines(one for one in statements if one.strip() not in left_out)))


if __name__ == "__main__":
    main()
