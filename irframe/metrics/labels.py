"""A metric called on arrays: labels of candidates, and the scores that rank these."""

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from irframe.arrays import Array, Flags, Floats, Grade, Grades, as_plain, usual_errors
from irframe.checks import is_whole
from irframe.errors import GradeError, InputError, MetricError, RankingError, shortened
from irframe.metrics.base import Metric
from irframe.metrics.block import Block
from irframe.metrics.evidence import Evidence, parameters
from irframe.metrics.facts import facts, refuse_gains
from irframe.names import DEPTH, EMPTY, HIGHEST_GRADE, LOWEST_GRADE, UNJUDGED

EXACT = 2**53
"""Whole numbers up to which floats tell all apart."""
SCALE = 128
"""Grades on a scale from which on these are counted that occur, and not all."""
WITHOUT = {"labels": np.nan, "scores": -np.inf, "listed": False}
"""What a masked value stands for."""


def score_labels(metric: Metric, *given: Any, every: bool) -> Any:
    """Score candidates by a metric, at its depth or at every one; see `Metric`.

    Parameters
    ----------
    metric
        The metric.
    given
        Labels, scores and what is listed, of which the last two may be None.
    every
        Whether scores at every depth are wanted.
    """
    cut = _cut(metric)
    named, arrays = _axes(dict(zip(WITHOUT, given, strict=True)))
    read = _of_one_shape({name: _numbers(name, array) for name, array in arrays.items()})
    shape, n = read["labels"].shape[:-1], read["labels"].shape[-1]
    rows = {name: numbers.reshape(prod(shape), n) for name, numbers in read.items()}
    cut = _Cut(metric, n, whole=False) if every or not cut.least else cut
    block = _laid(*_counted_labels(rows["labels"]), rows.get("scores"), rows.get("listed"), cut)
    refuse_gains(metric, block.levels)
    with usual_errors():
        found = (metric if every else cut.metric).score(Evidence(block))
    values = found[:, :n].reshape(*shape, n) if every else found[:, -1].reshape(shape)[()]
    return values if named is None else named.around(values, str(metric), every=every)


class _Cut(NamedTuple):
    """Down to where lists are read, as `irframe.evaluate` has it."""

    metric: Metric
    """What is scored at the last depth."""
    least: int
    """How many ranks it is to see at least, 0 for all that there may be."""
    whole: bool
    """Whether it is to see the longest list to its end."""


@lru_cache(maxsize=256)
def _cut(metric: Metric) -> _Cut:
    """Return down to where lists are read, or raise for a metric that reads more than grades."""
    known = {
        "subtopics": metric.subtopics,
        "spans of text": metric.spans,
        "lengths of documents": metric.timed,
        "the pool of the runs": facts(metric).pooled,
        "strata of the pool": "strata" in parameters(type(metric).kernel),
    }
    more = " and ".join(what for what, read in known.items() if read)
    if more:
        advice = "ir.evaluate reads these from runs and judgments"
        raise MetricError("a metric of grades alone, on arrays", f"{metric}, of {more}", advice)
    if metric.depth is None:
        uncut = metric.uncut()
        return _Cut(metric, 0, whole=False) if uncut is None else _Cut(uncut, 1, whole=True)
    free = metric.without_depth() if metric.by_prefix else metric
    return _Cut(free, metric.depth, whole=metric.judged_only)


def _of_one_shape(read: dict[str, Floats]) -> dict[str, Floats]:
    """Return arrays of one shape, of at least one dimension."""
    shapes = {array.shape for array in read.values()}
    if len(shapes) > 1:
        try:
            read = dict(zip(read, np.broadcast_arrays(*read.values()), strict=True))
        except ValueError:
            found = [f"{name} {array.shape}" for name, array in read.items()]
            raise InputError("arrays of shapes that go together", "", "", found) from None
    labels = read.get("labels")
    if labels is None or not labels.ndim:
        what = "none" if labels is None else "a single number"
        raise InputError("labels of candidates along the last axis", what)
    return read


class _Named(NamedTuple):
    """A labelled array whose dimensions are kept, and the one along which candidates are."""

    array: Any
    candidates: Any

    def around(self, values: Floats, name: str, *, every: bool) -> Any:
        """Return values with its labels."""
        found = self.array.count(self.candidates).rename(name)
        if every:
            depths = np.arange(1, values.shape[-1] + 1)
            found = found.expand_dims({DEPTH: depths}, axis=-1)
        return found.copy(data=values)


def _axes(given: dict[str, Any]) -> tuple[_Named | None, dict[str, Any]]:
    """Return which arrays there are, labelled ones as numpy's with their dimensions in one order.

    That is the order of the one with the most dimensions, those of candidates last.
    """
    arrays = {name: array for name, array in given.items() if array is not None}
    labelled = {
        name: array
        for name, array in arrays.items()
        if hasattr(array, "isel") and getattr(array, "ndim", 0) > 0  # no single number, no Dataset
    }
    if not labelled:
        return None, arrays
    first, *_ = labelled.values()
    most, candidates = max(labelled.values(), key=lambda array: array.ndim), first.dims[-1]
    dims = [dim for dim in most.dims if dim != candidates] + [candidates]
    for name, array in labelled.items():
        both = [dim for dim in array.dims if dim in array.indexes and dim in most.indexes]
        strange = [dim for dim in array.dims if dim not in dims]
        strange += [d for d in both if not array.indexes[d].equals(most.indexes[d])]
        if strange:
            wanted = f"{name} along {', '.join(map(str, dims))} with the same labels"
            raise InputError(wanted, "", "align them, as xarray.align does", strange)
        there = array.transpose(*(dim for dim in dims if dim in array.dims))
        sizes = dict(zip(there.dims, there.shape, strict=True))
        arrays[name] = np.reshape(there.to_numpy(), [sizes.get(dim, 1) for dim in dims])
    return _Named(most.transpose(*dims), candidates), arrays


