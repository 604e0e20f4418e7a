"""The decorator that makes a function a verb.

A verb validates its arguments, is applied to each group, and records its options in the result.
"""

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import usual_errors
from irframe.checks import check_int, positions_of
from irframe.cubes import by_group, score_arrays, view
from irframe.cubes.groups import stamped, unfolded
from irframe.cubes.parse_scores import read_all
from irframe.cubes.scores import Scores
from irframe.errors import (
    DepthError,
    InputError,
    IrframeError,
    MetricError,
    OneCall,
    ParameterError,
    warn,
)
from irframe.experiments.policy import shares_ranks
from irframe.experiments.topic_design import names_declared
from irframe.frames.kinds import is_judgments
from irframe.frames.tables import with_own_levels
from irframe.metrics import Metric
from irframe.metrics.facts import directions
from irframe.record import (
    Function,
    InGroups,
    bind,
    calling,
    options_of,
    signature_of,
    with_cautions,
)
from irframe.stops import axis_of

Options = ParamSpec("Options")
Value = TypeVar("Value")

LOADED = 1 << 30
"""Maximum number of bytes of a lazy cube that is loaded if a verb needs the complete cube."""
WORKED = 6
"""Number of bytes per cell of a loaded cube: 1 for the grade, 4 for the position of the document,
and 1 for a flag that marks ties."""
VERBS: dict[str, Callable[..., Any]] = {}
"""Mapping from names to verbs that accept cubes, scores or results."""


@dataclass(frozen=True)
class Declared:
    """A verb's function, and the options of its decorator.

    Parameters
    ----------
    function
        A function whose first parameter is a cube, scores or a result.
    groups
        Whether the function reads all groups at once. Other functions are called for each group.
    bounded
        Whether the function processes cubes larger than memory in blocks. For other functions a
        small lazy cube is loaded, and a large one raises an error.
    repeats
        Whether the function supports several repeats of a system. Otherwise repeats raise an error.
    spans
        Whether the function supports judgments of text spans.
    one_unit
        Whether the function compares systems. All lists must then have the same unit.
    reads
        Parameters that name user coordinates. If none of these parameters is passed, the function
        is called without user coordinates. User coordinates are then added to the result.
    """

    function: Callable[..., Any]
    groups: bool
    bounded: bool
    repeats: bool
    spans: bool
    one_unit: bool
    reads: tuple[str, ...]

    @cached_property
    def first(self) -> str:
        """The first parameter of the function."""
        return next(iter(signature_of(self.function).parameters))

    @property
    def name(self) -> str:
        """The name of the verb."""
        return self.function.__name__

    @property
    def asking(self) -> str:
        """Name of the verb, or "" if repeats are supported."""
        return "" if self.repeats else self.name

    def of_scores(self, subject: object) -> bool:
        """Return whether the verb reads the object as scores."""
        return self.first == "scores" and not isinstance(subject, xr.Dataset)


