"""What is kept of the counted pairs: the best neighbours of each title, and the pairs that the regressions need."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .pairs import Pairs
from .settings import Settings

# A title with few views holds too little information for more neighbours per view.
NEIGHBOURS_PER_VIEW = 10
# How many pairs of each title are kept for the regressions.
KEPT_PAIRS = 2000
# The power of a count in the chain: the tenth viewer who goes from one title to another proves less than the first.
COUNTS = 0.7
# The power by which titles count less that are followed by many others, and what is added so that few views prove little.
SOURCES = 0.2
DOUBT = 2


class Entries(NamedTuple):
    """Entries of a sparse matrix."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]


@dataclass
class Vectors:
    """What all blocks have to know, by title."""

    views: NDArray[np.float64]
    # The weighted views, as they stand on the diagonal of the regression of what is liked.
    diagonal: NDArray[np.float64]
    # The factors of a walk to a title, and from it.
    targets: NDArray[np.float64]
    sources: NDArray[np.float64]


@dataclass
class Block:
    """The tables of the titles of a block. The rows of entries are numbers of titles."""

    next_near: Entries
    chain: Entries
    liked_near: Entries
    walk: Entries
    # Both sides of the regressions, without the diagonals.
    next_pairs: Entries
    liked_pairs: Entries


def best(items: NDArray, order: NDArray, values: NDArray, most: NDArray) -> Entries:
    """The values of each row with the highest `order` above 0, at most `most` of each row."""
    found = [best_columns(row, int(room)) for row, room in zip(order, most)]
    counts = [len(columns) for columns in found]
    rows = np.repeat(np.arange(len(items)), counts)
    columns = np.concatenate([*found, np.empty(0, np.int64)]).astype(np.int32)
    return Entries(items[rows].astype(np.int32), columns, values[rows, columns])


def best_columns(row: NDArray, most: int) -> NDArray[np.int64]:
    # Without the zeros first: most rows are nearly empty, and partitions of equal numbers are slow.
    columns = np.flatnonzero(row > 0)
    if len(columns) <= most:
        return columns
    return columns[np.argpartition(row[columns], len(columns) - most)[len(columns) - most :]]


def block_of(pairs: Pairs, vectors: Vectors, settings: Settings) -> Block:
    items, before, after = pairs.items, pairs.before, pairs.after
    keep = settings.keep
    enough = vectors.views[items] * NEIGHBOURS_PER_VIEW
    all_pairs = np.full(len(items), KEPT_PAIRS)
    by_views = (np.maximum(vectors.views, 1) ** -0.5).astype(np.float32)
    next_near = best(items, before * by_views, before, np.minimum(keep.next, enough))

    either = before + after
    next_pairs = best(items, either * by_views, either * np.float32(settings.decay), all_pairs)
    totals = DOUBT + pairs.chained.sum(axis=1, dtype=np.float64)
    chain_values = pairs.chained ** np.float32(COUNTS) * (totals**-SOURCES).astype(np.float32)[:, None]
    chain = best(items, pairs.chained, chain_values, np.full(len(items), keep.next))

    by_length = (np.maximum(vectors.diagonal, 1e-9) ** -0.5).astype(np.float32)
    similarity = pairs.regressed * by_length
    liked_near = best(items, similarity, pairs.regressed, np.minimum(keep.liked, enough))
    liked_pairs = best(items, similarity, pairs.regressed, all_pairs)
    return Block(next_near, chain, liked_near, walk_of(pairs, vectors, settings), next_pairs, liked_pairs)


def walk_of(pairs: Pairs, vectors: Vectors, settings: Settings) -> Entries:
    """The walks from the titles of the block, or to them: rows are where they begin."""
    items = pairs.items
    here, there = (vectors.sources, vectors.targets) if settings.per_source else (vectors.targets, vectors.sources)
    values = pairs.walked * there.astype(np.float32)
    rows, columns, kept = best(items, values, values, np.full(len(items), settings.keep.walk))
    weights = (kept * here[rows]).astype(np.float32)
    return Entries(rows, columns, weights) if settings.per_source else Entries(columns, rows, weights)
