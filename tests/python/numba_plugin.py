# SPDX-License-Identifier: Apache-2.0
"""For pytest: what the configuration in numba-cuda's repository gives its tests, and its wheel does not bring."""
import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config():
    """There it takes over an option about printing files of failed checks."""
