"""Trains the recommendation model of the service on Apache Spark. README.md says how."""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from pyspark import StorageLevel
from pyspark.sql import SparkSession

from training import sources
from training.assembly import balanced, heaviest, joined
from training.counts import Audience, audience_of
from training.exchange import block_count, to_blocks
from training.histories import Histories
from training.model import write
from training.pairs import Pairs
from training.regression import equations_of, solved
from training.settings import Settings, settings_from
from training.tables import Block, Entries, Vectors, block_of


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--histories", metavar="DIR", help="what `npm run train -- --events-out DIR` has written")
    source.add_argument("--mongodb", action="store_true", help="read the database that MONGO_URL names")
    parser.add_argument("--settings", metavar="FILE", help="the settings of an earlier export (DIR/settings.json)")
    parser.add_argument("--interest-from", type=float, default=5, help="INTEREST_FROM of the service, for --mongodb (5)")
    parser.add_argument("--model", metavar="FILE", type=Path, required=True, help="the file to write")
    arguments = parser.parse_args()
    if arguments.mongodb and not arguments.settings:
        parser.error("--mongodb needs --settings FILE")
    return arguments


def vectors_of(audience: Audience, settings: Settings) -> Vectors:
    titles, views = len(audience.ids), audience.views
    targets = np.where(views > 0, np.maximum(views, 1) ** -settings.walk_targets, 0)

    def walks(piece: Histories):
        viewers = piece.viewers()
        sums = np.bincount(viewers, targets[piece.items], len(piece.lengths))
        weights = piece.weights(settings.walk_users)
        return np.bincount(piece.items, weights[viewers] * (sums[viewers] - targets[piece.items]), titles)

    totals = audience.summed(walks)
    sources_of_walks = np.where(totals > 1e-12, np.maximum(totals, 1e-12) ** -settings.walk_sources, 0)
    return Vectors(views, audience.leaving, targets, sources_of_walks)


def train(spark: SparkSession, pieces, document: dict, path: Path) -> dict:
    began = time.monotonic()
    context = spark.sparkContext
    audience = audience_of(pieces)
    titles, views = len(audience.ids), audience.views
    settings = settings_from(document, titles)
    count = block_count(titles, context.defaultParallelism)
    known = context.broadcast(vectors_of(audience, settings))

    def counted(number: int, sent) -> list[tuple[int, Block]]:
        pairs = Pairs(number, count, titles, settings.decay, settings.walk_users)
        pairs.add_all(piece for _, piece in sent)
        return [(number, block_of(pairs, known.value, settings))]

    blocks = to_blocks(audience, count).mapPartitionsWithIndex(counted).persist(StorageLevel.DISK_ONLY)

    def entries(name: str) -> Entries:
        parts = blocks.map(lambda numbered: getattr(numbered[1], name)).collect()
        return Entries(*(np.concatenate(columns) for columns in zip(*parts)))

    def regression(side: str, penalty: float) -> Entries:
        return solved(blocks, f"{side}_pairs", equations_of(entries(f"{side}_near"), views, penalty), count)

    # In the order of the shares.
    tables = [
        balanced(regression("next", settings.next_penalty), views),
        balanced(entries("chain"), views),
        entries("followers"),
        balanced(entries("shortly_after"), views),
        balanced(entries("shortly_before"), views),
        balanced(regression("liked", settings.liked_penalty), views),
        balanced(entries("walk"), views),
    ]
    # All but the followers have the same total.
    links = heaviest(joined(tables, titles), settings.links, [0, 1, 3, 4, 5, 6])
    summary = {
        "users": audience.viewers,
        "titles": titles,
        "events": int(audience.events),
        "learned": document["learned"],
        "quality": document["quality"],
        "popularity": document["baseline"],
        "seconds": round(time.monotonic() - began, 1),
    }
    write(path, audience, links, settings, summary)
    return summary


def main() -> None:
    arguments = read_arguments()
    spark = SparkSession.builder.appName("recommendations").getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    if arguments.mongodb:
        pieces = sources.from_mongodb(spark, arguments.interest_from)
    else:
        pieces = sources.from_files(spark, arguments.histories)
    document = sources.json_in(spark, arguments.settings or f"{arguments.histories}/settings.json")
    print(json.dumps(train(spark, pieces, document, arguments.model)))
    spark.stop()


if __name__ == "__main__":
    main()
