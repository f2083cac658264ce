# SPDX-License-Identifier: Apache-2.0
"""Programs of CUDA C++, built and run from Python."""

import os
import subprocess

from .failure import CudasimError
from .place import prefix, tool


def _say(*arguments):
    done = subprocess.run([tool(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", check=False)
    if done.returncode:
        raise CudasimError(done.stderr.strip())
    return done.stdout.strip()


def toolkit():
    """The path of a folder that looks like a CUDA toolkit, with cudasim's nvcc and libraries: CUDA_HOME for a build."""
    return _say("toolkit-path")


def include():
    """The folder of cudasim's own headers in a wheel (cudasim/test.h), None elsewhere."""
    return os.path.join(prefix(), "include") if prefix() else None


def build(*sources, output=None, options=()):
    """Compiles and links sources by `cudasim cc` with nvcc's options. Returns the executable's path: output, or the
    first source's without its ending. Raises CudasimError with the compiler's messages."""
    if not sources:
        raise CudasimError("build: no source given")
    path = os.fspath(output) if output else os.path.splitext(os.fspath(sources[0]))[0]
    if path in map(os.fspath, sources):
        raise CudasimError(f"build: '{path}' would be written over; give output=")
    command = [tool(), "cc", *map(os.fspath, sources), "-o", path, *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    if done.returncode:
        raise CudasimError(done.stdout.strip())
    return path


def run(command, *, check=None, schedule=None, device=None, **others):
    """Runs a command (a path, or a list with its arguments) simulated. check: "all", or checkers with commas;
    schedule: "reverse", "random:7", ...; device: a profile ("a100"). others go to subprocess.run(), which returns its
    CompletedProcess; text=True and output that is captured are the defaults. With checkers the status is not 0 where
    they report errors."""
    words = [os.fspath(command)] if isinstance(command, (str, os.PathLike)) else list(map(os.fspath, command))
    environment = dict(others.pop("env", None) or os.environ)
    for name, value in ("CUDASIM_SCHEDULE", schedule), ("CUDASIM_DEVICE", device):
        if value is not None:
            environment[name] = value
    checker = ["check", *([] if check == "all" else ["--tool", check])] if check else ["run"]
    others.setdefault("text", True)
    if "stdout" not in others and "stderr" not in others:
        others.setdefault("capture_output", True)
    return subprocess.run([tool(), *checker, *words], env=environment, **others)
