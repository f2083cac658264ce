# SPDX-License-Identifier: Apache-2.0
"""`pytest --cudasim`: the tests run on a simulated GPU, in pytest's own way and with its own report.

The libraries that a program finds are chosen when its process begins, so pytest is executed again by `cudasim run`.
`cudasim test pytest` is the other way round: there cudasim reports, and a test that kills the context costs no other
(pytest_plugin.py)."""

import ctypes
import os
import shutil
import sys
import tempfile

import pytest

# Set in the process that --cudasim has executed, and in those that it starts: the folder of the findings.
VARIABLE = "CUDASIM_PYTEST"


def pytest_addoption(parser):
    group = parser.getgroup("cudasim", "CUDA on a simulated GPU")
    group.addoption("--cudasim", action="store_true", help="run on a simulated GPU")
    group.addoption("--cudasim-check", metavar="TOOLS",
                    help="with --cudasim: checkers, 'all' or names with commas (memcheck,racecheck,...); a test fails by "
                    "what they find in it")
    group.addoption("--cudasim-schedule", metavar="SCHEDULE", help="with --cudasim: the order of threads: reverse, random:SEED")
    group.addoption("--cudasim-device", metavar="PROFILE", help="with --cudasim: the GPU, for example a100")


def _execute_again(options):
    from .failure import CudasimError
    from .place import tool

    try:
        path = tool()
    except CudasimError as error:
        raise pytest.UsageError(str(error)) from None
    folder = tempfile.mkdtemp(prefix="cudasim-pytest-")
    os.environ[VARIABLE] = f"{os.getpid()}:{folder}"
    for name, value in (("CUDASIM_CHECK", options.cudasim_check), ("CUDASIM_SCHEDULE", options.cudasim_schedule),
                        ("CUDASIM_DEVICE", options.cudasim_device)):
        if value:
            os.environ[name] = value
    with open("/proc/self/cmdline", "rb") as file:
        arguments = file.read().split(b"\0")[:-1]
    arguments[0] = os.fsencode(sys.executable)
    os.execv(path, [os.fsencode(path), b"run", *arguments])


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config):
    options = early_config.known_args_namespace
    if options.cudasim and VARIABLE not in os.environ:
        _execute_again(options)  # before pytest captures the outputs
    yield


def pytest_configure(config):
    options = config.option
    if options.cudasim and VARIABLE in os.environ:
        config.pluginmanager.register(Simulated(*os.environ[VARIABLE].split(":", 1), bool(os.environ.get("CUDASIM_CHECK"))),
                                      "cudasim-simulated")
        # libcudasim ends the process where a variable is wrong. What it says must not be captured.
        with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            ctypes.CDLL("libcuda.so.1").cuInit(0)
    elif options.cudasim_check or options.cudasim_schedule or options.cudasim_device:
        raise pytest.UsageError("--cudasim-check, --cudasim-schedule and --cudasim-device need --cudasim")


class Simulated:
    def __init__(self, first, folder, checked):
        from .findings import Findings

        self.folder = folder if int(first) == os.getpid() else None  # to be removed by this process
        self.findings = Findings(folder) if checked else None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        from .findings import device_error

        report = (yield).get_result()
        if call.when != "call":
            return
        died_of = device_error()
        lines = self.findings.new() if self.findings else []
        if died_of:
            lines.append(f"The context has died of {died_of}, as on a GPU; `cudasim test pytest` runs later tests anew.")
        if lines and report.outcome != "failed":
            report.outcome, report.longrepr = "failed", "\n".join(lines)
        elif lines:
            report.sections.append(("cudasim", "\n".join(lines)))

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self):
        if self.findings:
            self.findings.end()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
