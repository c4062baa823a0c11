"""The papers that a table is built from, computed from its layout: drilling template, circuits, parts, sums.

`python -m hardware.papers` writes them into `hardware/wiring`; its README is the maker's guide.
"""
