"""Tags at a running table: taught through its socket and its readers, and saved before the answer."""

from __future__ import annotations

import random
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from device.rules.tiles import Colour
from device.store.store import Store
from device.table.tags import Action, ActionCard, Meaning, PlayerCard, TileTag
from tests.harness.client import Client, Message
from tests.harness.fixtures import StartTable
from tests.harness.local_table import LocalTable
from tests.harness.waiting import until
from tests.store.test_store import rows

KILLS = 5
LONGEST_LIFE = 0.05
"""Seconds from the second of many tags to the kill, at most."""
KNOWN_TAGS = "SELECT tag, kind, value FROM tags ORDER BY rowid"


def tags(number: int, first: int = 0) -> list[str]:
    return [f"{at:010X}" for at in range(first, first + number)]


def ask(client: Client, kind: str, **fields: object) -> Message:
    client.send({"type": kind, **fields})
    return client.answer()


def lay(client: Client, tag: str, reader: str = "shared") -> Message:
    return ask(client, "tag", reader=reader, tag=tag)


def test_all_100_tiles_are_taught_through_the_socket(client: Client, local_table: LocalTable) -> None:
    client.subscribe()
    assert ask(client, "teach_tiles", colour="all")["taken"]
    for number, tag in enumerate(tags(100)):
        assert lay(client, tag.lower())["taken"]
        assert len(rows(local_table.store, "SELECT * FROM tags")) == number + 1, "on disk when it is said"
    done = client.until(lambda snapshot: snapshot["ask"]["say"] == "learn_done")
    assert done["tags"]["tiles"] == dict.fromkeys("byrkw", 20)
    assert rows(local_table.store, KNOWN_TAGS) == [
        (tag, "tile", "byrkw"[number // 20]) for number, tag in enumerate(tags(100))
    ]


def test_a_tag_on_a_reader_is_taught_too(local_table: LocalTable, client: Client) -> None:
    ask(client, "teach_player", name="Ana")
    local_table.hardware.show_tag("seat.2", "04A21B7C")
    client.subscribe()
    client.until(lambda snapshot: snapshot["ask"]["say"] == "learn_done")
    assert rows(local_table.store, KNOWN_TAGS) == [("04A21B7C", "player", "Ana")]


def test_the_answers_have_the_result_for_each_tag(client: Client) -> None:
    assert lay(client, "AA")["why"] == "unknown_tag"
    assert ask(client, "forget_last")["why"] == "nothing_to_undo"
    ask(client, "teach_tiles", colour="r")
    assert lay(client, "aa")["taken"]
    assert lay(client, "BB")["taken"]
    assert lay(client, "AA")["why"] == "tag_known"
    assert ask(client, "tags")["result"] == [
        {"tag": "AA", "kind": "tile", "value": "r", "number": 1},
        {"tag": "BB", "kind": "tile", "value": "r", "number": 2},
    ]
    assert ask(client, "forget_last")["taken"]
    assert ask(client, "forget", tags=["bb"])["why"] == "tag_not_known"
    assert ask(client, "forget", tags=["aa"])["taken"]
    assert ask(client, "tags")["result"] == []
    assert ask(client, "end_lesson")["taken"]


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ({"type": "teach_tiles"}, "missing required field `colour`"),
        ({"type": "teach_tiles", "colour": "all", "player": "Ana"}, "unknown field `player`"),
        ({"type": "teach_tiles", "colour": "green"}, "no message"),
        ({"type": "teach_action", "action": "stop"}, "no message"),
        ({"type": "teach_player", "name": 7}, "no message"),
        ({"type": "tags", "all": True}, "no message"),
        ({"type": "forget", "tags": ["\x07"]}, "is no tag"),
        ({"type": "tag", "reader": "shared", "tag": ""}, "is no tag"),
        ({"type": "tag", "reader": "shared", "tag": "x" * 65}, "is no tag"),
        ({"type": "forget", "tags": [], "button": "ok"}, "unknown field `button`"),
    ],
)
def test_an_invalid_message_is_refused_and_changes_nothing(
    client: Client, message: Message, fault: str
) -> None:
    client.send(message)
    assert fault in client.answer()["error"]
    assert "learning" not in client.subscribe()["stage"]


def test_two_clients_share_one_lesson(local_table: LocalTable, client: Client, socket_path: Path) -> None:
    with Client(socket_path) as other:
        assert ask(client, "teach_tiles", colour="all")["taken"]
        assert ask(other, "teach_tiles", colour="all")["taken"]
        assert ask(other, "teach_player", name="Ana")["why"] == "learning_other"
        for mine, theirs in zip(tags(50), tags(50, 50), strict=True):
            client.send({"type": "tag", "reader": "shared", "tag": mine})
            other.send({"type": "tag", "reader": "seat.1", "tag": theirs})
        assert all(answer["taken"] for answer in (*client.answers(50), *other.answers(50)))
    known = rows(local_table.store, KNOWN_TAGS)
    assert {tag for tag, *_ in known} == set(tags(100))
    assert [colour for _, _, colour in known] == [colour for colour in "byrkw" for _ in range(20)]


