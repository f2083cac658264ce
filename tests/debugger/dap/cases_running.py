# SPDX-License-Identifier: Apache-2.0
"""Sessions while a program runs, with programs that fail, that run already, that execute another."""

import os
import re
import signal
import socket
import subprocess
import sys
import time

from cases import (STOP, breakpoints, finish, go, has, launch, line_of, on, refused, same, session,
                   top, value)
from client import Client


def session_pause_and_requests_while_running(driver, folder):
    for what in ("host", "spin"):
        with session(driver) as c:
            launch(c, folder, program="trouble", args=[what])
            c.ask("configurationDone")
            refused(c.ask, "stackTrace", "notStopped", threadId=1)
            refused(c.ask, "nosuch", "no request", threadId=1)
            same(len(c.ask("threads")["threads"]), 1)
            # Stops for a moment only: no event tells of it.
            found = breakpoints(c, folder, ("cudaGetErrorName(error)", {}), name="trouble.cu")
            assert found[0]["verified"]
            c.ask("modules")
            assert not any(m.get("event") == "stopped" for m in c.messages)
            c.ask("pause", threadId=1)
            stop = c.event("stopped")
            same(stop["reason"], "pause")
            text = "turns = turns + 1" if what == "host" else "while (!flag)"
            assert abs(top(c, stop["threadId"])["line"] - line_of(folder, text, "trouble.cu")) <= 1
            if what == "spin":
                c.ask("evaluate", expression="set var flag = 1", context="repl")
                same(on(c)["reason"], "breakpoint")
            c.ask("disconnect", terminateDebuggee=True)
            same(c.close(), 0)


def session_exceptions(driver, folder):
    for what, name in (("fault", "Warp Illegal Address"), ("assert", "Warp Assert")):
        with session(driver) as c:
            launch(c, folder, program="trouble", args=[what])
            stop = go(c)
            same(stop["reason"], "exception")
            has(stop["description"], name)
            info = c.ask("exceptionInfo", threadId=stop["threadId"])
            same((info["exceptionId"], info["breakMode"]), (name, "unhandled"))
            c.ask("continue", threadId=1)
            c.event("exited")
            same(c.close(), 0)


def session_findings_of_checkers(driver, folder):
    with session(driver) as c:
        launch(c, folder, program="trouble", args=["beyond"], check="memcheck")
        assert c.ask("setExceptionBreakpoints", filters=["finding"])["breakpoints"][0]["verified"]
        stop = go(c)
        has(stop["text"], "memcheck")
        # 31 elements: thread 31 is outside.
        same(value(c, top(c, stop["threadId"])["id"], "threadIdx.x"), "31")
        c.ask("disconnect")
        same(c.close(), 0)