@overload
def verb(function: Function) -> Function: ...
@overload
def verb(
    *,
    groups: bool = ...,
    bounded: bool = ...,
    repeats: bool = ...,
    spans: bool = ...,
    one_unit: bool = ...,
    reads: tuple[str, ...] = ...,
) -> Callable[[Function], Function]: ...
def verb(
    function: Any = None,
    *,
    groups: bool = False,
    bounded: bool = False,
    repeats: bool = False,
    spans: bool = False,
    one_unit: bool = False,
    reads: tuple[str, ...] = (),
) -> Any:
    """Turn a function into a verb.

    The first parameter of the function is a cube, scores, or the result of another verb.

    A cube is checked against its experiment. If a single label of a dimension was selected, the
    dimension becomes a scalar coordinate of the result. The attributes of the result record the
    input and the options of the verb.

    Parameters
    ----------
    function, groups, bounded, repeats, spans, one_unit, reads
        See `Declared`.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        declared = Declared(function, groups, bounded, repeats, spans, one_unit, reads)

        @wraps(function)
        def call(subject: Any, /, *arguments: Any, **options: Any) -> Any:
            if isinstance(subject, InGroups) and isinstance(subject.subject, dict):
                return by_group.answers(call, subject, arguments, options)
            return _answer(declared, subject, arguments, options)

        VERBS[declared.name] = calling(call, function)
        return call

    return declare if function is None else declare(function)


class _TableVerb(Protocol[Options]):
    """The type of verbs that return tables.

    The result is a frame for a frame of scores, and a dataset for an array.
    """

    @overload
    def __call__(
        self, scores: pd.DataFrame, /, *arguments: Options.args, **options: Options.kwargs
    ) -> pd.DataFrame: ...
    @overload
    def __call__(
        self, scores: xr.DataArray, /, *arguments: Options.args, **options: Options.kwargs
    ) -> xr.Dataset: ...


def table_verb(
    *, repeats: bool = False, one_unit: bool = False
) -> Callable[
    [Callable[Concatenate[Any, Options], xr.Dataset | pd.DataFrame]], _TableVerb[Options]
]:
    """Turn a function that returns a table into a verb."""
    return verb(repeats=repeats, one_unit=one_unit)  # type: ignore[return-value]


def _answer(
    verb: Declared, grouped: object, arguments: Sequence[object], options: dict[str, Any]
) -> Any:
    """Apply a verb to an object or to its groups."""
    groups = grouped if isinstance(grouped, InGroups) else None
    subject = grouped if groups is None else groups.subject
    bound = bind(verb.function, (grouped, *arguments), options)
    bound.arguments[verb.first] = subject
    score_arrays.refuse(bound, one_unit=verb.one_unit)
    with usual_errors(), OneCall() as cautions, score_arrays.counting_costs(subject):
        applied = options_of(verb.function, bound.arguments)
        if groups is None:
            params = _read_params(verb, bound.arguments)
            source = params[verb.first]
            result = _answer_one(verb, params)
        else:
            applied["by"] = groups.plain
            source, result = _answer_groups(verb, bound.arguments, groups.by)
        array = source.source if isinstance(source, Scores) else source
        if isinstance(source, Scores) and hasattr(result, "attrs"):
            _describe_scores(result, source)
        result = _as_selected(verb, _verified(result, array), subject)
        return with_cautions(stamped(result, verb.name, array, applied, subject), cautions)


def _read_params(verb: Declared, params: Mapping[str, object], by: object = None) -> dict[str, Any]:
    """Return the validated arguments of a verb."""
    if verb.of_scores(params[verb.first]):
        return read_all(params, verb.asking, by)
    result = dict(params)
    for param, value in params.items():
        is_first = param == verb.first
        if is_first or (isinstance(value, xr.DataArray | pd.DataFrame) and not is_judgments(value)):
            asking = verb.asking if is_first else f"{param}="
            # datasets that are not cubes must raise the error of `read_cube`
            cube = param == "cube" or (param == "data" and isinstance(value, xr.Dataset))
            result[param] = _read_subject(value, asking, cube=cube)
    source = result[verb.first]
    if isinstance(source, xr.Dataset):
        if words.GRADE in source and not verb.spans:
            view.refuse_spans(source, f" for {verb.name}")
        result[verb.first] = source if verb.bounded else loaded(source, verb.name)
    return result


def _read_subject(subject: object, asking: str, *, cube: bool) -> Any:
    """Return a validated cube, or a result with all dimensions.

    If a single label of a dimension was selected, the dimension gets length one. Several repeats
    raise an error, unless `asking` is "".
    """
    is_cube = isinstance(subject, xr.Dataset) and (
        words.GRADE in subject or view.EXPERIMENT in subject.attrs
    )
    if cube or is_cube:
        return score_arrays.refuse_repeats(view.read_cube(subject), asking)
    if isinstance(subject, view.Labelled):
        result: Any = score_arrays.refuse_repeats(subject, asking)
        result = result.expand_dims(view.selected(result))
        is_scores = isinstance(result, xr.DataArray) and {*view.LIST} <= {*result.dims}
        return score_arrays.validated(result) if is_scores else result
    return with_own_levels(subject) if isinstance(subject, pd.DataFrame) else subject


def _verified(result: Value, source: object) -> Value:
    """Verify a cube's grades unless the result is lazy."""
    if isinstance(source, xr.Dataset) and words.GRADE in source:
        arrays = result.variables.values() if isinstance(result, xr.Dataset) else [result]
        lazy = any(getattr(array, "chunks", None) for array in arrays)
        # Computing lazy scores verifies the grades. Computing a lazy cube does not, because its
        # grades come from a new experiment.
        if not lazy or (isinstance(result, xr.Dataset) and words.GRADE in result):
            view.verify_grades(source)
    return result


