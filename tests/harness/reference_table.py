"""Reference for a running table: the same presses given to the pure table, without store or process."""

from __future__ import annotations

import json
from dataclasses import replace

from device.lights.palettes import PALETTES
from device.runtime.loop import seeded_draw
from device.socket.snapshot import snapshot
from device.table.state import ChanceDrawn, Stage, Table, TableSettings, needed_draw, new_table
from device.table.update import update
from hardware.api import ButtonPressed
from tests.harness.client import Message
from tests.harness.player import next_button
from tests.table.simulator import game_of, with_game

IGNORED_KEYS = ("version", "ask", "asked", "live", "refusal", "hint", "simulated", "tags", "join", "phones")
"""Keys of a snapshot that are not part of the game, or that a restart may change."""


class ReferenceTable:
    """A table on which no time passes: a score animation lasts until `ok` is pressed."""

    def __init__(self, table: Table | None = None, seed: str = "") -> None:
        self.table = table or new_table(TableSettings(4, 9))
        self.seed = seed

    def press(self, button: str) -> None:
        self.table = update(self.table, ButtonPressed(button, 0.0))

    def draw(self, seed: str) -> None:
        """Draw the chance events that are due as the table loop does, by the seed of its game."""
        self.seed = seed
        while needed_draw(self.table) is not None:
            assert self.table.play is not None
            self.table = update(self.table, ChanceDrawn(seeded_draw(self.table.play, seed), 0.0))

    def copy(self) -> ReferenceTable:
        return ReferenceTable(self.table, self.seed)

    def pressed(self, button: str) -> ReferenceTable:
        """Return the table after one more press."""
        after = self.copy()
        after.press(button)
        if after.table.play is not None and self.seed:
            after.draw(self.seed)
        return after

    @property
    def snapshot(self) -> Message:
        return snapshot_json(self.table)

    @property
    def next_button(self) -> str | None:
        return next_button(self.snapshot)

    def end_score_animation(self) -> ReferenceTable:
        """Return the table after the end of a score animation."""
        return self.pressed("ok") if self.table.stage is Stage.SCORING else self.copy()


def snapshot_json(table: Table) -> Message:
    """Return the snapshot of a table as it is sent over the socket."""
    sent: Message = json.loads(json.dumps(snapshot(table, PALETTES["box"])))
    return sent


def same_choice(shown: Message, reference: ReferenceTable) -> bool:
    """Return whether a snapshot shows the same choice as the reference, at any step of a score animation."""
    expected = reference.snapshot
    if shown["stage"] == "scoring" == expected["stage"]:
        steps = shown["account"]["steps"]
        animation = game_of(reference.table).animation
        assert animation is not None
        shorter = with_game(reference.table, animation=replace(animation, shown=len(steps)))
        expected = ReferenceTable(shorter).snapshot
    return game_part(shown) == game_part(expected)


def game_part(shown: Message) -> Message:
    return {key: value for key, value in shown.items() if key not in IGNORED_KEYS}
