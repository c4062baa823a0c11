"""Players' names: what a name may be, and its one form."""

from typing import Final

LONGEST_NAME: Final = 20
"""Characters."""


def unnamed(place: int) -> str:
    """What whoever sits at a place and said no name is called in records."""
    return f"Seat {place}"


def one_name(text: str) -> str:
    """A name without needless spaces; empty is nobody's. Raises ValueError where it can't be shown."""
    name = " ".join(text.split())
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(f"a name has at most {LONGEST_NAME} printable characters")
    return name
