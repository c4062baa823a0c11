"""Layouts: which light is which pixel, which button is on which pin, and where everything is on the table.

Import `model`: `read_layout` reads and checks a layout file and returns a `Layout`. `file` has the types of
the TOML tables, `geometry` computes positions, `checks` finds faults.
"""
