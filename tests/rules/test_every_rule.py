"""Every numbered rule has a test whose name begins with its number."""

import re
from pathlib import Path

RULES = [
    *(f"r{number}" for number in range(1, 18)),
    *(f"g{number}" for number in range(1, 4)),
    *(f"d{number}" for number in range(1, 3)),
    *(f"s{number}" for number in range(1, 16)),
]


def test_every_rule_has_a_test_that_names_it() -> None:
    tests = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py")]
    named = {rule for text in tests for rule in re.findall(r"^def test_([rgds]\d+)_", text, re.MULTILINE)}
    assert [rule for rule in RULES if rule not in named] == []
