"""The search core of the bots: positions as machine integers, and the searches on them.

Each module with a `.pxd` file beside it is compiled by Cython where a C compiler exists, and runs as
plain Python elsewhere. `device.bots.engine` tells which.
"""
