# SPDX-License-Identifier: Apache-2.0
"""Values that the debugger printed, and arrays of Python's packages, as NumPy arrays and pictures."""

import io
import re

from .debugger import print_at
from .failure import CudasimError

_NUMBER = re.compile(r"[-+]?(?:nan(?:\(\w*\))?|inf(?:inity)?|0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)")
_TOKEN = re.compile(r"[{},]|" + _NUMBER.pattern + r"|<uninitialized>|<repeats (\d+) times>|true|false")
# What stands beside a value and is none: the name of a member, the character of a code.
_BESIDE = re.compile(r"\s+|[A-Za-z_][\w:<>]* = |'(?:\\.[0-7]*|[^'])'|\([^()]*\) ?")
_ROW = re.compile(r"^[* ] +\((\d+),(\d+),(\d+)\) +\((\d+),(\d+),(\d+)\) +\(\d+,\d+,\d+\) +\(\d+,\d+,\d+\) +(\d+) (.*)$")


def _numpy():
    try:
        import numpy
    except ImportError:
        raise CudasimError("values as arrays need NumPy: pip install numpy") from None
    return numpy


def number(text):
    text = text.strip()
    if text in ("true", "false"):
        return float(text == "true")
    if text.startswith("<"):
        return float("nan")
    if "0x" in text and "nan" not in text:
        return float(int(text, 16))
    return float(re.sub(r"\(.*", "", text))


def parse(text):
    """Nested lists of the numbers in what print has shown, "$1 = {{1, 2}, {3, 4}}"."""
    text = re.sub(r"^\$\d+ = ", "", text.strip())
    stack, at = [[]], 0
    while at < len(text):
        beside = _BESIDE.match(text, at)
        token = None if beside else _TOKEN.match(text, at)
        if not beside and not token:
            raise CudasimError(f"no array of numbers: {text[:200]}")
        at = (beside or token).end()
        if beside or token[0] == ",":
            continue
        if token[0] == "{":
            stack.append([])
        elif token[0] == "}":
            done = stack.pop()
            if not stack:
                raise CudasimError(f"no array of numbers: {text[:200]}")
            stack[-1].append(done)
        elif token[1]:
            stack[-1] += [stack[-1][-1]] * (int(token[1]) - 1)
        else:
            stack[-1].append(number(token[0]))
    if len(stack) != 1 or len(stack[0]) != 1:
        raise CudasimError(f"no array of numbers: {text[:200]}")
    return stack[0][0]


def value_at(program, location, expression):
    """An expression's value in the first thread that comes to a location."""
    *_, answer = print_at(program, location, ["set print elements 0", "set print repeats 0", f"print {expression}"])
    if not re.match(r"\$\d+ = ", answer):
        raise CudasimError(f"print {expression}: {answer.strip()}")
    try:
        return _numpy().array(parse(answer), dtype=float)
    except ValueError:
        raise CudasimError(f"print {expression}: its parts have different lengths") from None


def threads_at(program, location, expression):
    """An expression's value in each thread of the grid that is in flight there, as an array [z, y, x] over the grid
    without the dimensions of length 1; NaN for other threads."""
    numpy = _numpy()
    *_, block, grid, answer = print_at(program, location, ["set print each-rows 0", "print blockDim", "print gridDim",
                                                           f"print -each-thread {expression}"])
    if "BlockIdx" not in answer:
        raise CudasimError(f"print -each-thread {expression}: {answer.strip()}")
    block, grid = ([int(n) for n in parse(text)] for text in (block, grid))
    values = numpy.full([g * b for g, b in zip(grid, block)][::-1], numpy.nan)
    for line in answer.splitlines():
        row = _ROW.match(line)
        if not row and line[:1].isdigit():
            break  # "64 threads, minimum ..."; the table below has some of them again
        if not row:
            continue
        series = re.match(r"(\S+) \.\. (\S+) by (\S+)$", row[8])
        first, step = (number(series[1]), number(series[3])) if series else (number(row[8]), 0)
        b, t = [int(n) for n in row.groups()[:3]], [int(n) for n in row.groups()[3:6]]
        for i in range(int(row[7])):
            values[tuple(b[d] * block[d] + t[d] for d in (2, 1, 0))] = first + i * step
            _advance(t, block) and _advance(b, grid)
    return values.reshape([n for n in values.shape if n > 1] or [1])


def _advance(index, size):
    """To the next of a block's threads or a grid's blocks. Returns whether it began again."""
    for d in range(3):
        index[d] += 1
        if index[d] < size[d]:
            return False
        index[d] = 0
    return True


def of_python(value):
    """An array on host or device, as the packages give their copies: Numba, PyCUDA and CuPy, PyTorch."""
    for name in "copy_to_host", "get", "cpu":
        if hasattr(value, name):
            value = getattr(value, name)()
            break
    return _numpy().asarray(value)


def picture(values, title):
    """A PNG file's bytes: a line of one dimension, a map of two."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise CudasimError("pictures need Matplotlib: pip install matplotlib") from None
    values = _numpy().asarray(values)
    while values.ndim > 2 and 1 in values.shape:
        values = values.squeeze()
    if values.ndim > 2 or not values.size:
        raise CudasimError(f"a picture shows one or two dimensions, and {title} has the shape {values.shape}")
    figure = Figure(figsize=(5, 4), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title)
    if values.ndim == 2:
        figure.colorbar(axes.imshow(values, interpolation="nearest"))
    else:
        axes.plot(values.reshape(-1), marker="." if values.size < 100 else "")
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()
