"""Python's search for cycles, made rare while many conversations are under way."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_RARELY = (50_000, 20, 50)
_EACH = 400
"""More objects than a conversation of some turns is made of while it is under way."""


@contextmanager
def rarely_collected(under_way: int) -> Iterator[None]:
    """Look for cycles rarely inside this block, and not at all among what was there before.

    Conversations are values, which hold no cycles; there is nothing to find in thousands of them, again and again. So
    nobody looks before there is more than as many as are `under_way` hold.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_RARELY[0] + _EACH * under_way, *_RARELY[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
