# mypy: ignore-errors
# ruff: noqa: B905, PTH123, RUF005, T201, UP031
"""Runs in MicroPython, as `main.py`: holds `vectors.txt` against the Pico's `wire` and `payload`."""

import json

from firmware_bridge import payload, wire


def hexed(data):
    return "".join(["%02x" % byte for byte in data])


def text(data):
    return data.decode()


def runs(body):
    return [{"offset": at, "data": hexed(body[start:end])} for at, start, end in payload.read_runs(body)]


def events(body):
    boot, first, items = payload.read_events(body)
    expected = [{"kind": kind, "age": age, "data": hexed(data)} for kind, age, data in items]
    return {"boot": boot, "first": first, "events": expected}


def identity(body):
    protocols, boot, session, checks, machines, uarts, version, board = payload.read_identity(body)
    names = (
        "oldest",
        "newest",
        "boot",
        "session",
        "wiring",
        "files",
        "machines",
        "uarts",
        "version",
        "board",
    )
    values = protocols + (boot, session) + checks + (machines, uarts, text(version), text(board))
    return dict(zip(names, values))


def named(names, read):
    def fields(body):
        values = read(body)
        if not isinstance(values, tuple):
            values = (values,)
        return dict(zip(names, [text(it) if isinstance(it, bytes) else it for it in values]))

    return fields


READ = {
    payload.HELLO: ("hello", named(("protocol", "session", "name"), payload.read_hello)),
    payload.CONFIGURE: ("configure", lambda body: {"wiring": hexed(body)}),
    payload.LIGHTS: ("lights", lambda body: {"runs": runs(body)}),
    payload.SHOW: ("show", named(("number", "check"), payload.read_show)),
    payload.ACKNOWLEDGE: ("acknowledge", named(("following",), payload.read_acknowledge)),
    payload.QUERY_INPUTS: ("queryinputs", lambda body: {}),
    payload.HEARTBEAT: ("heartbeat", named(("count",), payload.read_heartbeat)),
    payload.IDENTITY: ("identity", identity),
    payload.CONFIGURED: ("configured", named(("wiring", "fault"), payload.read_configured)),
    payload.SHOWN: ("shown", named(("number", "differs"), payload.read_shown)),
    payload.EVENTS: ("events", events),
    payload.INPUTS: ("inputs", lambda body: {"bits": hexed(body)}),
    payload.ALIVE: ("alive", named(("count", "uptime", "free", "damaged", "lost"), payload.read_alive)),
    payload.LOG: ("log", named(("level", "text"), payload.read_log)),
}


def bytes_of(digits):
    return bytes([int(digits[at : at + 2], 16) for at in range(0, len(digits), 2)])


def rebuild(kind, it):
    """Build the payload again with the Pico's own functions."""
    if kind == payload.CONFIGURE:
        return payload.wiring(*payload.read_wiring(bytes_of(it["wiring"])))
    if kind == payload.LIGHTS:
        return b"".join([payload.run(run["offset"], bytes_of(run["data"])) for run in it["runs"]])
    if kind == payload.IDENTITY:
        return payload.identity(
            (it["oldest"], it["newest"]),
            it["boot"],
            it["session"],
            (it["wiring"], it["files"]),
            it["machines"],
            it["uarts"],
            it["version"].encode(),
            it["board"].encode(),
        )
    if kind == payload.EVENTS:
        items = [payload.event(one["kind"], one["age"], bytes_of(one["data"])) for one in it["events"]]
        return payload.events(it["boot"], it["first"], items)
    if kind == payload.INPUTS:
        return bytes_of(it["bits"])
    if kind == payload.QUERY_INPUTS:
        return b""
    build = {
        payload.HELLO: lambda: payload.hello(it["protocol"], it["session"], it["name"].encode()),
        payload.SHOW: lambda: payload.show(it["number"], it["check"]),
        payload.ACKNOWLEDGE: lambda: payload.acknowledge(it["following"]),
        payload.HEARTBEAT: lambda: payload.heartbeat(it["count"]),
        payload.CONFIGURED: lambda: payload.configured(it["wiring"], it["fault"].encode()),
        payload.SHOWN: lambda: payload.shown(it["number"], int(it["differs"])),
        payload.ALIVE: lambda: payload.alive(
            it["count"], it["uptime"], it["free"], it["damaged"], it["lost"]
        ),
        payload.LOG: lambda: payload.log(it["level"], it["text"].encode()),
    }
    return build[kind]()


def fault_of_line(frame, expected):
    """Say what is wrong with a line of the file, nothing if all is well."""
    try:
        kind, number, body = wire.unpack(frame.encode() + b"\n")
    except wire.WireError as error:
        return "" if expected.get("error") == str(error) else "says " + str(error)
    if number != expected.pop("sequence", None):
        return "number " + str(number)
    name = expected.pop("kind", None)
    if kind not in READ:
        return "" if name == kind and expected == {"payload": hexed(body)} else "kind " + str(kind)
    known, fields = READ[kind]
    found = fields(body)
    if name != known or found != expected:
        return "means " + known + " " + json.dumps(found)
    again = wire.pack(kind, number, rebuild(kind, expected))
    return "" if frame.encode().endswith(again[:-1]) else "is built as " + repr(again)


checked = 0
with open("/vectors.txt") as file:
    for line in file:
        if line.strip() and not line.startswith("#"):
            frame, expected = line.rstrip("\n").split("\t")
            fault = fault_of_line(frame, json.loads(expected))
            if fault:
                print("FAULT", frame, fault)
            checked += 1
print("CHECKED", checked)
