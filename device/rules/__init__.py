"""The rules of Azul: pure functions on immutable values, without I/O, clock or random numbers.

Start at `game` and `state`: `setup` returns a `State`, whose methods play every mode with the events in
`events`. The other modules hold tiles, boards, notation, scoring, dealing and the modes (`standard`, `solo`);
all may be imported.
"""
