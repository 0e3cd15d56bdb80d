"""Solves the regression of each title on its neighbourhood, where the pairs of the neighbours are spread over all blocks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pyspark import RDD

from .tables import Block, Entries


@dataclass
class Equations:
    """The regression of every title. Short rows are padded with the count of titles, an index that no title has."""

    # For each title, the titles that it is regressed on, and its right side with them.
    near: NDArray[np.int32]
    right: NDArray[np.float32]
    # The diagonal of the matrix, with the penalty.
    diagonal: NDArray[np.float64]


def equations_of(near: Entries, views: NDArray[np.float64], penalty: float) -> Equations:
    titles = len(views)
    rows, columns, values = (part[np.argsort(near.rows, kind="stable")] for part in near)
    counts = np.bincount(rows, minlength=titles)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (titles, max(1, int(counts.max(initial=0))))
    table, right = np.full(shape, titles, np.int32), np.zeros(shape, np.float32)
    table[rows, places] = columns
    right[rows, places] = values
    return Equations(table, right, views + penalty)


def solved(blocks: RDD, pairs: str, equations: Equations, count: int) -> Entries:
    """The weights of the neighbours. Rows are the titles regressed on."""
    known = blocks.context.broadcast(equations)

    def rows_for(numbered: tuple[int, Block]) -> Iterator[tuple[int, tuple]]:
        number, block = numbered
        return matrix_rows(getattr(block, pairs), number, count, known.value.near)

    def solve_block(number: int, sent: Iterator[tuple[int, tuple]]) -> Iterator[Entries]:
        yield solve(number, count, known.value, (rows for _, rows in sent))

    parts = blocks.flatMap(rows_for).partitionBy(count, int).mapPartitionsWithIndex(solve_block).collect()
    known.unpersist()
    return Entries(*(np.concatenate(columns) for columns in zip(*parts)))


def matrix_rows(pairs: Entries, block: int, blocks: int, near: NDArray[np.int32]) -> Iterator[tuple[int, tuple]]:
    """The rows of the titles of this block, in the matrices of all the titles that have them for neighbours."""
    titles = len(near)
    targets, places = np.nonzero((near % blocks == block) & (near < titles))
    sources = near[targets, places]
    order = np.argsort(sources, kind="stable")
    targets, places, sources = targets[order], places[order], sources[order]
    values = np.empty((len(sources), near.shape[1]), np.float32)
    row = np.zeros(titles + 1, np.float32)
    bounds = np.searchsorted(pairs.rows, [sources, sources + 1])
    for source, first in zip(*np.unique(sources, return_index=True)):
        last = np.searchsorted(sources, source, side="right")
        begin, end = bounds[:, first]
        row[pairs.columns[begin:end]] = pairs.values[begin:end]
        values[first:last] = row[near[targets[first:last]]]
        row[pairs.columns[begin:end]] = 0
    for other in range(blocks):
        own = targets % blocks == other
        if own.any():
            yield other, (targets[own], places[own], values[own])


def solve(block: int, blocks: int, equations: Equations, sent: Iterator[tuple]) -> Entries:
    near, titles = equations.near, len(equations.near)
    own = np.arange(block, titles, blocks)
    width = near.shape[1]
    matrices = np.zeros((len(own), width, width))
    for targets, places, values in sent:
        matrices[targets // blocks, places] = values
    # A pair may have been kept by only one of its titles.
    matrices = np.maximum(matrices, matrices.transpose(0, 2, 1))
    diagonal = np.append(equations.diagonal, 1)[near[own]]
    matrices[:, np.arange(width), np.arange(width)] = diagonal
    weights = np.linalg.solve(matrices, equations.right[own][:, :, None].astype(np.float64))[:, :, 0]
    there = near[own] < titles
    targets = np.broadcast_to(own[:, None], there.shape)[there]
    return Entries(near[own][there], targets.astype(np.int32), weights[there].astype(np.float32))
