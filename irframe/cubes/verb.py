"""What every verb does alike: the gate, groups, trees, and what it asks of what it reads."""

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, Protocol, overload

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import usual_errors
from irframe.checks import places, whole
from irframe.cubes import by_group, score_arrays, view
from irframe.cubes.groups import stamped, unfolded
from irframe.cubes.score_table import ScoreTable, read_all
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
from irframe.files.kinds import is_judgments
from irframe.files.tables import with_own_levels
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

LOADED = 1 << 30
"""Bytes of a lazy cube that a verb loads which cannot work on a part of it at a time."""

WORKED = 6
"""Bytes that verbs make of each grade: the grade, the document, and whether it is tied."""

REPEATABLE = {"over", "best_of", "repeats", "n_repeats"}
"""Parameters of verbs that read scores of several repeats of a system; others refuse these."""

VERBS: dict[str, Callable[..., Any]] = {}
"""Every verb of cubes, of scores and of what they return, by name."""
TABLES: set[str] = set()
"""Those that give a table."""


@overload
def verb(function: Function) -> Function: ...
@overload
def verb(
    *, itself: bool = ..., bounded: bool = ..., repeats: bool = ..., spans: bool = ...
) -> Callable[[Function], Function]: ...
def verb(
    function: Function | None = None,
    *,
    itself: bool = False,
    bounded: bool = False,
    repeats: bool = False,
    spans: bool = False,
) -> Any:
    """Make a function of a cube, of scores or of what a verb returned a verb.

    A cube is read through the gate. A dimension of which one label was selected is one of the
    result's scalar coordinates. ``by=`` gives one result per group, labelled with the group; so
    does a DataTree for its branches. The result's attributes say how its numbers came about.

    Parameters
    ----------
    function
        Its first parameter is the object; ``by``, if it has one, it need not read.
    itself
        Whether the function reads ``by`` itself but of datasets, as the groups share something.
    bounded
        Whether it works on cubes larger than memory, a part at a time. For others a lazy cube is
        loaded, if it is small, or refused.
    repeats
        Whether it keeps several repeats of a system in a cube apart; others refuse these.
    spans
        Whether it reads judgments by spans of text, which are of no documents.
    """
    if function is None:
        return partial(verb, itself=itself, bounded=bounded, repeats=repeats, spans=spans)
    signature, name = signature_of(function), function.__name__
    scored = next(iter(signature.parameters)) == "scores"
    asking = "" if repeats or not REPEATABLE.isdisjoint(signature.parameters) else name

    @wraps(function)
    def call(subject: Any, /, *arguments: Any, **options: Any) -> Any:
        if isinstance(subject, InGroups):
            return by_group.answers(call, subject, arguments, options)
        bound = bind(function, (subject, *arguments), options)
        score_arrays.refuse(name, bound)
        with usual_errors(), OneCall() as said, score_arrays.counting_costs(subject):
            return with_cautions(answer(bound), said)

    def answer(bound: inspect.BoundArguments) -> Any:
        if isinstance(next(iter(bound.arguments.values())), xr.DataTree):
            return _over_tree(call, bound)
        _settle_collection(bound.arguments)
        options, subject = options_of(bound), next(iter(bound.arguments.values()))
        of_scores = scored and not isinstance(subject, xr.Dataset)
        read: Any = (read_all if of_scores else _read_all)(bound, asking)
        cubes = isinstance(read, xr.Dataset)
        if cubes and words.GRADE in read and not spans:
            view.refuse_spans(read, f" for {name}")
        read = loaded(read, name) if cubes and not bounded else read
        by = bound.arguments.pop("by", None) if cubes or not itself else None
        whole, result = _answer_groups(function, read, bound, by)
        if of_scores and hasattr(result, "attrs"):
            grouped = "by" not in signature.parameters or read.by is not None
            _describe_scores(result, read, "" if grouped else read.pooled)
        if isinstance(result, view.Labelled) and isinstance(subject, view.Labelled):
            places = [axis_of(subject).dim] * of_scores
            lone = view.selected(subject, [*view.LIST, *places])
            lone = [dim for dim in lone if result.sizes.get(dim) == 1]
            result = result.isel(dict.fromkeys(lone, 0))
        return stamped(result, name, whole, options, subject)

    VERBS[name] = calling(call, function)
    return call


