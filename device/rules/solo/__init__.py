"""The solo game (S1 to S15): its state and the sequence of a round, its scoring, and the penalty row.

Import `device.rules.game` to play it; import from here only for what no other mode has, such as the penalty
row.
"""
