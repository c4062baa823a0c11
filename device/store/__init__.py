"""The SQLite store: players, games, events, tags and the saved table. All SQL of the project is here."""
