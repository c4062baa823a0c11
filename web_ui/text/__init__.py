"""Texts of the pages: message catalogues, sentences built from snapshots, and the rules for players.

Import `Words` and `read_all_words` from `words`, `SnapshotFormatter` and the functions that take one from
`sentences`, `read_all_rules` from `rulebook`. Nothing here imports Flask or a view.
"""
