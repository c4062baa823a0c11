"""Opponents."""

from device.bots.engine import outdated, stay_uncompiled

# Compiled from older sources, the core fits neither the rest of today's nor the other files around it.
if outdated():
    stay_uncompiled()
