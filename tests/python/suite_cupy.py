# SPDX-License-Identifier: Apache-2.0
"""CuPy, built from its source against cudasim, and the tests that its source brings."""
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "samples", "python", "periodogram_cupy.py")

FOLDERS = ["core_tests", "creation_tests", "indexing_tests", "logic_tests", "math_tests", "sorting_tests",
           "statistics_tests"]
INSTALL = ["-m", "pip", "install", "--no-binary", "cupy", "cupy"]


def version_of(cudasim, python, execute):
    """The version of CuPy that the environment has, or None."""
    status, output = execute([cudasim, "run", python, "-c", "import cupy; print(cupy.__version__)"], 300)
    return output.split()[-1] if status == 0 else None


def tests_of(python, venv, version):
    """The folder of the tests, from the source on PyPI. Raises where that is not to be had."""
    folder = os.path.join(venv, "cupy-tests")
    top = os.path.join(folder, "cupy-" + version)
    if not os.path.exists(os.path.join(top, "tests")):
        subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "cupy", "cupy==" + version,
                        "-d", folder], check=True)
        subprocess.run(["tar", "-xzf", f"cupy-{version}.tar.gz"], cwd=folder, check=True)
    return os.path.join(top, "tests")


def cupy_tests(cudasim, python, venv, sample, count, report, arguments, tap, execute):
    """Runs `sample` of the tests (None: all). count(output) gives (passed, not passed, failures) of pytest's output."""
    version = version_of(cudasim, python, execute)
    if not version and sample:
        tap.skip("CuPy", f"it is not in {venv}: cudasim run {python} {' '.join(INSTALL)}")
        return
    if not version:
        status, output = execute([cudasim, "run", python, *INSTALL], 4 * 3600)
        version = version_of(cudasim, python, execute)
        tap.result(bool(version), "CuPy from its source", [f"status {status}", *output.splitlines()[-8:]])
        if not version:
            return
    status, output = execute([cudasim, "run", python, SAMPLE], 300)
    tap.result(status == 0, "samples/python/periodogram_cupy.py", [f"status {status}", *output.splitlines()[-8:]])
    try:
        tests = tests_of(python, venv, version)
    except (OSError, subprocess.CalledProcessError) as error:
        tap.skip("CuPy's own tests", str(error))
        return
    extra = {"CUDASIM_MEMORY": "8G", "PYTHONPATH": HERE, "PYTHONDONTWRITEBYTECODE": "1",
             "PYTEST_SAMPLE": sample or "", "CUDASIM_DEVICES": "2"}
    # Its configuration, with what counts as an error, is beside the folder of tests.
    status, output = execute([cudasim, "run", python, "-m", "pytest", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider",
                              "-p", "sample_plugin", "--rootdir", os.path.dirname(tests), *arguments,
                              *(os.path.join(tests, "cupy_tests", name) for name in FOLDERS)], 8 * 3600, extra.items())
    passed, wrong, failures = count(output)
    if report:
        with open(report, "a", encoding="utf-8") as file:
            file.write("\n".join(failures) + "\n")
    tap.result(status is not None and passed and passed >= 0.95 * (passed + wrong),
               f"CuPy's own tests{f', {sample} drawn' if sample else ''}: {passed} passed, {wrong} not",
               [f"status {status}", *output.splitlines()[-3:], *failures])
