"""The HTTP server (waitress) with limits per machine, and dropping privileges before it starts."""

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

# --- Privileges ------------------------------------------------------------------------------------------

_PR_SET_NO_NEW_PRIVS = 38


class PrivilegesError(OSError):
    """The process could not drop its privileges, and must not continue."""


def drop_privileges(user: str) -> None:
    """Change to `user` (setuid, setgid, no groups) if the process is root, and set no_new_privs.

    Call it before threads are started: they inherit it. Raises PrivilegesError if there is no such user, if
    it is root, or if the kernel refuses.
    """
    if os.geteuid() == 0:
        _change_user(user)
    _set_no_new_privileges()


def _change_user(user: str) -> None:
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


def _set_no_new_privileges() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise PrivilegesError(ctypes.get_errno(), "can't set no_new_privs")


# --- Connections -----------------------------------------------------------------------------------------

STREAM = "/events"
"""The path of event streams, which have threads of their own."""

MAX_PER_ADDRESS = 40
"""Connections from one machine in the network; a phone has 2 or 3."""

MAX_FROM_NETWORK = 448
"""Connections from all machines in the network; the rest is reserved for this machine."""

MAX_CONNECTIONS = 512

ACK_TIMEOUT = 20_000
"""Milliseconds without an acknowledgement after which the kernel drops a connection."""

BUFFER = 65_536
"""Bytes that are buffered for a slow reader, here and once more in the kernel, before its stream waits."""

IDLE_SECONDS = 30


def may_connect(address: str, others: Sequence[str]) -> bool:
    """Return whether a connection from `address` is accepted; `others` are the addresses of the open ones."""
    if is_loopback(address):
        return True
    from_network = sum(not is_loopback(other) for other in others)
    return others.count(address) < MAX_PER_ADDRESS and from_network < MAX_FROM_NETWORK


class Connection(HTTPChannel):  # type: ignore[misc]
    """A connection whose slow reader blocks no thread, except the one that is reserved for its stream.

    waitress lets a thread wait until a slow reader has read all but `outbuf_high_watermark` bytes, and has no
    setting against it: `channel_timeout` spares connections with a request under way, and pipelined requests
    are limited by nothing but `recv_bytes`. A watermark that no backlog can reach is no way out either: 8 KB
    of pipelined requests for the twin are answered with some 50 MB, so that a few machines could fill the
    memory. Hence the override of a private method; tests/web_ui/test_crowds.py fails if waitress renames it.
    """

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Wait for the reader of a stream; disconnect any other client that does not read its responses."""
        if self.requests and getattr(self.requests[0], "path", "") == STREAM:
            super()._flush_outbufs_below_high_watermark()
        elif self.total_outbufs_len > self.adj.outbuf_high_watermark:
            self.will_close = True
            self.server.pull_trigger()


class Server(TcpWSGIServer):  # type: ignore[misc]
    """Serves an application on a listening socket; `run` returns when it is shut down."""

    channel_class = Connection

    def __init__(self, app: Flask, listening: socket.socket, threads: int) -> None:
        super().__init__(
            app,
            _sock=listening,
            bind_socket=False,
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
            threads=threads,
            channel_request_lookahead=1,  # read while a request is under way, to notice disconnected clients
            asyncore_use_poll=True,
            connection_limit=MAX_CONNECTIONS,
            channel_timeout=IDLE_SECONDS,
            cleanup_interval=IDLE_SECONDS // 3,
            max_request_body_size=4 * MAX_BODY_BYTES,
            max_request_header_size=4 * MAX_BODY_BYTES,
            outbuf_high_watermark=BUFFER,
            log_socket_errors=False,
            clear_untrusted_proxy_headers=False,  # `security.is_local_request` must see them
            ident=None,
        )
        self.adj.socket_options = [  # of every accepted connection
            *self.adj.socket_options,
            (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, ACK_TIMEOUT),
            (socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER),
        ]

    def accept(self) -> tuple[socket.socket, tuple[str, int]] | None:
        """Accept a connection; return None if there is none, or if its machine has too many."""
        accepted: tuple[socket.socket, tuple[str, int]] | None = super().accept()
        if accepted is None:
            return None
        connection, address = accepted
        if may_connect(address[0], [channel.addr[0] for channel in self.active_channels.values()]):
            return accepted
        connection.close()
        return None
