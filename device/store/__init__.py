"""The SQLite store of players, games, events, grades, tags and the saved table: all SQL of the project.

Import `Store` and `newest_file` from `store` for the table's own file, the functions of `archive` to read
past games and save their grades beside it, and those of `statistics` for sums of many games. `saved_table`
and `schema` belong to the store.
"""
