"""Captured streams in words."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from firmware_bridge import dump, wire
from firmware_bridge.messages import Heartbeat, Lights, QueryInputs, Show, encode, frame


def line(number: int) -> bytes:
    kind, body = encode(Heartbeat(5))
    return wire.pack(kind, number, body)


def test_a_stream_of_one_direction_is_decoded() -> None:
    lights = frame(Lights(b"\1\2\n\3"), 8)
    lines = [line(7), lights[:-2], lights[-2:] + b">>> hello\r\n", line(9)[:10] + b"\n"]
    assert list(dump.dump(lines)) == [
        '    7 heartbeat {"count": 5}',
        '    8 lights {"raw": "01020a03", "runs": 0}',
        "    - no frame: b'>>> hello\\r'",
        "    - not base64: b'~AQcJAAUAA'",
    ]


def test_blank_lines_are_left_out() -> None:
    assert list(dump.dump([b"\n", b"1.500000 > \r\n", b"  \n"])) == []


def test_a_kind_of_two_words_is_written_with_an_underscore() -> None:
    kind, body = encode(QueryInputs())
    assert list(dump.dump([wire.pack(kind, 7, body)])) == ["    7 query_inputs {}"]


def test_a_recording_has_times_and_directions() -> None:
    recorded = dump.format_record(1.5, ">", line(1)) + dump.format_record(1.6, "<", line(2) + line(3))
    assert list(dump.dump(recorded.splitlines(keepends=True))) == [
        '1.500000 >     1 heartbeat {"count": 5}',
        '1.600000 <     2 heartbeat {"count": 5}',
        '1.600000 <     3 heartbeat {"count": 5}',
    ]


def test_a_recording_has_the_bytes_of_lights() -> None:
    recorded = dump.format_record(1.5, ">", line(1) + frame(Show(7, 8, b"\n\3"), 2) + line(3))
    assert list(dump.dump(recorded.splitlines(keepends=True))) == [
        '1.500000 >     1 heartbeat {"count": 5}',
        '1.500000 >     2 show {"number": 7, "check": 8, "raw": "0a03", "runs": 0}',
        '1.500000 >     3 heartbeat {"count": 5}',
    ]


def test_the_command_reads_files_and_standard_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    captured = tmp_path / "captured"
    captured.write_bytes(line(1) + line(2)[:-1])
    monkeypatch.setattr(sys, "argv", ["dump", str(captured)])
    dump.main()
    assert capsys.readouterr().out.count("heartbeat") == 2
    monkeypatch.setattr(sys, "argv", ["dump", "-"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line(3))))
    dump.main()
    assert capsys.readouterr().out == '    3 heartbeat {"count": 5}\n'


def test_the_command_without_a_file_explains_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["dump"])
    with pytest.raises(SystemExit, match="Decode a captured stream"):
        dump.main()
