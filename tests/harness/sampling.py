"""Sizes of samples: a few with the Hypothesis profile `short`, all with the profile `long`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")


def some(items: Iterable[T], few: int) -> list[T]:
    """Return the first `few` items; all of them in `make test-long`."""
    everything = settings.get_current_profile_name() == "long"
    return list(islice(items, None if everything else few))
