"""`azul-table doctor` and `azul-table selftest`: find and explain faults of the hardware."""