def session_attach_and_leave(driver, folder):
    env = {**os.environ, "CUDASIM_DEBUG": "wait"}
    program = subprocess.Popen([os.path.join(folder, "sums")], env=env, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        has(program.stderr.readline(), f"process {program.pid} waits")
        with session(driver) as c:
            c.initialize()
            refused(c.ask, "attach", "CUDASIM_DEBUG=wait", pid=os.getpid())
            refused(c.ask, "attach", "pid")
            c.ask("attach", pid=program.pid)
            c.event("initialized")
            breakpoints(c, folder, (STOP, {}))
            stop = go(c)
            same(value(c, top(c, stop["threadId"])["id"], "total"), "1")
            c.ask("disconnect")
            same(c.close(), 0)
        out, _ = program.communicate(timeout=60)
        same((program.returncode, out), (3, f"last is {sum(range(65, 129)) + 127 * 127}\n"))
    finally:
        program.kill()


def processes_of(program):
    """Those that run the executable."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe") == program:
                found.append(int(pid))
        except OSError:
            pass
    return found


def session_python_launched_and_attached_to(driver, folder):
    script = ("import ctypes, sys; print('before', flush=True); "
              "print(ctypes.CDLL(sys.argv[1]).run_twice())")
    words = ["-c", script, os.path.join(folder, "library.so")]
    here = ("p[i] = 2", {})

    def look(c):
        breakpoints(c, folder, here, name="library.cu")
        stop = go(c)
        same(top(c, stop["threadId"])["line"], line_of(folder, here[0], "library.cu"))
        names = [f["name"].split("(")[0]
                 for f in c.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]]
        same((names[0], names[2]), ("twice", "run_twice"))

    with session(driver) as c:
        c.launch(sys.executable, args=words)
        look(c)
        breakpoints(c, folder, name="library.cu")
        finish(c, 0)
        same(c.outputs("stdout"), "before\n62\n")
    # It waits where the library brings cudasim in, in the middle of main().
    program = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.PIPE, env={**os.environ, "CUDASIM_DEBUG": "wait"})
    try:
        has(program.stderr.readline(), "waits for a debugger")
        with session(driver) as c:
            c.initialize()
            c.ask("attach", pid=program.pid, stopOnEntry=True)
            c.event("initialized")
            look(c)
            has(c.outputs("important"), "main() has begun already")
            c.ask("disconnect")
            same(c.close(), 0)
        same(program.communicate(timeout=60)[0], "before\n62\n")
    finally:
        program.kill()


def session_programs_whose_client_goes_away(driver, folder):
    program = os.path.join(folder, "trouble")
    for standing in (False, True):
        with session(driver) as c:
            launch(c, folder, program="trouble", args=["host"])
            if not standing:
                c.ask("configurationDone")
            same(len(processes_of(program)), 1)
            same(c.close(), 0)
        same(processes_of(program), [])
    # As if the adapter had crashed.
    with session(driver) as c:
        launch(c, folder, program="trouble", args=["host"])
        c.ask("configurationDone")
        c.process.kill()
        end = time.monotonic() + 60
        while processes_of(program) and time.monotonic() < end:
            time.sleep(0.05)
        same(processes_of(program), [])
    with session(driver) as c:
        launch(c, folder, (STOP, {}))
        go(c)
        # It goes on alone, and its output does not break.
        c.ask("disconnect", terminateDebuggee=False)
        same(c.close(), 0)


def session_without_debugging(driver, folder):
    with session(driver) as c:
        c.initialize()
        c.ask("launch", program=os.path.join(folder, "sums"), noDebug=True)
        same(c.event("exited"), {"exitCode": 3})
        c.event("terminated")
        refused(c.ask, "threads", "has ended")
        same(c.close(), 0)


def session_a_program_executes_another(driver, folder):
    with session(driver) as c:
        c.launch(os.path.join(folder, "trouble"), args=["exec", os.path.join(folder, "sums")])
        found = breakpoints(c, folder, (STOP, {"condition": "i == 5"}))
        assert not found[0]["verified"]
        stop = go(c)
        same(stop["hitBreakpointIds"], [found[0]["id"]])
        same(value(c, top(c, stop["threadId"])["id"], "total"), "21")
        assert any(m.get("event") == "breakpoint" and m["body"]["breakpoint"]["verified"]
                   for m in c.messages)
        same(breakpoints(c, folder, (STOP, {"condition": "i == 5"}))[0]["id"], found[0]["id"])
        breakpoints(c, folder)
        finish(c, 3)


def session_in_a_terminal(driver, folder):
    with session(driver) as c:
        c.initialize()
        refused(c.ask, "launch", "terminal", program="sums", console="integratedTerminal")
        same(c.close(), 0)
    with session(driver) as c:
        c.initialize(supportsRunInTerminalRequest=True)
        c.start("launch", program=os.path.join(folder, "sums"), console="integratedTerminal",
                env={"GREETING": "hello"})
        wish = c.event("runInTerminal")
        same((wish["command"], wish["arguments"]["env"]), ("runInTerminal", {"GREETING": "hello"}))
        terminal = subprocess.Popen(wish["arguments"]["args"], cwd=wish["arguments"]["cwd"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        c.send({"seq": 1000, "type": "response", "request_seq": wish["seq"], "success": True,
                "command": "runInTerminal", "body": {"processId": terminal.pid}})
        c.event("initialized")
        breakpoints(c, folder, (STOP, {}))
        go(c)
        breakpoints(c, folder)
        finish(c, 3)
        same(terminal.communicate(timeout=60)[1], "done\n")


def session_on_a_port(driver, folder):
    server = subprocess.Popen([driver, "dap", "--listen", "0"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+)$", server.stdout.readline()).group(1))
        clients = []
        for address in ("127.0.0.1", "::ffff:127.0.0.1"):  # at once; Java's sockets are IPv6's
            try:
                connection = socket.create_connection((address, port))
            except OSError:
                continue  # a machine without IPv6
            clients.append(Client(None, stream=connection))
            launch(clients[-1], folder, (STOP, {}))
        for c in clients:
            go(c)
            breakpoints(c, folder)
            c.ask("continue", threadId=1)
            same(c.event("exited"), {"exitCode": 3})
            c.ask("disconnect")
            same(c.wrong, [])
        # A page in a browser can send this, and is not served.
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
            stranger.shutdown(socket.SHUT_WR)
            has(stranger.makefile("rb").read().decode(), "no header of a message")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
    for where in ("0.0.0.0:0", "99999", "127.0.0.1:x"):
        bad = subprocess.run([driver, "dap", "--listen", where], capture_output=True, text=True,
                             check=False)
        same((bad.returncode, bad.stdout), (1, ""))


def session_failing_launches(driver, folder):
    plain = os.path.join(folder, "plain")
    with open(plain, "w", encoding="utf-8") as file:
        file.write("no program\n")
    os.chmod(plain, 0o755)
    with session(driver) as c:
        c.initialize()
        refused(c.ask, "launch", "program")
        refused(c.ask, "launch", "nosuch", program="/nosuch")
        refused(c.ask, "launch", "not an executable", program=plain)
        refused(c.ask, "launch", "array of strings", program="sums", args="1 2")
        refused(c.ask, "launch", "true or false", program="sums", stopOnEntry="yes")
        refused(c.ask, "launch", "a string", program="sums", cwd=7)
        refused(c.ask, "launch", "cannot change to", program=os.path.join(folder, "sums"), cwd="/nosuch")
        refused(c.ask, "launch", "console", program="sums", console="window")
        # After all of these one that is right.
        c.ask("launch", program="sums", cwd=folder)
        c.event("initialized")
        refused(c.ask, "launch", "its program already", program="sums")
        refused(c.ask, "continue", "not being run", threadId=1)
        c.ask("configurationDone")
        c.event("terminated")
        same(c.close(), 0)


def session_programs_that_signals_end(driver, folder):
    with session(driver) as c:
        launch(c, folder, program="trouble", args=["abort"])
        stop = go(c)
        same((stop["reason"], stop["description"]), ("exception", "Signal SIGABRT"))
        same(c.ask("exceptionInfo", threadId=1)["exceptionId"], "SIGABRT")
        c.ask("continue", threadId=1)
        same(c.event("exited"), {"exitCode": 128 + signal.SIGABRT})
        c.event("terminated")
        same(c.close(), 0)
    with session(driver) as c:
        launch(c, folder, program="trouble", args=["host"])
        c.ask("configurationDone")
        waiting = c.start("setBreakpoints", source={"path": "x"}, breakpoints=[])
        os.kill(processes_of(os.path.join(folder, "trouble"))[0], signal.SIGKILL)
        c.response(waiting)  # one way or the other
        same(c.event("exited"), {"exitCode": 128 + signal.SIGKILL})
        c.event("terminated")
        has(c.outputs("console"), "signal 9")
        same(c.close(), 0)


def session_cancel_and_progress(driver, folder):
    loop = os.path.join(folder, "loop")
    with open(loop, "w", encoding="utf-8") as file:
        file.write("set $n = 0\nwhile 1\nset $n = $n + 1\nend\n")
    with session(driver) as c:
        c.initialize(supportsProgressReporting=True)
        c.ask("launch", program="sums", cwd=folder)
        c.event("initialized")
        breakpoints(c, folder, (STOP, {}))
        go(c)
        c.ask("cancel", requestId=77)  # no such one
        endless = c.start("evaluate", expression=f"source {loop}", context="repl")
        behind = c.start("evaluate", expression="n", context="watch")
        progress = c.event("progressStart")
        same((progress["requestId"], progress["cancellable"]), (endless, True))
        c.ask("cancel", requestId=behind)
        same(c.response(behind)["message"], "cancelled")
        c.ask("cancel", requestId=endless)
        answer = c.response(endless)
        same((answer["success"], answer["message"]), (False, "cancelled"))
        same(c.event("progressEnd")["progressId"], progress["progressId"])
        refused(c.ask, "evaluate", "source", expression="while 1", context="repl")
        breakpoints(c, folder)
        finish(c, 3)


def session_values_outlive_the_focus(driver, folder):
    """What was evaluated without a frame is of the stop, not of the focus."""
    with session(driver) as c:
        launch(c, folder, (STOP, {}))
        go(c)
        first = c.ask("evaluate", expression="p", context="watch")["variablesReference"]
        c.ask("cudasim/focus", coordinates="block 1 thread 9")
        second = c.ask("evaluate", expression="p", context="watch")["variablesReference"]
        for reference, number in ((first, "0"), (second, str(64 + 9))):
            parts = c.ask("variables", variablesReference=reference)["variables"]
            same(parts[2]["value"], number)
        breakpoints(c, folder)
        finish(c, 3)


def session_log_points_in_a_loop_of_the_host(driver, folder):
    """Its thread is nearly always saying something, which is no moment to stop it."""
    with session(driver) as c:
        launch(c, folder, program="trouble", args=["host"])
        breakpoints(c, folder, ("turns = turns + 1", {"logMessage": "turn {turns}"}),
                    name="trouble.cu")
        c.ask("configurationDone")
        while "turn 20\n" not in c.outputs("console"):
            c.take()
        c.ask("pause", threadId=1)
        same(c.event("stopped")["reason"], "pause")
        c.ask("continue", threadId=1)
        breakpoints(c, folder, name="trouble.cu")
        c.ask("pause", threadId=1)
        c.event("stopped")
        c.ask("disconnect")
        same(c.close(), 0)
