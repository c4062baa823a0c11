"""The firmware of the Pico, for MicroPython 1.24 and later.

`azul-table firmware install` copies it to the Pico under the same names: `firmware_bridge/wire.py`,
`firmware_bridge/payload.py`, this folder, and `main.py`, which MicroPython starts. Only `chip`, `programs`,
`strips`, `readers` and `matrix` import the Pico's own modules (machine, rp2); the rest runs on any Python.
"""

VERSION = "2.0.0"

_PARTS = ("__init__", "app", "chip", "inputs", "matrix", "programs", "readers", "session", "strips")

FILES = (
    "main.py",
    "firmware_bridge/__init__.py",
    "firmware_bridge/payload.py",
    "firmware_bridge/wire.py",
) + tuple(["firmware_bridge/firmware/" + part + ".py" for part in _PARTS])
"""The firmware's files by their names on the Pico."""