def loaded(cube: xr.Dataset, name: str) -> xr.Dataset:
    """Load a lazy cube; raise if the cube is large."""
    size = WORKED * sum(array.nbytes for array in cube.data_vars.values() if array.chunks)
    if size > LOADED:
        message = f"a lazy cube of {size / 2**30:.3g} GiB"
        advice = f"select systems, topics or depths, or load it: cube.compute().ireval.{name}(...)"
        raise InputError(f"a cube in memory, or of at most 1 GiB, for {name}", message, advice)
    return cube.compute() if size else cube


def _describe_scores(result: Any, scores: Scores) -> None:
    """Add the direction of metrics and cautions to a result."""
    read_as = directions(scores.metrics)
    result.attrs |= {words.DIRECTION: read_as} if read_as else {}
    # means of groups are not means over all collections
    if scores.by is None and (pooled := scores.pooled):
        cautions = dict.fromkeys([*filter(None, [result.attrs.get(words.CAUTION)]), pooled])
        result.attrs[words.CAUTION] = "; ".join(cautions)


def _answer_one(verb: Declared, params: Mapping[str, Any]) -> Any:
    """Call the function of a verb.

    User coordinates are dropped before the call, unless the verb reads some of them. The user
    coordinates are restored in the result.
    """
    subject = params[verb.first]
    table = isinstance(subject, Scores)
    array = subject.source if table else subject
    names = view.user_coordinates(array) if isinstance(array, view.Labelled) else []
    if names and not table and all(params.get(param) is None for param in verb.reads):
        # declared labels remain, because functions derive the design of topics from them
        labels = names_declared(subject.attrs)
        params = {**params, verb.first: subject.drop_vars([n for n in names if n not in labels])}
    call = inspect.BoundArguments(signature_of(verb.function), dict(params))
    # the cube is already verified, so functions that read it again need not verify it
    with view.trusting():
        result = verb.function(*call.args, **call.kwargs)
    if not names:
        return result
    result = view.with_coordinates(result, array, names)
    return result if table else unfolded(result, subject.attrs.get(words.REPEATS))


def _answer_groups(verb: Declared, params: Mapping[str, object], by: Any) -> tuple[Any, Any]:
    """Return the object that was read, and the joined results.

    Scores among the arguments are also split. Errors and warnings name the group.
    """
    # groups of a mapping become coordinates, except in scores, to which `read_all` adds them
    if not verb.of_scores(params[verb.first]):
        params, by = by_group.with_names(params, by)
    sources = _read_params(verb, params, by)
    scores = sources[verb.first]
    table = isinstance(scores, Scores)
    by = scores.by if table else by
    if verb.groups and not isinstance(scores, xr.Dataset):
        in_groups = sources if table else {**sources, verb.first: InGroups(scores, by)}
        return scores, _answer_one(verb, in_groups)
    results = {}
    for key, group in by_group.split_arguments(sources, by).items():
        with by_group.naming_group(key, by):
            results[key] = _answer_one(verb, group)
    return scores, by_group.join(results, by, scores.source if table else scores)


def _as_selected(verb: Declared, result: Any, subject: object) -> Any:
    """Drop dimensions that are scalar coordinates of the object."""
    if not (isinstance(result, view.Labelled) and isinstance(subject, view.Labelled)):
        return result
    along = [axis_of(subject).dim] * verb.of_scores(subject)
    single = view.selected(subject, [*view.LIST, *along])
    return result.isel({dim: 0 for dim in single if result.sizes.get(dim) == 1})


def read_depth(cube: xr.Dataset, depth: int | None) -> int:
    """Return the depth to read, by default the cube's depth.

    Raises
    ------
    DepthError
        If the depth is beyond the cube.
    MetricError
        If tied documents share their ranks, so that their order is unknown.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> read_depth(cube, None), read_depth(cube, 10)
    (50, 10)
    """
    if shares_ranks(cube.attrs["ties"]):
        advice = "build the cube with another ties="
        raise MetricError("one order of tied documents", f"ties={cube.attrs['ties']!r}", advice)
    view.refuse_spans(cube)
    deepest = cube.sizes[words.DEPTH]
    if depth is None:
        return deepest
    advice = "build the cube with a greater depth= (missing ranks are empty)"
    return check_int("depth", depth, low=1, high=deepest, error=DepthError, advice=advice)


