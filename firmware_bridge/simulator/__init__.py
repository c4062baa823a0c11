"""A Pico without the chip: MicroPython for WebAssembly, and what stands in for the chip around it."""
