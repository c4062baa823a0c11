"""`python -m device`: the same as the command `azul-table`."""

from device.commands.cli import main

main()
