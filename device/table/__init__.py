"""The table as a frozen value, and `update(table, event)` which says what an event makes of it.

Pure: no clock, no I/O, no random numbers; times and drawn tiles arrive inside events.
Imports `device.rules`, `device.records` and the names in `hardware.api`.
"""
