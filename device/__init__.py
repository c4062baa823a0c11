"""The game and the daemon that runs the table, in rooms; ARCHITECTURE.md describes how they work together.

- `rules`: the rules of every mode. `records`: game records. Both pure.
- `table`: the table as a value, and what an event makes of it. `lights`: what every light shows. Both pure.
- `socket`: messages, snapshot, server and client of the Unix socket. `store`: the SQLite store.
- `bots`: opponents, their search, bot programs. `runtime`: the loop and what runs beside it.
- `commands`: the command line. `bench`: measurements.
"""
