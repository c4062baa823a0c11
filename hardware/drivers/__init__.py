"""Drivers for lights, buttons and tag readers, real and simulated, which a layout chooses by name.

`open.open_hardware` opens all drivers of a layout. Vendor libraries are imported in this package only, and
only inside functions that open a device.
"""
