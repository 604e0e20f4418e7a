"""Metrics called on arrays of labels and scores."""

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from irframe.arrays import Array, Flags, Floats, Grade, Grades, as_plain, usual_errors
from irframe.checks import is_integer
from irframe.errors import GradeError, InputError, MetricError, RankingError, shortened
from irframe.metrics.base import Metric
from irframe.metrics.facts import facts, refuse_gains
from irframe.names import DEPTH, EMPTY, HIGHEST_GRADE, LOWEST_GRADE, UNJUDGED
from irframe.quantities.block import Block
from irframe.quantities.evidence import Evidence, parameters

EXACT = 2**53
"""Limit below which floats represent every integer exactly."""
SCALE = 128
"""Maximum difference of the highest and the lowest grade for which every grade in between has a
count. For larger differences, only grades that occur have counts."""
MASKED = {"labels": np.nan, "scores": -np.inf, "listed": False}
"""Mapping from the name of an argument to the value that replaces masked entries of a masked
array."""


def score_labels(metric: Metric, *arrays: object, every: bool) -> Any:
    """Score labels of candidates at one depth or all depths.

    Parameters
    ----------
    metric
        The metric.
    arrays
        Labels, scores, and a mask of the retrieved candidates. Scores and mask may be None.
    every
        Whether to return scores at every depth.
    """
    cut = _cut(metric)
    template, by_name = _axes(dict(zip(MASKED, arrays, strict=True)))
    numeric = _broadcast({name: _numbers(name, array) for name, array in by_name.items()})
    *shape, n = numeric["labels"].shape
    rows = {name: numbers.reshape(prod(shape), n) for name, numbers in numeric.items()}
    cut = _Cut(metric, n, full=False) if every or not cut.least else cut
    block = _ranked(*_counted_labels(rows["labels"]), rows.get("scores"), rows.get("listed"), cut)
    refuse_gains(metric, block.levels)
    with usual_errors():
        scores = (metric if every else cut.metric).score(Evidence(block))
    values = scores[:, :n].reshape(*shape, n) if every else scores[:, -1].reshape(shape)[()]
    return values if template is None else template.filled(values, str(metric), every=every)


class _Cut(NamedTuple):
    """A metric and the number of ranks that it requires."""

    metric: Metric
    """The metric without its fixed depth."""
    least: int
    """Minimum number of ranks of the scored lists. If 0, all ranks are scored."""
    full: bool
    """Whether to keep all ranks of the longest list, even beyond `least`."""


@lru_cache(maxsize=256)
def _cut(metric: Metric) -> _Cut:
    """Return the metric and its list lengths; raise if unsupported."""
    reads = {
        "subtopics": metric.subtopics,
        "spans of text": metric.spans,
        "lengths of documents": metric.timed,
        "the pool of the runs": facts(metric).pooled,
        "strata of the pool": "strata" in parameters(type(metric).kernel),
    }
    unsupported = " and ".join(name for name, is_read in reads.items() if is_read)
    if unsupported:
        advice = "pass runs and judgments to ir.evaluate instead"
        described = f"{metric}, which reads {unsupported}"
        raise MetricError("a metric that reads only grades", described, advice)
    if metric.depth is None:
        uncut = metric.uncut()
        return _Cut(metric, 0, full=False) if uncut is None else _Cut(uncut, 1, full=True)
    free = metric.without_depth() if metric.by_prefix else metric
    return _Cut(free, metric.depth, full=metric.judged_only)


def _broadcast(arrays: dict[str, Floats]) -> dict[str, Floats]:
    """Broadcast arrays to one shape."""
    shapes = {array.shape for array in arrays.values()}
    if len(shapes) > 1:
        try:
            arrays = dict(zip(arrays, np.broadcast_arrays(*arrays.values()), strict=True))
        except ValueError:
            shown = [f"{name} {array.shape}" for name, array in arrays.items()]
            raise InputError("arrays with shapes that broadcast", "", "", shown) from None
    labels = arrays.get("labels")
    if labels is None or not labels.ndim:
        described = "none" if labels is None else "a single number"
        raise InputError("an array of labels with candidates along the last axis", described)
    return arrays


class _Template(NamedTuple):
    """An xarray.DataArray with the dimensions of the result."""

    # metrics may not import xarray, so the array has no type
    array: Any
    candidates: Any
    """The dimension of the candidates."""

    def filled(self, values: Floats, name: str, *, every: bool) -> Any:
        """Return the values as a DataArray with the template's coordinates."""
        result = self.array.count(self.candidates).rename(name)
        if every:
            depths = np.arange(1, values.shape[-1] + 1)
            result = result.expand_dims({DEPTH: depths}, axis=-1)
        return result.copy(data=values)


def _axes(args: dict[str, Any]) -> tuple[_Template | None, dict[str, Any]]:
    """Return a result template, and arrays with matching dimensions.

    Every xarray.DataArray is transposed to the dimension order of the DataArray with the most
    dimensions, with the dimension of the candidates last. Arguments that are None are omitted.
    """
    arrays = {name: array for name, array in args.items() if array is not None}
    labelled = {
        name: array
        for name, array in arrays.items()
        if hasattr(array, "isel") and getattr(array, "ndim", 0) > 0  # not a scalar or Dataset
    }
    if not labelled:
        return None, arrays
    # the first array, usually the labels, has the candidates along its last axis
    first, *_ = labelled.values()
    candidates = first.dims[-1]
    widest = max(labelled.values(), key=lambda array: array.ndim)
    dims = [dim for dim in widest.dims if dim != candidates] + [candidates]
    for name, array in labelled.items():
        indexed = [dim for dim in array.dims if dim in array.indexes and dim in widest.indexes]
        unmatched = [dim for dim in array.dims if dim not in dims]
        unmatched += [d for d in indexed if not array.indexes[d].equals(widest.indexes[d])]
        if unmatched:
            expected = f"{name} with the dimensions and labels of {', '.join(map(str, dims))}"
            raise InputError(expected, "", "align the arrays with xarray.align", unmatched)
        ordered = array.transpose(*(dim for dim in dims if dim in array.dims))
        sizes = dict(zip(ordered.dims, ordered.shape, strict=True))
        arrays[name] = np.reshape(ordered.to_numpy(), [sizes.get(dim, 1) for dim in dims])
    return _Template(widest.transpose(*dims), candidates), arrays


