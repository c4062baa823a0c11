"""Layout files: which light is which pixel, which button which pin, and where everything lies.

Pure apart from reading the file. Imports `hardware.api` and `hardware.power` only.
"""
