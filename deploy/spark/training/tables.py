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
# The power of a count in the chain. The tenth viewer who goes from one title to another proves less than the first.
COUNTS = 0.7
# The power by which titles count less that are followed by many others, and what is added to counts so that few views prove little.
SOURCES = 0.2
DOUBT = 2
# Few viewers of a title prove little, and that everybody watches what is popular proves little, too.
FEW = 5
POPULARITY = 0.25
# So many viewers who all go on to the same title are no chance.
ENOUGH_TO_BE_SURE = 3


class Entries(NamedTuple):
    """Entries of a sparse matrix."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]


@dataclass
class Vectors:
    """What all blocks have to know, by title."""

    views: NDArray[np.float64]
    # How many viewers viewed another title after it.
    leaving: NDArray[np.float64]
    # The factors of a walk to a title, and from it.
    targets: NDArray[np.float64]
    sources: NDArray[np.float64]


@dataclass
class Block:
    """The tables of the titles of a block. The rows of entries are numbers of titles."""

    next_near: Entries
    chain: Entries
    followers: Entries
    shortly_after: Entries
    shortly_before: Entries
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
    items, before, after, common = pairs.items, pairs.before, pairs.after, pairs.common
    all_pairs = np.full(len(items), KEPT_PAIRS)
    kept = np.full(len(items), settings.keep)
    regressed = np.minimum(kept, vectors.views[items] * NEIGHBOURS_PER_VIEW)
    by_views = (np.maximum(vectors.views, 1) ** -0.5).astype(np.float32)
    either = before + after
    similarity = common * by_views
    return Block(
        next_near=best(items, before * by_views, before, regressed),
        chain=chain_of(pairs, kept),
        followers=followers_of(pairs, vectors, kept),
        shortly_after=surroundings_of(pairs.items, pairs.shortly_after, vectors, kept),
        shortly_before=surroundings_of(pairs.items, pairs.shortly_before, vectors, kept),
        liked_near=best(items, similarity, common, regressed),
        walk=walk_of(pairs, vectors, kept),
        next_pairs=best(items, either * by_views, either * np.float32(settings.decay), all_pairs),
        liked_pairs=best(items, similarity, common, all_pairs),
    )


def chain_of(pairs: Pairs, kept: NDArray) -> Entries:
    totals = DOUBT + pairs.chained.sum(axis=1, dtype=np.float64)
    values = pairs.chained ** np.float32(COUNTS) * (totals**-SOURCES).astype(np.float32)[:, None]
    return best(pairs.items, pairs.chained, values, kept)


def followers_of(pairs: Pairs, vectors: Vectors, kept: NDArray) -> Entries:
    """The share of the viewers who went on from each title that went on to another one, soon. 1 only where all of enough viewers did."""
    leaving = vectors.leaving[pairs.items][:, None]
    shares = np.divide(pairs.followed, leaving + DOUBT, dtype=np.float32)
    shares[(pairs.followed == leaving) & (leaving >= ENOUGH_TO_BE_SURE)] = 1
    return best(pairs.items, shares, shares, kept)


def surroundings_of(items: NDArray, counts: NDArray, vectors: Vectors, kept: NDArray) -> Entries:
    views = np.maximum(vectors.views, 1)
    values = counts * (views**-POPULARITY).astype(np.float32) / (vectors.views[items, None] + FEW).astype(np.float32)
    return best(items, values, values, kept)


def walk_of(pairs: Pairs, vectors: Vectors, kept: NDArray) -> Entries:
    values = pairs.walked * vectors.targets.astype(np.float32)
    rows, columns, weights = best(pairs.items, values, values, kept)
    return Entries(rows, columns, (weights * vectors.sources[rows]).astype(np.float32))
