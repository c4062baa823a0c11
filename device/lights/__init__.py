"""What every light shows at a moment: `view(table, now, palette)`.

Pure. Imports `device.table`, `device.rules` and the names in `hardware.api`.
"""
