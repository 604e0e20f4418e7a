"""What a file of a baseline may hold: names, types, ranges, and what stands in it once."""

from collections.abc import Iterator, Mapping
from datetime import date
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
"""Attributes of scores that decide what they are."""

ID, SCALAR = str | int, str | int | float | None
SHAPE = {
    KIND: int,
    "system": ID,
    "date": str,
    "irframe": str,
    "judgments": str | None,
    "policy": dict,
    "columns": list,
    "scores": list,
}
"""What a file holds, by name, and of which type; it may have what `FURTHER_FACTS` names, too."""
FURTHER_FACTS = {"documents": list, "cautions": list, DRAWN: str}
"""Documents of lists, what the scores were to be read with, and how topics were drawn."""
BY_TOPIC = ("scores", "documents")
"""What has a line for each topic."""
POLICIES = {*POLICY, "no_rel", "made by"}


def misshapen(held: Mapping[str, Any]) -> Iterator[str]:
    """Say what of a file is not as `freeze` writes it: names, types, ranges, what is twice."""
    shape = SHAPE | {name: kind for name, kind in FURTHER_FACTS.items() if name in held}
    yield from (f"{name} missing, or of no meaning" for name in held.keys() ^ shape.keys())
    wrong = (name for name, kind in shape.items() if not _is(held[name], kind))
    yield from (f"{name} {held[name]!r}" for name in wrong)
    try:
        date.fromisoformat(held["date"])
    except ValueError:
        yield f"date {held['date']!r}"
    for name, value in held["policy"].items():
        plain = all(_is(one, SCALAR) or value is True for one in listed(value) or [None])
        if name not in POLICIES or isinstance(value, dict) or not plain:
            yield f"policy {name} {value!r}"
    columns = held["columns"]
    yield from (f"column {column!r}" for column in columns if not _is_column(column))
    if not held["scores"] or len({*map(tuple, columns)}) < max(1, len(columns)):
        yield "no scores, or a column twice"
    known = held["judgments"] is not None and "standardised" not in held["policy"]
    yield from (f"caution {text!r}" for text in held.get("cautions", []) if not _is(text, str))
    kept = held.get("documents", [])
    yield from (f"documents {row!r}" for row in kept if not _is_list_of_documents(row))
    yield from _misshapen_rows(held["scores"], [_ends_of(m) if known else ANY for m, _ in columns])


def _misshapen_rows(rows: list[Any], ends: list[tuple[float, float]]) -> Iterator[str]:
    """Say what is not a row of a topic and its scores, each between the ends of its metric."""
    for row in rows:
        if not (_is(row, list) and len(row) == 1 + len(ends) and _is(row[0], ID)):
            yield f"row {row!r}"
        for value, (low, high) in zip(row[1:], ends, strict=True):
            if value is not None and not (_is(value, int | float) and low <= value <= high):
                yield f"score {value!r} of {row[0]!r}"
    if len({row[0] for row in rows}) < len(rows) or len({type(row[0]) for row in rows}) > 1:
        yield "topics twice, or of two types"


def _is_list_of_documents(row: Any) -> bool:
    """Tell whether something is a topic with documents, each once."""
    if not _is(row, list) or len(row) != 2 or not _is(row[0], ID) or not _is(row[1], list):
        return False
    return all(_is(doc, ID) for doc in row[1]) and 0 < len({*row[1]}) == len(row[1])


def _is_column(column: Any) -> bool:
    """Tell whether something is the name of a metric with its depth, or none."""
    if not _is(column, list) or len(column) != 2:
        return False
    name, depth = column
    return isinstance(name, str) and (depth is None or (_is(depth, int) and depth > 0))


def _is(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


ROUNDING = 1e-9
ANY = (-np.finfo(float).max, np.finfo(float).max)
"""Where scores are of which nothing is known."""


def _ends_of(name: str) -> tuple[float, float]:
    """Return between which ends scores of a metric are, but for rounding."""
    try:
        low, high = parse_metric(name).range
    except MetricError:
        return ANY
    return max(low - ROUNDING, ANY[0]), min(high + ROUNDING, ANY[1])
