"""Writes a model as the service reads it: docs/recommendations.md, "What is stored"."""

import json
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

# The version of the format.
FORMAT = 3


def write(
    path: Path,
    ids: NDArray[np.int64],
    views: NDArray[np.float64],
    tables: tuple[csr_array, csr_array],
    half_lives: tuple[float, float],
    summary: dict,
) -> None:
    """One line of JSON, the bytes that are stored, and the views of each title. The file appears when it is complete."""
    following, liked = tables
    # Complex numbers, so that each neighbour has both weights in one matrix, whichever table it is from.
    links = csr_array(following + 1j * liked)
    links.sort_indices()
    arrays = [
        # All of the titles have been watched.
        np.array([len(ids), links.nnz, len(ids), *half_lives], "<f8"),
        ids.astype("<f8"),
        links.indptr.astype("<u4"),
        links.indices.astype("<u4"),
        links.data.real.astype("<f4"),
        links.data.imag.astype("<f4"),
        # Every title had a view, but may have lost it when long histories were cut.
        np.maximum(views, 1).astype("<u4"),
    ]
    head = json.dumps({"format": FORMAT, "summary": summary})
    partial = path.with_name(f".{path.name}.partial")
    with partial.open("wb") as file:
        file.write(head.encode() + b"\n")
        for array in arrays:
            file.write(array.tobytes())
    os.replace(partial, path)
