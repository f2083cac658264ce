# SPDX-License-Identifier: Apache-2.0
"""Sessions with sums.cu: breakpoints, stacks, variables, evaluation, memory. Lines are found by
their text, values are those that the source's first lines work out."""

import base64
import contextlib
import os

from client import Client, Refused


def line_of(folder, text, name="sums.cu"):
    """The number of the only line that has this text."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        found = [n for n, line in enumerate(file, 1) if text in line]
    assert len(found) == 1, (text, found)
    return found[0]


def same(found, wanted):
    assert found == wanted, f"{found!r} is not {wanted!r}"


def has(text, part):
    assert part in text, f"{part!r} is not in {text!r}"


def refused(ask, command, part, **arguments):
    try:
        body = ask(command, **arguments)
    except Refused as error:
        has(str(error), part)
        return
    assert False, f"{command} was not refused but answered {body!r}"


@contextlib.contextmanager
def session(driver, words=("dap",), env=None):
    client = Client([driver, *words], env=env)
    try:
        yield client
        same(client.wrong, [])
    finally:
        if client.process.poll() is None:
            client.process.kill()
            client.process.wait()


def breakpoints(client, folder, *items, name="sums.cu"):
    """Set those of the file; each item: (text of the line, more)."""
    path = os.path.join(folder, name)
    wishes = [{"line": line_of(folder, text, name), **more} for text, more in items]
    return client.ask("setBreakpoints", source={"path": path}, breakpoints=wishes)["breakpoints"]


def launch(client, folder, *items, program="sums", **more):
    client.launch(os.path.join(folder, program), cwd=folder, **more)
    return breakpoints(client, folder, *items) if items else []


def go(client):
    client.ask("configurationDone")
    return client.event("stopped")


def on(client, command="continue", thread=1, **more):
    """Let it go on, to the next stop."""
    client.ask(command, threadId=thread, **more)
    return client.event("stopped")


def finish(client, code):
    client.ask("continue", threadId=1)
    same(client.event("exited"), {"exitCode": code})
    client.event("terminated")
    client.ask("disconnect")
    same(client.close(), 0)


def top(client, thread):
    return client.ask("stackTrace", threadId=thread)["stackFrames"][0]


def scope(client, frame, name):
    scopes = client.ask("scopes", frameId=frame)["scopes"]
    reference = next(s["variablesReference"] for s in scopes if s["name"] == name)
    found = client.ask("variables", variablesReference=reference)["variables"]
    return reference, {v["name"]: v for v in found}


def value(client, frame, expression, context="watch"):
    return client.ask("evaluate", expression=expression, frameId=frame, context=context)["result"]


STOP = "if (i < n)"


def session_from_launch_to_end(driver, folder):
    with session(driver) as c:
        can = c.initialize()
        assert can["supportsConfigurationDoneRequest"] and can["supportsStepBack"]
        c.ask("launch", program=os.path.join(folder, "sums"))
        c.event("initialized")
        c.ask("configurationDone")
        same(c.event("exited"), {"exitCode": 3})
        c.event("terminated")
        # in[127] is the sum of 65..128, 127 * 127 is added.
        same(c.outputs("stdout"), f"last is {sum(range(65, 129)) + 127 * 127}\n")
        same(c.outputs("stderr"), "done\n")
        refused(c.ask, "stackTrace", "has ended", threadId=1)
        c.ask("disconnect")
        same(c.close(), 0)


def session_stack_scopes_and_variables(driver, folder):
    with session(driver) as c:
        found = launch(c, folder, (STOP, {}))
        assert found[0]["verified"] and found[0]["line"] == line_of(folder, STOP), found
        stop = go(c)
        same((stop["reason"], stop["hitBreakpointIds"]), ("breakpoint", [found[0]["id"]]))
        thread = stop["threadId"]
        stack = c.ask("stackTrace", threadId=thread)
        names = [f["name"].split("(")[0] for f in stack["stackFrames"]]
        same((names[0], names[2]), ("sums", "main"))
        has(names[1], "launch of kernel 0, sums<<<")
        same(stack["stackFrames"][1]["presentationHint"], "label")
        same([f["line"] for f in stack["stackFrames"]],
             [line_of(folder, STOP), 0, line_of(folder, "sums<<<2, 64>>>")])
        same(stack["stackFrames"][0]["source"]["path"], os.path.join(folder, "sums.cu"))
        part = c.ask("stackTrace", threadId=thread, startFrame=2, levels=1)
        same((len(part["stackFrames"]), part["totalFrames"]), (1, 3))
        frame = stack["stackFrames"][0]["id"]
        _, local = scope(c, frame, "Locals")
        same({n: local[n]["value"] for n in ("i", "total", "p")},
             {"i": "0", "total": "1", "p": "{x = 0.5, y = 0, id = 0}"})
        same(local["tile"]["indexedVariables"], 64)
        some = c.ask("variables", variablesReference=local["tile"]["variablesReference"],
                     filter="indexed", start=62, count=2)["variables"]
        same([(v["name"], v["value"], v["evaluateName"]) for v in some],
             [("[62]", "63", "tile[62]"), ("[63]", "64", "tile[63]")])
        members = c.ask("variables", variablesReference=local["p"]["variablesReference"])["variables"]
        same([(v["name"], v["value"]) for v in members], [("x", "0.5"), ("y", "0"), ("id", "0")])
        _, arguments = scope(c, frame, "Arguments")
        same(arguments["n"]["value"], "128")
        _, cuda = scope(c, frame, "CUDA")
        same((cuda["blockDim"]["value"], cuda["warp"]["value"]), ("{x = 64, y = 1, z = 1}", "0"))
        _, registers = scope(c, frame, "Registers")
        same(registers["rip"]["value"], stack["stackFrames"][0]["instructionPointerReference"])
        _, local = scope(c, stack["stackFrames"][2]["id"], "Locals")
        same(local["n"]["value"], "128")
        ranges = c.ask("variables", variablesReference=local["table"]["variablesReference"])["variables"]
        same([(r["name"], r["indexedVariables"]) for r in ranges],
             [("[0...999]", 1000), ("[1000...1999]", 1000), ("[2000...2499]", 500)])
        some = c.ask("variables", variablesReference=ranges[1]["variablesReference"], start=7, count=2)
        same([(v["name"], v["value"]) for v in some["variables"]], [("[1007]", "3021"), ("[1008]", "3024")])
        c.ask("setVariable", variablesReference=ranges[2]["variablesReference"], name="[2499]", value="1")
        same(value(c, stack["stackFrames"][2]["id"], "table[2499]"), "1")
        some = c.ask("variables", variablesReference=local["table"]["variablesReference"],
                     start=1998, count=502, filter="indexed")["variables"]
        same((len(some), some[0]["value"], some[501]["value"]), (502, "5994", "1"))
        refused(c.ask, "scopes", "no frame with variables", frameId=stack["stackFrames"][1]["id"])
        breakpoints(c, folder)
        old = local["n"]
        c.ask("next", threadId=thread)
        c.event("stopped")
        refused(c.ask, "scopes", "earlier stop", frameId=frame)
        refused(c.ask, "variables", "earlier stop", variablesReference=1)
        assert old
        finish(c, 3)


def check_names(client, frame, reference, depth):
    """Every variable is what its expression gives; returns how many there are."""
    n = 0
    for variable in client.ask("variables", variablesReference=reference)["variables"]:
        n += 1
        if "evaluateName" in variable:
            found = client.ask("evaluate", expression=variable["evaluateName"], frameId=frame,
                               context="variables")
            same((found["result"], found["type"]), (variable["value"], variable["type"]))
        if variable["variablesReference"] and depth:
            n += check_names(client, frame, variable["variablesReference"], depth - 1)
    return n


def session_expressions_of_variables(driver, folder):
    with session(driver) as c:
        launch(c, folder, (STOP, {}))
        for frame in c.ask("stackTrace", threadId=go(c)["threadId"])["stackFrames"]:
            if "presentationHint" in frame:
                continue
            n = sum(check_names(c, frame["id"], s["variablesReference"], 3)
                    for s in c.ask("scopes", frameId=frame["id"])["scopes"] if s["name"] != "Registers")
            # In the kernel: tile with its 64 elements, p with 3 members, i, total, 3 arguments.
            assert n >= (64 + 1 + 4 + 2 + 3 if "sums" in frame["name"] else 5), n
        breakpoints(c, folder)
        finish(c, 3)


def session_threads_and_focus(driver, folder):
    with session(driver) as c:
        launch(c, folder, (STOP, {}))
        stop = go(c)
        threads = c.ask("threads")["threads"]
        same([t["id"] for t in threads][:2], [1, stop["threadId"]])
        has(threads[1]["name"], "block (0,0,0), thread (0,0,0) at sums.cu")
        has(threads[2]["name"], "and 126 more")
        focus = c.ask("cudasim/focus", coordinates="block (1,0,0) thread (3,0,0)")
        same((focus["block"], focus["thread"]), ([1, 0, 0], [3, 0, 0]))
        moved = c.event("stopped")
        same((moved["reason"], moved["threadId"]), ("cuda focus", focus["threadId"]))
        frame = top(c, focus["threadId"])["id"]
        # Thread 3 of block 1: 65 + 66 + 67 + 68.
        same(value(c, frame, "total"), str(65 + 66 + 67 + 68))
        c.ask("evaluate", expression="cuda thread 5", context="repl")
        same(c.event("stopped")["reason"], "cuda focus")
        same(c.ask("cudasim/focus")["thread"], [5, 0, 0])
        stop = on(c, "next", c.ask("cudasim/focus")["threadId"])
        same(c.ask("cudasim/focus")["thread"], [5, 0, 0])
        # The host waits for the kernel in its frame.
        same(top(c, 1)["name"].split("(")[0], "main")
        refused(c.ask, "next", "waits for the kernel", threadId=1)
        refused(c.ask, "cudasim/focus", "nvalid", coordinates="block 7")
        refused(c.ask, "stackTrace", "no thread", threadId=99)
        breakpoints(c, folder)
        finish(c, 3)


def session_breakpoints_of_all_kinds(driver, folder):
    with session(driver) as c:
        found = launch(c, folder, (STOP, {"condition": "i == 70"}),
                       ("int r = a * a", {"logMessage": "square of {a} is {a * a}",
                                          "condition": "a == 9"}),
                       ("done", {"condition": "nosuch == 1"}),
                       ("total += tile", {"hitCondition": "many"}), args=["3"])
        same([b["verified"] for b in found], [True, True, False, False])
        has(found[2]["message"], "nosuch")
        has(found[3]["message"], "hit condition")
        functions = c.ask("setFunctionBreakpoints",
                          breakpoints=[{"name": "square", "hitCondition": "3"},
                                       {"name": "nosuch"}])["breakpoints"]
        same([b["verified"] for b in functions], [True, False])
        same(functions[1]["reason"], "pending")
        stop = go(c)
        same(stop["hitBreakpointIds"], [found[0]["id"]])
        frame = top(c, stop["threadId"])["id"]
        # Block 1, thread 6: 65 + ... + 71.
        same((value(c, frame, "i"), value(c, frame, "total")), ("70", str(sum(range(65, 72)))))
        # The same words keep the breakpoint, others make a new one.
        again = breakpoints(c, folder, (STOP, {"condition": "i == 70"}), ("calls = 7", {}),
                            ("int r = a * a", {"logMessage": "square of {a} is {a * a}",
                                               "condition": "a == 9"}))
        same((again[0]["id"], again[2]["id"]), (found[0]["id"], found[1]["id"]))
        assert again[1]["id"] not in [b["id"] for b in found if "id" in b]
        same(on(c)["hitBreakpointIds"], [again[1]["id"]])
        has(c.outputs("console"), "square of 9 is 81\n")
        # The third kernel's threads are the third to come to square().
        breakpoints(c, folder)
        stop = on(c)
        same((stop["reason"], stop["hitBreakpointIds"]), ("function breakpoint", [functions[0]["id"]]))
        has(top(c, stop["threadId"])["name"], "square(a=")
        c.ask("setFunctionBreakpoints", breakpoints=[])
        filters = c.ask("setExceptionBreakpoints", filters=["exit"],
                        filterOptions=[{"filterId": "nosuch"}, {"filterId": "race"}])["breakpoints"]
        same([b["verified"] for b in filters], [True, False, False])
        has(filters[2]["message"], "needs checkers")
        stop = on(c)
        same((stop["reason"], stop["hitBreakpointIds"]), ("exception", [filters[0]["id"]]))
        has(stop["text"], "exit of sums")
        same(c.ask("exceptionInfo", threadId=1)["exceptionId"], "catchpoint")
        c.ask("setExceptionBreakpoints", filters=[])
        finish(c, 3)


def session_breakpoints_of_commands(driver, folder):
    with session(driver) as c:
        launch(c, folder, (STOP, {}))
        c.ask("evaluate", expression=f"break sums.cu:{line_of(folder, 'calls = 7')}", context="repl")
        new = c.event("breakpoint")
        same((new["reason"], new["breakpoint"]["line"]), ("new", line_of(folder, "calls = 7")))
        go(c)
        c.ask("evaluate", expression=f"delete {new['breakpoint']['id']}", context="repl")
        same(c.event("breakpoint")["reason"], "removed")
        places = c.ask("breakpointLocations", source={"path": os.path.join(folder, "sums.cu")},
                       line=line_of(folder, "int total = 0"), endLine=line_of(folder, STOP))
        lines = [b["line"] for b in places["breakpoints"]]
        assert line_of(folder, "total += tile") in lines and len(lines) == 4, lines
        breakpoints(c, folder)
        finish(c, 3)


def session_data_breakpoints(driver, folder):
    with session(driver) as c:
        launch(c, folder, (STOP, {"condition": "i == 2"}))
        stop = go(c)
        frame = top(c, stop["threadId"])["id"]
        reference, _ = scope(c, frame, "Locals")
        info = c.ask("dataBreakpointInfo", variablesReference=reference, name="total")
        same(info["accessTypes"], ["read", "write", "readWrite"])
        whole = c.ask("dataBreakpointInfo", name="calls", frameId=frame)
        same(c.ask("dataBreakpointInfo", name="i + 1", frameId=frame)["dataId"], None)
        found = c.ask("setDataBreakpoints", breakpoints=[
            {"dataId": whole["dataId"], "accessType": "write"}, {"dataId": "77"}])["breakpoints"]
        same([b["verified"] for b in found], [True, False])
        breakpoints(c, folder)
        stop = on(c)
        same((stop["reason"], stop["hitBreakpointIds"]), ("data breakpoint", [found[0]["id"]]))
        has(stop["text"], "New value = 7")
        # A local of a frame that is gone is not watched at its old address.
        late = c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])["breakpoints"]
        has(late[0]["message"], "name it again")
        c.ask("setDataBreakpoints", breakpoints=[])
        finish(c, 3)


def session_steps(driver, folder):
    with session(driver) as c:
        launch(c, folder, ("out[i] = total", {}))
        thread = go(c)["threadId"]
        same(on(c, "stepIn", thread)["reason"], "step")
        has(top(c, thread)["name"], "square(a=0)")
        on(c, "next", thread)
        same(top(c, thread)["line"], line_of(folder, "return r"))
        on(c, "stepOut", thread)
        frame = top(c, thread)
        same((frame["name"].split("(")[0], frame["line"]), ("sums", line_of(folder, "out[i] = total")))
        _, local = scope(c, frame["id"], "Locals")
        same(local["square returned"]["value"], "0")
        refused(c.ask, "stepOut", "returns to nobody", threadId=thread)
        before = frame["instructionPointerReference"]
        on(c, "next", thread, granularity="instruction")
        assert top(c, thread)["instructionPointerReference"] != before
        breakpoints(c, folder)
        finish(c, 3)


def session_back(driver, folder):
    """in[0] is 1: total of thread 0 is 1 behind its one addition, 0 before."""
    store, add, loop = "out[i] = total", "total += tile[k]", "for (int k = 0"
    with session(driver) as c:
        launch(c, folder, (store, {}), record=True)
        thread = go(c)["threadId"]
        present = top(c, thread)
        same(value(c, present["id"], "total"), "1")
        refused(c.ask, "stepBack", "not by", threadId=thread, granularity="instruction")
        for text, total in ("if (i < n)", "1"), (loop, "1"), (add, "0"):
            same(on(c, "stepBack", thread)["reason"], "step")
            frame = top(c, thread)
            same((frame["line"], value(c, frame["id"], "total")), (line_of(folder, text), total))
        refused(c.ask, "setExpression", "past", frameId=frame["id"], expression="total", value="5")
        refused(c.ask, "evaluate", "client goes back", frameId=frame["id"], expression="reverse-step", context="repl")
        has(c.ask("evaluate", frameId=frame["id"], expression="who-wrote tile[0]", context="repl")["result"],
            f"sums.cu:{line_of(folder, 'tile[threadIdx.x] = in[i]')}, in sums")
        on(c, "next", thread)
        same(top(c, thread)["line"], line_of(folder, loop))
        stop = on(c, "reverseContinue", thread)
        same(top(c, stop["threadId"])["line"], line_of(folder, "int i = blockIdx.x"))
        has(c.ask("stackTrace", threadId=stop["threadId"])["stackFrames"][2]["name"], "main")
        # A breakpoint that was set in the past, of which no stop was ever made.
        found = breakpoints(c, folder, (store, {}), ("return r", {"condition": "a == 3"}))
        stop = on(c, "continue", stop["threadId"])
        same((stop["reason"], stop.get("hitBreakpointIds")), ("step", None)) # the present
        same(top(c, stop["threadId"])["line"], line_of(folder, store))
        stop = on(c, "continue", stop["threadId"])
        same(stop["hitBreakpointIds"], [found[1]["id"]])
        inner = stop["threadId"]
        same(value(c, top(c, inner)["id"], "r"), "9")
        on(c, "stepBack", inner)
        same(top(c, inner)["line"], line_of(folder, "int r = a * a"))
        breakpoints(c, folder)
        on(c, "continue", inner)
        finish(c, 3)
    with session(driver) as c:
        launch(c, folder, (store, {}))
        thread = go(c)["threadId"]
        refused(c.ask, "stepBack", "Nothing is recorded", threadId=thread)
        refused(c.ask, "reverseContinue", "Nothing is recorded", threadId=thread)
        c.ask("disconnect")
        same(c.close(), 0)
    # The client leaves in the past: the program ends with it.
    with session(driver) as c:
        launch(c, folder, (store, {}), record=True)
        thread = go(c)["threadId"]
        on(c, "stepBack", thread)
        c.ask("disconnect")
        same(c.close(), 0)


def session_entry_on_the_host(driver, folder):
    with session(driver) as c:
        launch(c, folder, stopOnEntry=True, commands=["set print pretty on"])
        stop = go(c)
        same((stop["reason"], stop["threadId"]), ("entry", 1))
        frame = top(c, 1)
        same(frame["name"].split("(")[0], "main")
        same(value(c, frame["id"], "argc"), "1")
        before = frame["line"]
        on(c, "next", 1)
        assert top(c, 1)["line"] > before
        finish(c, 3)


def session_setting_and_evaluating(driver, folder):
    with session(driver) as c:
        launch(c, folder, (STOP, {"condition": "i == 5"}))
        thread = go(c)["threadId"]
        frame = top(c, thread)["id"]
        reference, local = scope(c, frame, "Locals")
        # 1 + ... + 6
        same(local["total"]["value"], "21")
        c.ask("setVariable", variablesReference=reference, name="total", value="1000")
        same(value(c, frame, "total", "hover"), "1000")
        c.ask("setVariable", variablesReference=local["tile"]["variablesReference"], name="[9]",
              value="total + 1")
        same(value(c, frame, "tile[9]"), "1001")
        same(c.ask("setExpression", expression="p.y", value="0.25", frameId=frame)["value"], "0.25")
        refused(c.ask, "setVariable", "no variable", variablesReference=reference, name="zz", value="1")
        refused(c.ask, "setVariable", "No symbol", variablesReference=reference, name="total", value="zz")
        same(c.ask("evaluate", expression="total", frameId=frame, context="watch",
                   format={"hex": True})["result"], "0x3e8")
        has(value(c, frame, "tile", "clipboard"), "63, 64}")
        body = c.ask("evaluate", expression="p", frameId=frame, context="watch")
        members = c.ask("variables", variablesReference=body["variablesReference"])["variables"]
        same(members[1]["value"], "0.25")
        # A variable, a command, an expression; and a command by force.
        same(value(c, frame, "i", "repl"), "5")
        has(value(c, frame, "info locals", "repl"), "total = 1000")
        same(value(c, frame, "total / 8", "repl"), "125")
        has(value(c, frame, "-exec print i", "repl"), "= 5\n")
        refused(c.ask, "evaluate", "client's restart", expression="run", context="repl")
        refused(c.ask, "evaluate", "No symbol", expression="nosuch", context="repl")
        refused(c.ask, "evaluate", "", expression="nosuch + ", frameId=frame, context="watch")
        targets = c.ask("completions", text="print tot", column=10, frameId=frame)["targets"]
        same([(t["label"], t["start"], t["length"]) for t in targets], [("total", 6, 3)])
        breakpoints(c, folder)
        # As a command: the answer is what it prints, events tell of the step.
        has(c.ask("evaluate", expression="next", context="repl")["result"], "out[i] = total")
        c.event("continued")
        same(c.event("stopped")["reason"], "step")
        same(c.ask("evaluate", expression="continue", context="repl")["result"], "")
        same(c.event("exited"), {"exitCode": 3})
        c.event("terminated")
        c.ask("disconnect")
        same(c.close(), 0)


def session_code_and_memory(driver, folder):
    with session(driver) as c:
        launch(c, folder, (STOP, {"condition": "i == 5"}))
        thread = go(c)["threadId"]
        frame = top(c, thread)
        body = c.ask("evaluate", expression="tile", frameId=frame["id"], context="watch")
        tile = body["memoryReference"]
        data = c.ask("readMemory", memoryReference=tile, offset=4, count=8)
        same(base64.b64decode(data["data"]), (2).to_bytes(4, "little") + (3).to_bytes(4, "little"))
        written = c.ask("writeMemory", memoryReference=tile, offset=8,
                        data=base64.b64encode((99).to_bytes(4, "little")).decode())
        same(written, {"bytesWritten": 4})
        same(value(c, frame["id"], "tile[2]"), "99")
        same(c.ask("readMemory", memoryReference="0x10", count=4)["unreadableBytes"], 4)
        refused(c.ask, "writeMemory", "base64", memoryReference=tile, data="?")
        refused(c.ask, "readMemory", "memory reference", memoryReference="tile", count=4)
        pc = frame["instructionPointerReference"]
        code = c.ask("disassemble", memoryReference=pc, instructionOffset=-3, instructionCount=8)
        addresses = [i["address"] for i in code["instructions"]]
        same((len(addresses), addresses[3]), (8, pc))
        assert addresses == sorted(addresses, key=lambda a: int(a, 16))
        at = code["instructions"][5]["address"]
        found = c.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": "0x10"}])
        assert not found["breakpoints"][0]["verified"]
        assert at
        modules = c.ask("modules")
        assert any(m["path"] == os.path.join(folder, "sums") and m["isUserCode"]
                   for m in modules["modules"])
        same(modules["totalModules"], len(modules["modules"]))
        paths = [s.get("path") for s in c.ask("loadedSources")["sources"]]
        assert os.path.join(folder, "sums.cu") in paths, paths
        with open(os.path.join(folder, "sums.cu"), encoding="utf-8") as file:
            same(c.ask("source", source={"path": os.path.join(folder, "sums.cu")},
                       sourceReference=0)["content"], file.read())
        refused(c.ask, "source", "no source of the program", source={"path": "/etc/passwd"},
                sourceReference=0)
        breakpoints(c, folder)
        finish(c, 3)
