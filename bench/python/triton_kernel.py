# SPDX-License-Identifier: Apache-2.0
"""Triton reads a kernel's source from its file; a module's own, as start.py has no other use for Triton."""
import triton
import triton.language as tl


@triton.jit
def increment(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1.0, mask=i < n)
