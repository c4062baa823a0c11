"""Bot programs: the protocol of the Digital Tabletop Competition, child processes, matches, tournaments."""
