"""The settings of a model, as `npm run train -- --events-out` writes them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# How many neighbours each table may have, of one title and of all.
USUAL_KEEP = 100
MAX_NEIGHBOURS = 4e6
# How many titles one may lead to in all tables together.
USUAL_LINKS = 160
MAX_LINKS = 6e6


@dataclass
class Settings:
    # How many neighbours of a title each table keeps.
    keep: int
    # How many titles one leads to in all tables together.
    links: int
    # Of the regression of what comes next.
    decay: float
    next_penalty: float
    # Of the regression of what is liked.
    liked_penalty: float
    # The powers of the walk.
    walk_users: float
    walk_targets: float
    walk_sources: float
    # How much of each table is in the first score of a title, and after how many newer titles a title counts half in it.
    shares: NDArray[np.float64]
    # How much each feature of a title counts.
    weights: NDArray[np.float64]


def settings_from(document: dict[str, Any], titles: int) -> Settings:
    """The settings, with fewer neighbours if there are so many titles that the model would become too large."""
    if "shapes" not in document:
        raise SystemExit("The settings are from an older version. Write them again with `npm run train -- --events-out`.")
    shapes = document["shapes"]
    walk = shapes["walk"]
    return Settings(
        keep=min(USUAL_KEEP, max(10, int(MAX_NEIGHBOURS // titles))),
        links=min(USUAL_LINKS, max(10, int(MAX_LINKS // titles))),
        decay=shapes["next"]["decay"],
        next_penalty=shapes["next"]["lambda"],
        liked_penalty=shapes["liked"]["lambda"],
        walk_users=walk["users"],
        walk_targets=walk["targets"],
        walk_sources=walk["sources"],
        shares=np.array([(one["share"], one["halfLife"]) for one in document["shares"]]),
        weights=np.array(document["weights"]),
    )
