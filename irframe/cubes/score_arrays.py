"""Validation of frames and arrays of scores."""

import inspect
from collections.abc import Collection, Hashable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any, NoReturn, TypeVar

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import Array, Grade
from irframe.checks import listed
from irframe.cubes import groups
from irframe.cubes.score_frames import named_metrics
from irframe.cubes.view import LIST, Labelled, labels_of
from irframe.errors import DepthError, InputError, during, warn
from irframe.evaluation.scoring import Thresholds
from irframe.frames.tables import with_own_levels
from irframe.metrics.facts import COSTS, FLOOR, directions
from irframe.names import COLLECTION, DEPTH, LOWER, SYSTEM, UNIT, UNITS, plural, roles
from irframe.record import Function
from irframe.stops import DEPTHS, axis_of

Result = TypeVar("Result", xr.DataArray, xr.Dataset)


def normalise_collection(subject: object, by: object) -> object:
    """Return the column of collections, if `by` names collections.

    `by` names collections if it is "collection" or the name of the column of collections. Other
    values of `by` are returned unchanged. If scores no longer have this column, the result is a
    mapping from topics to collections.
    """
    attributes = getattr(subject, "attrs", {})
    names = _names(subject)
    column = attributes.get(COLLECTION)
    if column is None or not isinstance(by, str) or by in names or by not in {COLLECTION, column}:
        return by
    of = {topic: label for label, topics in attributes.get(words.TOPICS_OF, ()) for topic in topics}
    lost = of and column not in names
    return pd.Series(of, name=column) if lost else column


def refuse(bound: inspect.BoundArguments, *, one_unit: bool) -> None:
    """Raise for arguments of a verb that cannot be combined.

    If `one_unit` is true, also raise if the lists of systems have different units.
    """
    subject, *params = bound.arguments.values()
    if "rel" in bound.arguments:
        refuse_collections([subject], bound.arguments["rel"])
    if one_unit:
        refuse_units(subject)
    labelled = [value for value in params if hasattr(value, "attrs")]
    if labelled:
        refuse_mixed([subject, *labelled])


def refuse_collections(cubes: Iterable[Labelled], rel: object) -> None:
    """Raise if `rel` names collections that no cube has."""
    if not isinstance(rel, Mapping):
        return
    labels = [
        label
        for cube in cubes
        if (name := cube.attrs.get(COLLECTION)) in cube.coords
        for label in pd.unique(cube[name].to_numpy().ravel())
    ]
    if labels:
        Thresholds(rel, ()).refuse_unknown(labels)


def _names(subject: object) -> list[Hashable]:
    if isinstance(subject, pd.DataFrame):
        return [*subject.index.names, *subject.columns]
    return list(getattr(subject, "coords", ()))


def refuse_repeats(scores: Any, verb: str) -> Any:
    """Raise for several repeats; drop the dimension of one repeat.

    `verb` is the name of the verb, or "" if the verb supports repeats.
    """
    if not verb:
        return scores
    if isinstance(scores, xr.Dataset) and groups.REPEAT_OF in scores.coords:
        groups.refuse_repeated_cube(scores, verb)
    if isinstance(scores, Labelled) and words.REPEAT in scores.dims:
        if scores.sizes[words.REPEAT] == 1:
            return scores.isel({words.REPEAT: 0}, drop=True)
        refuse_several_repeats(verb, groups.repeat_name(scores))
    return scores


def refuse_several_repeats(verb: str, repeat: object, line: str = "") -> NoReturn:
    """Raise an error about several repeats of systems."""
    line = line or f"scores.mean({words.REPEAT!r}, keep_attrs=True)"
    advice = f"average over them: {line}; or select one"
    raise InputError(f"scores of one {repeat} for {verb}", "several", advice)


def dims_of(scores: object) -> tuple[str, ...]:
    """Return the dimensions that scores may have, in canonical order."""
    return words.METRIC, words.SYSTEM, words.REPEAT, words.TOPIC, axis_of(scores).dim


