"""A measured figure with its goal, as text and as JSON."""

import json
from dataclasses import asdict, dataclass


class BenchError(RuntimeError):
    """A measurement failed."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value; the goal is a minimum (`at_least`), or else a maximum."""

    name: str
    value: float
    unit: str
    goal: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        """Whether the goal is met."""
        return self.value >= self.goal if self.at_least else self.value <= self.goal

    def in_words(self) -> str:
        """Return the figure as one line of text."""
        side = "at least" if self.at_least else "at most"
        missed = "" if self.met else ": missed"
        return f"{self.name}: {_number(self.value)} {self.unit} (goal: {side} {_number(self.goal)}{missed})"

    def in_json(self) -> str:
        """Return the figure as one line of JSON."""
        return json.dumps(asdict(self) | {"value": round(self.value, 6), "met": self.met})


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
