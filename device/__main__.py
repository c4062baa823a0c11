"""Run the command `azul-table` as `python -m device`."""

from device.commands.cli import main

main()
