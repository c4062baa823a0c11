"""Diagnostics of the hardware: the checks of `azul-table doctor` and the self-test of `azul-table selftest`.

`doctor` examines the setup of the machine, `probe` listens to the parts, `selftest` tests them with a person.
"""
