"""The payloads of frames, kind by kind; the same file runs on the host and on the Pico.

Each kind has one function that builds its payload and one, `read_...`, that parses it and raises WireError if
it is too short. Bytes after the known fields are ignored, so that newer peers can add fields. Numbers are
little-endian; times are milliseconds; texts are UTF-8.
"""

from struct import pack, unpack_from

from firmware_bridge.wire import WireError

PROTOCOL = 1
"""The protocol version; it is raised when an older peer could no longer understand."""
OLDEST_PROTOCOL = 1
"""The oldest protocol version that is still supported."""

# Kinds of frames from the host.
HELLO = 0x01
CONFIGURE = 0x02
LIGHTS = 0x03
SHOW = 0x04
ACKNOWLEDGE = 0x05
QUERY_INPUTS = 0x06
HEARTBEAT = 0x07
# Kinds of frames from the Pico: all have this bit.
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

# Results of SHOW.
SHOWS = 0
DIFFERS = 1

# Levels of LOG.
INFO = 1
WARNING = 2
ERROR = 3

NO_STATUS = 0xFFFF
MAX_AGE = 0xFFFF
MAX_UPTIME = 0xFFFFFFFF
WIRING_FORMAT = 1
RUN_HEADER = 4


def _need(payload: bytes, size: int) -> None:
    if len(payload) < size:
        raise WireError("payload of " + str(len(payload)) + " bytes, not " + str(size))


def _text(payload: bytes, start: int) -> tuple[bytes, int]:
    """Read a text of up to 255 bytes after its length byte; return it and the offset of its end."""
    _need(payload, start + 1)
    end = start + 1 + payload[start]
    _need(payload, end)
    return payload[start + 1 : end], end


# --- Handshake: the first fields of both never change, so that any version can recognize any other --------


def hello(protocol: int, session: int, name: bytes) -> bytes:
    """Build HELLO from the host's protocol version, its session id and its name."""
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

    `protocols` are the oldest and the newest supported version, `session` is the id of the current session
    (0: none), `checks` are the CRC-32 of the wiring (0: none, or a faulty one) and of the firmware's files,
    `machines` and `uarts` are the numbers of state machines and UARTs of the chip.
    """
    head = pack("<BBIIIIBB", protocols[0], protocols[1], boot, session, checks[0], checks[1], machines, uarts)
    return head + bytes((len(version),)) + version + bytes((len(board),)) + board


def read_identity(
    payload: bytes,
) -> tuple[tuple[int, int], int, int, tuple[int, int], int, int, bytes, bytes]:
    """Return the arguments of `identity`; for an unsupported protocol only the fields that never change."""
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
    """Build CONFIGURE, the complete wiring, which the Pico also stores.

    `chains` are pins with their number of lights, `rows` and `columns` the pins of the button matrix,
    `buttons` the pins of buttons outside the matrix, `readers` pins with their baud rate, `status` the offset
    of the status light's first byte (NO_STATUS: none).
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
    """Build CONFIGURED: the CRC-32 of the wiring in use, and its fault (empty: none)."""
    return pack("<I", check) + fault


def read_configured(payload: bytes) -> tuple[int, bytes]:
    """Return the CRC-32 and the fault."""
    _need(payload, 4)
    return unpack_from("<I", payload)[0], payload[4:]


# --- Lights -----------------------------------------------------------------------------------------------


def run(offset: int, data: bytes) -> bytes:
    """Build one run of LIGHTS: bytes for the strips; `offset` counts through all chains."""
    return pack("<HH", offset, len(data)) + data


def read_runs(payload: bytes) -> list[tuple[int, int, int]]:
    """Return the runs of LIGHTS: offset in the frame, start and end in the payload."""
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
    """Build SHOW: the number of the frame and the CRC-32 of all its bytes."""
    return pack("<HI", number, check)


def read_show(payload: bytes) -> tuple[int, int]:
    """Return the number and the CRC-32."""
    _need(payload, 6)
    number, check = unpack_from("<HI", payload)
    return number, check


def shown(number: int, result: int) -> bytes:
    """Build SHOWN: the number of the frame, and SHOWS or DIFFERS."""
    return pack("<HB", number, result)


def read_shown(payload: bytes) -> tuple[int, int]:
    """Return the number and the result."""
    _need(payload, 3)
    number, result = unpack_from("<HB", payload)
    return number, result


# --- Input events -----------------------------------------------------------------------------------------


def event(kind: int, age: int, data: bytes) -> bytes:
    """Build one event: its kind, its age in milliseconds, and the switch, or the reader and its bytes."""
    return pack("<BBH", kind, len(data), min(age, MAX_AGE)) + data


def events(boot: int, first: int, items: list[bytes]) -> bytes:
    """Build EVENTS: the boot id, the number of the first event, and all unacknowledged events."""
    return pack("<II", boot, first) + b"".join(items)


def read_events(payload: bytes) -> tuple[int, int, list[tuple[int, int, bytes]]]:
    """Return the boot id, the number of the first event, and the events as kind, age and data."""
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


def acknowledge(following: int) -> bytes:
    """Build ACKNOWLEDGE: the number of the next expected event."""
    return pack("<I", following)


def read_acknowledge(payload: bytes) -> int:
    """Return the number of the next expected event."""
    _need(payload, 4)
    return int(unpack_from("<I", payload)[0])


# --- Heartbeat and log ------------------------------------------------------------------------------------


def heartbeat(count: int) -> bytes:
    """Build HEARTBEAT: a number that ALIVE repeats."""
    return pack("<I", count)


def read_heartbeat(payload: bytes) -> int:
    """Return the number."""
    _need(payload, 4)
    return int(unpack_from("<I", payload)[0])


def alive(count: int, uptime: int, free: int, damaged: int, lost: int) -> bytes:
    """Build ALIVE: the number of the heartbeat and the Pico's statistics.

    `uptime` is in milliseconds and wraps after MAX_UPTIME, `free` is memory in bytes, `damaged` counts
    damaged lines and `lost` lost frames.
    """
    return pack("<IIIHH", count, uptime, free, min(damaged, 0xFFFF), min(lost, 0xFFFF))


def read_alive(payload: bytes) -> tuple[int, int, int, int, int]:
    """Return the arguments of `alive`."""
    _need(payload, 16)
    count, uptime, free, damaged, lost = unpack_from("<IIIHH", payload)
    return count, uptime, free, damaged, lost


def log(level: int, text: bytes) -> bytes:
    """Build LOG: INFO, WARNING or ERROR, and a text."""
    return bytes((level,)) + text


def read_log(payload: bytes) -> tuple[int, bytes]:
    """Return the level and the text."""
    _need(payload, 1)
    return payload[0], payload[1:]
