"""Python's search for cycles, made rare while many conversations are under way."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_RARELY = (50_000, 20, 50)


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Look for cycles rarely inside this block, and not at all among what was there before.

    Conversations are values, which hold no cycles; there is nothing to find in thousands of them, again and again.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
