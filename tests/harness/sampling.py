"""Sizes of samples: few in `make check`, more in `make test`, all in `make test-long`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")

QUICK = 8
"""`make check` takes one item of so many."""


def some(items: Iterable[T], few: int | None = None) -> list[T]:
    """Return `few` items, all by default; an eighth of them in `make check`, all items in `make test-long`.

    Those of a sequence are spread over it, others are the first ones.
    """
    profile = settings.get_current_profile_name()
    if few is None and isinstance(items, Sequence):
        few = len(items)
    if profile == "long" or few is None:
        return list(items)
    number = -(-few // QUICK) if profile == "quick" else few
    if not isinstance(items, Sequence):
        return list(islice(items, number))
    number = min(number, len(items))
    return [items[at * len(items) // number] for at in range(number)]
