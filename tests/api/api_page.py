#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/API.md and the toolkit's header against what is built.

    api_page.py API.md names.def HEADER driver_names.def cuda.h OBJECT...

OBJECT are libcudasim's object files: a function that only the weak stub defines is not there.
Prints TAP."""

import fnmatch
import re
import subprocess
import sys


def built(objects):
    """The runtime's functions that are there, and those that are stubs."""
    strong, weak = set(), set()
    for line in subprocess.run(["nm", *objects], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "TW" and words[2].startswith("sim_"):
            (strong if words[1] == "T" else weak).add(words[2][4:])
    return strong, weak - strong


def table(page, heading):
    """The names in the first column of the table below a heading."""
    text = re.split(r"^## ", page.split("## " + heading + "\n", 1)[1], flags=re.M)[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def matching(names, patterns):
    return {name for name in names for pattern in patterns if fnmatch.fnmatchcase(name, pattern)}


def declared(header):
    """What the header declares for the host: functions of the library, not inline ones."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    return set(re.findall(r"extern\s+__host__[^;{}]*?CUDARTAPI\w*\s+(cuda\w+)\s*\(", text))


def declared_by_driver(header):
    """What cuda.h declares, by the names that programs compiled with it look for."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = text[:text.rindex("#if defined(__CUDA_API_VERSION_INTERNAL)")]
    now = dict(re.findall(r"#define (cu\w+)\s+(?:__CUDA_API_PT[DS][SZ]\()?(cu\w+)", text))
    return {now.get(name, name) for name in re.findall(r"CUresult\s+CUDAAPI\s+(cu\w+)\s*\(", text)}


def report(number, title, wrong):
    print("%sok %d - %s" % ("not " if wrong else "", number, title))
    for line in sorted(wrong):
        print("# " + line)
    return bool(wrong)


def main():
    page_path, names_path, header_path, driver_path, driver_header_path, *objects = sys.argv[1:]
    with open(page_path, encoding="utf-8") as file:
        page = file.read()
    with open(names_path, encoding="utf-8") as file:
        names = set(re.findall(r"X\((\w+)\)", file.read()))
    with open(header_path, encoding="utf-8") as file:
        in_header = declared(file.read())
    with open(driver_path, encoding="utf-8") as file:
        driver = set(re.findall(r"^X\((\w+)\)", file.read(), flags=re.M))
    with open(driver_header_path, encoding="utf-8") as file:
        in_driver = declared_by_driver(file.read())
    strong, all_stubs = built(objects)
    stubs, driver_stubs = all_stubs & names, all_stubs & driver
    absent, partial = table(page, "Not supported"), table(page, "Supported in part")
    # Another name of the same function: per-thread forms share their function's row.
    said = matching(names, absent)

    print("1..11")
    failed = report(1, "the header declares at least 300 functions",
                    set() if len(in_header) >= 300 else {"it declares %d" % len(in_header)})
    failed |= report(2, "every function of the header is exported", in_header - names)
    failed |= report(3, "every stub stands in the page", stubs - said)
    failed |= report(4, "what the page says is not there is a stub",
                     {name for name in said - stubs if name in strong})
    failed |= report(5, "every name in the page's tables is one of the library",
                     {p for p in absent + partial if not matching(names, [p])})
    failed |= report(6, "what is there in part is there", matching(names, partial) - strong)
    refused = table(page, "The driver API")
    said = matching(driver, refused)
    failed |= report(7, "cuda.h declares at least 400 functions",
                     set() if len(in_driver) >= 400 else {"it declares %d" % len(in_driver)})
    failed |= report(8, "every function of cuda.h is exported", in_driver - driver)
    failed |= report(9, "every stub of the driver API stands in the page", driver_stubs - said)
    failed |= report(10, "what the page says is not there of it is a stub", said - driver_stubs)
    failed |= report(11, "every name in that table is one of the library",
                     {p for p in refused if not matching(driver, [p])})
    sys.exit(failed)


main()
