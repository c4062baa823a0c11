"""The daemon: its main loop, its settings and data folder, and the threads and processes beside the loop.

`assembly.build_loop` puts all of it together for the command `play`. This is the only room of `device` that
opens hardware; only `device.commands` and `device.bench` import from it.
"""