def _describe_scores(result: Any, read: ScoreTable, pooled: str) -> None:
    """Say of a result which way scores were read, and what to beware of in their topics."""
    read_as = directions(map(str, read.labels[words.METRIC]))
    result.attrs |= {words.DIRECTION: read_as} if read_as else {}
    if pooled:
        cautions = dict.fromkeys([*filter(None, [result.attrs.get(words.CAUTION)]), pooled])
        result.attrs[words.CAUTION] = "; ".join(cautions)


class _TableVerb(Protocol[Options]):
    """A verb that gives a frame for a frame of scores, and a dataset for an array."""

    @overload
    def __call__(
        self, scores: pd.DataFrame, /, *arguments: Options.args, **options: Options.kwargs
    ) -> pd.DataFrame: ...
    @overload
    def __call__(
        self, scores: xr.DataArray, /, *arguments: Options.args, **options: Options.kwargs
    ) -> xr.Dataset: ...


def table_verb(
    function: Callable[Concatenate[Any, Options], xr.Dataset | pd.DataFrame],
) -> _TableVerb[Options]:
    """Make a verb of a function that gives a table of the kind that its scores are of.

    Of a DataTree it gives one frame.
    """
    TABLES.add(function.__name__)
    return verb(function)  # type: ignore[arg-type]


def _as_table(result: Any) -> Any:
    """Return a dataset over systems as a frame, without coordinates that label nothing."""
    if not isinstance(result, xr.Dataset):
        return result
    table = result.drop_vars([name for name in result.coords if name not in result.dims])
    frame = table.to_dataframe([*table.dims])
    frame.attrs = dict(result.attrs)
    return frame


def _read_all(bound: inspect.BoundArguments, asking: str) -> Any:
    """Read what a verb of cubes or results is given into its place; return the first as read."""
    given = bound.arguments
    by_group.settle_groups(given)
    first = next(iter(given))
    for word, value in list(given.items()):
        mine = word == first
        if mine or (isinstance(value, xr.DataArray | pd.DataFrame) and not is_judgments(value)):
            given[word] = _read_subject(value, asking if mine else f"{word}=", cube=word == "cube")
    return given[first]


def _read_subject(subject: Any, asking: str, *, cube: bool) -> Any:
    """Return a cube through the gate; of results a selected label as one of each.

    Several repeats are refused in the name of who is asking, if it has one.
    """
    held = isinstance(subject, xr.Dataset) and (
        words.GRADE in subject or view.EXPERIMENT in subject.attrs
    )
    if cube or held:
        return score_arrays.refuse_repeats(view.read_cube(subject), asking)
    if isinstance(subject, view.Labelled):
        read: Any = score_arrays.refuse_repeats(subject, asking)
        read = read.expand_dims(view.selected(read))
        whole = isinstance(read, xr.DataArray) and {*view.LIST} <= {*read.dims}
        return score_arrays.sound(read) if whole else read
    return with_own_levels(subject) if isinstance(subject, pd.DataFrame) else subject


def _settle_collection(given: dict[str, Any]) -> None:
    """Give the groups of collections where they are asked for by the name of these."""
    if "by" in given:
        given["by"] = score_arrays.settled_collection(next(iter(given.values())), given["by"])


def _hold_whole(whole: Any, result: Any) -> None:
    """Hold grades of a lazy cube against its experiment's, unless tasks of the result do."""
    if isinstance(whole, xr.Dataset) and words.GRADE in whole:
        parts = result.variables.values() if isinstance(result, xr.Dataset) else [result]
        lazy = any(getattr(part, "chunks", None) for part in parts)
        if not lazy or (isinstance(result, xr.Dataset) and words.GRADE in result):
            view.hold(whole)


def loaded(cube: xr.Dataset, name: str) -> xr.Dataset:
    """Return a cube in memory, refusing to load one that is large."""
    size = WORKED * sum(part.nbytes for part in cube.data_vars.values() if part.chunks)
    if size > LOADED:
        found = f"a lazy one of {size / 2**30:.3g} GiB"
        advice = f"select systems, topics or depths, or load it: cube.compute().ireval.{name}(...)"
        raise InputError(f"a cube in memory, or one of at most 1 GiB, for {name}", found, advice)
    return cube.compute() if size else cube


