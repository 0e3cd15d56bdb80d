"""Writes a model as the service reads it: docs/recommendations.md, "What is stored"."""

import json
import os
from pathlib import Path

import numpy as np

from .assembly import Links
from .counts import Audience
from .settings import Settings

# The version of the format.
FORMAT = 5


def write(path: Path, audience: Audience, links: Links, settings: Settings, summary: dict) -> None:
    """One line of JSON, and the bytes that are stored. The file appears when it is complete."""
    titles, tables = len(audience.ids), len(settings.shares)
    arrays = [
        # All of the titles have been watched.
        np.array([titles, len(links.targets), titles, tables, len(settings.weights)], "<f8"),
        settings.shares.astype("<f8"),
        settings.weights.astype("<f8"),
        audience.ids.astype("<f8"),
        # Every title had a view, but may have lost it when long histories were cut.
        np.maximum(audience.views, 1).astype("<f4"),
        audience.freshness.astype("<f4"),
        audience.recent.astype("<f4"),
        links.starts.astype("<u4"),
        links.targets.astype("<u4"),
        links.weights.astype("<f4"),
    ]
    head = json.dumps({"format": FORMAT, "summary": summary})
    partial = path.with_name(f".{path.name}.partial")
    with partial.open("wb") as file:
        file.write(head.encode() + b"\n")
        for array in arrays:
            file.write(array.tobytes())
    os.replace(partial, path)
