#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small recordings (formats/record.h) as seeds for record_fuzz into a folder."""
import os
import struct
import sys


def frame(kind, *parts):
    payload = b"".join(parts)
    return struct.pack("<II", kind, len(payload)) + payload


def text(t):
    return struct.pack("<I", len(t)) + t.encode()


def recording(hash, value, size=10000, limited=0):
    out = frame(1, b"cudasimR", struct.pack("<II", 1, 1), text("GPU"), text("/bin/app"))
    out += frame(2, struct.pack("<IIQQ", 0, 0, size, 4096), text("cudaMalloc"), text("main (a.cu:1)"))
    out += frame(2, struct.pack("<IIQQ", 1, 2, 8, 4096), text("counter"), text(""))
    for launch in range(2):
        out += frame(4, struct.pack("<QI6IQI", launch, 0, 1, 1, 1, 32, 1, 1, 0, 1),
                     text("_Z1fPf"), struct.pack("<IIII", 1, 0, 0, 0))
        chunk = 0xffffffff if limited else 2
        out += frame(5, struct.pack("<IIIQQ", 0, 1, chunk, hash, hash))
        out += frame(6, struct.pack("<IQII", 0, 8192, 16, 1), struct.pack("<ffff", value, 1, 2, 3),
                     struct.pack("<IIQ", 8, 1, 4))
        out += frame(7, struct.pack("<iI", 0, limited))
    out += frame(3, struct.pack("<I", 0))
    return out + frame(9, struct.pack("<Q", 2))


os.makedirs(sys.argv[1], exist_ok=True)
pairs = {
    "equal": (recording(1, 1.0), recording(1, 1.0)),
    "different": (recording(1, 1.0), recording(2, 1.5)),
    "limited": (recording(1, 1.0, limited=1), recording(2, 1.5)),
    "sizes": (recording(1, 1.0), recording(2, 1.5, size=20000)),
}
for name, (a, b) in pairs.items():
    cut = len(a)  # the target takes the cut modulo the input's length less one
    with open(os.path.join(sys.argv[1], name), "wb") as out:
        out.write(struct.pack("<H", cut) + a + b)
