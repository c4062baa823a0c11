"""What stands in a frame, kind by kind: the same file runs on the host and on the Pico.

Each kind has one function that builds its payload and one, `read_...`, that takes it apart again and raises
WireError where it is too short. Bytes after what is known are left alone: a newer peer may have more to say.
Numbers are little-endian; times are milliseconds; texts are UTF-8.
"""

from struct import pack, unpack_from

from firmware_bridge.wire import WireError

PROTOCOL = 1
"""What the two sides say to each other; grows when an older peer could no longer follow."""
OLDEST_PROTOCOL = 1
"""The oldest that is still understood."""

# From the host.
HELLO = 0x01
CONFIGURE = 0x02
LIGHTS = 0x03
SHOW = 0x04
TAKEN = 0x05
ASK = 0x06
HEARTBEAT = 0x07
# From the Pico: they have this bit.
FROM_PICO = 0x40
IDENTITY = 0x41
CONFIGURED = 0x42
SHOWN = 0x44
EVENTS = 0x45
INPUTS = 0x46
ALIVE = 0x47
LOG = 0x48

# Kinds of events.
CLOSED = 1
OPENED = 2
MUTED = 3
UNMUTED = 4
TAG = 5

# What a frame of light came to.
SHOWS = 0
DIFFERS = 1

# How grave a line of the log is.
INFO = 1
WARNING = 2
ERROR = 3

NO_STATUS = 0xFFFF
OLDEST_AGE = 0xFFFF
LONGEST_UPTIME = 0xFFFFFFFF
WIRING_FORMAT = 1
RUN_HEADER = 4


def _need(payload: bytes, size: int) -> None:
    if len(payload) < size:
        raise WireError("payload of " + str(len(payload)) + " bytes, not " + str(size))


def _text(payload: bytes, start: int) -> tuple[bytes, int]:
    """Read a text of up to 255 bytes after its length; return it and where it ends."""
    _need(payload, start + 1)
    end = start + 1 + payload[start]
    _need(payload, end)
    return payload[start + 1 : end], end


# --- Greetings: the first bytes of both never change, so that each version can tell any other --------------


def hello(protocol: int, session: int, name: bytes) -> bytes:
    """Build HELLO: the host's protocol, the number of its session, and what it calls itself."""
    return pack("<BI", protocol, session) + name


def read_hello(payload: bytes) -> tuple[int, int, bytes]:
    """Return protocol, session and name."""
    _need(payload, 5)
    protocol, session = unpack_from("<BI", payload)
    return protocol, session, payload[5:]


def identity(
    protocols: tuple[int, int],
    boot: int,
    session: int,
    checks: tuple[int, int],
    machines: int,
    uarts: int,
    version: bytes,
    board: bytes,
) -> bytes:
    """Build IDENTITY.

    `protocols` are the oldest and the newest spoken, `session` is the one it is in (0: none), `checks` are
    those of its wiring (0: none that can be used) and of its files, `machines` and `uarts` what the chip has
    of them.
    """
    head = pack("<BBIIIIBB", protocols[0], protocols[1], boot, session, checks[0], checks[1], machines, uarts)
    return head + bytes((len(version),)) + version + bytes((len(board),)) + board


def read_identity(
    payload: bytes,
) -> tuple[tuple[int, int], int, int, tuple[int, int], int, int, bytes, bytes]:
    """Return the arguments of `identity`; of one in other words than ours what never changes."""
    _need(payload, 10)
    oldest, newest, boot, session = unpack_from("<BBII", payload)
    try:
        _need(payload, 20)
        wired, files, machines, uarts = unpack_from("<IIBB", payload, 10)
        version, end = _text(payload, 20)
        board, end = _text(payload, end)
    except WireError:
        if oldest <= PROTOCOL and newest >= OLDEST_PROTOCOL:
            raise
        return (oldest, newest), boot, session, (0, 0), 0, 0, b"?", b"Pico"
    return (oldest, newest), boot, session, (wired, files), machines, uarts, version, board


# --- Wiring -----------------------------------------------------------------------------------------------


