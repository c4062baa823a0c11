"""Lights in the network: frames sent by DDP or E1.31 (sACN) to WLED, xLights receivers and other controllers.

`DdpStream` and `E131Stream` make the packets for one controller from the bytes of a frame, without a socket.
`NetworkLights` sends them. One thread sends to all controllers; each controller has a thread that resolves
its name and asks whether it is there, because both may block for seconds. `Network` and `find_wled` serve
`azul-table doctor`, too.
"""

from __future__ import annotations

import errno
import socket
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from struct import Struct as Layer
from time import monotonic, sleep
from typing import Final, Protocol

import msgspec
from msgspec import Struct

from hardware.api import (
    LIGHTS,
    HardwareEvent,
    LightFrame,
    Loss,
    PartError,
    PartMessage,
    lights_part,
)
from hardware.drivers.raspberry_pi import Library, read_text
from hardware.drivers.supervisor import Supervisor, one_line
from hardware.layout.checks import SLOTS, universe_runs
from hardware.layout.model import Layout, Output
from hardware.pixels import FrameEncoder

# --- Packets ---------------------------------------------------------------------------------------------


class Span(Struct, frozen=True):
    """A chain: its bytes in those of a frame, from `start` on, and its place in the network."""

    start: int
    pixels: int
    channels: int
    output: Output

    @property
    def end(self) -> int:
        """The byte after the last."""
        return self.start + self.pixels * self.channels


def spans_of_hosts(layout: Layout) -> dict[str, list[Span]]:
    """Return the chains of each controller of a layout, by host."""
    hosts: dict[str, list[Span]] = {}
    start = 0
    for chain in layout.chains:
        assert isinstance(chain.wire, Output)  # checked with the layout, as its driver is one of the network
        span = Span(start, chain.pixels, chain.channels, chain.wire)
        hosts.setdefault(chain.wire.host, []).append(span)
        start = span.end
    return hosts


