# mypy: ignore-errors
# ruff: noqa: PTH123, T201, UP031
"""Runs in MicroPython, as `main.py`: holds `vectors.txt` against the Pico's `wire` and `payload`."""

import json

from firmware_bridge import payload, wire


def hexed(data):
    return "".join(["%02x" % byte for byte in data])


def bytes_of(digits):
    return bytes([int(digits[at : at + 2], 16) for at in range(0, len(digits), 2)])


NAMES = {
    payload.HELLO: ("hello", "protocol", "session", "name"),
    payload.CONFIGURE: ("configure", "wiring"),
    payload.LIGHTS: ("lights", "raw", "runs"),
    payload.SHOW: ("show", "number", "check", "raw", "runs"),
    payload.ACKNOWLEDGE: ("acknowledge", "following"),
    payload.QUERY_INPUTS: ("query_inputs",),
    payload.HEARTBEAT: ("heartbeat", "count"),
    payload.IDENTITY: (
        "identity", "oldest", "newest", "boot", "session", "wiring", "files", "machines", "uarts",
        "version", "board",
    ),
    payload.CONFIGURED: ("configured", "wiring", "fault"),
    payload.SHOWN: ("shown", "number", "differs"),
    payload.EVENTS: ("events", "boot", "first", "events"),
    payload.INPUTS: ("inputs", "bits"),
    payload.ALIVE: ("alive", "count", "uptime", "free", "damaged", "lost"),
    payload.LOG: ("log", "level", "text"),
}  # fmt: skip
"""The name of each kind and of its fields, in the order of the payload."""


def rest_of(kind, it):
    """Build what follows the fields with the Pico's own functions; check what the Pico only reads."""
    if kind == payload.CONFIGURE:
        payload.read_wiring(bytes_of(it["wiring"]))
        return bytes_of(it["wiring"])
    if kind == payload.INPUTS:
        return bytes_of(it["bits"])
    if kind == payload.EVENTS:
        items = [payload.event(one["kind"], one["age"], bytes_of(one["data"])) for one in it["events"]]
        return b"".join(items)
    if kind == payload.IDENTITY:
        return payload.short_text(it["version"].encode()) + payload.short_text(it["board"].encode())
    last = it[NAMES[kind][-1]] if len(NAMES[kind]) > 1 else None
    return last.encode() if isinstance(last, str) else b""


def fault_of_lights(kind, body, raw, it):
    """Write the bytes that follow a line to 2000 dark lights; compare them with those of the vector."""
    fields, _ = payload.parse(kind, body)
    if payload.raw_size(kind, body) != len(raw) or fields[2] != it["runs"]:
        return "has the fields " + repr(fields)
    if kind == payload.SHOW and fields[3:] != (it["number"], it["check"]):
        return "shows " + repr(fields)
    plain = bytes_of(it["raw"])
    size = 2000 if it["runs"] else len(plain)
    lights, expected = bytearray(size), bytearray(size)
    payload.write_lights(lights, memoryview(raw), fields[1], fields[2])
    payload.write_lights(expected, plain, 0, it["runs"])
    if lights != expected or (not it["runs"] and lights != plain):
        return "writes " + hexed(lights)
    return ""


def fault_of_payload(kind, body, raw, it):
    """Read and build the payload; say what is wrong with it, nothing if all is well."""
    name, *fields = NAMES[kind]
    if it.pop("kind") != name or set(it) != set(fields):
        return "means " + name
    if kind == payload.LIGHTS or kind == payload.SHOW:
        return fault_of_lights(kind, body, raw, it)
    rest = rest_of(kind, it)
    if kind not in payload.FORMATS:
        return "" if body == rest else "is built as " + repr(rest)
    numbers, found = payload.parse(kind, body)
    expected = tuple([int(it[field]) for field in fields[: len(numbers)]])
    if numbers != expected or found != rest:
        return "means " + repr((numbers, found))
    again = payload.build(kind, *numbers) + rest
    return "" if body == again else "is built as " + repr(again)


def fault_of_line(frame, raw, expected):
    """Say what is wrong with a line of the file, nothing if all is well."""
    try:
        kind, number, body = wire.unpack(frame.encode() + b"\n")
    except wire.WireError as error:
        return "" if expected.get("error") == str(error) else "says " + str(error)
    if number != expected.pop("sequence", None):
        return "number " + str(number)
    if kind not in NAMES:
        return "" if expected == {"kind": kind, "payload": hexed(body)} else "kind " + str(kind)
    if not frame.encode().endswith(wire.pack(kind, number, body)[:-1]):
        return "is packed as " + repr(wire.pack(kind, number, body))
    return fault_of_payload(kind, body, raw, expected)


checked = 0
with open("/vectors.txt") as file:
    for line in file:
        if line.strip() and not line.startswith("#"):
            frame, expected = line.rstrip("\n").split("\t")
            frame, _, raw = frame.partition(" |")
            fault = fault_of_line(frame, bytes_of(raw), json.loads(expected))
            if fault:
                print("FAULT", frame, fault)
            checked += 1
print("CHECKED", checked)
