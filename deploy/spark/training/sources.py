"""Where histories come from."""

import json
from typing import Any

import numpy as np
from pyspark import RDD
from pyspark.sql import SparkSession

from .histories import together


def from_files(spark: SparkSession, folder: str) -> RDD:
    """A line for each viewer: the ids of the titles, separated by commas, the oldest first."""
    lines = spark.sparkContext.textFile(f"{folder}/histories-*")
    return lines.mapPartitions(lambda some: together(np.array(line.split(","), np.int64) for line in some))


def json_in(spark: SparkSession, path: str) -> dict[str, Any]:
    return json.loads("\n".join(spark.sparkContext.textFile(path).collect()))
