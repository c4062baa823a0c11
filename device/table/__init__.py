"""State of the table: the immutable value `state.Table`, and its transitions, `update.update(table, event)`.

Pure: no clock, no I/O and no random numbers; times and draws arrive inside events. Every public name may be
imported; the package itself imports `device.rules`, `device.records` and the names in `hardware.api`.
"""
