"""Counts the pairs of titles in histories, for the titles of one block."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .histories import Histories, gathered

# The power of the distance by which the two views of a pair count less in the chain. It falls more slowly than a decay.
DISTANCE = 0.5
# How much a pair counts in the opposite order. Views of the same evening could have come in either order.
BACK = 0.2
# Further apart than this, two views of a history have nothing to do with each other.
REACH = 20
# Up to this distance, a title was watched shortly before or after another one.
NEARBY = 10


class Pairs:
    """A row for each title of the block, a column for each title. Title `i` has the row `i // blocks`."""

    def __init__(self, block: int, blocks: int, titles: int, decay: float, walk_users: float):
        self.block = block
        self.blocks = blocks
        self.titles = titles
        self.items = np.arange(block, titles, blocks)
        self.decay = decay
        # The power by which viewers with many views count less in the walk.
        self.walk_users = walk_users
        shape = (len(self.items), titles)
        # How often the column was viewed before the row, and after it. The further apart, the less it counts.
        self.before = np.zeros(shape, np.float32)
        self.after = np.zeros(shape, np.float32)
        # How often the column was viewed after the row, and a little of how often before it, for the chain.
        self.chained = np.zeros(shape, np.float32)
        # How often the column was viewed shortly before the row, and shortly after it.
        self.shortly_before = np.zeros(shape, np.float32)
        self.shortly_after = np.zeros(shape, np.float32)
        # How many viewers have viewed the column after the row, not too far apart.
        self.followed = np.zeros(shape, np.uint32)
        # How many viewers have viewed both, and the same weighted for the walk.
        self.common = np.zeros(shape, np.float32)
        self.walked = np.zeros(shape, np.float32)

    def add_all(self, pieces: Iterable[Histories]) -> None:
        for piece in gathered(pieces):
            own = np.flatnonzero(piece.items % self.blocks == self.block)
            rows = piece.items[own] // self.blocks
            self._add_order(piece, own, rows)
            self._add_viewers(piece, own, rows)
        rows = np.arange(len(self.items))
        # No title is its own neighbour. In a history it is neither before nor after itself.
        for table in (self.common, self.walked):
            table[rows, self.items] = 0

    def _add_order(self, piece: Histories, own: NDArray, rows: NDArray) -> None:
        viewers = piece.viewers()[own]
        begins, ends = piece.starts[viewers], piece.starts[viewers + 1]

        def places_of(other: NDArray) -> NDArray[np.int64]:
            inside = (other >= begins) & (other < ends)
            return rows[inside].astype(np.int64) * self.titles + piece.items[other[inside]]

        def add(table: NDArray, places: NDArray, value: float) -> None:
            np.add.at(table.reshape(-1), places, table.dtype.type(value))

        for distance in range(1, REACH + 1):
            before, after = places_of(own - distance), places_of(own + distance)
            add(self.before, before, self.decay ** (distance - 1))
            add(self.after, after, self.decay ** (distance - 1))
            add(self.chained, before, BACK * distance**-DISTANCE)
            add(self.chained, after, distance**-DISTANCE)
            add(self.followed, after, 1)
            if distance <= NEARBY:
                add(self.shortly_before, before, 1 / distance)
                add(self.shortly_after, after, 1 / distance)

    def _add_viewers(self, piece: Histories, own: NDArray, rows: NDArray) -> None:
        viewers = piece.viewers()[own]
        lengths = piece.lengths
        views = csr_array((np.ones(len(piece.items), np.float32), piece.items, piece.starts), shape=(len(lengths), self.titles))
        for table, power in ((self.common, 0), (self.walked, self.walk_users)):
            weights = piece.weights(power)[viewers].astype(np.float32)
            found = csr_array((weights, (rows, viewers)), shape=(len(self.items), len(lengths))) @ views
            places = np.repeat(np.arange(len(self.items)), np.diff(found.indptr)) * self.titles + found.indices
            table.reshape(-1)[places] += found.data
