# SPDX-License-Identifier: Apache-2.0
"""Child processes whose output appears in the cell while they run.

A child's stdout is a terminal, so that its lines come when they are printed, and not in one piece at its end;
in raw mode, which hands bytes on as they are. stderr is a pipe. Each child leads a process group: an interrupted
cell leaves nothing running."""

import codecs
import os
import pty
import selectors
import signal
import subprocess
import sys
import tty

LOOK_SECONDS = 0.1
GRACE_SECONDS = 2


def _forward(readers, selector, timeout):
    """Writes what is there. Returns whether there was anything."""
    any_read = False
    for key, _ in selector.select(timeout):
        try:
            data = os.read(key.fd, 65536)
        except OSError:  # a terminal whose other end is closed
            data = b""
        decoder, write = readers[key.fd]
        write(decoder.decode(data, final=not data))
        if data:
            any_read = True
        else:
            selector.unregister(key.fd)
    return any_read


def _end(child):
    for number in signal.SIGINT, signal.SIGKILL:
        try:
            os.killpg(child.pid, number)
            child.wait(GRACE_SECONDS)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def stream(command, environment=None, edit=lambda text: text):
    """Runs a command with an empty stdin. edit: applied to what it writes to stderr. Returns its status, as
    subprocess has it: negative where a signal ended it."""
    outer, inner = pty.openpty()
    tty.setraw(inner)
    error, error_inner = os.pipe()

    def to_stdout(text):
        sys.stdout.write(text)
        sys.stdout.flush()

    def to_stderr(text):
        sys.stderr.write(edit(text))
        sys.stderr.flush()

    readers = {fd: (codecs.getincrementaldecoder("utf-8")(errors="replace"), write)
               for fd, write in ((outer, to_stdout), (error, to_stderr))}
    child = None
    with selectors.DefaultSelector() as selector:
        for fd in readers:
            selector.register(fd, selectors.EVENT_READ)
        try:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=inner, stderr=error_inner,
                                     env={**os.environ, **(environment or {})}, start_new_session=True)
            os.close(inner)
            os.close(error_inner)
            # What it has started may hold the outputs for longer than it lives.
            while selector.get_map():
                ended = child.poll() is not None
                if not _forward(readers, selector, 0 if ended else LOOK_SECONDS) and ended:
                    break
            return child.wait()
        except BaseException:
            if child:
                _end(child)
            raise
        finally:
            os.close(outer)
            os.close(error)


def ending(status):
    """In words, of a status that is not 0."""
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
