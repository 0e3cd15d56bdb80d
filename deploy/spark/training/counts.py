"""What the driver has to know of all histories: sums that fit into its memory, because they grow with the titles only."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from pyspark import RDD, StorageLevel

from .histories import Histories

# The history of a bot may be very long, and the work grows with the square of the length.
MAX_LENGTH = 1000
MIN_LENGTH = 50
# When the service itself trains on ten million events, it counts as many pairs per event.
PAIRS_PER_EVENT = 300
LEAST_PAIRS = 3e9

# Each later view of the same viewer multiplies by this what a view says about the freshness of its title.
AGEING = 0.6
# In days. The views of each title in each of them are stored.
PERIODS = [7, 30, 90, 365]
# This many usual views are added to those of each title, so that few views prove little.
USUAL_VIEWS = 10


@dataclass
class Found:
    titles: NDArray[np.int64]
    views: NDArray[np.int64]
    # How many viewers have a history of each length.
    lengths: NDArray[np.int64]
    # The newest day of all views.
    day: int


def find(pieces: Iterator[Histories]) -> Iterator[Found]:
    found = Found(np.empty(0, np.int64), np.empty(0, np.int64), np.zeros(MAX_LENGTH + 1, np.int64), 0)
    for piece in pieces:
        titles, views = np.unique(piece.items, return_counts=True)
        lengths = np.bincount(np.minimum(piece.lengths, MAX_LENGTH), minlength=MAX_LENGTH + 1)
        found = both(found, Found(titles, views, lengths, int(piece.days.max())))
    yield found


def both(one: Found, other: Found) -> Found:
    titles, places = np.unique(np.concatenate([one.titles, other.titles]), return_inverse=True)
    views = np.bincount(places, np.concatenate([one.views, other.views]), minlength=len(titles)).astype(np.int64)
    return Found(titles, views, one.lengths + other.lengths, max(one.day, other.day))


def workable_length(lengths: NDArray[np.int64]) -> int:
    """The length to cut histories to, so that there are not too many pairs of titles."""
    size = np.arange(len(lengths))
    most = max(LEAST_PAIRS, PAIRS_PER_EVENT * float(np.sum(lengths * size)))
    longest = MAX_LENGTH
    while longest > MIN_LENGTH and np.sum(lengths * np.minimum(size, longest) ** 2.0) > most:
        longest = int(np.ceil(longest * 0.8))
    return longest


@dataclass
class Audience:
    """All histories by the numbers of their titles, and the sums of each title."""

    histories: RDD  # of Histories
    # The content id of each title. The titles are numbered by their popularity, the most popular first.
    ids: NDArray[np.int64]
    viewers: int
    # By title: how many viewed it, how many of them viewed another one after it, and how many viewed it recently.
    views: NDArray[np.float64]
    leaving: NDArray[np.float64]
    newest: NDArray[np.float64]
    # The views of each title in each period, up to the newest day. A row for each title.
    recent: NDArray[np.float64]

    @property
    def events(self) -> float:
        return float(self.views.sum())

    @property
    def freshness(self) -> NDArray[np.float64]:
        """How many more viewers of each title than usual have viewed it recently."""
        usual = self.newest.sum() / self.events
        return (self.newest + USUAL_VIEWS * usual) / (self.views + USUAL_VIEWS) / usual

    def summed(self, vector) -> NDArray[np.float64]:
        """The sum of a vector of each piece."""
        return summed(self.histories, vector)


def summed(pieces: RDD, array) -> NDArray[np.float64]:
    return pieces.mapPartitions(lambda some: [sum(map(array, some))]).treeReduce(np.add)


def audience_of(pieces: RDD) -> Audience:
    pieces = pieces.persist(StorageLevel.DISK_ONLY)
    found = pieces.mapPartitions(find).treeReduce(both)
    if len(found.titles) == 0:
        raise SystemExit("There are no histories.")
    longest = workable_length(found.lengths)
    by_popularity = np.argsort(-found.views, kind="stable")
    number_of = np.empty(len(by_popularity), np.int32)
    number_of[by_popularity] = np.arange(len(by_popularity))
    known = pieces.context.broadcast((found.titles, number_of))

    def numbers_of(items: NDArray) -> NDArray[np.int32]:
        titles, numbers = known.value
        return numbers[np.searchsorted(titles, items)]

    def numbered(piece: Histories) -> Histories:
        newest = piece.newest(longest)
        return Histories(numbers_of(newest.items), newest.starts)

    def recent_in(piece: Histories) -> NDArray[np.float64]:
        ages = found.day - piece.days.astype(np.int64)
        numbers = numbers_of(piece.items)
        columns = [np.bincount(numbers[ages < period], minlength=count) for period in PERIODS]
        return np.stack(columns, axis=1).astype(np.float64)

    histories = pieces.map(numbered).persist(StorageLevel.DISK_ONLY)
    count = len(found.titles)
    none = np.zeros(count)
    audience = Audience(histories, found.titles[by_popularity], int(found.lengths.sum()), none, none, none, summed(pieces, recent_in))
    audience.views = audience.summed(partial(views_in, count=count))
    audience.leaving = audience.views - audience.summed(partial(last_in, count=count))
    audience.newest = audience.summed(partial(newest_in, count=count))
    pieces.unpersist()
    return audience


def views_in(piece: Histories, count: int) -> NDArray[np.float64]:
    return np.bincount(piece.items, minlength=count).astype(np.float64)


def last_in(piece: Histories, count: int) -> NDArray[np.float64]:
    """How many viewers viewed each title last."""
    return np.bincount(piece.items[piece.starts[1:] - 1], minlength=count).astype(np.float64)


def newest_in(piece: Histories, count: int) -> NDArray[np.float64]:
    """The views of each title, in which each view of a viewer counts less than the one after it."""
    places = np.arange(len(piece.items))
    later = np.repeat(piece.starts[1:], piece.lengths) - 1 - places
    return np.bincount(piece.items, AGEING ** np.minimum(later, 1000), minlength=count)
