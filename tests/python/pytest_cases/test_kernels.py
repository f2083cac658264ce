# SPDX-License-Identifier: Apache-2.0
"""Tests of which some are wrong, for `cudasim test`; tests/python/run has what becomes of each."""
import sys
import numpy as np
import pytest
from numba import cuda


@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    x[i] += y[i]


@cuda.jit
def total(x, s):
    s[0] += x[cuda.grid(1)]


@cuda.jit
def store(p, i, v):
    p[i] = v


@cuda.jit
def says(n):
    if cuda.threadIdx.x == 0:
        print("kernel says", n)


@pytest.mark.parametrize("n", [32, 64])
def test_add(n):
    x, y = np.arange(n, dtype=np.float32), np.ones(n, dtype=np.float32)
    d = cuda.to_device(x)
    add[n // 32, 32](d, cuda.to_device(y))
    assert (d.copy_to_host() == x + 1).all()


def test_race():
    s = cuda.to_device(np.zeros(1, dtype=np.float32))
    total[2, 32](cuda.to_device(np.ones(64, dtype=np.float32)), s)
    cuda.synchronize()


def test_wrong():
    print("printed before")
    print("to stderr", file=sys.stderr)
    says[1, 32](7)
    cuda.synchronize()
    assert 1 + 1 == 3


def test_fault_noticed():
    d = cuda.to_device(np.zeros(4, dtype=np.int32))
    store[1, 1](d, 1 << 40, 5)
    with pytest.raises(Exception):
        cuda.synchronize()


def test_after_the_fault():
    test_add(32)


def test_fault_unnoticed():
    d = cuda.to_device(np.zeros(4, dtype=np.int32))
    store[1, 1](d, 1 << 40, 5)


@pytest.mark.skip(reason="not today")
def test_skipped():
    assert False


@pytest.mark.xfail
def test_expected_to_fail():
    assert False


@pytest.fixture
def broken():
    raise RuntimeError("no fixture")


def test_fixture(broken):
    pass