def _answer_each(
    answer: Callable[..., Any], whole: Any, bound: inspect.BoundArguments, by: Any
) -> dict[Any, Any]:
    """Return the answers of all groups or branches; scores or trees among the arguments are split.

    Parts are named in the errors that they raise, and in their warnings.
    """
    if by is None:
        return {None: answer(whole, bound)}
    tree, given = isinstance(whole, xr.DataTree), bound.arguments
    kinds = xr.DataTree if tree else pd.DataFrame | xr.DataArray | ScoreTable

    def split(subject: Any) -> dict[Any, Any]:
        if isinstance(subject, ScoreTable):
            return dict(subject.groups())
        return by_group.branches(subject) if tree else dict(by_group.groups(subject, by))

    parts, others = split(whole), {}
    for name, value in list(given.items())[1:]:
        if isinstance(value, kinds) and not is_judgments(value):
            others[name] = split(value)
            if differing := sorted(map(str, set(parts) ^ set(others[name]))):
                wanted = f"the same groups ({by}) on both sides"
                raise ParameterError(wanted, "some on one side only", "", differing)
    results = {}
    for key, part in by_group.having(parts, given, by).items():
        given.update({name: other[key] for name, other in others.items()})
        with by_group.naming_group(key, by):
            results[key] = answer(part, bound)
    return results


def _answer_one(function: Callable[..., Any], subject: Any, bound: inspect.BoundArguments) -> Any:
    """Call a function on a subject, without its users' coordinates unless it asks for one."""
    given = bound.arguments
    if isinstance(subject, ScoreTable):
        given[next(iter(given))] = subject
        result, array = function(*bound.args, **bound.kwargs), subject.whole
        names = by_group.riders_of(array)
        return by_group.with_riders(result, array, names) if names else result
    names = by_group.riders_of(subject)
    labels = names_declared(getattr(subject, "attrs", {}))
    bare = [name for name in names if name not in labels]
    named = any(given.get(word) is not None for word in ("by", "together"))
    asks = named or isinstance(given.get("rel"), Mapping)
    given[next(iter(given))] = subject.drop_vars(bare) if bare and not asks else subject
    with view.trusting():
        result = function(*bound.args, **bound.kwargs)
    if not names:
        return result
    return unfolded(by_group.with_riders(result, subject, names), subject.attrs.get(words.REPEATS))


def _answer_groups(
    function: Callable[..., Any], read: Any, bound: inspect.BoundArguments, by: Any
) -> tuple[Any, Any]:
    """Return what a verb was asked of, and what it answers, of groups by group."""
    results = _answer_each(partial(_answer_one, function), read, bound, by)
    whole = read.whole if isinstance(read, ScoreTable) else read
    result = results[None] if by is None else by_group.join(results, by, whole)
    _hold_whole(whole, result)
    return whole, result


def _over_tree(call: Callable[..., Any], bound: inspect.BoundArguments) -> Any:
    """Return the results of the branches: a tree of arrays, or a frame with the group."""
    tree: xr.DataTree = next(iter(bound.arguments.values()))
    name, options = tree.name or "group", options_of(bound)

    def answer(branch: Any, bound: inspect.BoundArguments) -> Any:
        return call(branch, *bound.args[1:], **bound.kwargs)

    results = _answer_each(answer, tree, bound, name)
    if call.__name__ in TABLES:
        results = {key: _as_table(result) for key, result in results.items()}
    if not all(isinstance(result, view.Labelled) for result in results.values()):
        first = next(iter(by_group.branches(tree).values()))
        return stamped(by_group.join(results, name, tree), call.__name__, first, options)
    nodes = {
        key: result
        if isinstance(result, xr.Dataset)
        else result.to_dataset(
            name=str(result.name or result.attrs.get(words.RESULT, "value")), promote_attrs=True
        )
        for key, result in results.items()
    }
    return xr.DataTree.from_dict(nodes, name=tree.name)


