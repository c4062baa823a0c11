"""The physical table: lights, buttons and tag readers, their layouts and drivers. It contains no game rules.

`hardware.api` holds the names, events and errors that everybody may use; `hardware.layout.model` reads a
layout and `hardware.drivers.open` opens its drivers. `hardware.diagnostics` finds faults, `hardware.papers`
draws plans.
"""
