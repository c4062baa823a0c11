"""Light frames: `view.view(table, now, palette)` returns the colour of every light at one moment.

Pure. Import `view` and its frame maker, the palettes, the flash limiter, and the frame times of
`animation`; the package itself imports `device.table`, `device.rules` and the names in `hardware.api`.
"""