def wiring(
    chains: list[tuple[int, int]],
    rows: list[int],
    columns: list[int],
    buttons: list[int],
    readers: list[tuple[int, int]],
    status: int,
) -> bytes:
    """Build CONFIGURE, which is also what the Pico keeps: all its wires.

    `chains` are pins with their number of lights, `rows` and `columns` the matrix's pins, `buttons` the pins
    of those that have one of their own, `readers` pins with their baud rate, `status` the first byte of the
    light that shows how the table is (NO_STATUS: none).
    """
    counts = len(chains), len(rows), len(columns), len(buttons), len(readers)
    parts = [pack("<BBBBBBH", WIRING_FORMAT, *counts, status)]
    parts.extend([pack("<BH", pin, lights) for pin, lights in chains])
    parts.append(bytes(rows) + bytes(columns) + bytes(buttons))
    parts.extend([pack("<BH", pin, baud // 100) for pin, baud in readers])
    return b"".join(parts)


def read_wiring(
    payload: bytes,
) -> tuple[list[tuple[int, int]], list[int], list[int], list[int], list[tuple[int, int]], int]:
    """Return the arguments of `wiring`."""
    _need(payload, 8)
    form, chains, rows, columns, buttons, readers, status = unpack_from("<BBBBBBH", payload)
    if form != WIRING_FORMAT:
        raise WireError("wiring of format " + str(form))
    middle = 8 + 3 * chains
    after = middle + rows + columns + buttons
    _need(payload, after + 3 * readers)
    pins = list(payload[middle:after])
    return (
        [unpack_from("<BH", payload, 8 + 3 * chain) for chain in range(chains)],
        pins[:rows],
        pins[rows : rows + columns],
        pins[rows + columns :],
        [_reader(payload, after + 3 * reader) for reader in range(readers)],
        status,
    )


def _reader(payload: bytes, start: int) -> tuple[int, int]:
    pin, hundreds = unpack_from("<BH", payload, start)
    return pin, 100 * hundreds


def configured(check: int, fault: bytes) -> bytes:
    """Build CONFIGURED: the check of the wiring in use, and what is wrong with it (empty: nothing)."""
    return pack("<I", check) + fault


def read_configured(payload: bytes) -> tuple[int, bytes]:
    """Return check and fault."""
    _need(payload, 4)
    return unpack_from("<I", payload)[0], payload[4:]


# --- Lights -----------------------------------------------------------------------------------------------


def run(offset: int, data: bytes) -> bytes:
    """Build one run of LIGHTS: bytes for the strips, from `offset` of all chains one after another."""
    return pack("<HH", offset, len(data)) + data


def read_runs(payload: bytes) -> list[tuple[int, int, int]]:
    """Return the runs of LIGHTS: where each goes, and where it begins and ends in the payload."""
    runs = []
    start = 0
    while start < len(payload):
        _need(payload, start + RUN_HEADER)
        offset, length = unpack_from("<HH", payload, start)
        start += RUN_HEADER
        _need(payload, start + length)
        runs.append((offset, start, start + length))
        start += length
    return runs


def show(number: int, check: int) -> bytes:
    """Build SHOW: the frame's number, and the CRC-32 of all its bytes."""
    return pack("<HI", number, check)


def read_show(payload: bytes) -> tuple[int, int]:
    """Return number and check."""
    _need(payload, 6)
    number, check = unpack_from("<HI", payload)
    return number, check


def shown(number: int, result: int) -> bytes:
    """Build SHOWN: the frame's number, and SHOWS or DIFFERS."""
    return pack("<HB", number, result)


def read_shown(payload: bytes) -> tuple[int, int]:
    """Return number and result."""
    _need(payload, 3)
    number, result = unpack_from("<HB", payload)
    return number, result


# --- What hands do ----------------------------------------------------------------------------------------


def event(kind: int, age: int, data: bytes) -> bytes:
    """Build one event: how many milliseconds ago it was, and the switch or the reader with its tag."""
    return pack("<BBH", kind, len(data), min(age, OLDEST_AGE)) + data


def events(boot: int, first: int, items: list[bytes]) -> bytes:
    """Build EVENTS: whose they are, the number of the first, and all that wait for TAKEN."""
    return pack("<II", boot, first) + b"".join(items)


def read_events(payload: bytes) -> tuple[int, int, list[tuple[int, int, bytes]]]:
    """Return boot, the number of the first, and the events as kind, age and data."""
    _need(payload, 8)
    boot, first = unpack_from("<II", payload)
    items = []
    start = 8
    while start < len(payload):
        _need(payload, start + 4)
        kind, length, age = unpack_from("<BBH", payload, start)
        start += 4
        _need(payload, start + length)
        items.append((kind, age, payload[start : start + length]))
        start += length
    return boot, first, items


def taken(following: int) -> bytes:
    """Build TAKEN: the number of the event that is expected next."""
    return pack("<I", following)


def read_taken(payload: bytes) -> int:
    """Return the number of the event that is expected next."""
    _need(payload, 4)
    return int(unpack_from("<I", payload)[0])


# --- Signs of life ----------------------------------------------------------------------------------------


def heartbeat(count: int) -> bytes:
    """Build HEARTBEAT: a number that ALIVE gives back."""
    return pack("<I", count)


def read_heartbeat(payload: bytes) -> int:
    """Return the number."""
    _need(payload, 4)
    return int(unpack_from("<I", payload)[0])


def alive(count: int, uptime: int, free: int, damaged: int, lost: int) -> bytes:
    """Build ALIVE: the number given back, and how the Pico is.

    `uptime` is in milliseconds and begins anew after LONGEST_UPTIME, `free` in bytes of memory; `damaged`
    lines came, `lost` frames did not.
    """
    return pack("<IIIHH", count, uptime, free, min(damaged, 0xFFFF), min(lost, 0xFFFF))


def read_alive(payload: bytes) -> tuple[int, int, int, int, int]:
    """Return the arguments of `alive`."""
    _need(payload, 16)
    count, uptime, free, damaged, lost = unpack_from("<IIIHH", payload)
    return count, uptime, free, damaged, lost


def log(grade: int, text: bytes) -> bytes:
    """Build LOG: INFO, WARNING or ERROR, and a text."""
    return bytes((grade,)) + text


def read_log(payload: bytes) -> tuple[int, bytes]:
    """Return grade and text."""
    _need(payload, 1)
    return payload[0], payload[1:]
