# SPDX-License-Identifier: Apache-2.0
"""For pytest: what the configuration in numba-cuda's repository gives its tests, and its wheel does not bring."""
import _pytest.pathlib
import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    """There it takes over an option about printing files of failed checks."""
    request.cls._dump_failed_filechecks = False


# The tests lie in numba_cuda/numba/cuda, where only the last folder is a package, and are numba.cuda.tests by a hook of
# numba-cuda's. By pytest's name for them, cuda.tests, their child processes would not find them.
resolve = _pytest.pathlib.resolve_pkg_root_and_module_name


def with_numba(path, **options):
    root, name = resolve(path, **options)
    if name.split(".")[0] == "cuda" and root.name == "numba":
        return root.parent, "numba." + name
    return root, name


_pytest.pathlib.resolve_pkg_root_and_module_name = with_numba
