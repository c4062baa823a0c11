"""The data folder: where it is, and its lock."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from device.runtime.data_folder import FolderInUseError, default_data_folder, locked, socket_path


@pytest.mark.parametrize("unset", [True, False], ids=["unset", "empty"])
def test_without_a_folder_for_data_it_is_in_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, unset: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "")
    if unset:
        monkeypatch.delenv("XDG_DATA_HOME")
    assert default_data_folder() == tmp_path / ".local/share/azul-table"


def test_the_folder_for_data_may_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "~/data")
    assert default_data_folder() == tmp_path / "data/azul-table"


def test_a_folder_is_locked_until_the_end_and_then_free(tmp_path: Path) -> None:
    data = tmp_path / "new" / "folder"
    with locked(data) as runtime:
        assert socket_path(data).parent == runtime
        with pytest.raises(FolderInUseError, match=str(data)), locked(data):
            pass
        with pytest.raises(FolderInUseError), locked(data):
            pass  # the attempt before has not ended the lock
    with locked(data):
        pass


def test_the_pages_may_enter_the_folder_of_the_socket(tmp_path: Path) -> None:
    """They run as another user; a strict umask of the daemon must not lock them out."""
    before = os.umask(0o077)
    try:
        with locked(tmp_path) as runtime:
            assert runtime.stat().st_mode & 0o777 == 0o755
    finally:
        os.umask(before)
