"""Combines the tables into what comes next and what is liked. In the driver: the model has to fit into one process anyway."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from .settings import Settings
from .tables import Entries, Vectors

# This many average views are added to those of each title, so that few views prove little.
USUAL_VIEWS = 10


def matrix(entries: Entries, titles: int) -> csr_array:
    return csr_array((entries.values.astype(np.float64), (entries.rows, entries.columns)), shape=(titles, titles))


def balanced(links: csr_array, views: NDArray[np.float64]) -> csr_array:
    """Scales all weights so that a view adds 1 to the scores of other titles on average."""
    total = float(views @ abs(links).sum(axis=1))
    return links * (views.sum() / total) if total > 0 else links


def target_factors(views: NDArray[np.float64], newest: NDArray[np.float64], settings: Settings) -> NDArray[np.float64]:
    usual = newest.sum() / views.sum()
    freshness = (newest + USUAL_VIEWS * usual) / (views + USUAL_VIEWS) / usual
    return np.maximum(views, 1) ** -settings.targets * freshness**settings.fresh


def what_comes_next(regression: Entries, chain: Entries, views: NDArray, newest: NDArray, settings: Settings) -> csr_array:
    titles = len(views)
    links = balanced(matrix(regression, titles), views) + settings.chain * balanced(matrix(chain, titles), views)
    return balanced(links @ diags_array(target_factors(views, newest, settings)), views)


def what_is_liked(regression: Entries, walk: Entries, totals: NDArray, vectors: Vectors, settings: Settings) -> csr_array:
    """`totals` has the sum of all walks from each title, before the penalty of the source."""
    views = vectors.views
    titles = len(views)
    walked = float(views @ (totals * vectors.sources))
    scale = views.sum() / walked if walked > 0 else 1.0
    links = matrix(regression, titles) + settings.share * scale * matrix(walk, titles)
    return settings.taste * balanced(links, views)
