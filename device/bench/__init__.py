"""Measurements of speed and strength, each a `Figure` with its goal; `azul-table bench` prints them.

One module for each subject. Only `device.commands.bench` imports from here.
"""
