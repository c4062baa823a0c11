"""Bots: opponents, hints and grades by search, bot programs, matches and tournaments.

The room above imports `mind`, `simple`, `thinker`, `selfplay` and `grading` for opponents at the table, and
`dtc` for bot programs. `core` holds the searches, for this package alone; from sources newer than its
compiled modules it runs as Python.
"""

from device.bots.compiled_core import is_outdated, use_sources

if is_outdated():
    use_sources()
