"""What each viewer has watched, many viewers at once in plain arrays."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Events held in one piece. Larger pieces need more memory, smaller ones more calls of numpy.
PIECE = 500_000


class Histories(NamedTuple):
    """The items of each viewer, the oldest first, one viewer after the other."""

    items: NDArray
    # Where each viewer begins in `items`, and where the last one ends.
    starts: NDArray[np.int64]
    # The day on which each item was watched, from 1970 on. Empty where no one needs it.
    days: NDArray[np.uint16] = np.empty(0, np.uint16)

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def viewers(self) -> NDArray[np.int64]:
        """The number of the viewer, for each item."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def weights(self, power: float) -> NDArray[np.float64]:
        """How much each viewer counts: the more views, the less."""
        return self.lengths.astype(np.float64) ** -power

    def of(self, viewers: NDArray[np.int64]) -> "Histories":
        """The histories of some of the viewers."""
        return self._ranges(self.starts[viewers], self.lengths[viewers])

    def newest(self, longest: int) -> "Histories":
        """The newest items of each viewer, at most `longest` of them."""
        lengths = np.minimum(self.lengths, longest)
        return self._ranges(self.starts[1:] - lengths, lengths)

    def _ranges(self, begins: NDArray[np.int64], lengths: NDArray[np.int64]) -> "Histories":
        starts = starts_of(lengths)
        places = np.arange(starts[-1]) + np.repeat(begins - starts[:-1], lengths)
        return Histories(self.items[places], starts)


def starts_of(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def joined(pieces: list[Histories]) -> Histories:
    items, days = (np.concatenate(parts) for parts in zip(*((piece.items, piece.days) for piece in pieces)))
    return Histories(items, starts_of(np.concatenate([piece.lengths for piece in pieces])), days)


def gathered(pieces: Iterable[Histories], size: int = PIECE) -> Iterator[Histories]:
    """The same histories in pieces of about this many items."""
    waiting: list[Histories] = []
    items = 0
    for piece in pieces:
        waiting.append(piece)
        items += len(piece.items)
        if items >= size:
            yield joined(waiting)
            waiting, items = [], 0
    if waiting:
        yield joined(waiting)


def once(titles: NDArray[np.int64], days: NDArray[np.uint16]) -> Histories:
    """The history of one viewer with each title once, where it was watched last."""
    _, places = np.unique(titles[::-1], return_index=True)
    places = len(titles) - 1 - np.sort(places)[::-1]
    return Histories(titles[places], np.array([0, len(places)]), days[places])


def together(histories: Iterable[tuple[NDArray[np.int64], NDArray[np.uint16]]]) -> Iterator[Histories]:
    """Puts the histories of single viewers into pieces. Each has the titles and their days."""
    return gathered(once(titles, days) for titles, days in histories if len(titles) > 0)
