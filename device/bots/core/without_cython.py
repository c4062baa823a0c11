"""Stands in for the module `cython` where that is not installed: words for the compiler only."""

from contextlib import AbstractContextManager, nullcontext
from typing import Final

compiled: Final = False
nogil: Final[AbstractContextManager[None]] = nullcontext()
