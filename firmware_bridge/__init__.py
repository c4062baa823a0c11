"""The serial protocol between host and Pico, and the firmware of the Pico.

`wire`, `payload` and `messages` encode and decode frames, `protocol` is the host's state machine, `link` runs
it on a port, `firmware/` is the Pico's side, `simulator/` runs the firmware without a Pico. PROTOCOL.md is
the specification. The package imports no other package of this project.
"""
