"""Puts the tables side by side. In the driver: the model has to fit into one process anyway."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .tables import Entries


class Links(NamedTuple):
    """For each title, the titles that may be watched next, in ascending order, with a weight in each table."""

    # Where the targets of each title begin, and where the last ones end.
    starts: NDArray[np.int64]
    targets: NDArray[np.int64]
    # A row for each target, a column for each table.
    weights: NDArray[np.float32]


def balanced(entries: Entries, views: NDArray[np.float64]) -> Entries:
    """Scales all weights to a total of 1 per view on average."""
    total = float(views[entries.rows] @ np.abs(entries.values))
    return entries._replace(values=entries.values * np.float32(views.sum() / total if total > 0 else 1))


def joined(tables: list[Entries], titles: int) -> Links:
    """What a table does not have weighs 0 in it."""
    places = [rows.astype(np.int64) * titles + columns for rows, columns, _ in tables]
    links = np.unique(np.concatenate(places))
    weights = np.zeros((len(links), len(tables)), np.float32)
    for table, (own, entries) in enumerate(zip(places, tables)):
        weights[np.searchsorted(links, own), table] = entries.values
    return Links(np.searchsorted(links, np.arange(titles + 1) * titles), links % titles, weights)


def heaviest(links: Links, keep: int, counted: list[int]) -> Links:
    """The targets of each title that weigh most in the counted tables together."""
    rows = np.repeat(np.arange(len(links.starts) - 1), np.diff(links.starts))
    sums = np.maximum(links.weights[:, counted], 0).sum(axis=1, dtype=np.float64)
    order = np.lexsort((links.targets, -sums, rows))
    kept = np.sort(order[np.arange(len(order)) - links.starts[rows] < keep])
    return Links(np.searchsorted(kept, links.starts), links.targets[kept], links.weights[kept])
