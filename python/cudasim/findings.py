# SPDX-License-Identifier: Apache-2.0
"""What the checkers and the simulated device say of the tests that run in this process."""

import ctypes
import glob
import json
import os
import re
import shutil

CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_INVALID_CONTEXT = 0, 3, 4, 201


def without_abi(text):
    """Numba hides a kernel's signature and flags in tags of its name, which say nothing to its author."""
    return re.sub(r"\[abi:\w+\]", "", text)


class Findings:
    """What the checkers report in this process and in those that its tests start: a file of JSON for each, in a
    folder of `cudasim test`'s."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, str(os.getpid()))
        shutil.rmtree(self.folder, ignore_errors=True)  # of this process before it executed itself again
        os.mkdir(self.folder)
        self.read = {}
        self.options = os.environ.get("CUDASIM_CHECK_OPTIONS")
        path = self.folder.replace("\\", r"\\").replace(" ", r"\ ").replace("%", "%%")
        os.environ["CUDASIM_CHECK_OPTIONS"] = f"{self.options or ''} --json {path}/%p".lstrip()

    def new(self):
        """Lines for each error since the last time. Failed calls are the test's own to look at."""
        lines = []
        for path in sorted(glob.glob(os.path.join(glob.escape(self.folder), "*"))):
            with open(path, encoding="utf-8", errors="replace") as file:
                file.seek(self.read.get(path, 0))
                text = file.read()
                self.read[path] = file.tell()
            for line in text.splitlines():
                finding = json.loads(line)
                if finding["severity"] == "error" and finding["kind"] != "api-error":
                    lines += self.told(finding)
        return lines

    @staticmethod
    def told(finding):
        yield f"{finding['tool']}: {finding['title']}"
        for side in "side", "other":
            at = finding.get(side, {})
            if "function" in at:
                place = f" ({at['file']}:{at['line']})" if at.get("line") else ""
                thread = "".join(f", {name} ({','.join(map(str, at[name]))})" for name in ("block", "thread") if name in at)
                yield f"  at {without_abi(at['function'])}{place}{thread}"

    def end(self):
        if self.options is None:
            del os.environ["CUDASIM_CHECK_OPTIONS"]
        else:
            os.environ["CUDASIM_CHECK_OPTIONS"] = self.options


def _driver():
    """libcuda, where something in this process has opened it."""
    try:
        return ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return None


def device_error():
    """Waits for all launches. The name of the error that the context has died of, or None."""
    driver = _driver()
    result = driver.cuCtxSynchronize() if driver else CUDA_SUCCESS
    if result in (CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_INVALID_CONTEXT):
        return None
    name = ctypes.c_char_p()
    driver.cuGetErrorName(result, ctypes.byref(name))
    return name.value.decode() if name.value else f"error {result}"