def test_a_lesson_of_a_client_that_is_gone_can_be_ended_by_others(
    local_table: LocalTable, socket_path: Path
) -> None:
    with Client(socket_path) as teacher:
        ask(teacher, "teach_tiles", colour="all")
        lay(teacher, "AA")
    local_table.hardware.press("ok")
    until(lambda: local_table.publisher.snapshot.get("stage") == "seating", "the end of the lesson")
    assert rows(local_table.store, KNOWN_TAGS) == [("AA", "tile", "b")]


def test_a_tag_that_was_answered_is_saved_before_a_kill(data: Path, start: StartTable) -> None:
    dice = random.Random(7)
    laid = iter(tags(1000))
    said: list[str] = []
    for _ in range(KILLS):
        table = start()
        with table.client() as client:
            ask(client, "teach_tiles", colour="all")
            if lay(client, first := next(laid))["taken"]:
                said.append(first)
            kill = threading.Timer(dice.uniform(0, LONGEST_LIFE), table.kill)
            kill.start()
            with suppress(OSError, EOFError):
                for tag in laid:
                    client.send({"type": "tag", "reader": "shared", "tag": tag})
                    answer = client.answer()
                    if not answer["taken"]:
                        break
                    said.append(tag)
            kill.join()
        known = rows(data / "azul-table.db", KNOWN_TAGS)
        tiles = [tag for tag, kind, _ in known if kind == "tile"]
        assert set(said) <= set(tiles)
        assert len(tiles) == len(set(tiles)) <= 100, "one set, in however many lives"
        said = tiles
    assert said


def test_a_lesson_does_not_change_the_game(data: Path, start: StartTable) -> None:
    table = start()
    with table.client() as client:
        client.take("seat.1.floor", "seat.2.floor", "ok", "seat.1.floor", "display.1")
        client.subscribe()
        before = client.until(lambda snapshot: snapshot["choice"])
        ask(client, "teach_action", action="new_game")
        assert client.press("display.2")["why"] == "learning"
        lay(client, "AA")
        client.take("ok")
        after = client.until(
            lambda snapshot: snapshot["stage"] == "offer" and snapshot["tags"] != before["tags"]
        )
        changed = {"version", "asked", "tags", "refusal", "simulated"}
        assert {key: after[key] for key in after if key not in changed} == {
            key: before[key] for key in before if key not in changed
        }
        lay(client, "AA")
        assert client.until(lambda snapshot: snapshot["ask"]["say"] == "stop_game")
    table.kill()
    with closing(Store.open(data / "azul-table.db")) as store:
        assert store.tags()["AA"] == ActionCard(Action.NEW_GAME)


def test_a_table_without_tags_gets_those_of_simulated_readers(data: Path, start: StartTable) -> None:
    """Cards always, tiles if it is played with physical tiles; tags that were taught stay as they are."""
    table = start("--tiles", "resin", "--port", "0")
    with table.client() as client:
        known = ask(client, "tags")["result"]
        assert ask(client, "forget", tags=[tag["tag"] for tag in known[:-1]])["taken"]
    table.end()
    assert [sum(tag["kind"] == kind for tag in known) for kind in ("tile", "player", "action")] == [100, 4, 3]
    table = start("--tiles", "resin", "--port", "0")
    with table.client() as client:
        assert ask(client, "tags")["result"] == [{**known[-1], "number": 1}]


def test_the_cards_of_the_twin_seat_players_and_press_buttons(start: StartTable) -> None:
    table = start()
    with table.client() as client:
        cards = {card["value"]: card["tag"] for card in client.subscribe()["simulated"]["cards"]}
        assert {tag["kind"] for tag in ask(client, "tags")["result"]} == {"player", "action"}
        assert lay(client, cards["Ana"], "seat.2")["taken"]
        assert lay(client, cards["Rui"])["taken"]
        client.take("seat.4.line.3")
        assert lay(client, cards["new_game"])["taken"]
        choosing = client.until(lambda snapshot: snapshot["stage"] == "choosing")
        assert [seat["name"] for seat in choosing["seats"]] == [None, "Ana", None, "Rui"]
        assert lay(client, cards[None])["why"] == "unknown_tag"
        ask(client, "teach_tiles", colour="all")
        drawer = client.until(lambda snapshot: snapshot["simulated"]["drawer"])["simulated"]["drawer"]
        assert lay(client, drawer["b"][3])["taken"]
        client.until(lambda snapshot: snapshot["simulated"]["known"] == [drawer["b"][3]])


def test_tags_of_all_kinds_are_loaded_again(tmp_path: Path) -> None:
    known: dict[str, Meaning] = {
        "BB": PlayerCard("Ana Žižek 🐟"),
        "AA": TileTag(Colour.RED),
        "CC": ActionCard(Action.OK),
    }
    for _ in range(2):
        with closing(Store.open(tmp_path / "azul-table.db")) as store:
            store.save_tags(store.tags(), known)
            assert list(store.tags().items()) == list(known.items())
