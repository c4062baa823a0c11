"""Bot programs: protocol of the Digital Tabletop Competition, child processes, matches, tournaments.

`seat` plays a program at the table; `match` and `tournament` play programs against one another. Import any
module from here; `protocol` and `supervisor` import nothing of the others.
"""
