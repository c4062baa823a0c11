"""Game records: the JSON Lines format of a played game, and the review of its choices.

Pure: bytes and values in, values out. Imports `device.rules` only.
"""
