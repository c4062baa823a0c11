"""Snapshots of real tables, as the daemon sends them, for tests of the pages against `device`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from device.lights.palettes import BOX, palette_for
from device.rules.events import Chance, Deal, Draw, Penalty, ScoringColour
from device.rules.game import Setup
from device.rules.tiles import COLOURS, Colour
from device.runtime import simulation
from device.runtime.simulation import SimulatedParts
from device.socket.snapshot import snapshot
from device.table import physical_tiles
from device.table.state import CurrentGame, Stage, Table, TableSettings, TagState, TileShown, new_table
from device.table.update import update
from tests.table.simulator import Simulator, begin_game, midway, random_draws, random_event
from tests.web_ui.scenes import Message
from web_ui.latest import Presence, View
from web_ui.messages import Layout, read_snapshot

GRAY = Setup("gray", ("Ana", "Rui", "Eva"))
BOTS = Setup("dtc", ("Ana", "Rui"))
STANDARD = Setup("standard", ("Ana", "Rui"))


def solo(level: str = "easy", wall: str = "gray") -> Setup:
    """Return the set-up of a solo game."""
    return Setup("solo", ("Ana",), 0, level, wall)


def drawer_tag(colour: Colour, number: int) -> str:
    """Return the tag of a tile of the simulated drawer; numbers start at 1."""
    return [tag for tag, tile in simulation.simulated_tiles().items() if tile.colour is colour][number - 1]


def snapshot_json(table: Table, version: int = 1) -> Message:
    """Return the snapshot of a table with simulated readers."""
    mode = table.play.setup.mode if table.play is not None else table.next_game.options.mode
    simulated = SimulatedParts(readers=True).to_json(table)
    return {**snapshot(table, palette_for(mode, BOX), simulated=simulated), "version": version}


def whole_game(setup: Setup, seed: int, *, with_resin: bool = False) -> Iterator[Message]:
    """Play a game at random; yield the snapshot after every press and every score step."""
    random = Random(seed)
    sim = _sat_down(setup, seed, with_resin=with_resin)
    while True:
        yield snapshot_json(sim.table)
        match sim.table.stage:
            case Stage.OVER:
                return
            case Stage.SCORING if with_resin:
                sim.press("ok")
            case Stage.SCORING:
                sim.wait(1.9)
            case Stage.REPORTING:
                report_one(sim, random)
            case Stage.OFFER if sim.game.selection is not None:
                _finish_draft(sim, random)
            case _:
                _begin_choice(sim, random)


def _sat_down(setup: Setup, seed: int, *, with_resin: bool) -> Simulator:
    table = replace(
        new_table(TableSettings(4, 9, physical_tiles=with_resin)), tags=TagState(simulation.simulated_tiles())
    )
    return begin_game(Simulator(table, random_draws(seed)), setup, range(1, len(setup.players) + 1))


def _begin_choice(sim: Simulator, random: Random) -> None:
    """Press a source, or make a choice that is no draft."""
    if sim.table.stage is Stage.CHOICE:
        sim.make(random_event(sim.play, random))
    else:
        live = [name for name in snapshot_json(sim.table)["live"] if name.startswith(("display", "centre"))]
        sim.press(random.choice(live))


def _finish_draft(sim: Simulator, random: Random) -> None:
    """Press a line that sends few tiles to the penalty row; confirm a line that was tried."""
    choice = snapshot_json(sim.table)["choice"]
    if choice["tried"] is not None:
        _press_line(sim, choice["tried"])
        return
    source = f"display.{choice['source']}" if choice["source"] else "centre"
    ratings = []
    for _ in COLOURS:  # each press of the source selects its next colour
        choice = snapshot_json(sim.table)["choice"]
        for line in choice["lines"]:
            sent = len(choice["sends"].get(str(line), ""))
            ratings.append((sent, not line, random.random(), choice["colour"], line))
        sim.press(source)
    *_, colour, line = min(ratings)
    while snapshot_json(sim.table)["choice"]["colour"] != colour:
        sim.press(source)
    _press_line(sim, line)


def _press_line(sim: Simulator, line: int) -> None:
    place = snapshot_json(sim.table)["ask"]["seat"]
    sim.press(f"seat.{place}.line.{line}" if line else f"seat.{place}.floor")


def report_one(sim: Simulator, random: Random) -> None:
    """Report the next physical tile of a legal chance event."""
    play = sim.play
    event = play.state.chance(Random(f"{len(play.events)}").randrange)
    assert isinstance(event, Chance)
    colour = _colours(event, sim.game)[len(sim.game.reported_tiles)]
    number = 1 + sum(tile.colour is colour for tile in sim.game.reported_tiles)
    tag = drawer_tag(colour, number) if random.random() < 0.5 else None
    sim.table = update(sim.table, TileShown(colour, "shared" if tag else None, tag, sim.now))


def _colours(event: Chance, game_in_play: CurrentGame) -> list[Colour]:
    """Return the tiles of a chance event in an order in which they can be reported: the bag's first."""
    match event:
        case Penalty(row):
            return list(row)
        case ScoringColour(colour) | Draw(colour):
            return [colour]
        case Deal(displays):
            bag = list(physical_tiles.in_bag(replace(game_in_play, reported_tiles=())))
            ordered: list[Colour] = []
            for display in displays:
                tiles = [colour for colour in COLOURS for _ in range(display[colour])]
                first = []
                for colour in tiles:
                    if bag[colour]:
                        bag[colour] -= 1
                        first.append(colour)
                later = tiles.copy()
                for colour in first:
                    later.remove(colour)
                ordered += [*first, *later]
            return ordered
        case _:
            raise ValueError(event)


def reporting(tiles: str = "", version: int = 1, setup: Setup = STANDARD) -> Message:
    """Return a moment at which these physical tiles have been reported by their tags."""
    sim = _sat_down(setup, 1, with_resin=True)
    for at, colour in enumerate(tiles):
        shown_colour = COLOURS["byrkw".index(colour)]
        tag = drawer_tag(shown_colour, tiles[: at + 1].count(colour))
        shown = TileShown(shown_colour, "shared", tag, sim.now)
        sim.table = update(sim.table, shown)
    return snapshot_json(sim.table, version)


def until(setup: Setup, say: str, seed: int = 1) -> Message:
    """Return the first moment of a game with this prompt."""
    return next(scene for scene in whole_game(setup, seed) if scene["ask"]["say"] == say)


def at_columns(version: int = 1) -> Message:
    """Return a moment on gray walls at which several seats choose columns."""
    for events in range(20, 120):
        table = midway(GRAY, 3, events).table
        scene = snapshot_json(table, version)
        if len({each["seat"] for each in scene["choosing"]}) > 1:
            return scene
    raise AssertionError("nobody chose a column")


def view_of(scene: Message, number: int = 1) -> View:
    """Return the view of a scene."""
    raw = json.dumps(scene).encode()
    return View(number, Presence.HERE, Layout("none", 1, 1, (), ()), read_snapshot(raw), raw)
