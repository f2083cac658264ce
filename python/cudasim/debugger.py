# SPDX-License-Identifier: Apache-2.0
"""Sessions of `cudasim debug`: the commands go in by its stdin, under a prompt that nothing else prints, which
tells afterwards which output is which command's."""

import os
import subprocess
import uuid

from .build import hide_folder, tool
from .failure import CudasimError

PROMPT = "(cudasim) "
_BLOCKS = ("define", "document", "if", "while")


def _opens_block(command):
    word = command.split(None, 1)[0] if command.strip() else ""
    return word in _BLOCKS or (len(word) > 3 and "commands".startswith(word))


def session(program, commands):
    """program: the executable and its arguments. Returns [(command with the lines of its block, answer)]; the first
    is (None, what comes before the first prompt)."""
    prompt = f"@{uuid.uuid4().hex}@"
    done = subprocess.run([tool(), "debug", "-q", "-nx", "-iex", "set prompt " + prompt, "--args", *program],
                          input="\n".join(commands) + "\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, env={**os.environ, "CUDASIM": "1"})
    parts = hide_folder(done.stdout).split(prompt)
    if len(parts) == 1:
        raise CudasimError("cudasim debug: " + parts[0].strip())
    left, answers = list(commands), [(None, parts[0])]
    for answer in parts[1:]:
        if not left:
            break
        lines = [left.pop(0)]
        while left and _opens_block(lines[0]) and answer.startswith(">"):
            lines.append(left.pop(0))
            answer = answer[1:]
        answers.append(("\n".join(lines), answer))
    return answers


def transcript(answers):
    """As it looks on a terminal."""
    text = ""
    for command, answer in answers:
        if command is not None:
            if text and not text.endswith("\n"):
                text += "\n"
            first, *block = command.split("\n")
            text += "".join([PROMPT, first, "\n", *(f">{line}\n" for line in block)])
        text += answer
    return text.rstrip("\n") + "\n"


def print_at(program, location, commands):
    """Stops at a location and returns the answers to the commands there."""
    answers = session(program, [f"break {location}", "run", *commands])
    if not any("hit Breakpoint" in answer or "Breakpoint 1," in answer for _, answer in answers[:3]):
        raise CudasimError(f"the program did not stop at {location}:\n{transcript(answers[:3])}")
    return [answer for _, answer in answers[3:]]
