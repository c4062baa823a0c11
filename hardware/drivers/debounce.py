"""A switch that bounces, as presses: times in, events out; no pins, no clock, no thread.

A press is told at the first contact, because a finger is faster answered than a contact is still. The switch
is let go when it has been open for STILL seconds without a break; contacts before that are bouncing. A switch
that is pressed more often than a finger can, or that does not come to rest at all, is broken: it is muted,
which is told once, until it has kept still for CALM seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

STILL: Final = 0.025
"""Seconds: contacts bounce for up to 20 ms; no finger lets go and presses again within 25."""
MOST_PRESSES: Final = 12
"""Presses within SECOND; fingers reach ten."""
SECOND: Final = 1.0
RESTLESS: Final = 0.4
"""Seconds that a switch may change again and again, never still for STILL."""
CALM: Final = 2.0
"""Seconds without any change after which a muted switch is listened to again."""
NEVER: Final = float("-inf")


@dataclass(frozen=True, slots=True)
class Pressed:
    """A finger pressed the switch, at this time."""

    at: float


@dataclass(frozen=True, slots=True)
class Muted:
    """The switch chatters and is not listened to from this time on."""

    at: float


@dataclass(frozen=True, slots=True)
class Unmuted:
    """The switch has come to rest, and is listened to again."""

    at: float


SwitchEvent = Pressed | Muted | Unmuted
Step = tuple["Switch", tuple[SwitchEvent, ...]]


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch at one moment: what its contact was last seen to be, and what is made of it."""

    closed: bool = False
    held: bool = False
    """Whether a finger is still on it, bouncing or not."""
    muted: bool = False
    changed: float = NEVER
    """When the contact last changed."""
    restless: float = NEVER
    """When it began to change without ever being still for STILL."""
    presses: tuple[float, ...] = ()
    """The times of the presses of the last SECOND."""


def begin(*, closed: bool) -> Switch:
    """Return a switch as it is found: one that is closed from the start was not pressed."""
    return Switch(closed=closed, held=closed)


def seen(switch: Switch, *, closed: bool, at: float) -> Step:
    """Take in that the contact was seen closed or open at this time, in seconds; changed or not.

    Times must not go back; one that does counts as the latest so far.
    """
    at = max(at, switch.changed)
    switch, events = passed(switch, at)
    if closed == switch.closed:
        return switch, events
    restless = switch.restless if at - switch.changed < STILL else at
    switch = replace(switch, closed=closed, changed=at, restless=restless)
    if closed and not switch.held:
        switch, pressed = _press(switch, at)
        events += pressed
    if at - switch.restless > RESTLESS:
        switch, muted = _mute(switch, at)
        events += muted
    return switch, events


def passed(switch: Switch, at: float) -> Step:
    """Take in that this time was reached, in seconds."""
    events: tuple[SwitchEvent, ...] = ()
    still = at - switch.changed
    if switch.held and not switch.closed and still >= STILL:
        switch = replace(switch, held=False)
    if switch.muted and still >= CALM:
        switch = replace(switch, muted=False)
        events += (Unmuted(switch.changed + CALM),)
    return switch, events


def _press(switch: Switch, at: float) -> Step:
    """Count a press, and tell it unless there are too many."""
    presses = (*(press for press in switch.presses if at - press < SECOND), at)
    switch = replace(switch, held=True, presses=presses)
    if switch.muted:
        return switch, ()
    return _mute(switch, at) if len(presses) > MOST_PRESSES else (switch, (Pressed(at),))


def _mute(switch: Switch, at: float) -> Step:
    return (switch, ()) if switch.muted else (replace(switch, muted=True), (Muted(at),))
