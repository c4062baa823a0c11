"""Addresses of the pages: those of this machine in its network, and its mDNS name where avahi runs."""

import fcntl
import re
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address
from pathlib import Path
from typing import Final

AVAHI: Final = Path("/run/avahi-daemon/socket")  # is there while avahi announces this machine's name
LOOKED_UP_FOR: Final = 10.0  # seconds after which the addresses are looked up again
EVERYWHERE: Final = ("0.0.0.0", "::")
_GET_ADDRESS: Final = 0x8915  # SIOCGIFADDR
_OF_CONTAINERS: Final = re.compile(r"lo$|docker|veth|br-|virbr|cni|tun|tap")
_LABEL: Final = re.compile(r"[a-zA-Z0-9-]{1,63}")


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of the pages as phones reach them, the best one first; `here_only`: no phone can."""

    urls: tuple[str, ...] = ()
    here_only: bool = False


def addresses_of(host: str, port: int, find: Callable[[], list[str]] | None = None) -> Addresses:
    """Return the addresses of pages that listen at a host, as `getsockname` names it, and a port.

    An address comes before the mDNS name, which not every phone resolves. `find` returns this machine's
    addresses.
    """
    if host not in EVERYWHERE:
        try:
            here_only = ip_address(host.partition("%")[0]).is_loopback
        except ValueError:
            here_only = False
        return Addresses((), here_only=True) if here_only else Addresses((url(host, port),))
    hosts = [*(find or own_addresses)()[:1], *mdns_name()]
    return Addresses(tuple(url(each, port) for each in hosts))


def url(host: str, port: int) -> str:
    """Return the address of pages; the port is left out where browsers take it anyway."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}/" if port == 80 else f"http://{shown}:{port}/"


def own_addresses() -> list[str]:
    """Return this machine's IPv4 addresses, that of the route to the network first; nothing is sent."""
    found = [_address_of_route(), *(_address_of(name) for _, name in socket.if_nameindex() if _is_real(name))]
    known = [address for address in dict.fromkeys(found) if address is not None]
    return [address for address in known if not IPv4Address(address).is_loopback]


def _is_real(name: str) -> bool:
    return _OF_CONTAINERS.match(name) is None


def _address_of_route() -> str | None:
    """Return the address that packets to another network come from; None without a route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # reserved for documentation (RFC 5737)
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _address_of(interface: str) -> str | None:
    """Return the first address of a network interface; None if it has none, or is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            asked = struct.pack("256s", interface.encode()[:15])
            return socket.inet_ntoa(fcntl.ioctl(any_socket.fileno(), _GET_ADDRESS, asked)[20:24])
        except OSError:
            return None


def mdns_name(avahi: Path = AVAHI) -> list[str]:
    """Return this machine's name in the home network, if it is announced there."""
    name = socket.gethostname().partition(".")[0]
    return [f"{name}.local"] if avahi.exists() and _LABEL.fullmatch(name) else []


class Finder:
    """The addresses of the pages, looked up again from time to time: a network may come after the start."""

    def __init__(self, host: str, port: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._host = host
        self._port = port
        self._clock = clock
        self._at = float("-inf")
        self._found = Addresses()

    def __call__(self) -> Addresses:
        """Return the addresses; nothing is sent, and nothing waits."""
        if self._clock() - self._at >= LOOKED_UP_FOR:
            self._at = self._clock()
            self._found = addresses_of(self._host, self._port)
        return self._found
