# SPDX-License-Identifier: Apache-2.0
"""%%cu, %%cudasim_debug, %cudasim_show and %cudasim_summary."""

import os
import shlex

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import Image, display

from . import build, debugger, process, values
from .failure import CudasimError
from .summary import Summary


def _words(line):
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _take(words, name, has_value=False):
    """Takes --name, or --name VALUE, or --name=VALUE, out of the words. None where it is not there; without a value
    True."""
    for i, word in enumerate(words):
        if word.startswith(name + "="):
            del words[i]
            return word[len(name) + 1:]
        if word == name and has_value:
            if i + 1 == len(words):
                raise UsageError(f"{name} needs a value")
            value = words[i + 1]
            del words[i:i + 2]
            return value
        if word == name:
            del words[i]
            return True
    return None


@magics_class
class CudasimMagics(Magics):
    """The last program that was built, and its arguments, are what the others work on."""

    def __init__(self, shell):
        super().__init__(shell)
        self.program = None
        self.last_summary = None

    @cell_magic
    def cu(self, line, cell):
        """%%cu [--check[=TOOLS]] [--summary] [OPTIONS OF cudasim cc] [-- ARGUMENTS OF THE PROGRAM]
        %%cu --save NAME.cuh [OPTIONS OF cudasim cc]

        Builds the cell as CUDA C++ and runs it on the simulator.

        --check    with the checkers, all or those named: --check=memcheck,racecheck
        --summary  shows time and calls of kernels, copies and CUDA's functions
        --save     keeps the cell as a file that later cells can #include, and runs nothing"""
        words, arguments = _words(line), []
        if "--" in words:
            at = words.index("--")
            words, arguments = words[:at], words[at + 1:]
        check, summary = _take(words, "--check"), _take(words, "--summary")
        save = _take(words, "--save", has_value=True)
        if save:
            if check or summary or arguments:
                raise UsageError("a cell that is saved does not run")
            build.header(save, cell, words)
            return
        # Where the build fails no older program is meant by what follows.
        self.program = self.last_summary = None
        # The cell's number; execution_count is the next one's in newer versions of IPython.
        number = len(self.shell.history_manager.input_hist_raw) - 1
        path = build.executable(f"cell{number}", cell, words)
        self.program = [path, *arguments]
        self._run(check, summary)

    def _run(self, check, summary):
        environment = {"CUDASIM": "1"}
        path = self.program[0] + ".summary.json"
        if check:
            environment["CUDASIM_CHECK"] = "all" if check is True else check
        if summary:
            environment["CUDASIM_SUMMARY"] = path
        status = process.stream(self.program, environment, build.hide_folder)
        if summary and os.path.exists(path):
            self.last_summary = Summary(path)
            display(self.last_summary)
        if status:
            raise CudasimError("the program " + process.ending(status))

    def _the_program(self):
        if not self.program:
            raise CudasimError("there is no program: run a cell with %%cu first")
        return self.program

    @cell_magic
    def cudasim_debug(self, line, cell):
        """%%cudasim_debug [PROGRAM [ARGUMENTS]]

        Runs the cell's commands in the debugger on the program of the last %%cu, or on another one, such as
        `python3 kernels.py`, and shows the session."""
        program = _words(line) or self._the_program()
        commands = [text for text in cell.splitlines() if text.strip()]
        print(debugger.transcript(debugger.session(program, commands)), end="")

    @line_magic
    def cudasim_show(self, line):
        """%cudasim_show EXPRESSION
        %cudasim_show --at LOCATION [--threads] [--shape N,M] EXPRESSION

        A picture of an array: a Python expression's value, on host or device; or with --at of what an expression of
        the debugger is at a location in the program of the last %%cu, in the first thread that comes there.

        --threads  the expression's value in each thread of the grid
        --shape    the array's shape: `--shape 8,8 *a@64`"""
        head, words = line.split(), []
        while head and head[0].startswith("--"):
            n = 1 if head[0] == "--threads" or "=" in head[0] else 2
            words, head = words + head[:n], head[n:]
        expression = " ".join(head)
        at, threads = _take(words, "--at", has_value=True), _take(words, "--threads")
        shape = _take(words, "--shape", has_value=True)
        if words or not expression or (threads and not at):
            raise UsageError("%cudasim_show [--at LOCATION [--threads]] [--shape N,M] EXPRESSION")
        if at:
            show = values.threads_at if threads else values.value_at
            array = show(self._the_program(), at, expression)
        else:
            array = values.of_python(self.shell.ev(expression))
        if shape:
            try:
                array = array.reshape([int(n) for n in shape.split(",")])
            except ValueError as error:
                raise UsageError(f"--shape {shape}: {error}") from None
        display(Image(values.picture(array, expression + (f" at {at}" if at else ""))))

    @line_magic
    def cudasim_summary(self, line):
        """%cudasim_summary

        What the last `%%cu --summary` reported. Its lists are .kernels, .copies, .calls and .ranges."""
        if line.strip():
            raise UsageError("%cudasim_summary takes no arguments")
        if not self.last_summary:
            raise CudasimError("there is no summary: run a cell with `%%cu --summary` first")
        return self.last_summary
