"""The commands of `azul-table`, one module each, and the console they share."""
