"""Where histories come from."""

import json
import os
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray
from pyspark import RDD
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import broadcast, col, collect_list, floor, greatest, lit, max, sort_array, struct, unix_seconds, when

from .histories import together

# How far a viewer was. Counts as in `src/recommendations/interest.ts`.
POSITION = ("time", "percentage", "plays", "previous_time", "previous_percentage")
# In seconds, for players that report no percentage.
BARELY_STARTED = 60
SECONDS_PER_DAY = 24 * 60 * 60
# Without a limit, a cycle of parents would be followed forever.
DEEPEST = 8


def from_files(spark: SparkSession, folder: str) -> RDD:
    """A line for each viewer: the ids of the titles, separated by commas, the oldest first. After a tab, the days of their views."""
    lines = spark.sparkContext.textFile(f"{folder}/histories-*")
    return lines.mapPartitions(lambda some: together(map(history_in, some)))


def history_in(line: str) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    titles, _, days = line.partition("\t")
    ids = np.array(titles.split(","), np.int64)
    # A file from elsewhere may have no days. What nobody knows is long ago.
    return ids, np.array(days.split(","), np.uint16) if days else np.zeros(len(ids), np.uint16)


def json_in(spark: SparkSession, path: str) -> dict[str, Any]:
    return json.loads("\n".join(spark.sparkContext.textFile(path).collect()))


def from_mongodb(spark: SparkSession, interest_from: float) -> RDD:
    """
    The same from the database that MONGO_URL names, by the MongoDB Spark Connector. A content counts for its title: an episode for its
    show. What was barely started does not count, unless it was watched further or completed before. What other software has written
    without numbers or a time does not count either.
    """
    url = os.environ["MONGO_URL"]

    def collection(name: str, schema: str, *stages: dict[str, Any]) -> DataFrame:
        # Fields of other types than in the schema are null.
        options = {"connection.uri": url, "database": database_in(url), "collection": name, "mode": "PERMISSIVE"}
        pipeline = {"aggregation.pipeline": json.dumps(stages)} if stages else {}
        return spark.read.format("mongodb").schema(schema).options(**options, **pipeline).load()

    parents = {row["_id"]: row["parent_id"] for row in collection("contents", "_id long, parent_id long").collect() if row["_id"]}
    titles = spark.createDataFrame([(content, title_of(content, parents)) for content in parents], "content_id long, title long")
    begun = {"$match": {"$or": [{field: {"$gt": 0}} for field in ("time", "percentage", "plays", "previous_time")]}}
    needed = {"$project": {"_id": 0, **{field: 1 for field in ("user_id", "content_id", "updated_at", *POSITION)}}}
    numbers = ", ".join(f"{field} double" for field in POSITION)
    history = collection("history", f"user_id long, content_id long, updated_at timestamp, {numbers}", begun, needed)

    def is_beyond(time: str, percentage: str) -> Column:
        return when(col(percentage) == 0, col(time) >= BARELY_STARTED).otherwise(col(percentage) >= interest_from)

    seen = is_beyond("time", "percentage") | is_beyond("previous_time", "previous_percentage") | (col("plays") > 0)
    newest = history.where(seen).join(broadcast(titles), "content_id").repartition("user_id")
    newest = newest.groupBy("user_id", "title").agg(max("updated_at").alias("at"))
    newest = newest.withColumn("day", greatest(lit(0), floor(unix_seconds("at") / SECONDS_PER_DAY)))
    ordered = newest.groupBy("user_id").agg(sort_array(collect_list(struct("at", "title", "day"))).alias("watched"))
    rows = ordered.select("watched.title", "watched.day").rdd
    return rows.mapPartitions(lambda some: together((np.array(row[0], np.int64), np.array(row[1], np.uint16)) for row in some))


def database_in(url: str) -> str:
    """The database that a connection string names, with the same default as in the service."""
    return unquote(urlsplit(url).path.strip("/")) or "viewer"


def title_of(content: int, parents: dict[int, int | None]) -> int:
    """The top ancestor of a content, such as its show, or the content itself."""
    for _ in range(DEEPEST):
        parent = parents[content]
        if parent not in parents:
            return content
        content = parent
    return content
