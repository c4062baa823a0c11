"""The settings file: its defaults, every setting, and the report of every fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.lights.palettes import BOX, DISTINCT
from device.runtime.settings import BotsFile, Settings, SettingsError, read_settings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def fault_of(path: Path) -> str:
    with pytest.raises(SettingsError) as caught:
        read_settings(path.parent)
    return str(caught.value)


def test_without_a_file_all_settings_have_their_defaults(path: Path) -> None:
    assert read_settings(path.parent) == Settings()
    path.write_text("")
    assert read_settings(path.parent) == Settings()
    assert Settings() == Settings(BOX, True, "auto", "", "normal", BotsFile(0.1, 1.0, 30.0), {})  # noqa: FBT003


def test_every_setting_is_read(path: Path) -> None:
    path.write_text(
        "palette = 'distinct'\nconfirm_columns = false\nphones = 'play'\npace = 'slow'\n"
        "pin = '012345'\n"
        "brightness = 0.5\n"
        "[bots]\nstrong = 0.5\nmaster = 2\nprogram = 60\n"
        "[programs]\nMy Bot = 'python3 \"my bot.py\" --fast'\n".replace("My Bot", '"My Bot"')
    )
    assert read_settings(path.parent) == Settings(
        DISTINCT,
        confirm_columns=False,
        phones="play",
        pin="012345",
        pace="slow",
        thinking=BotsFile(0.5, 2.0, 60.0),
        programs={"My Bot": ("python3", "my bot.py", "--fast")},
        palette_name="distinct",
        brightness=0.5,
    )


def test_a_palette_of_the_maker_s_own_is_read_from_a_file_of_windows(path: Path) -> None:
    """With a byte order mark and CR LF, as editors there write it."""
    own = "".join(f"{colour} = [{at}, 2, 3]\n" for at, colour in enumerate(COLOURS))
    path.write_bytes(f"palette = 'own'\n[own]\n{own}".replace("\n", "\r\n").encode("utf-8-sig"))
    palette = read_settings(path.parent).palette
    assert [shade.light for shade in palette.shades] == [(at, 2, 3) for at in range(5)]
    assert palette.marker == BOX.marker
    assert list(read_settings(path.parent).palettes) == ["box", "distinct", "own"]


def test_as_many_programs_as_a_board_has_lines_with_the_longest_names_are_read(path: Path) -> None:
    names = [str(number) * 20 for number in range(1, 6)]
    path.write_text("[programs]\n" + "".join(f"{name} = 'a'\n" for name in names))
    assert list(read_settings(path.parent).programs) == names


COLOURS = ("blue", "yellow", "red", "black", "white")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("palette = ", "can't be read"),
        ("palette = 'box", "can't be read"),
        ("\0", "can't be read"),
        ("a = " + "[" * 5000, "can't be read"),
        ("a = " + "9" * 5000, "can't be read"),
        ('[programs]\nx = "a\\u0000b"', "programs.x"),
        ("palette = 'rainbow'", 'palette = "rainbow": must be "box" or "distinct" or "own"'),
        ("brightness = 0.1", "$.brightness"),
        ("phones = 'dance'", 'phones = "dance": must be "auto" or "look" or "play"'),
        ("pin = '12a4'", 'pin = "12a4": must be "auto" or 4 to 12 digits'),
        ("pin = '123'", 'pin = "123": must be "auto" or 4 to 12 digits'),
        ("pin = 1234", "Expected `str`, got `int`"),
        ("phones = true", 'phones = true: must be "auto" or "look" or "play"'),
        ("pace = 3", 'pace = 3: must be "slow" or "normal" or "fast"'),
        ("palette = 'own'", "[own]"),
        ("palette = 'own'\n[own]\nblue = [0, 0, 300]", "$.own.blue"),
        ("palette = 'own'\n[own]\nblue = [0, 0]", "$.own.blue"),
        ("palette = 'own'\n[own]\nblue = [0, 0, 9]", "yellow"),
        ("colour = 'box'", "colour"),
        ("confirm_columns = 'maybe'", "confirm_columns"),
        ('[programs]\nx = "a \'b"', "programs.x: is not a command"),
        ("[programs]\nx = '\"'", "programs.x: is not a command"),
        ("[programs]\nx = ''", "programs.x: is empty"),
        ("[programs]\n'' = 'a'", "'' is not a name of 1 to 20 characters"),
        ("[programs]\n' x' = 'a'", "' x' is not a name"),
        (f"[programs]\n{'x' * 21} = 'a'", "is not a name of 1 to 20 characters"),
        ("[programs]\nMaster = 'a'", "Master is the name of one of the table's own opponents"),
        ("[programs]\n" + "".join(f"p{number} = 'a'\n" for number in range(6)), "6 programs"),
        ("[bots]\nstrong = 0.001", "$.bots.strong"),
        ("[bots]\nmaster = 61", "$.bots.master"),
        ("[bots]\nprogram = 0", "$.bots.program"),
    ],
)
def test_wrong_settings_are_reported(path: Path, settings: str, message: str) -> None:
    path.write_text(settings)
    fault = fault_of(path)
    assert fault.startswith(f"{path}: ")
    assert message in fault
    assert len(fault.splitlines()) == 1


def test_a_file_that_cant_be_read_is_reported(path: Path) -> None:
    path.write_bytes(b"palette = '\xff'")
    assert fault_of(path).startswith(f"{path}: can't be read")
    path.unlink()
    path.mkdir()
    assert fault_of(path).startswith(f"{path}: can't be read")
