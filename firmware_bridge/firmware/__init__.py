"""The firmware of the Pico, for MicroPython 1.24 and later.

`azul-table firmware install` puts it on the Pico, under the same names: `firmware_bridge/wire.py`,
`firmware_bridge/payload.py`, this folder, and `main.py`, which MicroPython starts. Only `chip`, `programs`,
`strips`, `readers` and `matrix` know the Pico's own modules (machine, rp2); the rest runs on any Python.
"""

VERSION = "1.0.0"

_PARTS = ("__init__", "app", "chip", "matrix", "programs", "readers", "session", "strips", "switches", "tags")

FILES = (
    "main.py",
    "firmware_bridge/__init__.py",
    "firmware_bridge/payload.py",
    "firmware_bridge/wire.py",
) + tuple(["firmware_bridge/firmware/" + part + ".py" for part in _PARTS])
"""The files of the firmware as they are called on the Pico."""
