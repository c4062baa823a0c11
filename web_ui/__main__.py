"""Entry point of the web process: `python -P -m web_ui`.

Threads: the main thread waits for a signal; one runs waitress's I/O loop; `--streams` + 8 serve requests; two
subscribe to the table (`table_link`); with `--follow-parent` one waits for the end of standard input.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import socket
import sys
import threading
from pathlib import Path

from flask import Flask

from web_ui.app import create_app, warm_up
from web_ui.latest import Latest
from web_ui.pages import STREAMS
from web_ui.server import PrivilegesError, Server, drop_privileges
from web_ui.table_link import TableLink
from web_ui.text.rulebook import RulesError
from web_ui.text.words import WordsError

PLAIN_THREADS = 8
"""Threads that are reserved for everything but streams."""

CLOSING_SECONDS = 1
_SIGNALS = {signal.SIGTERM, signal.SIGINT}


def main(arguments: list[str] | None = None) -> None:
    """Serve the pages until SIGTERM, SIGINT or the end of the parent."""
    options = _options(arguments)
    logging.basicConfig(level=logging.WARNING, format="pages: %(message)s")
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        listening = _listening_socket(options)
    except OSError as fault:
        sys.exit(f"web_ui: can't listen: {fault.strerror or fault}")
    except UnicodeError:
        sys.exit(f"web_ui: can't listen: no machine is called {options.host!r}")
    try:
        link = TableLink(options.socket, Latest())
        app = create_app(link, options.streams)
        warm_up(app)
        drop_privileges(options.user)
    except (PrivilegesError, RulesError, WordsError) as fault:
        sys.exit(f"web_ui: {fault}")
    if options.follow_parent:
        threading.Thread(target=_follow_parent, name="parent", daemon=True).start()
    _serve(app, link, listening, options.streams + PLAIN_THREADS)


def _serve(app: Flask, link: TableLink, listening: socket.socket, threads: int) -> None:
    server = Server(app, listening, threads)
    link.start()
    threading.Thread(target=server.run, name="pages", daemon=True).start()
    signal.sigwait(_SIGNALS)
    link.close()
    logging.getLogger("waitress").setLevel(logging.ERROR)  # open streams are cut off; no warning
    server.task_dispatcher.shutdown(timeout=CLOSING_SECONDS)


def _follow_parent() -> None:
    """Send SIGTERM to this process when standard input reaches its end: the parent has ended."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            continue
    os.kill(os.getpid(), signal.SIGTERM)


def _listening_socket(options: argparse.Namespace) -> socket.socket:
    if options.listen_fd is not None:
        listening = socket.socket(fileno=options.listen_fd)
    else:
        found = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)
        family, _, _, _, address = found[0]
        listening = socket.create_server(address[:2], family=family, backlog=128)
        host, port = listening.getsockname()[:2]
        print(f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/", flush=True)  # noqa: T201
    return listening


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="web_ui", description="Serves the pages of a table.")
    parser.add_argument("--socket", type=Path, required=True, metavar="PATH", help="the table's Unix socket")
    where = parser.add_argument_group("address to listen at: either --listen-fd, or --host and --port")
    where.add_argument("--listen-fd", type=int, metavar="N", help="an inherited TCP socket, already bound")
    where.add_argument("--host", metavar="H", help="the address to listen at (127.0.0.1)")
    where.add_argument("--port", type=int, metavar="P", help="the port; 0 takes a free one (8000)")
    parser.add_argument(
        "--streams", type=int, default=STREAMS, metavar="N", help="concurrent event streams (%(default)s)"
    )
    parser.add_argument(
        "--user", default="nobody", help="the user to run as when started as root (%(default)s)"
    )
    parser.add_argument("--follow-parent", action="store_true", help="end when standard input is closed")
    options = parser.parse_args(arguments)
    if options.listen_fd is not None and (options.host is not None or options.port is not None):
        parser.error("--listen-fd can't be used with --host or --port")
    if options.port is not None and not 0 <= options.port <= 65_535:
        parser.error("--port must be 0 to 65535")
    if options.streams < 1:
        parser.error("--streams must be at least 1")
    options.host = options.host or "127.0.0.1"
    options.port = 8000 if options.port is None else options.port
    return options


if __name__ == "__main__":
    main()
