"""One measured figure with its goal, for people and as JSON."""

import json
from dataclasses import dataclass


class BenchError(RuntimeError):
    """Something that should happen while a figure is taken did not."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured; `at_least` says on which side of the goal it should be."""

    name: str
    value: float
    unit: str
    goal: float
    at_least: bool

    @property
    def met(self) -> bool:
        """Whether the goal is reached."""
        return self.value >= self.goal if self.at_least else self.value <= self.goal

    def in_words(self) -> str:
        """One line for people."""
        side = "at least" if self.at_least else "at most"
        missed = "" if self.met else ": missed"
        return f"{self.name}: {_number(self.value)} {self.unit} (goal: {side} {_number(self.goal)}{missed})"

    def in_json(self) -> str:
        """One line for programs."""
        told = {
            "name": self.name,
            "value": round(self.value, 6),
            "unit": self.unit,
            "goal": self.goal,
            "at_least": self.at_least,
            "met": self.met,
        }
        return json.dumps(told)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
