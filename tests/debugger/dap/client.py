# SPDX-License-Identifier: Apache-2.0
"""A client of the Debug Adapter Protocol for tests: what it receives is checked against the
protocol's schema, and it never waits longer than TIMEOUT."""

import json
import os
import queue
import subprocess
import threading

from schema import Schema

TIMEOUT = 60
SCHEMA = Schema()


class Ended(Exception):
    """The adapter has closed its side."""


class Refused(Exception):
    """A request has failed; the text is the response's."""


class Client:
    def __init__(self, words, schema=SCHEMA, env=None, stream=None):
        """words: the adapter's command line; or stream: a connected socket."""
        self.schema = schema
        self.process = None
        if stream:
            self.input, self.output = stream.makefile("wb"), stream.makefile("rb")
        else:
            self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            env={**os.environ, **(env or {})})
            self.input, self.output = self.process.stdin, self.process.stdout
        self.seq = 0
        self.wrong = []      # what breaks the schema
        self.messages = []   # all that came, in order
        self.events = []     # those that nobody has waited for yet
        self.responses = {}  # by request_seq
        self.incoming = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        expected = 1
        try:
            while True:
                length = None
                while (line := self.output.readline()) not in (b"\r\n", b""):
                    name, value = line.decode().split(":")
                    if name == "Content-Length":
                        length = int(value)
                if line == b"":
                    break
                message = json.loads(self.output.read(length).decode("utf-8"))
                if message["seq"] != expected:
                    self.wrong.append(f"seq is {message['seq']}, not {expected}")
                expected += 1
                self.wrong += self.schema.errors(message)
                self.incoming.put(message)
        except (ValueError, OSError):
            pass
        self.incoming.put(None)

    def send_bytes(self, data):
        self.input.write(data)
        self.input.flush()

    def send(self, message):
        text = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(text) + text)

    def start(self, command, **arguments):
        """Send a request without waiting; returns its seq."""
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command}
        if arguments:
            message["arguments"] = arguments
        self.send(message)
        return self.seq

    def take(self):
        message = self.incoming.get(timeout=TIMEOUT)
        if message is None:
            self.incoming.put(None)
            raise Ended()
        self.messages.append(message)
        if message["type"] == "response":
            self.responses[message["request_seq"]] = message
        else:
            self.events.append(message)

    def response(self, seq):
        while seq not in self.responses:
            self.take()
        return self.responses.pop(seq)

    def ask(self, command, **arguments):
        """The body of a request's response; Refused where it has failed."""
        response = self.response(self.start(command, **arguments))
        if response["command"] != command:
            self.wrong.append(f"the response to {command} is of {response['command']}")
        if not response["success"]:
            raise Refused(response["body"]["error"]["variables"]["_text"])
        return response.get("body", {})

    def event(self, name):
        """The next event of that name; those before it are dropped."""
        while True:
            while self.events:
                event = self.events.pop(0)
                if event.get("event", event.get("command")) == name:
                    return event.get("body", event)
            self.take()

    def outputs(self, category):
        """All that was said so far in a category of output."""
        return "".join(m["body"]["output"] for m in self.messages
                       if m.get("event") == "output" and m["body"]["category"] == category)

    def initialize(self, **more):
        return self.ask("initialize", clientID="test", adapterID="cudasim", linesStartAt1=True,
                        columnsStartAt1=True, pathFormat="path", **more)

    def launch(self, program, **more):
        """Up to the configuration of breakpoints."""
        self.initialize()
        self.ask("launch", program=program, **more)
        self.event("initialized")

    def close(self):
        try:
            self.input.close()
        except OSError:
            pass
        if self.process:
            return self.process.wait(timeout=TIMEOUT)
        return None
