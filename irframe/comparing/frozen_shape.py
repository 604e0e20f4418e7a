"""Schema of files of frozen baselines."""

from collections.abc import Iterator, Mapping
from datetime import date
from types import UnionType
from typing import Any

import numpy as np

from irframe.checks import listed
from irframe.errors import MetricError
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DRAWN

KIND = "irframe baseline"
POLICY = (
    *("ties", "score_dtype", "seed", "topics", "collection", "rel", "depth", "standardised"),
    *("search", "each"),
)
"""Names of the attributes of scores that record options of the evaluation, such as the treatment of
ties."""

ID = str | int
SCALAR = str | int | float | None
SHAPE: dict[str, type | UnionType] = {
    KIND: int,
    "system": ID,
    "date": str,
    "irframe": str,
    "judgments": str | None,
    "policy": dict,
    "columns": list,
    "scores": list,
}
"""Mapping from the name of each required field of a baseline file to the type of its value."""
FURTHER_FACTS = {"documents": list, "cautions": list, DRAWN: str}
"""Mapping from the name of each optional field of a baseline file to the type of its value."""
BY_TOPIC = ("scores", "documents")
"""Names of the fields of a baseline file that are written with one line per topic."""
POLICIES = {*POLICY, "no_rel", "made by"}


def malformed(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield a description of each invalid field or value."""
    # callers use only the first problem, so each check may assume that all earlier checks passed
    shape = SHAPE | {name: kind for name, kind in FURTHER_FACTS.items() if name in content}
    yield from (f"field {name} missing or unknown" for name in content.keys() ^ shape.keys())
    wrong = (name for name, kind in shape.items() if not _has_type(content[name], kind))
    yield from (f"{name} {content[name]!r}" for name in wrong)
    try:
        date.fromisoformat(content["date"])
    except ValueError:
        yield f"date {content['date']!r}"
    for name, value in content["policy"].items():
        plain = all(_has_type(item, SCALAR) or value is True for item in listed(value) or [None])
        if name not in POLICIES or isinstance(value, dict) or not plain:
            yield f"policy {name} {value!r}"
    columns = content["columns"]
    yield from (f"column {column!r}" for column in columns if not _is_column(column))
    if not content["scores"] or len({*map(tuple, columns)}) < max(1, len(columns)):
        yield "no scores, or a duplicate column"
    # standardised scores, and scores from unknown judgments, may be outside of a metric's range
    in_range = content["judgments"] is not None and "standardised" not in content["policy"]
    yield from (
        f"caution {text!r}" for text in content.get("cautions", []) if not _has_type(text, str)
    )
    documents = content.get("documents", [])
    yield from (f"documents {row!r}" for row in documents if not _is_list_of_documents(row))
    ranges = [_range_of(metric) if in_range else ANY for metric, _ in columns]
    yield from _malformed_rows(content["scores"], ranges)


def _malformed_rows(rows: list[Any], ends: list[tuple[float, float]]) -> Iterator[str]:
    """Yield a description of each invalid row of scores."""
    for row in rows:
        if not (_has_type(row, list) and len(row) == 1 + len(ends) and _has_type(row[0], ID)):
            yield f"row {row!r}"
        for value, (low, high) in zip(row[1:], ends, strict=True):
            if value is not None and not (_has_type(value, int | float) and low <= value <= high):
                yield f"score {value!r} of {row[0]!r}"
    if len({row[0] for row in rows}) < len(rows) or len({type(row[0]) for row in rows}) > 1:
        yield "duplicate topics, or topics of two types"


def _is_list_of_documents(row: object) -> bool:
    """Return whether a row has a topic and distinct documents."""
    if not isinstance(row, list) or len(row) != 2:
        return False
    topic, docs = row
    has_list = _has_type(topic, ID) and isinstance(docs, list)
    return has_list and all(_has_type(d, ID) for d in docs) and 0 < len({*docs}) == len(docs)


def _is_column(column: object) -> bool:
    """Return whether a value is a metric-depth pair."""
    if not isinstance(column, list) or len(column) != 2:
        return False
    name, depth = column
    return isinstance(name, str) and (depth is None or (_has_type(depth, int) and depth > 0))


def _has_type(value: object, kind: type | UnionType) -> bool:
    """Return whether a value has the given type; exclude bool."""
    # bool is a subclass of int in Python, but true is not a number in JSON
    return isinstance(value, kind) and not isinstance(value, bool)


ROUNDING = 1e-9
# the limits are finite, because Python reads NaN and Infinity from JSON
ANY = (-np.finfo(float).max, np.finfo(float).max)
"""Range of valid scores of a metric that irframe does not know."""


def _range_of(name: str) -> tuple[float, float]:
    """Return the range of a metric, widened for rounding errors."""
    try:
        low, high = parse_metric(name).range
    except MetricError:
        return ANY
    return max(low - ROUNDING, ANY[0]), min(high + ROUNDING, ANY[1])
