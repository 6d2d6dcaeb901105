"""From any conversations to different ones: Moebius inversion over which positions are one and the same."""

from collections.abc import Iterator
from math import factorial, prod

Blocks = tuple[int, ...]


def partitions(size: int) -> Iterator[tuple[int, Blocks]]:
    """Every way in which positions can coincide, as the block of each position, and its weight in the sum.

    The number of tuples of different conversations is the sum of weight times the number of tuples in which the
    positions of a block hold the same one: for two positions, all pairs less those of a conversation with itself.
    """
    for blocks in _blocks(size, 0, ()):
        sizes = [blocks.count(block) for block in range(max(blocks) + 1)]
        yield prod((-1) ** (size - 1) * factorial(size - 1) for size in sizes), blocks


def _blocks(size: int, used: int, begun: Blocks) -> Iterator[Blocks]:
    if len(begun) == size:
        yield begun
        return
    for block in range(used + 1):
        yield from _blocks(size, max(used, block + 1), (*begun, block))
