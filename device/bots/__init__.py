"""Bots: opponents, hints and grades by search, bot programs, matches and tournaments.

Other rooms import `bot_process` (questions to the bots in a process), `search`, `simple`, `selfplay`,
`workers`, `compiled_core` and the package `dtc` (bot programs); `core` holds the search core for this room
alone. A core that was compiled from other sources is not used: it runs as Python.
"""

from device.bots.compiled_core import is_outdated, use_sources

if is_outdated():
    use_sources()
