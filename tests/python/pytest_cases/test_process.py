# SPDX-License-Identifier: Apache-2.0
"""What a test may do to its process, and what has to run after it."""
import os
import time


def test_dies():
    os.kill(os.getpid(), 11)


def test_after_a_death():
    pass


def test_takes_too_long():
    time.sleep(100)


def test_after_that():
    pass
