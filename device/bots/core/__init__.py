"""Search core of the bots: positions as machine integers, and the searches on them.

Cython compiles each module with a `.pxd` file beside it where a C compiler exists; elsewhere the same modules
run as plain Python. `device.bots.compiled_core` decides which. Import the searches, the positions,
`constants` and `weights` from here; only `device.bots` does.
"""