def drop_absent(cube: xr.Dataset) -> xr.Dataset:
    """Drop systems and topics without lists, with a warning.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> dict(drop_absent(cube).sizes) == dict(cube.sizes)
    True
    """
    participated = view.experiment_of(cube).participated
    has_lists = {words.SYSTEM: participated.any(axis=1), words.TOPIC: participated.any(axis=0)}
    for dim, present in has_lists.items():
        if not present.any():
            raise InputError(f"a {dim} with lists", "none")
        if not present.all():
            warn(f"{(~present).sum()} {dim}s without any list are left out")
            cube = cube.isel({dim: np.flatnonzero(present)})
    return cube


def by_topics(cube: xr.Dataset) -> Iterator[xr.Dataset]:
    """Yield a cube, or the blocks of a lazy cube.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> [block.sizes["topic"] for block in by_topics(cube.chunk(topic=6))]
    [6, 6, 4]
    """
    grade = cube["grade"].variable
    if not grade.chunks:
        yield cube
        return
    for topics in view.slices_of(grade.chunksizes[words.TOPIC]):
        yield cube.isel({words.TOPIC: topics}).compute()


def common_topics(cube: xr.Dataset) -> xr.Dataset:
    """Select topics in which all systems took part.

    Warn about other topics.

    Raises
    ------
    InputError
        If there is no topic in which all systems took part.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> common_topics(cube).sizes["topic"]
    16
    """
    participated = view.experiment_of(cube).participated
    return cube if participated.all() else cube.isel({words.TOPIC: shared_topics(participated)})


def shared_topics(
    participated: NDArray[np.bool_], error: type[IrframeError] = InputError
) -> NDArray[np.intp]:
    """Return positions of topics in which all systems took part.

    Warn about other topics.

    Parameters
    ----------
    participated
        Whether a system took part in a topic, shape (system, topic).
    error
        The error to raise if there is no topic in which all systems took part.

    Examples
    --------
    >>> shared_topics(np.ones((2, 3), bool))
    array([0, 1, 2])
    """
    common = np.flatnonzero(participated.all(axis=0))
    topics = participated.shape[1]
    if not len(common):
        advice = "compare fewer systems, or group by collection"
        raise error("topics in which every system took part", "none", advice)
    if len(common) < topics:
        lost = topics - len(common)
        warn(f"{lost} of {topics} topics are left out, because not all systems took part in them")
    return common


def refuse_deeper(metrics: Iterable[Metric], depth: int) -> None:
    """Raise for metrics with a depth beyond the reading depth.

    Examples
    --------
    >>> from irframe.metrics import P
    >>> refuse_deeper([P() @ 20], 10)
    Traceback (most recent call last):
    ...
    irframe.errors.DepthError: expected depth=10 to be at least the depth of every metric, but
    found P@20.
    """
    deeper = [str(metric) for metric in metrics if (metric.depth or 1) > depth]
    if deeper:
        expected = f"depth={depth} to be at least the depth of every metric"
        raise DepthError(expected, ", ".join(deeper))


def against(
    labels: Sequence[object], baseline: Hashable, systems: Hashable | Sequence[Hashable] | None
) -> tuple[int, list[int]]:
    """Return the positions of the baseline and of compared systems.

    Examples
    --------
    >>> against(["bm25", "ance", "splade"], "ance", None)
    (1, [0, 2])
    """
    (baseline_row,) = positions_of("systems to compare", [baseline], labels)
    if systems is None:
        rows = [row for row in range(len(labels)) if row != baseline_row]
    else:
        rows = positions_of("systems to compare", systems, labels)
    if baseline_row in rows:
        raise ParameterError("systems other than the baseline", repr(baseline))
    if not rows or len(set(rows)) < len(rows):
        message = "duplicates" if rows else "none"
        raise ParameterError("different systems to compare with the baseline", message)
    return baseline_row, rows
