"""The game, and the process that runs the table."""