def pixels_at(spans: Sequence[Span]) -> int:
    """Return the number of pixels that a controller must have for its chains.

    For E1.31 its first universe is the lowest of theirs.
    """
    lowest = min(span.output.universe for span in spans)
    return max(
        (span.output.universe - lowest) * (SLOTS // span.channels) + span.output.first + span.pixels
        for span in spans
    )


class Stream(Protocol):
    """The packets for one controller, each with the sequence number after that of the packet before it."""

    port: int

    def frame(self, data: bytes) -> list[bytes]:
        """Return the packets of a frame, given as the bytes of all chains of the layout."""

    def end(self) -> list[bytes]:
        """Return the packets that turn the lights dark and end the stream; some are repeated, for loss."""


END_PACKETS: Final = 3
"""How often the last packets are sent; E1.31 asks for three with the option Stream_Terminated (6.2.6)."""


class DdpStream:
    """Packets of the Distributed Display Protocol, version 1, for one controller."""

    port = 4048
    _HEADER: Final = Layer(">BBBBIH")  # flags, sequence number, data type, destination, offset, length
    _VERSION: Final = 0x40
    _PUSH: Final = 0x01
    _DEFAULT_OUTPUT: Final = 1
    _DATA_TYPES: Final = {3: 0x0B, 4: 0x1B}  # RGB and RGBW of 8 bits, by bytes a pixel
    _MOST: Final = 1440
    """Bytes of data in a packet: whole pixels of 3 or 4 bytes, within one Ethernet frame."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._sequence = 0
        self._size = max(span.end for span in spans)
        self._parts = [
            (
                self._DATA_TYPES[span.channels],
                span.output.first * span.channels + at - span.start,
                slice(at, min(at + self._MOST, span.end)),
            )
            for span in spans
            for at in range(span.start, span.end, self._MOST)
        ]

    def frame(self, data: bytes) -> list[bytes]:
        """Return the packets of a frame; the last one pushes it to the lights."""
        packets = []
        for number, (kind, offset, part) in enumerate(self._parts, 1):
            flags = self._VERSION | (self._PUSH if number == len(self._parts) else 0)
            self._sequence = self._sequence % 15 + 1  # 0 would mean that it is not used
            length = part.stop - part.start
            header = (flags, self._sequence, kind, self._DEFAULT_OUTPUT, offset, length)
            packets.append(self._HEADER.pack(*header) + data[part])
        return packets

    def end(self) -> list[bytes]:
        """Return packets that turn the lights dark; the protocol itself has no end."""
        return [packet for _ in range(END_PACKETS) for packet in self.frame(bytes(self._size))]


class _Universe(Struct):
    """A universe of E1.31: the parts of a frame in it, as (slot, slice of the frame), and its packets."""

    priority: int = 0
    slots: int = 0
    sequence: int = 0
    parts: list[tuple[int, slice]] = msgspec.field(default_factory=list)


class E131Stream:
    """Packets of E1.31 (ANSI E1.31-2018, Streaming ACN) for one controller.

    `component` and `source` are the unique identifier and the name by which receivers know this table. The
    packets of a frame are not synchronized (7.7): WLED ignores that, and they leave within a millisecond.
    """

    port = 5568
    _PACKET: Final = Layer(">HH12sHI16s" + "HI64sBHBBH" + "HBBHHHB")  # root, framing and DMP layer
    _FRAMING: Final = 38
    _DMP: Final = 115
    _LENGTH: Final = 0x7000  # flags of a length, which counts from its own field
    _TERMINATED: Final = 0x40

    def __init__(self, spans: Sequence[Span], component: uuid.UUID, source: str) -> None:
        self._component = component.bytes
        self._source = source.encode()[:63]  # ends with a zero
        self._size = max(span.end for span in spans)
        self._universes: dict[int, _Universe] = {}
        for span in spans:
            output = span.output
            for run in universe_runs(output.universe, output.first, span.pixels, span.channels):
                universe = self._universes.setdefault(run.universe, _Universe())
                start = span.start + run.pixel * span.channels
                slot, length = run.first * span.channels, run.pixels * span.channels
                universe.parts.append((slot, slice(start, start + length)))
                universe.slots = max(universe.slots, slot + length)
                universe.priority = max(universe.priority, output.priority)

    def frame(self, data: bytes) -> list[bytes]:
        """Return the packets of a frame, one for each universe; slots between chains are dark."""
        return self._packets(data, 0)

    def end(self) -> list[bytes]:
        """Return a dark frame, and the packets that terminate the stream, which are dark as well."""
        dark = bytes(self._size)
        packets = self.frame(dark)
        for _ in range(END_PACKETS):
            packets += self._packets(dark, self._TERMINATED)
        return packets

    def _packets(self, data: bytes, options: int) -> list[bytes]:
        packets = []
        for number, universe in sorted(self._universes.items()):
            slots = bytearray(universe.slots)
            for slot, part in universe.parts:
                slots[slot : slot + part.stop - part.start] = data[part]
            packets.append(self._head(number, universe, options) + slots)
            universe.sequence = (universe.sequence + 1) % 256
        return packets

    def _head(self, number: int, universe: _Universe, options: int) -> bytes:
        """Return the three layers before the slots."""
        end = self._PACKET.size + universe.slots
        root = (0x0010, 0, b"ASC-E1.17", self._LENGTH | end - 16, 4, self._component)
        unsynchronized = 0
        framing = (
            *(self._LENGTH | end - self._FRAMING, 2, self._source, universe.priority, unsynchronized),
            *(universe.sequence, options, number),
        )
        start_code = 0
        dmp = (self._LENGTH | end - self._DMP, 2, 0xA1, 0, 1, universe.slots + 1, start_code)
        return self._PACKET.pack(*root, *framing, *dmp)


def component_of(machine: str) -> uuid.UUID:
    """Return the identifier of the table on this machine, the same after each start; random without an id.

    Receivers would merge the streams of the program before and after a restart if it changed.
    """
    return uuid.uuid5(uuid.NAMESPACE_URL, f"azul-table:{machine}") if machine else uuid.uuid4()


def stream_for(driver: str, spans: Sequence[Span]) -> Stream:
    """Return the stream for the chains of a controller by the driver `ddp` or `e131`."""
    if driver == "ddp":
        return DdpStream(spans)
    component = component_of(read_text(Path("/etc/machine-id")).strip())
    return E131Stream(spans, component, f"azul-table on {socket.gethostname()}")


# --- Network ---------------------------------------------------------------------------------------------


class Leds(Struct, frozen=True):
    """The lights of a WLED: their number, and bits of what they can do; bit 1 is a white channel."""

    count: int
    lc: int = 0
    rgbw: bool = False

    @property
    def white(self) -> bool:
        """Whether they have a white channel."""
        return self.rgbw or bool(self.lc & 2)


class WledInfo(Struct, frozen=True):
    """What a WLED tells about itself: `live` is whether it shows a stream and not an effect of its own."""

    ver: str
    leds: Leds
    name: str = "WLED"
    live: bool = True


class Link(Protocol):
    """A socket for packets to one address."""

    def send(self, packet: bytes, /) -> int:
        """Send a packet without waiting. Raises OSError, also for an error of a packet before it."""

    def close(self) -> None:
        """Close the socket."""


def resolve(host: str) -> str:
    """Return the address of a host, of IPv4 if it has one; may block for many seconds. Raises PartError."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        remedy = "look whether it has power and has joined the network, or correct the host in the layout"
        raise PartError(Loss.SILENT, f"no {host} is in the network ({one_line(error)}); {remedy}") from error
    found.sort(key=lambda each: each[0] != socket.AF_INET)  # which every controller has
    return str(found[0][4][0])


_RECEIVE_ERRORS: Final = {
    socket.AF_INET: (socket.IPPROTO_IP, 11),
    socket.AF_INET6: (socket.IPPROTO_IPV6, 25),
}
"""IP_RECVERR and IPV6_RECVERR of Linux, which Python 3.11 does not name: without them a socket is told that
its packets are refused, but not that nobody has the address (`__udp4_lib_err` in net/ipv4/udp.c)."""


def connect(address: str, port: int) -> socket.socket:
    """Open a UDP socket that never waits. It is connected, because only then it gets errors (ICMP) back."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    link = socket.socket(family, socket.SOCK_DGRAM)
    try:
        link.settimeout(0)
        link.setsockopt(*_RECEIVE_ERRORS[family], 1)
        link.connect((address, port))
    except OSError:
        link.close()
        raise
    return link


_LARGEST_INFO: Final = 65_536


def ask_wled(address: str, port: int = 80, timeout: float = 2.0) -> WledInfo | None:
    """Ask a WLED about itself; return None if something else answers. Raises OSError if nothing does."""
    connection = HTTPConnection(address, port, timeout=timeout)
    try:
        connection.request("GET", "/json/info", headers={"Connection": "close"})
        return msgspec.json.decode(connection.getresponse().read(_LARGEST_INFO), type=WledInfo)
    except (HTTPException, msgspec.MsgspecError, UnicodeError):
        return None
    finally:
        connection.close()


class Network(Struct, frozen=True):
    """The network as the driver and `doctor` use it; tests replace its functions."""

    resolve: Callable[[str], str] = resolve
    connect: Callable[[str, int], Link] = connect
    ask: Callable[[str], WledInfo | None] = ask_wled


ZEROCONF: Final = Library("zeroconf", (0, 136), (1,))
"""Finds controllers by mDNS, for `doctor`; its bounds are those of the extra `network` in pyproject.toml."""
WLED_SERVICE: Final = "_wled._tcp.local."


def find_wled(seconds: float = 3.0, interfaces: Sequence[str] = ()) -> Mapping[str, str]:
    """Return the addresses of all WLED that answer by mDNS within so many seconds, by host name.

    `interfaces` are the addresses of those to search, by default all. Raises ImportError without zeroconf,
    and OSError if the machine has no network.
    """
    from zeroconf import InterfaceChoice, IPVersion, ServiceBrowser, ServiceListener, Zeroconf

    names: set[str] = set()

    class Listener(ServiceListener):
        def add_service(self, _zeroconf: Zeroconf, _type: str, name: str) -> None:
            names.add(name)

        def remove_service(self, _zeroconf: Zeroconf, _type: str, name: str) -> None:
            names.discard(name)

        def update_service(self, _zeroconf: Zeroconf, _type: str, _name: str) -> None:
            """Do nothing: the addresses are asked for at the end."""

    found = {}
    with Zeroconf(list(interfaces) or InterfaceChoice.Default, ip_version=IPVersion.V4Only) as searching:
        ServiceBrowser(searching, WLED_SERVICE, Listener())
        sleep(seconds)
        for name in sorted(names):
            info = searching.get_service_info(WLED_SERVICE, name)
            if info is not None and info.server and (addresses := info.parsed_addresses()):
                found[info.server.rstrip(".").lower()] = addresses[0]
    return found


# --- Driver ----------------------------------------------------------------------------------------------


class Times(Struct, frozen=True):
    """Times of the driver in seconds.

    E1.31 and WLED take a stream without packets for ended after 2.5 seconds.
    """

    keep_alive: float = 1.0  # after which the latest frame is sent again
    check: float = 3.0  # between two questions to a WLED
    retry: float = 2.0  # at most, between two attempts to find a lost controller
    quiet: float = 5.0  # without an error of the network, until a controller counts as working again


USUAL: Final = Times()
NETWORK: Final = Network()


class NetworkLights:
    """The lights of a layout at controllers in the network (driver `Lights`).

    Threads: `lights` sends the latest frame to all controllers, and again after `keep_alive`; `lights.HOST`
    watches one of them. A controller that is lost is reported to `put` as the part `lights.HOST`. Frames are
    sent to it all the same, as nothing else is needed for its lights to come back.
    """

    def __init__(
        self,
        layout: Layout,
        put: Callable[[HardwareEvent], None],
        network: Network = NETWORK,
        clock: Callable[[], float] = monotonic,
        times: Times = USUAL,
    ) -> None:
        self._encoder = FrameEncoder(layout)
        self._times = times
        self._lock = threading.Lock()
        self._latest = self._encoder.encode(LightFrame({}))
        self._supervisor = Supervisor(LIGHTS, self._work, put, clock)
        driver = layout.drivers.lights
        self._controllers = [
            _Controller(host, stream_for(driver, spans), put, network, clock, times, self._send)
            for host, spans in spans_of_hosts(layout).items()
        ]
        for controller in self._controllers:
            controller.start()
        self._supervisor.start()

    def show(self, frame: LightFrame) -> None:
        """Show a frame as soon as possible. Raises HardwareError for an invalid frame."""
        data = self._encoder.encode(frame)
        with self._lock:
            self._latest = data
        self._send()

    def close(self) -> None:
        """Turn the lights dark and end the threads; a second call does nothing.

        Does not wait for the threads of controllers, which may be waiting for an answer.
        """
        for controller in self._controllers:
            controller.stop()
        self._supervisor.close()

    def _send(self) -> None:
        """Send the latest frame now."""
        self._supervisor.wake()

    # --- In the thread `lights` ---

    def _work(self, supervisor: Supervisor) -> None:
        try:
            supervisor.working()
            while not supervisor.stopping:
                with self._lock:
                    data = self._latest
                for controller in self._controllers:
                    controller.send(data)
                supervisor.wait(self._times.keep_alive)
        finally:
            for controller in self._controllers:
                controller.end()


class _Failure(Struct, frozen=True):
    """An error of the network that a packet met, and its time."""

    error: OSError
    at: float


class _Controller:
    """A controller: its stream, its address and whether it answers; one thread, `lights.HOST`.

    `send_now` makes the thread `lights` send the latest frame.
    """

    def __init__(
        self,
        host: str,
        stream: Stream,
        put: Callable[[HardwareEvent], None],
        network: Network,
        clock: Callable[[], float],
        times: Times,
        send_now: Callable[[], None],
    ) -> None:
        self._host = host
        self._stream = stream
        self._put = put
        self._network = network
        self._clock = clock
        self._times = times
        self._send_now = send_now
        self._supervisor = Supervisor(lights_part(host), self._work, put, clock, longest_pause=times.retry)
        self._lock = threading.Lock()
        self._address: str | None = None
        self._failure: _Failure | None = None
        self._link: Link | None = None  # of the thread `lights`, as `_linked`
        self._linked = ""
        self._is_wled = False  # of the thread of the controller

    def start(self) -> None:
        """Start the thread."""
        self._supervisor.start()

    def stop(self) -> None:
        """Ask the thread to end, without waiting for it."""
        self._supervisor.stop()

    # --- In the thread `lights` ---

    def send(self, data: bytes) -> None:
        """Send a frame to the controller, if its address is known; errors are noted."""
        with self._lock:
            address = self._address
        if address is not None:
            self._transmit(address, self._stream.frame(data))

    def end(self) -> None:
        """Turn the lights dark, end the stream and close the socket."""
        with self._lock:
            address = self._address
        if address is not None:
            self._transmit(address, self._stream.end())
        self._close_link()

    def _transmit(self, address: str, packets: Sequence[bytes]) -> None:
        """Send packets, each once more after an error, which is mostly that of a packet before it."""
        for packet in packets:
            for _ in range(2):
                try:
                    self._link_to(address).send(packet)
                    break
                except OSError as error:
                    if error.errno in (errno.EAGAIN, errno.ENOBUFS):
                        return  # the kernel has no room for more: the next frame follows
                    self._fail(error)
                    # A connected socket keeps the address of this machine that it began with.
                    self._close_link()

    def _link_to(self, address: str) -> Link:
        """Return the socket for an address. Raises OSError if it can't be opened."""
        if self._link is None or self._linked != address:
            self._close_link()
            self._link, self._linked = self._network.connect(address, self._stream.port), address
        return self._link

    def _close_link(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None

    def _fail(self, error: OSError) -> None:
        with self._lock:
            self._failure = _Failure(error, self._clock())
        self._supervisor.wake()

    # --- In the thread of the controller ---

    def _work(self, supervisor: Supervisor) -> None:
        self._set_address(self._network.resolve(self._host))
        told = False
        checks = 0
        while not supervisor.stopping:
            info = self._check()
            if info is not None and not info.live and checks and not told:
                told = True
                self._put(PartMessage(supervisor.part, self._ignored, self._clock()))
            if not checks:
                supervisor.working()
                self._send_now()
            checks += 1
            supervisor.wait(self._times.check)

    def _set_address(self, address: str) -> None:
        with self._lock:
            if address != self._address:
                self._address, self._failure = address, None

    def _check(self) -> WledInfo | None:
        """Return what a WLED answers, None if it is none. Raises PartError if the controller is lost."""
        with self._lock:
            failure = self._failure
        if failure is not None and self._clock() - failure.at < self._times.quiet:
            raise self._explained(failure.error)
        assert self._address is not None
        try:
            info = self._network.ask(self._address)
        except OSError:
            if not self._is_wled:
                return None  # a controller without a page, or behind a firewall: only errors of packets tell
            info = self._ask_again(self._address)
        self._is_wled = self._is_wled or info is not None
        return info

    def _ask_again(self, address: str) -> WledInfo | None:
        """Ask a WLED a second time: a busy one may miss a question."""
        try:
            return self._network.ask(address)
        except OSError as error:
            remedy = "look whether it has power and has joined the network"
            message = f"the WLED at {self._host} ({address}) does not answer ({one_line(error)}); {remedy}"
            raise PartError(Loss.SILENT, message) from error

    def _explained(self, error: OSError) -> PartError:
        """Return an error of the network with its kind and a remedy."""
        where = f"{self._host} ({self._address})"
        if error.errno == errno.ECONNREFUSED:
            message = (
                f"{where} refuses packets at its port {self._stream.port}; switch this protocol on in the "
                "controller's settings"
            )
            return PartError(Loss.FAILED, message)
        if error.errno in (errno.EACCES, errno.EPERM):
            message = f"this machine may not send to {where} ({one_line(error)}); look at its firewall"
            return PartError(Loss.DENIED, message)
        remedy = "look whether it has power, and whether both are in one network"
        return PartError(Loss.SILENT, f"{where} can't be reached ({one_line(error)}); {remedy}")

    @property
    def _ignored(self) -> str:
        return (
            f"WLED gets packets at its port {self._stream.port} but shows an effect of its own: switch on "
            "the reception of realtime data in its sync settings, for this protocol, and end its override"
        )