def _numbers(name: str, array: Any) -> Floats:
    """Return an array of any tool as floats, masked values as what they stand for."""
    masked = isinstance(array, np.ma.MaskedArray)
    try:
        held = array.compressed() if masked else as_plain(array)
        if held.dtype.kind in "cmM":
            raise TypeError  # noqa: TRY301 - as of what is no number
        if _merge(held):
            raise OverflowError  # noqa: TRY301 - as of what is beyond floats
        numbers = (array if masked else held).astype(np.float64, copy=False)
    except OverflowError:
        advice = "subtract what all have in common"
        wanted = f"{name} below 2^53, so that all differ as numbers do"
        raise InputError(wanted, "more", advice) from None
    except (TypeError, ValueError):
        found = shortened(array)
        raise InputError(f"{name}, numbers in rows of one length", found) from None
    numbers = np.ma.filled(numbers, WITHOUT[name]) if masked else numbers
    if name == "listed" and not np.isin(numbers, (0, 1)).all():
        raise InputError("listed, True or False of every candidate", shortened(array))
    return numbers


def _merge(held: Array) -> bool:
    """Tell whether some whole numbers of an array may be one and the same as floats."""
    if held.dtype.kind == "O":
        return any(is_whole(one) and abs(one) >= EXACT for one in held.flat)
    return held.dtype.kind in "iu" and bool(((held >= EXACT) | (held <= -EXACT)).any())


def _counted_labels(labels: Floats) -> tuple[Grades, Array, Array]:
    """Return grades with a mark where unjudged, the distinct ones, and how many rows have each."""
    filled, known = labels, None
    low, high = labels.min(initial=HIGHEST_GRADE), labels.max(initial=LOWEST_GRADE)
    if not (low >= LOWEST_GRADE and high <= HIGHEST_GRADE):
        known = ~np.isnan(labels)
        filled = np.where(known, labels, 0)
        low, high = filled.min(initial=0), filled.max(initial=0)
    grade = _as_grades(filled, low, high)
    first, span, size = int(low), max(int(high - low) + 1, 1), len(grade)
    levels: Array = np.arange(first, first + span)
    place: Array = grade
    if span > SCALE:  # of which few occur
        levels, place = np.unique(grade, return_inverse=True)
        first, span = 0, len(levels)
    codes = place.reshape(grade.shape) - (first - span * np.arange(size)[:, np.newaxis])
    counted = codes.ravel() if known is None else codes[known]
    count = np.bincount(counted, minlength=span * size).reshape(size, span)
    there = np.flatnonzero(count.any(axis=0))
    if known is not None:
        grade[~known] = UNJUDGED
    return grade, levels[there], count[:, there]


def _as_grades(labels: Floats, low: float, high: float) -> Grades:
    """Return labels as grades, or raise for those that are none."""
    if low >= LOWEST_GRADE and high <= HIGHEST_GRADE:
        grade = labels.astype(Grade)
        if (grade == labels).all():
            return grade
    wrong = (labels != np.rint(labels)) | (labels < LOWEST_GRADE) | (labels > HIGHEST_GRADE)
    limits = f"from {LOWEST_GRADE} to {HIGHEST_GRADE}"
    advice = "number the grades anew, and say by gain={grade: gain} what each gains"
    raise GradeError(f"labels that are whole numbers {limits}", "", advice, labels[wrong])


def _laid(
    grade: Grades,
    levels: Array,
    count: Array,
    scores: Floats | None,
    listed: Floats | None,
    cut: _Cut,
) -> Block:
    """Return candidates as they are ranked, without those that are not listed."""
    size, n = grade.shape
    inside = None if listed is None else listed != 0
    if scores is not None and not scores.min(initial=0) > -np.inf:
        inside = _scored(scores, inside)
    retrieved = np.full(size, n) if inside is None else inside.sum(axis=1)
    longest = n if inside is None else int(retrieved.max(initial=0))
    width = max(cut.least, longest if cut.whole else 1)
    if scores is not None or inside is not None:
        below = np.zeros(grade.shape) if scores is None else -scores
        below = below if inside is None else np.where(inside, below, np.inf)
        order = below.argsort(axis=1, kind="stable")[:, :width]
        grade = grade.take(order + n * np.arange(size)[:, np.newaxis])
    if width != grade.shape[1] or inside is not None:
        ranked, grade = grade[:, :width], np.full((size, width), EMPTY, Grade)
        grade[:, : ranked.shape[1]] = ranked
        grade[np.arange(width) >= retrieved[:, np.newaxis]] = EMPTY
    return Block(
        grade=grade,
        retrieved=np.minimum(retrieved, width),
        levels=levels,
        count=count,
        top=levels[-1] if len(levels) else 0,
    )


def _scored(scores: Floats, inside: Flags | None) -> Flags:
    """Return which candidates are listed, or raise if some of these have no score."""
    listed = np.ones(scores.shape, bool) if inside is None else inside
    missing = np.argwhere(np.isnan(scores) & listed)
    if len(missing):
        rows = [f"candidate {place} of row {row}" for row, place in missing]
        advice = "give a candidate that has none -inf, or listed=False"
        raise RankingError("a score of every candidate", "none for", advice, rows)
    return listed & (scores > -np.inf)
