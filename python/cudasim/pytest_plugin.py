# SPDX-License-Identifier: Apache-2.0
"""pytest as `cudasim test` runs it, which loads this by PYTEST_ADDOPTS and reads what it writes to stdout: the lines
that executables of cudasim/test.h write (driver/test/test_read.c). They say which tests there are (CUDASIM_TEST_LIST),
which one begins and ends, and what became of it. CUDASIM_TEST_LEFT has the indices of those to run.

pytest's own report goes nowhere: `cudasim test` makes its own. A test whose launch has failed leaves a dead context
behind, as on a GPU. Then pytest ends, and this process executes it again for the tests that are left."""

import ctypes
import os
import sys
import time

import pytest

from .findings import Findings, device_error, without_abi

# Before pytest captures them.
_out, _err = os.dup(1), os.dup(2)
_lists = os.environ.get("CUDASIM_TEST_LIST") == "1"


def _write(text):
    os.write(_out, text.encode(errors="replace"))


def _one_line(text):
    return " ".join(text.splitlines())


def _say(lines, prefix="# "):
    _write("".join(f"{prefix}{line}\n" for line in lines))


def _left():
    """Is the test with that index to run? By CUDASIM_TEST_LEFT: "0-3,7-7,"; all where it is empty."""
    ranges = [part.split("-") for part in os.environ.get("CUDASIM_TEST_LEFT", "").split(",") if part]
    chosen = {i for first, last in ranges for i in range(int(first), int(last) + 1)}
    return (lambda index: index in chosen) if ranges else lambda index: True


def _why(report):
    """Lines about a phase of a test that has failed, the place first."""
    crash = getattr(report.longrepr, "reprcrash", None)
    place = f"{os.path.relpath(crash.path)}:{crash.lineno}: " if crash else ""
    when = "" if report.when == "call" else f"in its {report.when}: "
    text = report.longreprtext
    if text.startswith(("def ", "async def ", "class ", "@")):
        text = "    " + text  # which pytest has stripped
    return [place + when + (_one_line(crash.message) if crash else "failed"), *text.splitlines()]


def _fault(text):
    """What libcudasim has said of a launch that has failed."""
    prefix = "cudasim: "
    return [without_abi(line[len(prefix):]).replace(" (??:0)", "") for line in text.splitlines() if line.startswith(prefix)]


class Plugin:
    def __init__(self):
        self.findings = None # where the checkers run
        self.indices = {}    # of tests, by their node ids
        self.waiting = []    # of those that have not begun
        self.reports = []    # of the running test
        self.died_of = None  # an error's name, if its context has
        self.again = False   # in a new process, for those

    # ---- which tests ----

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self, early_config):
        # What a test prints must not mix with what is told here, whatever -s says.
        early_config.known_args_namespace.capture = "fd"
        folder = early_config.known_args_namespace.cudasim_findings
        if folder and not _lists:
            self.findings = Findings(folder)
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        config.option.capture = "fd"
        if getattr(config.option, "numprocesses", None):
            raise pytest.UsageError("under cudasim test pytest runs tests in one process, not in those of xdist (-n)")

    def pytest_collectreport(self, report):
        if report.failed:
            os.write(_err, (report.longreprtext + "\n").encode(errors="replace"))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        # Numbers do not depend on the order, which may be random and another one in the next process.
        ordered = sorted(items, key=lambda item: (item.location[0], item.location[1] or 0, item.nodeid))
        self.indices = {item.nodeid: index for index, item in enumerate(ordered)}
        chosen = _left()
        items[:] = [item for item in items if chosen(self.indices[item.nodeid])]
        self.waiting = [self.indices[item.nodeid] for item in items]

    def pytest_collection_finish(self, session):
        if _lists:
            for nodeid, index in self.indices.items():
                _say([f"cudasim: test {index} {_one_line(nodeid)}"])
            pytest.exit("the tests are listed", returncode=2 if session.testsfailed else 0)

    # ---- one test ----

    def _tell(self, what, nodeid):
        try:
            offset = os.lseek(_err, 0, os.SEEK_CUR)
        except OSError:
            offset = 0
        _say([f"cudasim: {what} {self.indices[nodeid]} {time.monotonic():.6f} {offset} {_one_line(nodeid)}"])

    def pytest_runtest_logstart(self, nodeid):
        self.reports, self.died_of = [], None
        self.waiting.remove(self.indices[nodeid])
        self._tell("begin", nodeid)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self):
        yield
        # Within pytest's capture: the printf of kernels and the checkers' reports belong to this test.
        self.died_of = device_error()
        ctypes.CDLL(None).fflush(None)

    def pytest_runtest_logreport(self, report):
        self.reports.append(report)

    def pytest_runtest_logfinish(self, nodeid):
        lines, verdict = [], "ok"
        for report in self.reports:
            if report.failed:
                lines += _why(report)
            elif report.skipped:
                verdict = "skip"
        found = self.findings.new() if self.findings else []
        last = self.reports[-1] if self.reports else None
        if self.died_of:
            found += [*_fault(last.capstderr), f"The context has died of {self.died_of}, as on a GPU."]
        if found or lines:
            verdict = "not ok"
        if last:
            _say(last.capstdout.splitlines(), "")
            # The checkers' reports are in the message.
            text = "".join(line for line in last.capstderr.splitlines(True) if not line.startswith("========="))
            os.write(_err, text.encode(errors="replace"))
        self._tell("end", nodeid)
        number, name = self.indices[nodeid] + 1, _one_line(nodeid)
        _write(f"ok {number} # SKIP {name}\n" if verdict == "skip" else f"{verdict} {number} - {name}\n")
        _say([*lines, *found])

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item):
        if self.died_of and self.waiting:
            self.again = True
            item.session.shouldstop = f"the context has died of {self.died_of}"

    # ---- the end ----

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self):
        if self.findings:
            self.findings.end()
        if not self.again or not self.waiting:
            return
        os.environ["CUDASIM_TEST_LEFT"] = "".join(f"{i}-{i}," for i in sorted(self.waiting))
        os.dup2(_out, 1)
        os.dup2(_err, 2)
        with open("/proc/self/cmdline", "rb") as file:
            arguments = file.read().split(b"\0")[:-1]
        os.execv(sys.executable, arguments)


def pytest_addoption(parser):
    parser.addoption("--cudasim-findings", metavar="FOLDER", help="set by cudasim test --check")


def pytest_addhooks(pluginmanager):
    # Its terminal reporter writes to stdout as well.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    pluginmanager.register(Plugin(), "cudasim-test")