def read_depth(cube: xr.Dataset, depth: int | None) -> int:
    """Return how deep lists are read, by default as deep as the cube.

    Parameters
    ----------
    cube
        A cube.
    depth
        The depth asked for.

    Raises
    ------
    DepthError
        For a depth beyond the cube.
    MetricError
        If tied documents share their ranks, so that there is no one order to read.

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
    advice = "build the cube with a greater depth=; missing ranks are empty"
    return whole("depth", depth, low=1, high=deepest, error=DepthError, advice=advice)


def attended(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube without systems and topics of which nothing is there, warning of them.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> dict(attended(cube).sizes) == dict(cube.sizes)
    True
    """
    there = view.experiment_of(cube).there
    kept = {words.SYSTEM: there.any(axis=1), words.TOPIC: there.any(axis=0)}
    for dim, present in kept.items():
        if not present.any():
            raise InputError(f"{dim}s of which something is there", "none")
        if not present.all():
            warn(f"{(~present).sum()} {dim}s of which nothing is there are left out")
            cube = cube.isel({dim: np.flatnonzero(present)})
    return cube


def by_topics(cube: xr.Dataset) -> Iterator[xr.Dataset]:
    """Yield a cube in memory: whole, or where it is lazy one block of topics after the other.

    Parameters
    ----------
    cube
        A cube.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> [part.sizes["topic"] for part in by_topics(cube.chunk(topic=6))]
    [6, 6, 4]
    """
    grade = cube["grade"].variable
    if not grade.chunks:
        yield cube
        return
    for topics in view.slices_of(grade.chunksizes[words.TOPIC]):
        yield cube.isel({words.TOPIC: topics}).compute()


def shared(cube: xr.Dataset) -> xr.Dataset:
    """Return the topics of a cube in which all of its systems took part, warning of others.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> shared(cube).sizes["topic"]
    16
    """
    there = view.experiment_of(cube).there
    return cube if there.all() else cube.isel({words.TOPIC: shared_topics(there)})


def shared_topics(
    there: NDArray[np.bool_], error: type[IrframeError] = InputError
) -> NDArray[np.intp]:
    """Return the places of the topics in which all systems took part, warning of others.

    Parameters
    ----------
    there
        Whether a system took part in a topic, shape (system, topic).
    error
        What to raise if there is no such topic.

    Examples
    --------
    >>> shared_topics(np.ones((2, 3), bool))
    array([0, 1, 2])
    """
    kept = np.flatnonzero(there.all(axis=0))
    topics = there.shape[1]
    if not len(kept):
        advice = "compare fewer systems, or those of every collection apart with by="
        raise error("topics in which every system took part", "none", advice)
    if len(kept) < topics:
        left = topics - len(kept)
        warn(f"{left} of {topics} topics are left out: not all systems took part there")
    return kept


def refuse_deeper(metrics: Iterable[Metric], depth: int) -> None:
    """Raise for metrics whose own depth is beyond the one that lists are read to.

    Examples
    --------
    >>> from irframe.metrics import P
    >>> refuse_deeper([P() @ 20], 10)
    Traceback (most recent call last):
    ...
    irframe.errors.DepthError: wanted depth=10 to reach as deep as the metrics; found P@20.
    """
    deeper = [str(metric) for metric in metrics if (metric.depth or 1) > depth]
    if deeper:
        raise DepthError(f"depth={depth} to reach as deep as the metrics", ", ".join(deeper))


def against(
    labels: Sequence[Any], baseline: Hashable, systems: Hashable | Sequence[Hashable] | None
) -> tuple[int, list[int]]:
    """Return where a baseline stands, and the systems to hold against it, by default all others.

    Examples
    --------
    >>> against(["bm25", "ance", "splade"], "ance", None)
    (1, [0, 2])
    """
    (yardstick,) = places("systems to compare", [baseline], labels)
    if systems is None:
        others = [row for row in range(len(labels)) if row != yardstick]
    else:
        others = places("systems to compare", systems, labels)
    if yardstick in others:
        raise ParameterError("systems other than the baseline", repr(baseline))
    if not others or len(set(others)) < len(others):
        found = "none" if not others else "some again"
        raise ParameterError("at least one system beside the baseline, each once", found)
    return yardstick, others
