"""The rules of Azul as pure functions on values: standard library only, no clock, no chance, no I/O."""
