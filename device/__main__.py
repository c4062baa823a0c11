"""`python -m device`: the same as the command `azul-table`."""

from device.cli import main

main()
