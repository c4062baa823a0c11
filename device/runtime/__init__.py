"""The daemon: the loop, its settings, and the processes and threads that run beside it.

The only room of `device` that opens hardware.
"""
