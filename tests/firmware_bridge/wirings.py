"""Wirings for tests."""

from firmware_bridge.wiring import WiredChain, Wiring

SMALL = Wiring((WiredChain(2, 5), WiredChain(3, 3)), (6, 7), (8, 9), (10,), (1, 26), 7)
"""Eight lights, four switches in a matrix and one outside it, two readers."""
