#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an H200 answered to every form of instruction: answers.txt, and its cases.

answers.txt holds a hash and a pattern a line, a tab between: the pattern is written as in
forms.txt, and each form that it stands for answered alike in the case that wraps.py
makes of it.

    answers.py --registers      prints the cases, HASH SIGNATURE TEXT lines, that are
               --memory         functions of registers, that one thread has with memory,
               --machine        and those that need a kernel around them, with some
                                of those with memory
    answers.py --cases          all, without hashes, for record.py
               --check          fails unless each form has an answer, or a reason for none
    answers.py --take RECORDED  answers.txt, of what the program of record.py printed
"""
import argparse
import os
import sys
import zlib

import forms
import wraps

HERE = os.path.dirname(os.path.abspath(__file__))
LISTS = ("forms.txt", "gaps.txt")
HEAD = """# SPDX-License-Identifier: Apache-2.0
# What an H200 answered to every form of instruction that can be run by itself: a hash of
# what 1,024 threads got, and the forms. answers.py explains and makes it.
"""


def listed(name):
    """The statements of a list, in order; of answers.txt with their hashes."""
    for line in open(os.path.join(HERE, name)):
        if not line.startswith("#"):
            hash_, _, pattern = line.rstrip("\n").rpartition("\t")
            for one in forms.expand_line(pattern):
                yield hash_, one.strip()


def known_forms():
    """Statement to form, of those that ptxas takes."""
    taken = {one for name in LISTS if os.path.exists(os.path.join(HERE, name)) for _, one in listed(name)}
    out = {}
    for form in forms.forms():
        statement = forms.statement(*form[1:]).rstrip(";").strip()
        if statement in taken:
            out.setdefault(statement, form)
    return out


def is_alone(form):
    """"registers" or "memory" where one thread shows all, else "machine"."""
    chapter, head, _, sources = form
    if chapter in ("memory", "atomic") and not head.startswith("ld.param"):
        return "memory"
    if chapter in ("integer", "carry", "float", "compare", "convert", "video") or (head.startswith("mov") and "%" not in sources):
        return "registers"
    return "machine"


def is_sample(form):
    """One in twenty of those that one thread has with memory runs in kernels, too."""
    return zlib.crc32(form[1].encode()) % 20 == 0


def recorded(kind):
    """(hash, signature, text) of each case of a kind; not of forms that are not translated."""
    known, gaps = known_forms(), {statement for _, statement in listed("gaps.txt")}
    for hash_, statement in listed("answers.txt"):
        if statement in gaps:
            continue
        form = known[statement]
        where = is_alone(form)
        if where == kind or (kind == "machine" and where == "memory" and is_sample(form)):
            yield (hash_,) + wraps.case(form)


def take(path):
    answers = {}
    for line in open(path):
        if line[0] not in "#k":
            hash_, signature, text = line.rstrip("\n").split("\t")
            answers[signature, text] = hash_.partition(":")[0]
    by_hash = {}
    for statement, form in known_forms().items():
        one = wraps.case(form)
        if one:
            by_hash.setdefault(answers[one], []).append(statement)
    lines = [(pattern, hash_) for hash_, same in by_hash.items() for pattern in forms.pattern_lines(same)]
    return HEAD + "".join("%s\t%s\n" % (hash_, pattern) for pattern, hash_ in sorted(lines))


def check():
    """Forms of forms.txt without an answer and without a reason, and answers of no form."""
    answered = {statement for _, statement in listed("answers.txt")}
    known = known_forms()
    lacking = [statement for _, statement in listed("forms.txt")
               if statement not in answered and not (statement in known and wraps.reason(known[statement]))]
    return lacking + sorted(answered - set(known))


def main():
    parser = argparse.ArgumentParser()
    for kind in ("registers", "memory", "machine", "cases", "check"):
        parser.add_argument("--" + kind, action="store_true")
    parser.add_argument("--take")
    args = parser.parse_args()
    if args.check:
        wrong = check()
        if wrong:
            sys.exit("no answer, or no form:\n" + "\n".join(wrong[:20]))
    elif args.take:
        print(take(args.take), end="")
    elif args.cases:
        for form in known_forms().values():
            one = wraps.case(form)
            if one:
                print(*one, sep="\t")
    else:
        for kind in ("registers", "memory", "machine"):
            if getattr(args, kind):
                for one in recorded(kind):
                    print(*one, sep="\t")


if __name__ == "__main__":
    main()
