"""Parser of RDM6300 and ID-12LA frames: for any bytes, in any pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.drivers.rfid import FrameParser, encode_frame, parse_tag

RDM6300 = b"\x0262E3086CED08\x03"
ID_12LA = b"\x0262E3086CED08\r\n\x03"

tags = st.binary(min_size=5, max_size=5).map(lambda number: number.hex().upper())
frames = st.tuples(tags, st.booleans())


def read(data: bytes) -> list[str]:
    return FrameParser().feed(data)


@pytest.mark.parametrize("frame", [RDM6300, ID_12LA])
def test_known_good_frames(frame: bytes) -> None:
    assert read(frame) == ["62E3086CED"]


def test_frames_are_encoded_as_readers_send_them() -> None:
    assert encode_frame("62E3086CED") == RDM6300
    assert encode_frame("62E3086CED", line_end=True) == ID_12LA


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"62E3086CED09",
        b"62e3086ced08",
        b"62E3086CED0",
        b"62E3086CED081",
        b"62E3086CED08\n\r",
        b"62E3086CED08\r",
        b"62E30 6CED08",
        b"62E3086CEG08",
        "\N{FULLWIDTH DIGIT SIX}2E3086CED08".encode(),
    ],
)
def test_an_invalid_body_is_not_a_tag(body: bytes) -> None:
    assert parse_tag(body) is None
    parser = FrameParser()
    assert parser.feed(b"\x02" + body + b"\x03" + RDM6300) == ["62E3086CED"]
    assert parser.damaged == 1


def test_a_frame_after_a_truncated_one_is_read() -> None:
    parser = FrameParser()
    assert parser.feed(RDM6300[:9] + RDM6300) == ["62E3086CED"]
    assert (parser.damaged, parser.noise) == (1, 0)


def test_noise_is_counted() -> None:
    parser = FrameParser()
    assert parser.feed(b"\xff\x00abc\x03" + RDM6300 + b"\r\n") == ["62E3086CED"]
    assert (parser.damaged, parser.noise) == (0, 8)


def test_an_endless_frame_is_given_up() -> None:
    parser = FrameParser()
    assert parser.feed(b"\x02" + b"1" * 100_000) == []
    assert parser.damaged == 1
    assert parser.feed(RDM6300) == ["62E3086CED"]


@given(st.lists(frames, max_size=6), st.data())
def test_tags_are_read_between_any_noise(sent: list[tuple[str, bool]], data: st.DataObject) -> None:
    noise = st.binary(max_size=20).map(lambda dirt: dirt.replace(b"\x02", b""))
    stream = b"".join(data.draw(noise) + encode_frame(tag, line_end=end) for tag, end in sent)
    assert read(stream) == [tag for tag, _ in sent]


@given(
    st.lists(
        st.one_of(frames.map(lambda sent: encode_frame(sent[0], line_end=sent[1])), st.binary()), max_size=6
    )
)
def test_pieces_give_the_same_tags_and_counts(parts: list[bytes]) -> None:
    stream = b"".join(parts)
    whole, single = FrameParser(), FrameParser()
    assert whole.feed(stream) == [tag for byte in stream for tag in single.feed(bytes((byte,)))]
    assert (whole.damaged, whole.noise) == (single.damaged, single.noise)


@given(frames, st.data())
def test_a_flipped_bit_never_gives_another_tag(sent: tuple[str, bool], data: st.DataObject) -> None:
    frame = bytearray(encode_frame(sent[0], line_end=sent[1]))
    at = data.draw(st.integers(0, len(frame) - 1))
    frame[at] ^= 1 << data.draw(st.integers(0, 7))
    assert read(bytes(frame)) in ([], [sent[0]])


@given(st.binary(max_size=300))
def test_garbage_raises_nothing_and_gives_valid_tags_only(stream: bytes) -> None:
    for tag in read(stream + RDM6300):
        assert len(tag) == 10 and int(tag, 16) >= 0 and tag == tag.upper()
    assert read(stream + RDM6300)[-1:] == ["62E3086CED"]