def metric_columns(frame: pd.DataFrame, codes: Mapping[str, Array]) -> list[Any]:
    """Return the columns of a frame that are scores.

    Scores are columns that irframe computed, according to the attributes of the frame, and columns
    with the name of a metric. Another numeric column is treated as scores if it varies within
    topics and within systems. Otherwise the column is a property of topics or systems, such as a
    length or a year, and is left out. If no column is certainly a metric, all columns are returned.

    Parameters
    ----------
    frame
        Scores, with a column per metric.
    codes
        Integer codes of the system, the topic and other labels of each row.

    Warns
    -----
    IrframeWarning
        If a column is used as a metric although irframe did not compute it. If columns of numbers
        are left out.

    Examples
    --------
    >>> codes = {"system": np.array([0, 0, 1, 1]), "topic": np.array([0, 1, 0, 1])}
    >>> scores = pd.DataFrame({"AP": [0.1, 0.2, 0.3, 0.4], "kind": list("pqpq")})
    >>> metric_columns(scores, codes)
    ['AP']
    """
    # frames of irframe list their metrics in an attribute, so their columns need no guess
    stated = frame.attrs.get(words.METRICS, ())
    if [*frame.columns] == [*stated]:
        return [*stated]
    named = named_metrics(frame)
    metrics = {name for name in frame.columns if name in stated} | {*named}
    metrics |= {*frame.columns} & {*frame.attrs.get(words.LOWER, ())}
    if not metrics and not len(stated):
        return list(frame.columns)
    numbers = [name for name in frame.columns if name not in metrics and _is_number(frame[name])]
    varying = [name for name in numbers if _varies(frame[name], codes)]
    added = [name for name in named if name not in stated] if len(stated) else []
    if added + varying:
        read_as = directions(map(str, added + varying))
        warn(
            "columns with a number per system and topic are used as metrics: "
            f"{', '.join(map(str, added + varying))}; {read_as}{'; ' * bool(read_as)}"
            "drop columns that are not metrics"
        )
    if len(numbers) > len(varying):
        properties = [str(name) for name in numbers if name not in varying]
        warn(
            "columns with one number per topic or per system are not scores and are left out: "
            f"{', '.join(properties)}"
        )
    return [name for name in frame.columns if name in metrics or name in varying]


def _is_number(column: pd.Series) -> bool:
    """Return whether a column, perhaps of dtype object, contains numbers."""
    kind = column.dropna().infer_objects().dtype if column.dtype == object else column.dtype
    types = pd.api.types
    flags = types.is_bool_dtype(kind) or types.is_complex_dtype(kind)
    return bool(types.is_numeric_dtype(kind)) and not flags


def _varies(column: pd.Series, codes: Mapping[str, Array]) -> bool:
    """Return whether a column varies by system and by topic.

    A dimension with a single label is not checked.

    The result is False for a constant integer column, such as a year.
    """
    values = column.nunique()
    if values <= 1:
        return bool(values) and not pd.api.types.is_integer_dtype(column.infer_objects())
    column = column.reset_index(drop=True)
    across = [rows for dim, rows in codes.items() if dim != words.SYSTEM]
    sides = [codes[words.SYSTEM]], across
    # a column that is constant within every topic, or within every system, is not a score
    counts = [column.groupby(keys).nunique(dropna=False) for keys in sides]
    return not any(len(count) < len(column) and count.max() == 1 for count in counts)


def validated(scores: xr.DataArray) -> xr.DataArray:
    """Return a validated array of scores in float64.

    In the result, every label occurs once.

    Parameters
    ----------
    scores
        An array of scores. Only dimensions that scores may have are validated.

    Raises
    ------
    IdError
        If a system, topic, metric or depth occurs twice, or has several labels.
    DepthError
        If depths are not integers.
    InputError
        If values are not numbers, or metrics have no labels.
    """
    # the grades of a cube have the dimensions of scores, but would give meaningless means
    if scores.dtype == Grade and (scores <= words.UNJUDGED).any():
        message = "grades of a cube, with marks of unjudged documents"
        raise InputError("scores", message, 'score the cube: cube.ireval.score("AP")')
    changed = {}
    axis = axis_of(scores)
    for dim in [dim for dim in dims_of(scores) if dim in scores.dims]:
        if dim in {words.METRIC, axis.dim} and not scores.sizes[dim]:
            raise InputError(f"scores with a {dim}", "none", f"select at least one {dim}")
        if dim not in scores.coords:
            if dim == words.METRIC:
                advice = "name the metrics: scores.assign_coords(metric=[...])"
                raise InputError("a label for every metric", "none", advice)
            continue
        labels = labels_of(scores, dim, "scores", "select each label once")
        # Saving or reindexing can convert depths to floats, so floats with integer values are
        # accepted.
        if dim == axis.dim and axis.integer and labels.dtype.kind not in "iu":
            labels = _as_integers(labels)
        if dim not in scores.indexes or labels is not scores.indexes[dim]:
            changed[dim] = labels.to_numpy()
    return _in_float(scores.assign_coords(changed) if changed else scores)


