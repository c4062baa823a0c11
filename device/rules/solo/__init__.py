"""The solo game (S1 to S15): state, penalty row, scoring and the sequence of a round.

Pure, like all of `device.rules`. Callers use `device.rules.game`, which plays every mode.
"""
