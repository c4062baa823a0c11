"""Drivers for lights, buttons and tag readers, real and simulated, chosen by name in the layout.

The only room that imports vendor libraries, and only inside functions that open a device.
"""
