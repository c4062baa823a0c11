"""The HTTP server: waitress, so that no machine in the network can keep the others from the pages."""

from __future__ import annotations

import ctypes
import os
import pwd
import socket
from collections.abc import Sequence

from flask import Flask
from waitress.channel import HTTPChannel  # type: ignore[import-untyped]
from waitress.server import TcpWSGIServer  # type: ignore[import-untyped]

from web_ui.security import MAX_BODY_BYTES, is_loopback

# --- Giving up what a web server must not have -----------------------------------------------------------

_PR_SET_NO_NEW_PRIVS = 38


class PrivilegesError(OSError):
    """The process could not give up its privileges, and must not go on."""


def drop_privileges(user: str) -> None:
    """Become this user for good if the process is root, and in any case take no new privileges.

    Call it before threads are started: they inherit it. Raises PrivilegesError.
    """
    if os.geteuid() == 0:
        _become(user)
    _take_no_new_privileges()


def _become(user: str) -> None:
    try:
        account = pwd.getpwnam(user)
    except KeyError as fault:
        raise PrivilegesError(f"there is no user {user!r} here; name another one with --user") from fault
    if account.pw_uid == 0:
        raise PrivilegesError(f"{user!r} is root; name another user with --user")
    try:
        os.setgroups([])
        os.setresgid(account.pw_gid, account.pw_gid, account.pw_gid)
        os.setresuid(account.pw_uid, account.pw_uid, account.pw_uid)
    except OSError as fault:
        raise PrivilegesError(f"can't become {user!r}: {fault.strerror}") from fault
    if os.getresuid() != (account.pw_uid,) * 3 or os.getresgid() != (account.pw_gid,) * 3 or os.getgroups():
        raise PrivilegesError(f"still more than {user!r}: users {os.getresuid()}, groups {os.getresgid()}")


def _take_no_new_privileges() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise PrivilegesError(ctypes.get_errno(), "can't set no_new_privs")


# ----------------------------------------------------------------------------------------------------------

STREAM = "/events"
"""The path whose answers have threads of their own."""

FROM_ONE_MACHINE = 40
"""Connections that one machine in the network may have: a phone has 2 or 3."""

FROM_THE_NETWORK = 448
"""Connections of all of them; what is left is for this machine."""

CONNECTIONS = 512

GONE_AFTER = 20_000
"""Milliseconds after which a viewer who takes no more bytes counts as gone."""

BUFFER = 65_536
"""Bytes that wait for a slow viewer, here and once more in the kernel, before its stream waits too."""

IDLE_SECONDS = 30


def has_room(address: str, others: Sequence[str]) -> bool:
    """Whether one more connection from an address is taken beside those that there are."""
    if is_loopback(address):
        return True
    from_the_network = sum(not is_loopback(other) for other in others)
    return others.count(address) < FROM_ONE_MACHINE and from_the_network < FROM_THE_NETWORK


class Connection(HTTPChannel):  # type: ignore[misc]
    """A connection whose slow reader holds up no thread, unless one that is kept for streams."""

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Wait for the reader of a stream; hang up on who asks on and does not read the answers.

        What is asked otherwise is written as a whole, and waits here without a thread.
        """
        if self.requests and getattr(self.requests[0], "path", "") == STREAM:
            super()._flush_outbufs_below_high_watermark()
        elif self.total_outbufs_len > self.adj.outbuf_high_watermark:
            self.will_close = True
            self.server.pull_trigger()


class Server(TcpWSGIServer):  # type: ignore[misc]
    """Serves an application on a socket that listens already; `run` returns when all ends."""

    channel_class = Connection

    def __init__(self, app: Flask, listening: socket.socket, threads: int) -> None:
        super().__init__(
            app,
            _sock=listening,
            bind_socket=False,
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
            threads=threads,
            channel_request_lookahead=1,
            asyncore_use_poll=True,
            connection_limit=CONNECTIONS,
            channel_timeout=IDLE_SECONDS,
            cleanup_interval=IDLE_SECONDS // 3,
            max_request_body_size=4 * MAX_BODY_BYTES,
            max_request_header_size=4 * MAX_BODY_BYTES,
            outbuf_high_watermark=BUFFER,
            log_socket_errors=False,
            clear_untrusted_proxy_headers=False,  # nobody is trusted for them: see `guard.FORWARDED`
            ident=None,
        )
        self.adj.socket_options = [  # of every connection that is accepted
            *self.adj.socket_options,
            (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GONE_AFTER),
            (socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER),
        ]

    def accept(self) -> tuple[socket.socket, tuple[str, int]] | None:
        """The next connection; None where there is none, or no room for it."""
        accepted: tuple[socket.socket, tuple[str, int]] | None = super().accept()
        if accepted is None:
            return None
        connection, address = accepted
        if has_room(address[0], [channel.addr[0] for channel in self.active_channels.values()]):
            return accepted
        connection.close()
        return None
