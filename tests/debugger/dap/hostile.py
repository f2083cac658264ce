# SPDX-License-Identifier: Apache-2.0
"""What no client sends: each is answered by an error, and the session goes on where it can."""

import contextlib
import json
import random

from cases import STOP, finish, go, has, launch, refused, same, session
from client import Ended, Refused


def error_of(client, seq=0):
    """The text of the next error response to seq."""
    while True:
        client.take()
        last = client.messages[-1]
        if last["type"] == "response" and last["request_seq"] == seq:
            client.responses.pop(seq)
            assert not last["success"], last
            return last["body"]["error"]["variables"]["_text"]


def framed(text):
    data = text if isinstance(text, bytes) else text.encode()
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


def ended(client):
    try:
        while True:
            client.take()
    except Ended:
        return client.process.wait(timeout=60)


def session_out_of_order(driver, folder):
    with session(driver) as c:
        for command in ("threads", "launch", "setBreakpoints", "configurationDone", "attach"):
            refused(c.ask, command, "initialize")
        c.initialize()
        refused(c.ask, "initialize", "already")
        refused(c.ask, "threads", "comes first")
        refused(c.ask, "configurationDone", "comes first")
        launch_arguments = {"program": f"{folder}/sums"}
        c.ask("launch", **launch_arguments)
        c.event("initialized")
        c.ask("configurationDone")
        c.event("terminated")
        refused(c.ask, "configurationDone", "has ended")
        c.ask("disconnect")
        same(c.close(), 0)


def session_messages_that_are_none(driver, folder):
    with session(driver) as c:
        for text in ("", "nothing", "[1, 2", "\"text\"", "[]", "{}", "null", "\xff\xfe".encode("latin1"),
                     "[" * 100000, '{"seq": 1}', '{"type": "request", "command": "threads"}',
                     '{"type": "request", "seq": "1", "command": "threads"}',
                     '{"type": "request", "seq": 1e99, "command": "threads"}',
                     '{"type": "request", "seq": 0, "command": 7}',
                     '{"type": "request", "seq": 0, "command": "threads", "arguments": [1]}',
                     '{"type": "event", "seq": 0, "event": "stopped"}'):
            c.send_bytes(framed(text))
            seq = 1 if text == '{"seq": 1}' else 0
            assert error_of(c, seq)
        # An answer to a question that nobody has asked.
        c.send_bytes(framed('{"type": "response", "seq": 9, "request_seq": 77, "command": "runInTerminal"}'))
        launch(c, folder, (STOP, {}))
        go(c)
        c.ask("setBreakpoints", source={"path": f"{folder}/sums.cu"}, breakpoints=[])
        finish(c, 3)


def session_headers_that_are_none(driver, folder):
    for data in (b"\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"Content-Length: -1\r\n\r\n",
                 b"Content-Length: 99999999999999999999999\r\n\r\n", b"Content-Length: 2\r\nX: y\r\n\r\n{}",
                 b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}", b"x" * 100000):
        with session(driver) as c:
            with contextlib.suppress(BrokenPipeError):  # it may be gone before all is written
                c.send_bytes(data)
            has(error_of(c), "no header")
            same(ended(c), 0)
    # Cut short: nothing is left to answer.
    for data in (b"", b"Content-Le", b"Content-Length: 50\r\n\r\n{\"seq\": 1"):
        with session(driver) as c:
            c.send_bytes(data)
            same(c.close(), 0)


def session_long_messages(driver, folder):
    with session(driver) as c:
        size = 40 << 20
        c.send_bytes(b"Content-Length: %d\r\n\r\n" % size)
        for _ in range(40):
            c.send_bytes(b" " * (1 << 20))
        has(error_of(c), "at most")
        launch(c, folder, (STOP, {}))
        go(c)
        # Below the limit it is read, by the program's debugger too.
        refused(c.ask, "evaluate", "", expression="1" * (8 << 20), context="watch")
        refused(c.ask, "x" * 100000, "no request")
        c.ask("setBreakpoints", source={"path": f"{folder}/sums.cu"}, breakpoints=[])
        finish(c, 3)


def session_arguments_of_all_kinds(driver, folder):
    """Every request with arguments that are missing or of another kind: an answer to each."""
    commands = ("continue next stepIn stepOut stepBack reverseContinue restartFrame goto pause "
                "stackTrace scopes variables setVariable source threads modules loadedSources "
                "evaluate setExpression stepInTargets gotoTargets completions exceptionInfo "
                "readMemory writeMemory disassemble locations dataBreakpointInfo "
                "setDataBreakpoints setInstructionBreakpoints setFunctionBreakpoints "
                "setExceptionBreakpoints breakpointLocations setBreakpoints terminate restart "
                "terminateThreads cudasim/focus cancel nosuch").split()
    values = [None, -1, 0, 2**62, 1.5, "", "x", "\x00", "0x10", True, [], {}, [None], [{}], [[1]],
              {"path": 1}, {"path": "x\ny"}, {"path": "sums.cu"}]
    names = ("threadId frameId variablesReference name value expression context line source "
             "breakpoints filters memoryReference count offset instructionCount column text start "
             "levels startFrame format dataId data instructionOffset coordinates lines").split()
    chance = random.Random(4)
    with session(driver) as c:
        launch(c, folder, (STOP, {}))
        go(c)
        for command in commands:
            for _ in range(12):
                some = {n: chance.choice(values) for n in names if chance.random() < 0.6}
                if command in ("continue", "next", "stepIn", "stepOut"):
                    some["threadId"] = 99
                if command == "continue":
                    continue  # takes any
                if command == "evaluate":
                    some["context"] = "watch"
                try:
                    c.ask(command, **some)
                except Refused as error:
                    assert str(error), command
        c.ask("setBreakpoints", source={"path": f"{folder}/sums.cu"}, breakpoints=[])
        for kind in ("Function", "Instruction", "Data"):
            c.ask(f"set{kind}Breakpoints", breakpoints=[])
        c.ask("setExceptionBreakpoints", filters=[])
        c.ask("evaluate", expression="delete", context="repl")
        finish(c, 3)


def session_broken_pieces(driver, folder):
    """A session's messages cut and changed at random: no crash, no hang."""
    chance = random.Random(11)
    talk = [{"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "x"}},
            {"seq": 2, "type": "request", "command": "launch", "arguments": {"program": f"{folder}/sums"}},
            {"seq": 3, "type": "request", "command": "setBreakpoints",
             "arguments": {"source": {"path": f"{folder}/sums.cu"}, "breakpoints": [{"line": 31}]}},
            {"seq": 4, "type": "request", "command": "configurationDone"},
            {"seq": 5, "type": "request", "command": "threads"}]
    whole = b"".join(framed(json.dumps(m)) for m in talk)
    for _ in range(6):
        data = bytearray(whole)
        for _ in range(3):
            data[chance.randrange(len(data))] = chance.randrange(256)
        with session(driver) as c:
            c.send_bytes(bytes(data[:chance.randrange(len(data))]))
            same(c.close(), 0)
