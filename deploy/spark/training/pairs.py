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


class Pairs:
    """A row for each title of the block, a column for each title. Title `i` has the row `i // blocks`."""

    def __init__(self, block: int, blocks: int, titles: int, decay: float, powers: tuple[float, float]):
        self.block = block
        self.blocks = blocks
        self.titles = titles
        self.items = np.arange(block, titles, blocks)
        self.decay = decay
        # The powers by which viewers with many views count less, for the regression and for the walk.
        self.powers = powers
        shape = (len(self.items), titles)
        # How often the column was viewed before the row, and after it.
        self.before = np.zeros(shape, np.float32)
        self.after = np.zeros(shape, np.float32)
        # How often the column was viewed after the row, and a little of how often before it, for the chain.
        self.chained = np.zeros(shape, np.float32)
        # How many viewers have viewed both, weighted for the regression and for the walk.
        self.regressed = np.zeros(shape, np.float32)
        self.walked = np.zeros(shape, np.float32)

    def add_all(self, pieces: Iterable[Histories]) -> None:
        for piece in gathered(pieces):
            own = np.flatnonzero(piece.items % self.blocks == self.block)
            rows = piece.items[own] // self.blocks
            self._add_order(piece, own, rows)
            self._add_viewers(piece, own, rows)
        rows = np.arange(len(self.items))
        for table in (self.before, self.after, self.chained, self.regressed, self.walked):
            table[rows, self.items] = 0

    def _add_order(self, piece: Histories, own: NDArray, rows: NDArray) -> None:
        viewers = piece.viewers()[own]
        begins, ends = piece.starts[viewers], piece.starts[viewers + 1]
        for distance in range(1, REACH + 1):
            weight = np.float32(self.decay ** (distance - 1))
            for table, other, share in ((self.before, own - distance, BACK), (self.after, own + distance, 1)):
                inside = (other >= begins) & (other < ends)
                places = rows[inside].astype(np.int64) * self.titles + piece.items[other[inside]]
                np.add.at(table.reshape(-1), places, weight)
                np.add.at(self.chained.reshape(-1), places, np.float32(share * distance**-DISTANCE))

    def _add_viewers(self, piece: Histories, own: NDArray, rows: NDArray) -> None:
        viewers = piece.viewers()[own]
        lengths = piece.lengths
        views = csr_array((np.ones(len(piece.items), np.float32), piece.items, piece.starts), shape=(len(lengths), self.titles))
        for table, power in ((self.regressed, self.powers[0]), (self.walked, self.powers[1])):
            weights = piece.weights(power)[viewers].astype(np.float32)
            common = csr_array((weights, (rows, viewers)), shape=(len(self.items), len(lengths))) @ views
            places = np.repeat(np.arange(len(self.items)), np.diff(common.indptr)) * self.titles + common.indices
            table.reshape(-1)[places] += common.data
