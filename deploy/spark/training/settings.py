"""The settings of a model, as `npm run train -- --events-out` chooses and writes them."""

import math
from dataclasses import dataclass
from typing import Any

# How many neighbours each part of a model may have.
MOST_NEIGHBOURS = 16e6


@dataclass
class Keep:
    """How many neighbours of a title are kept."""

    next: int
    liked: int
    walk: int


@dataclass
class Penalty:
    penalty: float
    # The power by which the penalty grows with the views of a title.
    growth: float


@dataclass
class Settings:
    keep: Keep
    # What comes next.
    decay: float
    next: Penalty
    chain: float
    targets: float
    fresh: float
    taste: float
    # What is liked.
    liked: Penalty
    regression_users: float
    walk_users: float
    walk_targets: float
    walk_sources: float
    per_source: bool
    share: float
    # After how many newer titles a title counts half.
    next_half_life: float
    liked_half_life: float


def settings_from(document: dict[str, Any], titles: int) -> Settings:
    """The settings, with fewer neighbours if there are so many titles that the model would become too large."""
    chosen = document.get("settings", document)
    if "next" not in chosen:
        raise SystemExit("The settings are for data without an order, from which nothing can be learned about what comes next.")
    following, ridge, walk = chosen["next"], chosen["ridge"], chosen["walk"]
    room = max(10, int(MOST_NEIGHBOURS // titles))
    # JSON has no infinity.
    half_life = math.inf if chosen.get("halfLife") is None else chosen["halfLife"]
    return Settings(
        keep=Keep(min(following["keep"], room), min(ridge["keep"], room), min(walk["keep"], room)),
        decay=following["decay"],
        next=Penalty(following["lambda"], following["growth"]),
        chain=following["chain"],
        targets=following["targets"],
        fresh=following["fresh"],
        taste=following["taste"],
        liked=Penalty(ridge["lambda"], ridge["growth"]),
        regression_users=ridge["users"],
        walk_users=walk["users"],
        walk_targets=walk["targets"],
        walk_sources=walk["sources"],
        per_source=walk["per"] == "source",
        share=chosen["share"],
        next_half_life=following["halfLife"],
        liked_half_life=half_life,
    )
