"""Documents for building a table, computed from its layout: drilling template, circuits, parts, power, fuses.

`python -m hardware.papers` writes them into `hardware/wiring`, whose README is the maker's guide.
"""
