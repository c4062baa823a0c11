"""Debouncing of a push button: contact changes with their times in, presses out. Without pins or clock.

A press is reported at the first contact, without waiting for the bounces to end. The button is released
when the contact has been open for RELEASE seconds without a break; contacts before that are bounces. A
button that is pressed more often than a finger can, or that never comes to rest, is broken: it is muted,
which is reported once, until it has not changed for REST seconds.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

RELEASE: Final = 0.025
"""Seconds: contacts bounce for up to 20 ms; no finger releases and presses again within 25."""
MAX_PRESSES: Final = 12
"""Presses within PRESS_WINDOW; fingers reach ten."""
PRESS_WINDOW: Final = 1.0
MAX_BOUNCING: Final = 0.4
"""Seconds for which a contact may keep changing without being still for RELEASE."""
REST: Final = 2.0
"""Seconds without any change after which a muted button is unmuted."""
NEVER: Final = float("-inf")


class Pressed(Struct, frozen=True):
    """The button was pressed."""

    at: float


class Muted(Struct, frozen=True):
    """The button chatters and is ignored from this time on."""

    at: float


class Unmuted(Struct, frozen=True):
    """The button has come to rest and is no longer ignored."""

    at: float


SwitchEvent = Pressed | Muted | Unmuted
Step = tuple["Switch", tuple[SwitchEvent, ...]]


class Switch(Struct, frozen=True):
    """State of one button at one moment: its contact as seen last, and what was concluded from it."""

    closed: bool = False
    held: bool = False
    """Whether a finger is on the button; its contact may be bouncing."""
    muted: bool = False
    changed: float = NEVER
    """When the contact changed last."""
    restless: float = NEVER
    """When the contact began to change without ever being still for RELEASE."""
    presses: tuple[float, ...] = ()
    """The times of the presses within the last PRESS_WINDOW."""


def initial(*, closed: bool) -> Switch:
    """Return the state of a button as it is found; one that is closed from the start was not pressed."""
    return Switch(closed=closed, held=closed)


def observe(switch: Switch, *, closed: bool, at: float) -> Step:
    """Return the state after the contact was seen closed or open at this time in seconds, and the events.

    The contact need not have changed. A time before the last change counts as the time of that change.
    """
    at = max(at, switch.changed)
    switch, events = advance(switch, at)
    if closed == switch.closed:
        return switch, events
    restless = switch.restless if at - switch.changed < RELEASE else at
    switch = replace(switch, closed=closed, changed=at, restless=restless)
    if closed and not switch.held:
        switch, pressed = _press(switch, at)
        events += pressed
    if at - switch.restless > MAX_BOUNCING:
        switch, muted = _mute(switch, at)
        events += muted
    return switch, events


def advance(switch: Switch, at: float) -> Step:
    """Return the state at this time in seconds, without a new observation, and the events until then."""
    events: tuple[SwitchEvent, ...] = ()
    still = at - switch.changed
    if switch.held and not switch.closed and still >= RELEASE:
        switch = replace(switch, held=False)
    if switch.muted and still >= REST:
        switch = replace(switch, muted=False)
        events += (Unmuted(switch.changed + REST),)
    return switch, events


def _press(switch: Switch, at: float) -> Step:
    """Count a press; report it, or mute the button if there are too many."""
    presses = (*(press for press in switch.presses if at - press < PRESS_WINDOW), at)
    switch = replace(switch, held=True, presses=presses)
    if switch.muted:
        return switch, ()
    return _mute(switch, at) if len(presses) > MAX_PRESSES else (switch, (Pressed(at),))


def _mute(switch: Switch, at: float) -> Step:
    return (switch, ()) if switch.muted else (replace(switch, muted=True), (Muted(at),))