def _as_integers(depths: pd.Index) -> pd.Index:
    """Convert depths to integers; raise for fractions."""
    present = depths.dtype.kind == "f" and depths.notna().all()
    integers = depths.astype(np.int64) if present else None
    if integers is None or (integers != depths).any():
        wrong = depths if integers is None else depths[integers != depths]
        advice = "score at these depths: score(..., at=[...])"
        raise DepthError("integer depths", "other values", advice, wrong)
    return integers


def _in_float(scores: xr.DataArray) -> xr.DataArray:
    """Convert scores to double precision."""
    kind = scores.dtype.kind
    if scores.dtype == np.float64:
        return scores
    if kind in "fiub":
        return scores.astype(np.float64)
    advice = "convert the scores: scores.astype(float)"
    offenders = []
    if kind == "O" and scores.chunks is None:
        column = pd.Series(scores.to_numpy().ravel())
        numbers = int | float | np.number
        offenders = [cell for cell in column.dropna() if not isinstance(cell, numbers)]
        if not offenders:
            # numpy cannot convert missing values of pandas (`pd.NA`) to floats
            values = column.astype("Float64").to_numpy(np.float64, na_value=np.nan)
            return scores.copy(data=values.reshape(scores.shape))
    message = "values of another type" if offenders else f"an array of {scores.dtype}"
    raise InputError("scores that are numbers", message, advice, map(repr, offenders))


def in_order(scores: xr.DataArray) -> xr.DataArray:
    """Add missing labels and put dimensions in canonical order."""
    if not {*LIST} <= {*scores.dims}:
        message = ", ".join(map(str, scores.dims)) or "none"
        raise InputError(f"dimensions {words.SYSTEM} and {words.TOPIC}", message)
    if words.METRIC not in scores.dims:
        label = scores.coords.get(words.METRIC)
        name = str(scores.name or "score" if label is None else label.item())
        bare = scores.drop_vars(words.METRIC, errors="ignore")
        scores = bare.expand_dims({words.METRIC: [name]})
    expected_dims = dims_of(scores)
    unexpected = [str(dim) for dim in scores.dims if dim not in expected_dims]
    if unexpected:
        expected = f"dimensions metric, system, topic, {expected_dims[-1]}"
        raise InputError(expected, "other dimensions", "", unexpected)
    sizes = {dim: size for dim, size in scores.sizes.items() if dim not in scores.coords}
    missing = {dim: np.arange(1, size + 1) for dim, size in sizes.items()}
    dims = [dim for dim in expected_dims if dim in scores.dims]
    return scores.assign_coords(missing).transpose(*dims)


