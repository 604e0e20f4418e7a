"""Grouping of cubes and scores, and concatenation of results."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import listed, one_column
from irframe.cubes.groups import (
    each_group,
    group_values,
    joined_attributes,
    read_groups,
    stamped,
    warn_absent,
)
from irframe.cubes.score_arrays import refuse_collections
from irframe.cubes.view import LIST, Labelled, user_coordinates, with_coordinates
from irframe.errors import InputError, IrframeError, ParameterError, in_group, listing, warn
from irframe.experiments.group_columns import RESERVED, given_groups, grouped, participants
from irframe.frames.kinds import is_judgments
from irframe.names import GRADE, PAIR, SIDES, SYSTEM, TOPIC, roles
from irframe.record import InGroups, bind, options_of

Group = TypeVar("Group")

ASKED = ("baseline", "system")
"""Names of parameters whose values are systems. Groups that lack one of these systems are left
out."""


@contextmanager
def naming_group(key: object, by: object) -> Iterator[None]:
    """Add the name of a group to errors and warnings.

    If `by` is None, errors and warnings are unchanged.
    """
    try:
        with in_group("" if by is None else f"{by} {key}"):
            yield
    except IrframeError as error:
        if by is None:
            raise
        raise error.within(f"in the group {key} ({by})") from error


def groups(subject: object, by: Any) -> Iterator[tuple[Hashable, Any]]:
    """Yield the groups of a cube, scores or a result.

    Each item contains the name of a group, and the object restricted to the systems or topics of
    this group. If `by` is None, the only item contains None and the whole object.

    Raises
    ------
    ParameterError
        If no column or coordinate has the name of the groups, or if a label has no group.
    """
    one_column("by", by)
    if by is None:
        yield None, subject
    elif isinstance(subject, pd.DataFrame):
        yield from _frame_groups(subject, by)
    elif isinstance(subject, xr.Dataset) and GRADE in subject:
        yield from each_group(subject, by)
    elif isinstance(subject, Labelled):
        yield from _labelled_groups(subject, by)
    else:
        raise InputError("a cube, scores or a result to group", type(subject).__name__)


def with_given_groups(subject: Any, by: Any) -> tuple[Any, Any]:
    """Add the groups of a mapping to an object.

    The groups become a coordinate of an array or a column of a frame. The result contains the
    changed object and the name of this coordinate or column. If `by` is not a mapping, `subject`
    and `by` are returned unchanged.

    Raises
    ------
    ParameterError
        If the keys of the mapping are neither the topics nor the systems of the object.

    Examples
    --------
    >>> scores = xr.DataArray([[0.1, 0.4]], {"system": ["a"], "topic": ["1", "2"]})
    >>> labelled, by = with_given_groups(scores, {"1": "short", "2": "long"})
    >>> labelled[by].values.tolist()
    ['short', 'long']
    """
    supported = pd.DataFrame | Labelled
    if not isinstance(by, Mapping | pd.Series) or not isinstance(subject, supported):
        return subject, by
    if isinstance(subject, Labelled):
        labels: dict[str, Any] = {d: subject[d].to_numpy() for d in LIST if d in subject.dims}
        name, dim, keys = given_groups(by, labels, [*subject.coords])
        return subject.assign_coords({name: (dim, keys.to_numpy())}), name
    names = [column for column in (*subject.columns, *subject.index.names) if column is not None]
    by_role = roles(names)
    values = {dim: group_values(subject, by_role[dim]) for dim in LIST if dim in by_role}
    labels = {dim: column.unique() for dim, column in values.items()}
    name, dim, keys = given_groups(by, labels, names)
    grouped_rows = subject.assign(**{name: keys.reindex(values[dim]).to_numpy()})
    grouped_rows.attrs = dict(subject.attrs)
    return grouped_rows, name


def with_names(arguments: Mapping[str, object], by: object) -> tuple[dict[str, object], Any]:
    """Add the groups of a mapping to scores among arguments.

    The groups become a coordinate of each array and a column of each frame. The result contains the
    changed arguments and the name of the groups.

    Parameters
    ----------
    arguments
        The arguments of a verb. The first argument is the object to group.
    by
        The name of the groups, or a mapping from topics or systems to groups.
    """
    (first, subject), *further = arguments.items()
    named, name = with_given_groups(subject, by)
    arrays = {
        param: with_given_groups(value, by)[0]
        for param, value in further
        if isinstance(value, xr.DataArray | pd.DataFrame) and not is_judgments(value)
    }
    return {**arguments, first: named, **arrays}, name


def split_arguments(
    arguments: Mapping[str, object], by: Hashable
) -> dict[Hashable, dict[str, object]]:
    """Split the arguments of a verb by group.

    Scores among the arguments are restricted to the systems or topics of each group. Groups are
    left out if they lack a system that the arguments name.

    Raises
    ------
    ParameterError
        If scores among the arguments and the object have different groups.
    """
    (first, subject), *further = arguments.items()
    subjects = _groups_of(subject, by)
    restricted = {}
    for param, value in further:
        frame = isinstance(value, pd.DataFrame | xr.DataArray) and not is_judgments(value)
        if frame or _is_table(value):
            restricted[param] = _groups_of(value, by)
            if differing := sorted(map(str, {*subjects} ^ {*restricted[param]})):
                expected = f"the same groups ({by}) in both arguments"
                raise ParameterError(expected, "groups of one argument only", "", differing)
    return {
        key: {**arguments, first: group, **{param: side[key] for param, side in restricted.items()}}
        for key, group in drop_groups_without(subjects, arguments, by).items()
    }


def _is_table(subject: object) -> bool:
    """Return whether an object has a method `groups`, like `Scores`."""
    # `irframe.cubes.scores` imports this module, so the class cannot be imported here
    return callable(getattr(subject, "groups", None))


def _groups_of(subject: Any, by: Hashable) -> dict[Hashable, Any]:
    """Return the part of an object in each group."""
    return dict(subject.groups() if _is_table(subject) else groups(subject, by))


def answers(
    call: Callable[..., Any], groups: InGroups, arguments: Sequence[Any], options: dict[str, Any]
) -> Any:
    """Call a verb on the cube of each group.

    The results are joined. Results that are cubes remain separate. Groups are left out if they lack
    a system that the arguments name.
    """
    bound = bind(call, (groups.example, *arguments), options)
    results = {}
    # `rel` may name collections of other groups, so all groups are checked together
    refuse_collections(groups.subject.values(), bound.arguments.get("rel"))
    for key, cube in drop_groups_without(groups.subject, bound.arguments, groups.name).items():
        with naming_group(key, groups.name):
            results[key] = call(cube, *arguments, **options)
    first = next(iter(results.values()), None)
    if isinstance(first, xr.Dataset) and GRADE in first:
        return replace(groups, subject=results)
    recorded = options_of(call, bound.arguments) | {"by": groups.plain}
    joined = join(results, groups.name, None)
    return stamped(joined, call.__name__, groups.example, recorded)


def drop_groups_without(
    groups: Mapping[Hashable, Group], arguments: Mapping[str, object], by: object
) -> Mapping[Hashable, Group]:
    """Drop groups that lack a requested system, and warn.

    Parameters
    ----------
    groups
        Mapping from the name of each group to the cube, scores, result or systems of the group.
    arguments
        Arguments of a verb. The arguments in `ASKED` name the requested systems.
    by
        Name of the groups.
    """
    if len(groups) < 2:
        return groups
    named = [label for name in ASKED for label in listed(arguments.get(name))]
    expected = {label for label in named if isinstance(label, Hashable)}
    if not expected:
        return groups
    without = {
        key: lacking for key, group in groups.items() if (lacking := expected - _systems(group))
    }
    # A system that every group lacks is probably misspelled. No group is dropped then, so that the
    # verb raises an error with the known names.
    if not without or len(without) == len(groups):
        return groups
    lines = {key: ", ".join(sorted(map(str, lacking))) for key, lacking in without.items()}
    details = "; ".join(f"{key} (no {names})" for key, names in lines.items())
    warn(f"groups without a requested system are left out ({by}): {details}")
    return {key: group for key, group in groups.items() if key not in without}


def _systems(group: Any) -> set[Hashable]:
    """Return the systems of a group."""
    if isinstance(group, pd.DataFrame):
        group = group_values(group, roles([*group.columns, *group.index.names])[SYSTEM])
    group = getattr(group, "systems", group)
    return set(group if isinstance(group, pd.Index) else np.atleast_1d(group[SYSTEM]).tolist())


def _frame_groups(frame: pd.DataFrame, by: Hashable) -> Iterator[tuple[Hashable, pd.DataFrame]]:
    codes, labels = pd.factorize(group_keys(frame, by))
    for code, key in enumerate(labels):
        rows = frame[codes == code]
        group = rows.drop(columns=by) if by in rows.columns else rows.droplevel(by)
        group.attrs = dict(frame.attrs)
        yield key, group


def group_keys(frame: pd.DataFrame, by: Hashable) -> pd.Index:
    """Return the group of every row.

    Raise if the frame has no column or index level `by`, or if a row has no group.
    """
    names = [name for name in (*frame.index.names, *frame.columns) if name is not None]
    if by not in names:
        expected = f"by to be an index level or a column ({listing(map(str, names))})"
        raise ParameterError(expected, repr(by))
    if not len(frame):
        raise InputError("a frame with rows to group", "an empty frame")
    keys = group_values(frame, by)
    missing = np.flatnonzero(pd.isna(keys))
    if len(missing):
        rows = [str(label) for label in frame.index[missing]]
        raise ParameterError(
            f"a group ({by}) in every row", f"{len(rows)} rows without a group", "", rows
        )
    return keys


def _labelled_groups(labelled: Labelled, by: Hashable) -> Iterator[tuple[Hashable, Labelled]]:
    if by in labelled.dims and by in labelled.indexes and by not in {*LIST, *RESERVED}:
        yield from ((key, of_label(labelled, by, key)) for key in labelled.indexes[by])
        return
    dim, keys = read_groups(labelled, by)
    participated = None
    if {*LIST} <= {*labelled.dims}:
        participated = took_part(labelled)
        if participated is None and isinstance(labelled, xr.DataArray):
            # Without recorded participation, a system takes part in a group if it has scores in the
            # group.
            scored = labelled.notnull().any([*{*labelled.dims} - {*LIST}])
            participated = scored.transpose(*LIST).to_numpy()
    if participated is None:
        codes, labels = pd.factorize(keys)
        yield from ((key, labelled.isel({dim: codes == n})) for n, key in enumerate(labels))
        return
    for key, positions in group_positions(by, dim, keys, labelled.indexes[SYSTEM], participated):
        yield key, labelled.isel(positions)


def of_label(labelled: Labelled, by: Hashable, key: Hashable) -> Any:
    """Return the scores at one label of a dimension.

    Systems and topics without scores for this label are dropped.

    Examples
    --------
    >>> labels = {"track": ["x", "y"], "system": ["a", "b"], "topic": ["1"]}
    >>> scores = xr.DataArray([[[0.5], [np.nan]], [[0.1], [0.2]]], labels)
    >>> of_label(scores, "track", "x").system.values.tolist()
    ['a']
    """
    selected = labelled.sel({by: key}, drop=True)
    if not isinstance(selected, xr.DataArray) or not {*LIST} <= {*selected.dims}:
        return selected
    scored = selected.notnull().any([dim for dim in selected.dims if dim not in LIST])
    masks = {dim: scored.any([across for across in LIST if across != dim]) for dim in LIST}
    return selected.isel({dim: np.flatnonzero(mask) for dim, mask in masks.items() if mask.any()})


def took_part(labelled: Labelled) -> Array | None:
    """Return whether each system took part in each topic.

    The shape is (system, topic). The result is None if the object does not record participation.
    """
    stated = labelled.coords.get("took_part")
    if stated is None:
        return None
    # the selection of a single system or topic drops the dimension, so the dimension is restored
    lacking = [dim for dim in LIST if dim not in stated.dims]
    return np.asarray(stated.expand_dims(lacking).transpose(*LIST))


def group_positions(
    by: object,
    dim: str,
    keys: Array | pd.Index,
    systems: pd.Index,
    participated: Array,
    stated: Array | None = None,
) -> Iterator[tuple[Hashable, dict[str, Array]]]:
    """Yield the positions of systems and topics for each group.

    If topics are grouped, systems that did not take part in a group are left out. If systems are
    grouped, topics in which no system of the group took part are left out.

    Parameters
    ----------
    by, dim, keys
        The name of the groups, the dimension that is grouped, and the group of each label of this
        dimension.
    systems
        The systems.
    participated
        Whether each system took part in each topic, shape (system, topic). A system belongs to a
        group of topics if the system took part in one of these topics.
    stated
        Declared participation, shape (system, topic). A warning names systems that are declared for
        a group but did not take part in the group.
    """
    codes, labels = pd.factorize(keys)
    across = SYSTEM if dim == TOPIC else TOPIC

    def of_groups(cells: Array) -> NDArray[np.bool_]:
        return grouped(cells.T if dim == TOPIC else cells, codes, len(labels))

    taking_part = participants(of_groups(participated))
    if stated is not None and stated is not participated:
        warn_absent(by, of_groups(stated) & ~taking_part, labels, systems)
    for code, key in enumerate(labels):
        selected = {} if taking_part[code].all() else {across: np.flatnonzero(taking_part[code])}
        yield key, {dim: np.flatnonzero(codes == code)} | selected


def join(results: Mapping[Hashable, Any], by: str, source: object) -> Any:
    """Join the results of groups, labelled by group.

    Parameters
    ----------
    results
        Mapping from the name of each group to its result.
    by
        Name of the groups.
    source
        The object that was grouped, or None for separate cubes.

    Returns
    -------
    object
        Frames are concatenated. The group becomes their first column or first index level. Arrays
        are concatenated along a new first dimension, the group. Cubes remain separate, in an
        `InGroups`.

    Raises
    ------
    InputError
        If there are no groups.
    ParameterError
        If the results have a dimension, coordinate or variable with the name of the groups.
    """
    _refuse_none(results, by)
    first = next(iter(results.values()))
    if isinstance(first, pd.DataFrame | pd.Series):
        return join_frames(results, by)
    if isinstance(first, xr.Dataset) and GRADE in first:
        return InGroups(results, by)
    if not isinstance(first, Labelled):
        return type(first).join(results, by)
    bare: list[Any] = []
    # The position of a pair differs between groups, so pairs are aligned by the names of their
    # systems.
    for result in results.values():
        labelled = PAIR in result.dims and PAIR not in result.xindexes
        array = result.set_index({PAIR: SIDES}) if labelled else result
        # Groups contain different labels, so their coordinates are dropped. The coordinates of the
        # source are added to the joined result.
        extra = [n for n, c in array.coords.items() if c.ndim and n not in array.xindexes]
        bare.append(array.drop_vars(extra))
    if by in {*bare[0].dims, *bare[0].coords} or by in getattr(bare[0], "data_vars", ()):
        advice = "rename the groups, as in groupby(pd.Series(by, name='part'))"
        raise ParameterError(
            "a name of groups that no coordinate of the result has", repr(by), advice
        )
    keys = pd.Index(list(results), name=by)
    fill_value: float | dict[Hashable, object] = np.nan
    # By default the outer join fills all missing values with NaN, but results mark a missing text
    # by "" and a missing count by 0, so that counts remain integers.
    if isinstance(bare[0], xr.Dataset):
        variables = bare[0].data_vars.items()
        fill_value = {name: "" for name, array in variables if array.dtype.kind in "OUT"}
        fill_value |= {"n": 0} if "n" in bare[0] else {}
    joined = xr.concat(bare, dim=keys, join="outer", fill_value=fill_value)
    joined.attrs = joined_attributes(result.attrs for result in bare)
    if {*SIDES} <= {*joined.xindexes}:
        joined = joined.reset_index(PAIR)
    if source is not None and not isinstance(source, Labelled):
        return joined
    # the outer join changed the order of labels, so the original order is restored
    ordered = bare if source is None else [source]
    dims = [dim for dim in LIST if dim in joined.dims and dim in ordered[0].dims]
    order = {dim: pd.unique(np.concatenate([array[dim] for array in ordered])) for dim in dims}
    joined = joined.sel(
        {dim: labels[np.isin(labels, joined[dim])] for dim, labels in order.items()}
    )
    return with_coordinates(joined, ordered[0], user_coordinates(source))


def _refuse_none(results: Collection[object], by: Hashable) -> None:
    if not results:
        raise InputError(f"at least one group ({by})", "none", "select more systems or topics")


def join_frames(results: Mapping[Any, pd.DataFrame], by: Hashable) -> pd.DataFrame:
    """Concatenate frames of groups.

    The group becomes the first column, or the first index level.
    """
    _refuse_none(results, by)
    # attributes are removed from shallow copies, and not from the caller's results
    frames = [result.copy(deep=False) for result in results.values()]
    for frame in frames:  # attributes are joined below, and pandas would otherwise compare them
        frame.attrs = {}
    first = frames[0]
    if not (isinstance(first.index, pd.RangeIndex) and first.index.name is None):
        joined = pd.DataFrame(pd.concat(dict(zip(results, frames, strict=True)), names=[by]))
    elif by in first.columns:
        raise ParameterError("a name of groups that no column of the result has", repr(by))
    else:
        for key, frame in zip(results, frames, strict=True):
            frame.insert(0, by, key)
        joined = pd.DataFrame(pd.concat(frames, ignore_index=True))
    joined.attrs.update(joined_attributes(result.attrs for result in results.values()))
    return joined
