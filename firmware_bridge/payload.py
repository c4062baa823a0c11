"""The payloads of frames; the same file runs on the host and on the Pico.

`build` and `parse` convert the fields that a kind begins with, by its format in FORMATS. For the rest there
are the functions that the Pico needs; `messages.py` has those that only the host needs. Bytes after the known
fields are ignored, so that newer peers can add fields. Times are milliseconds; texts are UTF-8.
"""

from struct import calcsize, pack, unpack_from

from firmware_bridge.wire import WireError

PROTOCOL = 2
"""The protocol version; it is raised when an older peer could no longer understand."""
OLDEST_PROTOCOL = 2
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
WIRING_FORMAT = 2
CHAIN = "<BHB"
CHAIN_SIZE = 4
RUN_HEADER = 4
CONTROL_C = 3
"""The byte that stops the firmware wherever it is received, so none is sent among the bytes of lights."""


FORMATS = {
    HELLO: "<BI",  # protocol version, session id; then the host's name
    LIGHTS: "<HBH",  # number of bytes after the line, their stand-in for CONTROL_C, number of runs
    SHOW: "<HBHHI",  # as LIGHTS; then number of the frame, CRC-32 of all its bytes
    ACKNOWLEDGE: "<I",  # number of the next expected event
    HEARTBEAT: "<I",  # a number that ALIVE repeats
    IDENTITY: "<BBIIIIBB",  # as in `messages.Identity`; then version and board as short texts
    CONFIGURED: "<I",  # CRC-32 of the wiring in use; then its fault (empty: none)
    SHOWN: "<HB",  # number of the frame, SHOWS or DIFFERS
    EVENTS: "<II",  # boot id, number of the first event; then all unacknowledged events
    ALIVE: "<IIIHH",  # as in `messages.Alive`; the uptime wraps after MAX_UPTIME
    LOG: "<B",  # level; then a text
}
"""The fields of each kind, as `struct` packs them. Those of HELLO, and of IDENTITY up to the session id,
never change, so that any version can recognize any other."""


def build(kind: int, *fields: int) -> bytes:
    """Return a payload with these fields; what follows them is appended by the caller."""
    return pack(FORMATS[kind], *fields)


def parse(kind: int, payload: bytes) -> tuple[tuple[int, ...], bytes]:
    """Return the fields of a payload and the bytes after them. Raises WireError if it is too short."""
    size = calcsize(FORMATS[kind])
    check_size(payload, size)
    return unpack_from(FORMATS[kind], payload), payload[size:]


def check_size(payload: bytes | memoryview, size: int) -> None:
    """Raise WireError for a payload of less than `size` bytes."""
    if len(payload) < size:
        raise WireError("payload of " + str(len(payload)) + " bytes, not " + str(size))


def short_text(text: bytes) -> bytes:
    """Return a text of up to 255 bytes after a byte with its length."""
    return bytes((len(text),)) + text


def event(kind: int, age: int, data: bytes) -> bytes:
    """Build one event: its kind, its age in milliseconds, and the switch, or the reader and its bytes."""
    return pack("<BBH", kind, len(data), min(age, MAX_AGE)) + data


def read_wiring(
    payload: bytes,
) -> tuple[list[tuple[int, int, int]], list[int], list[int], list[int], list[tuple[int, int]], int]:
    """Parse the wiring in CONFIGURE, as `Wiring.encode` builds it.

    Returns pin, number of lights and bytes a light of each chain, the pins of the rows and of the columns of
    the button matrix, the pins of buttons outside the matrix, pins of readers with their baud rate, and the
    offset of the status light's first byte (NO_STATUS: none). Raises WireError if it is too short or of
    another format.
    """
    check_size(payload, 8)
    form, chains, rows, columns, buttons, readers, status = unpack_from("<BBBBBBH", payload)
    if form != WIRING_FORMAT:
        raise WireError("wiring of format " + str(form))
    middle = 8 + CHAIN_SIZE * chains
    after = middle + rows + columns + buttons
    end = after + 3 * readers
    check_size(payload, end)
    pins = list(payload[middle:after])
    return (
        [unpack_from(CHAIN, payload, at) for at in range(8, middle, CHAIN_SIZE)],
        pins[:rows],
        pins[rows : rows + columns],
        pins[rows + columns :],
        [(payload[at], 100 * unpack_from("<H", payload, at + 1)[0]) for at in range(after, end, 3)],
        status,
    )


def raw_size(kind: int, payload: bytes) -> int:
    """Return how many bytes follow the line of a frame: those of LIGHTS and SHOW are not encoded as text."""
    if kind != SHOW and kind != LIGHTS:
        return 0
    check_size(payload, 2)
    return payload[0] | payload[1] << 8


def write_lights(lights: bytearray, raw: bytes | memoryview, stand_in: int, runs: int) -> None:
    """Write the bytes that followed LIGHTS or SHOW to `lights`: the whole frame, or changed runs of it.

    Runs begin with a table: where each starts, then where each ends. `stand_in` (0: none) is for CONTROL_C.
    Raises WireError if the bytes do not fit.
    """
    if stand_in:
        raw = bytes(raw).replace(bytes((stand_in,)), bytes((CONTROL_C,)))
    if not runs:
        if len(raw) != len(lights):
            raise WireError("a frame of " + str(len(raw)) + " bytes, not " + str(len(lights)))
        lights[:] = raw
        return
    at = RUN_HEADER * runs
    check_size(raw, at)
    form = "<" + str(runs) + "H"
    starts = unpack_from(form, raw)
    ends = unpack_from(form, raw, at // 2)
    size = len(lights)
    if max(ends) > size or sum(ends) - sum(starts) != len(raw) - at:
        raise WireError("runs that do not fit")
    for start, end in zip(starts, ends):  # noqa: B905 - MicroPython has no `strict`
        first = at
        at += end - start
        lights[start:end] = raw[first:at]
    if len(lights) != size:  # a damaged table: it ended before it started
        lights[:] = bytes(size)