def numbers_of(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Convert columns of numbers to an array of floats.

    Raise if a column contains other values, or if the frame is empty.
    """
    plain = frame.to_numpy() if frame.size else np.empty(0, object)
    if plain.dtype.kind in "biuf":
        return plain.astype(np.float64, copy=False)
    flags = pd.api.types.is_bool_dtype
    text = [str(n) for n in frame.columns if not (_is_number(frame[n]) or flags(frame[n]))]
    if text or not frame.size:
        message = "columns of other values" if text else "an empty frame"
        advice = "convert the columns: frame.astype(float)" if text else ""
        raise InputError("a column of numbers per metric", message, advice, text)
    return frame.astype("Float64").to_numpy(np.float64, na_value=np.nan)


def counting_costs(subject: object) -> AbstractContextManager[None]:
    """Return a context in which declared metrics are costs."""
    costs = getattr(subject, "attrs", {}).get(LOWER)
    return during(COSTS, COSTS.get() | {*map(str, listed(costs))}) if costs else nullcontext()


def with_costs(function: Function) -> Function:
    """Wrap a function so that it recognises declared costs."""
    signature = inspect.signature(function)
    first = next(iter(signature.parameters))

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if not arguments and first not in options:
            return function(**options)  # the call raises Python's TypeError about arguments
        subject = arguments[0] if arguments else options[first]
        with counting_costs(subject):
            return function(*arguments, **options)

    call.__signature__ = signature  # type: ignore[attr-defined]
    del call.__wrapped__  # without this line, unknown keywords would be accepted
    return call  # type: ignore[return-value]


GEOMETRIC = "gmean"
AGGREGATES = frozenset(("all", "amean", "mean", GEOMETRIC))
"""Names of rows with means or sums over topics in the output of other tools."""
PRINTED = 1.1e-4
"""Largest difference between a printed mean and the mean of printed values (four decimals each)."""


def aggregated_topics(values: Array, topics: pd.Index, codes: Array, groups: Array) -> list[int]:
    """Return the positions of topics that summarise the other topics.

    An aggregated topic, such as ``all``, has the mean or the sum of the other topics as values.

    Parameters
    ----------
    values
        Scores with a column per metric.
    topics
        Labels of topics.
    codes
        Position in `topics` of the topic of each row.
    groups
        Code of the system, repeat and depth of each row. An aggregated topic summarises only rows
        with the same code.

    Warns
    -----
    IrframeWarning
        If there are aggregated topics, because the caller leaves them out.

    Examples
    --------
    >>> import warnings
    >>> scores, topics = np.array([[0.2], [0.4], [0.3]]), pd.Index(["1", "2", "all"])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     aggregated_topics(scores, topics, np.arange(3), np.zeros(3, int))
    [2]
    """
    named = [position for position, label in enumerate(topics) if has_aggregates([label])]
    # files can contain several summaries, so each is compared with the single topics only
    single = ~np.isin(codes, named)
    if not named or not single.any() or not values.shape[1]:
        return []
    totals = pd.DataFrame(values[single]).groupby(groups[single])
    summaries = totals.mean(), totals.sum(), totals.agg(_geometric)
    aggregates = []
    for position in named:
        rows = codes == position
        expected = [summary.reindex(groups[rows]).to_numpy(float) for summary in summaries]
        aggregates += [position] * _summarises(topics[position], values[rows], expected)
    if aggregates:
        named_topics = ", ".join(map(str, topics[aggregates]))
        warn(f"rows that summarise the other topics are left out: {named_topics}")
    return aggregates


def has_aggregates(topics: Iterable[object]) -> bool:
    """Return whether a topic has the name of an aggregate."""
    return not AGGREGATES.isdisjoint([str(topic).lower() for topic in topics])


def _geometric(column: "pd.Series[float]") -> float:
    return float(np.exp(np.log(np.maximum(column.dropna(), FLOOR)).mean()))


def _summarises(label: str, values: Array, expected: list[Array]) -> bool:
    """Return whether values are a summary of the other topics.

    A topic called ``gmean`` contains geometric means. Other aggregated topics contain means or
    sums.
    """
    mean, total, geometric = expected
    allowed = [geometric] if label.lower() == GEOMETRIC else [mean, total]
    near = [np.isclose(values, summary, rtol=1e-6, atol=PRINTED) for summary in allowed]
    # a summary may lack some metrics, but all its other values must match
    lacking = np.isnan(values) | np.isnan(mean)
    return bool((~lacking).any() and (np.any(near, axis=0) | lacking).all())


def expand_scalars(result: Result, *names: str) -> Result:
    """Return a result with scalar coordinates expanded to dimensions."""
    scalars = [name for name in names if name in result.coords and name not in result.dims]
    return result.expand_dims(scalars) if scalars else result


def refuse_units(scores: object) -> None:
    """Raise for systems whose lists have different units.

    For example, two systems may split documents into chunks in different ways. Lists that were
    collapsed to documents, or scored by spans of text, can be compared.
    """
    attributes = getattr(scores, "attrs", {})
    if not isinstance(scores, xr.DataArray | pd.DataFrame) or isinstance(attributes.get(UNIT), str):
        return
    units = dict(attributes.get(UNITS, ()))
    if isinstance(scores, xr.DataArray) and UNIT in scores.coords:
        coordinate = scores[UNIT]
        if coordinate.dims == (SYSTEM,):
            units = dict(zip(scores[SYSTEM].to_numpy(), coordinate.to_numpy(), strict=True))
    elif units and isinstance(scores, pd.DataFrame):
        index = with_own_levels(scores).index
        present = {*index.unique(roles(index.names).get(SYSTEM)).astype(str)}
        units = {system: unit for system, unit in units.items() if system in present}
    if len({*units.values()}) > 1:
        offenders = [f"{system} of {unit}" for system, unit in units.items()]
        advice = "collapse to documents with units=, or judge spans of text"
        raise InputError(
            "lists of the same unit for all systems", "several units", advice, offenders
        )


def refuse_mixed(values: Collection[Any]) -> None:
    """Raise if scores in different units are compared.

    Scores at stopping points cannot be compared with scores at depths.
    """
    sides = {plural(DEPTH) for value in values if DEPTH in getattr(value, "dims", ())}
    for value in values:
        if (axis := axis_of(value)) is not DEPTHS:
            sides.add(str(value.attrs[axis.attribute]))
            expected = f"scores at {plural(axis.dim)} in one unit in all arguments"
    # with two sides, some scores have an axis other than depths, so `expected` is defined
    if len(sides) > 1:
        raise InputError(expected, " and ".join(sorted(sides)))
