"""The command `azul-table join`: the QR code, the address and the PIN with which phones join a table."""

import io
from contextlib import closing
from html import escape
from pathlib import Path
from typing import Any, Final

import click
import msgspec
import segno

from device.commands.console import CommandError, data_option, file_error, json_option, printable, reported
from device.runtime.data_folder import socket_path
from device.socket.client import TableAwayError, TableClient

_SHEET: Final = """<svg xmlns="http://www.w3.org/2000/svg" width="148mm" height="210mm" viewBox="0 0 148 210">
<rect width="148" height="210" fill="#fff"/>
<g fill="#16243d" text-anchor="middle" font-family="Georgia, 'Noto Serif', serif">
<text x="74" y="30" font-size="15" font-weight="700">Azul</text>
<svg x="24" y="42" width="100" height="100" viewBox="0 0 {size} {size}">{code}</svg>
<g font-family="system-ui, 'Noto Sans', sans-serif">
<text x="74" y="160" font-size="7.2" font-weight="600">{address}</text>
{lines}
</g>
</g>
</svg>
"""
"""A sheet of A5, in millimetres."""
_LINE: Final = '<text x="74" y="{y}" font-size="5.4">{text}</text>'
_WHITE_ON_BLACK: Final = "\033[97;40m"
_NORMAL: Final = "\033[0m"
_HELP: Final = "Phones can't reach this table yet: its pages listen on this machine only."
_ADVICE: Final = "Start it with: azul-table play --host 0.0.0.0"


@click.command()
@data_option("The data folder of the table.")
@click.option(
    "--svg", type=click.Path(path_type=Path, dir_okay=False), help="Write a sheet to print (A5) to this file."
)
@json_option("Print one JSON object: addresses, here_only, pin.")
def command(data: Path, svg: Path | None, *, as_json: bool) -> None:
    """Show the QR code, the address and the PIN with which phones join the table.

    The table runs with a data folder. A phone that scans the code picks a seat and a name, or watches. With
    --svg the code is written as a sheet for the wall or the table.
    """
    joining = _joining(data)
    if as_json:
        shown = {key: joining.get(key) for key in ("addresses", "here_only", "pin")}
        click.echo(msgspec.json.encode(shown))
        return
    if joining.get("here_only"):
        raise CommandError(f"{_HELP}\n{_ADVICE}")
    addresses = [str(each) for each in joining.get("addresses", ())]
    if not addresses:
        raise CommandError("This machine has no address in a network, so no phone can reach it.")
    pin = str(joining.get("pin", ""))
    if svg is None:
        _print(addresses, pin)
        return
    try:
        svg.write_text(sheet(addresses[0], pin), "utf-8")
    except OSError as error:
        raise file_error(str(svg), "written", error) from error
    click.echo(f"Written: {svg}")


def _joining(data: Path) -> dict[str, Any]:
    """Return how phones join the table of a data folder. Raises CommandError if none runs."""
    try:
        with reported(TableAwayError), closing(TableClient(socket_path(data))) as client:
            client.subscribe()
            found = client.next_snapshot().get("join")
    except PermissionError as error:
        raise CommandError(f"{data}: the table belongs to another user: use sudo") from error
    return found if isinstance(found, dict) else {}


def _print(addresses: list[str], pin: str) -> None:
    """Print the code and the addresses."""
    for row in in_blocks(_code(addresses[0])):
        click.echo(f"{_WHITE_ON_BLACK}{row}{_NORMAL}")  # click leaves the colours out of files
    click.echo(f"Scan this with a phone's camera, or open {printable(addresses[0])} on it.")
    for address in addresses[1:]:
        click.echo(f"Or: {printable(address)}")
    if pin:
        click.echo(f"PIN: {pin}")


def in_blocks(code: segno.QRCode) -> list[str]:
    """Return a code as lines of text: the light modules are blocks, and a character is two modules high."""
    rows = [[not dark for dark in row] for row in code.matrix_iter(border=2)]
    if len(rows) % 2:
        rows.append([True] * len(rows[0]))
    blocks = {(True, True): "\u2588", (True, False): "\u2580", (False, True): "\u2584", (False, False): " "}
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(blocks[each] for each in zip(*pair, strict=True)) for pair in pairs]


def _code(address: str) -> segno.QRCode:
    """Return the QR code of the page where a phone picks a seat."""
    return segno.make_qr(f"{address}join", error="m")


def sheet(address: str, pin: str) -> str:
    """Return a sheet of A5 to print: the code, the address, the PIN if any, and what to do."""
    code, written = _code(address), io.BytesIO()
    code.save(
        written, kind="svg", xmldecl=False, svgns=False, omitsize=True, border=0, dark="#16243d", nl=False
    )
    texts = [f"PIN {pin}"] if pin else []
    texts += ["Scan the code with your phone\u2019s camera,", "tap a seat, and play."]
    lines = "\n".join(_LINE.format(y=172 + 9 * at, text=escape(text)) for at, text in enumerate(texts))
    return _SHEET.format(
        size=code.symbol_size(border=0)[0],
        code=written.getvalue().decode(),
        address=escape(address.removeprefix("http://").removesuffix("/")),
        lines=lines,
    )
