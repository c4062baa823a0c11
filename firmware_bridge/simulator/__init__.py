"""A simulated Pico: MicroPython for WebAssembly in Node.js, and stand-ins for the chip's own modules."""