def _numbers(name: str, array: Any) -> Floats:
    """Convert an array of any library to unmasked floats."""
    masked = isinstance(array, np.ma.MaskedArray)
    try:
        plain = array.compressed() if masked else as_plain(array)
        if plain.dtype.kind in "cmM":
            raise TypeError  # noqa: TRY301 - same message as for other values that are not numbers
        if _may_collide(plain):
            raise OverflowError  # noqa: TRY301 - same message as for integers too large for floats
        numbers = (array if masked else plain).astype(np.float64, copy=False)
    except OverflowError:
        expected = f"{name} below 2^53, because larger integers are not exact as floats"
        raise InputError(expected, "larger integers", "subtract a common offset") from None
    except (TypeError, ValueError):
        values = shortened(array)
        raise InputError(f"{name} to be numbers in rows of equal length", values) from None
    numbers = np.ma.filled(numbers, MASKED[name]) if masked else numbers
    if name == "listed" and not np.isin(numbers, (0, 1)).all():
        raise InputError("listed to be True or False for every candidate", shortened(array))
    return numbers


def _may_collide(array: Array) -> bool:
    """Return whether integers are too large for exact floats."""
    if array.dtype.kind == "O":
        return any(is_integer(value) and abs(value) >= EXACT for value in array.flat)
    return array.dtype.kind in "iu" and bool(((array >= EXACT) | (array <= -EXACT)).any())


def _counted_labels(labels: Floats) -> tuple[Grades, Array, Array]:
    """Return grades by candidate, the distinct grades, and their counts."""
    filled = labels
    judged = None
    low, high = labels.min(initial=HIGHEST_GRADE), labels.max(initial=LOWEST_GRADE)
    if not (low >= LOWEST_GRADE and high <= HIGHEST_GRADE):
        # NaN fails every comparison, so labels with unjudged candidates fail this check too
        judged = ~np.isnan(labels)
        filled = np.where(judged, labels, 0)
        low, high = filled.min(initial=0), filled.max(initial=0)
    grade = _as_grades(filled, low, high)
    size = len(grade)
    first = int(low)
    span = max(int(high - low) + 1, 1)
    levels: Array = np.arange(first, first + span)
    index: Array = grade
    if span > SCALE:  # counts of all grades in the range would be sparse
        levels, index = np.unique(grade, return_inverse=True)
        first = 0
        span = len(levels)
    # every row has its own range of codes, so that one bincount counts the grades of all rows
    codes = index.reshape(grade.shape) - (first - span * np.arange(size)[:, np.newaxis])
    counted = codes.ravel() if judged is None else codes[judged]
    count = np.bincount(counted, minlength=span * size).reshape(size, span)
    occurs = np.flatnonzero(count.any(axis=0))
    if judged is not None:
        grade[~judged] = UNJUDGED
    return grade, levels[occurs], count[:, occurs]


def _as_grades(labels: Floats, low: float, high: float) -> Grades:
    """Convert labels to grades, or raise if invalid."""
    if low >= LOWEST_GRADE and high <= HIGHEST_GRADE:
        grade = labels.astype(Grade)
        if (grade == labels).all():
            return grade
    wrong = (labels != np.rint(labels)) | (labels < LOWEST_GRADE) | (labels > HIGHEST_GRADE)
    limits = f"from {LOWEST_GRADE} to {HIGHEST_GRADE}"
    advice = "renumber the grades, and set their gains with gain={grade: gain}"
    raise GradeError(f"labels that are integers {limits}", "", advice, labels[wrong])


def _ranked(
    grade: Grades,
    levels: Array,
    count: Array,
    scores: Floats | None,
    listed: Floats | None,
    cut: _Cut,
) -> Block:
    """Return the block of rankings of the retrieved candidates."""
    size, n = grade.shape
    inside = None if listed is None else listed != 0
    # the comparison is negated, so that it is also True for NaN
    if scores is not None and not scores.min(initial=0) > -np.inf:
        inside = _scored(scores, inside)
    retrieved = np.full(size, n) if inside is None else inside.sum(axis=1)
    longest = n if inside is None else int(retrieved.max(initial=0))
    width = max(cut.least, longest if cut.full else 1)
    if scores is not None or inside is not None:
        # a stable sort of negated scores keeps equal scores in their order
        below = np.zeros(grade.shape) if scores is None else -scores
        below = below if inside is None else np.where(inside, below, np.inf)
        order = below.argsort(axis=1, kind="stable")[:, :width]
        grade = grade.take(order + n * np.arange(size)[:, np.newaxis])
    if width != grade.shape[1] or inside is not None:
        ranked = grade[:, :width]
        grade = np.full((size, width), EMPTY, Grade)
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
    """Return which candidates were retrieved; raise if scores are missing."""
    listed = np.ones(scores.shape, bool) if inside is None else inside
    missing = np.argwhere(np.isnan(scores) & listed)
    if len(missing):
        rows = [f"candidate {candidate} of row {row}" for row, candidate in missing]
        advice = "set the score to -inf, or pass listed=False for the candidate"
        raise RankingError("a score for every candidate", "none for", advice, rows)
    return listed & (scores > -np.inf)
