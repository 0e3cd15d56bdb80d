"""Sends the histories to the titles: each block of titles gets the whole histories of its viewers."""

from collections.abc import Iterator

import numpy as np
from pyspark import RDD

from .counts import Audience
from .histories import Histories

# The tables of a block while it counts: eight numbers of 4 bytes for each pair of titles.
BYTES_PER_PAIR = 32
BYTES_PER_BLOCK = 256e6


def block_count(titles: int, cores: int) -> int:
    """Enough blocks for all cores, and small enough for the memory of one of them."""
    return max(2 * cores, int(np.ceil(BYTES_PER_PAIR * titles**2 / BYTES_PER_BLOCK)))


def to_blocks(audience: Audience, blocks: int) -> RDD:
    """
    A partition for each block, with pairs of the block's number and histories. Title `i` is in block `i % blocks`: the titles are numbered
    by popularity, so all blocks have about the same work.
    """

    def split(piece: Histories) -> Iterator[tuple[int, Histories]]:
        met = np.unique(piece.viewers() * blocks + piece.items % blocks)
        viewers, block = met // blocks, met % blocks
        order = np.argsort(block, kind="stable")
        bounds = np.searchsorted(block[order], np.arange(blocks + 1))
        for number in range(blocks):
            own = order[bounds[number] : bounds[number + 1]]
            if len(own) > 0:
                yield number, piece.of(viewers[own])

    return audience.histories.flatMap(split).partitionBy(blocks, int)
