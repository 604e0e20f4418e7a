"""Groups and repeats of systems, and attributes of results."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import Array
from irframe.cubes.view import CODES, EXPERIMENT, LIST, OURS, PROVENANCE, Labelled, experiment_of
from irframe.errors import InputError, caution, cautions_of, listing, united, warn
from irframe.evaluation.repeats import Folded
from irframe.evaluation.scoring import one_or_several
from irframe.experiments.group_columns import Groups, refuse_missing, refuse_several, refuse_unknown
from irframe.frames.likeness import repeat_column
from irframe.record import FACTS, SOURCES, InGroups, applied, plain_options, steps_of, with_step


def each_group(
    cube: xr.Dataset, by: str, *, stated: bool = True
) -> Iterator[tuple[Hashable, xr.Dataset]]:
    """Yield the groups of a cube.

    Parameters
    ----------
    cube
        A validated cube.
    by
        Name of a coordinate of systems or topics.
    stated
        Whether collections decide which systems take part in a group. Otherwise a system takes part
        in a group only if it has a list in the group.

    Yields
    ------
    key, cube
        The name of a group, and the part of the cube with the group's systems and topics. A group
        of topics contains the systems that take part in a collection of these topics. A group of
        systems contains the topics of the collections in which these systems take part.

    Raises
    ------
    ParameterError
        If the cube lacks the coordinate, or a system or topic has no group.
    """
    groups = Groups(by, *read_groups(cube, by))
    experiment = experiment_of(cube)
    participated = experiment.participated
    listed = experiment.hits.length > 0
    selections = groups.members(cube.indexes[words.SYSTEM], participated, listed, stated=stated)
    for key, (systems, topics) in selections.items():
        yield key, cube.isel({words.SYSTEM: systems, words.TOPIC: topics})


def own_rows(cube: xr.Dataset, by: str) -> Iterator[tuple[Hashable, xr.Dataset]]:
    """Yield the groups of a cube, without absent systems.

    The groups are the same as if pandas grouped the rows of the run frame.

    Parameters
    ----------
    cube, by
        See `each_group`. If the cube has collections, the collections determine which systems take
        part in a group.

    Yields
    ------
    key, cube
        The name of a group, and its part of the cube. If the cube was built without ``depth=``, the
        part is as deep as its longest list.

    Warns
    -----
    IrframeWarning
        If a system has no rows in a group, although no collection excludes the system from the
        group.
    """
    for key, group in each_group(cube, by, stated="collection" in cube.attrs):
        longest = max(1, int(group["retrieved"].to_numpy().max(initial=0)))
        yield key, group if "depth" in group.attrs else group.isel({words.DEPTH: slice(longest)})


def warn_absent(
    by: object, absent: NDArray[np.bool_], labels: Iterable[object], systems: pd.Index
) -> None:
    """Warn about systems that have no scores in a group."""
    rows = zip(labels, absent, strict=True)
    lines = [f"{key} ({listing(systems[row])})" for key, row in rows if row.any()]
    if lines:
        warn(f"systems without scores in a group are left out ({by}): {'; '.join(lines)}")


def read_groups(labelled: Labelled, by: Hashable) -> tuple[str, Array]:
    """Return the grouped dimension and the group of each label.

    Raises
    ------
    ParameterError
        If the object has no coordinate `by` of systems or topics, or if a label has no group.
    """
    dims: dict[Hashable, str] = {
        str(name): str(coordinate.dims[0])
        for name, coordinate in labelled.coords.items()
        if len(coordinate.dims) == 1 and coordinate.dims[0] in LIST and str(name) not in LIST
    }
    groups = [str(name) for name in dims if name not in OURS]
    if isinstance(by, str) and by in labelled.coords and {*labelled[by].dims} == {*LIST}:
        cells = labelled[by].transpose(*LIST)
        codes = pd.factorize(cells.to_numpy().ravel())[0].reshape(cells.sizes[words.SYSTEM], -1)
        refuse_several(by, cells[words.TOPIC].to_numpy()[(codes != codes[:1]).any(axis=0)])
    if by not in groups:
        refuse_unknown(by, groups)
    keys = labelled[by].to_numpy()
    refuse_missing(by, dims[by], keys, labelled[dims[by]].to_numpy())
    return dims[by], keys


POLICY = {"ties", "score_dtype", "topics"}
"""Options of the ranking policy, which the attributes of a cube already record."""


def stamped(
    result: Any, name: str, source: object, options: Mapping[str, object], subject: object = None
) -> Any:
    """Record a verb and its options in the result's attributes.

    A cube gets only the record of functions and their options. Other results also get an attribute
    for each option that is a number or a string.
    """
    subject = source if subject is None else subject
    if isinstance(result, InGroups) or (isinstance(result, xr.Dataset) and words.GRADE in result):
        return with_step(result, subject, name, options)
    if hasattr(result, "attrs"):
        # a cube already records the options of its ranking policy, so they are not recorded again
        if isinstance(source, xr.Dataset) and words.GRADE in source:
            items = options.items()
            options = {k: v for k, v in items if k not in POLICY or not isinstance(v, str)}
        before = getattr(source, "attrs", {})
        attrs = _drop_earlier(result.attrs, before) if name not in SOURCES else result.attrs
        facts = {key for key in FACTS & attrs.keys() if attrs[key] != before.get(key)}
        options = applied(options, attrs, source)
        chosen = {k: v for k, v in plain_options(options).items() if k not in facts}
        # Results do not contain the experiment, so coordinates that refer to the experiment are
        # dropped.
        if isinstance(result, Labelled):
            links = {*CODES.values(), "retrieved"} & {*result.coords}
            result = result.drop_vars(links)
        decided = before if before.get(words.RESULT) not in {None, *SOURCES} else {}
        decided = {k: v for k, v in decided.items() if k != words.METRICS}
        first = {words.P_VALUES: attrs[words.P_VALUES]} if words.P_VALUES in attrs else {}
        attributes = united(first, provenance(source), decided, attrs, chosen, {words.RESULT: name})
        # the verb and its options come first, because xarray prints only six attributes
        leading = [words.RESULT, *first, *chosen]
        result.attrs = {key: attributes[key] for key in dict.fromkeys([*leading, *attributes])}
        # without this attribute, a variable of the result could be passed on as scores of systems
        for array in result.data_vars.values() if isinstance(result, xr.Dataset) else ():
            array.attrs |= {words.RESULT: name} if {*LIST} <= {*array.dims} else {}
        return with_step(result, subject, name, options)
    return result


def _drop_earlier(
    attributes: Mapping[Hashable, object], before: Mapping[Hashable, object]
) -> dict[Hashable, object]:
    """Drop options of earlier verbs from a result's attributes."""
    options = {name for step in steps_of(before) if step.verb in SOURCES for name in step.options}
    stale = {name for name in options if name in before and attributes.get(name) == before[name]}
    return {name: value for name, value in attributes.items() if name not in stale}


def provenance(source: Any) -> dict[Hashable, Any]:
    """Return the attributes that determine the numbers of an object.

    The object is a cube, scores or a result.
    """
    attributes = getattr(source, "attrs", {})
    decisive = *PROVENANCE, "top", "pool_depth", words.JUDGMENTS, words.UNKNOWN, words.DRAWN
    facts: dict[Hashable, Any] = {n: attributes[n] for n in decisive if n in attributes}
    if EXPERIMENT in attributes:
        experiment = experiment_of(source)
        facts[words.JUDGMENTS] = experiment.judgments.digest
        # Systems without judged documents are determined over all topics, not only the selected
        # ones.
        if unknown := attributes[EXPERIMENT].unknown:
            names = source.get(REPEAT_OF, source[words.SYSTEM]).to_numpy().astype(str)
            judged = {*names[~source[words.SYSTEM].astype(str).isin(unknown)]}
            facts |= {words.UNKNOWN: sorted({*names} - judged)} if {*names} - judged else {}
        for name, values in (("top", experiment.tops), ("pool_depth", experiment.known_pool.depth)):
            facts |= {name: one_or_several(values)} if len(values) else {}
    return facts


def joined_attributes(attributes: Iterable[Mapping[Any, Any]]) -> dict[Any, Any]:
    """Join the attributes of the results of groups.

    An attribute that differs between groups becomes a list with one value per group.
    Attributes that some groups lack are left out. Duplicate cautions are removed.

    Examples
    --------
    >>> joined_attributes([{"alpha": 0.05, "n": 3}, {"alpha": 0.05, "n": 4, "caution": "few"}])
    {'alpha': 0.05, 'n': [3, 4], 'caution': 'few'}
    """
    listed = list(attributes)
    joined = {}
    for name in [name for name in listed[0] if all(name in attrs for attrs in listed)]:
        values = [attrs[name] for attrs in listed]
        alike = all(np.array_equal(values[0], value) for value in values)
        joined[name] = values[0] if alike else values
    return joined | caution(message for attrs in listed for message in cautions_of(attrs))


REPEAT_OF = "repeat_of"
"""Name of the coordinate that contains the system of each repeat."""


def with_repeats(cube: xr.Dataset, folded: Folded) -> xr.Dataset:
    """Add coordinates with the system and label of each repeat."""
    if folded.repeat is None:
        return cube
    both = [folded.owners[name] for name in cube.indexes[words.SYSTEM]]
    systems, labels = (pd.Index(column).to_numpy() for column in zip(*both, strict=True))
    return cube.assign_coords(
        {REPEAT_OF: (words.SYSTEM, systems), words.REPEAT: (words.SYSTEM, labels)}
    )


def one_of_each(cube: xr.Dataset) -> xr.Dataset:
    """Select the first repeat of every system of a cube.

    The selected repeat gets the name of its system.
    """
    if REPEAT_OF not in cube.coords:
        return cube
    owners, systems = pd.factorize(cube[REPEAT_OF].to_numpy())
    first = np.unique(owners, return_index=True)[1]
    return each_a_system(cube.isel({words.SYSTEM: first})).assign_coords({words.SYSTEM: systems})


def each_a_system(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube that treats every repeat as a system."""
    return cube.drop_vars([words.REPEAT, REPEAT_OF], errors="ignore")


def unfolded(result: Any, layout: object = None) -> Any:
    """Spread the repeats of a result along a dimension.

    Results without repeats are returned unchanged. With the layout ``"topic"`` (repeats are drawn
    inside each topic), values are NaN for repeats that a topic lacks.
    """
    if not isinstance(result, Labelled) or REPEAT_OF not in result.coords:
        return result
    is_cube = isinstance(result, xr.Dataset) and words.GRADE in result
    if is_cube or result[REPEAT_OF].dims != (words.SYSTEM,):
        return result
    owners, systems = pd.factorize(result[REPEAT_OF].to_numpy())
    columns, labels = pd.factorize(result[words.REPEAT].to_numpy())
    lists = np.full((len(systems), len(labels)), -1)
    lists[owners, columns] = np.arange(len(owners))
    bare = result.drop_vars([words.SYSTEM, REPEAT_OF, words.REPEAT])
    of_systems = {name: coord for name, coord in bare.coords.items() if words.SYSTEM in coord.dims}
    first = np.unique(owners, return_index=True)[1]
    bare = bare.drop_vars(list(of_systems))
    if layout == "topic" and "retrieved" in of_systems and words.TOPIC in bare.dims:
        listed = of_systems["retrieved"].transpose(words.SYSTEM, words.TOPIC).to_numpy() > 0
        any_listed = np.stack([listed[owners == owner].any(axis=0) for owner in owners])
        # if a system has no list at all for a topic, its scores of empty lists are kept
        bare = bare.where(xr.DataArray(listed | ~any_listed, dims=(words.SYSTEM, words.TOPIC)))
    dims = words.SYSTEM, words.REPEAT
    # Missing repeats (-1) read the first list and are then set to NaN. If none is missing, integers
    # must remain integers, which `where` would convert to floats.
    spread = bare.isel({words.SYSTEM: xr.DataArray(np.maximum(lists, 0), dims=dims)})
    if (lists < 0).any():
        spread = spread.where(xr.DataArray(lists >= 0, dims=dims))
    coords: dict[Hashable, object] = {words.SYSTEM: systems, words.REPEAT: labels}
    # keep coordinates that are constant over the repeats of each system
    for name, coord in of_systems.items():
        values = pd.Series(coord.to_numpy()) if coord.ndim == 1 else None
        if values is not None and values.groupby(owners).nunique(dropna=False).max() == 1:
            coords[name] = coord.isel({words.SYSTEM: first}).variable
    return _in_original_order(spread, result, dims).assign_coords(coords).assign_attrs(result.attrs)


def _in_original_order(spread: Any, result: Any, dims: tuple[str, str]) -> Any:
    """Transpose a result to the original order of its dimensions."""
    if isinstance(spread, xr.Dataset):
        return spread.map(lambda array: _in_original_order(array, result[array.name], dims))
    order = [new for dim in result.dims for new in (dims if dim == words.SYSTEM else (dim,))]
    return spread.transpose(*order)


def group_values(frame: pd.DataFrame, name: Any) -> pd.Index:
    """Return the values of a column or index level."""
    return pd.Index(frame[name]) if name in frame.columns else frame.index.get_level_values(name)


def level_of(wide: pd.DataFrame) -> str | None:
    """Return the name of the index level with repeats."""
    if not any(name in wide.index.names for name in words.REPEAT_NAMES):
        return None
    by_role = words.roles(name for name in wide.index.names if name is not None)
    return repeats_of(wide, [by_role[words.SYSTEM], by_role[words.TOPIC]])


def repeats_of(frame: pd.DataFrame, keys: list[Hashable]) -> str | None:
    """Return the name of the level or column of repeats.

    The result is None if there are no repeats.

    Parameters
    ----------
    frame
        Rows of scores, with systems, topics and possibly repeats in levels or columns.
    keys
        Levels and columns that identify each row if there are no repeats.
    """
    sides = frame.index.names, frame.columns
    levels, columns = ([n for n in side if n in words.REPEAT_NAMES] for side in sides)
    if not levels and not columns:
        return None
    rows = frame.reset_index([name for name in frame.index.names if name is not None])
    level = repeat_column(rows[[*keys, *levels]], keys)
    return level if level or not columns else repeat_column(rows[[*keys, *levels, *columns]], keys)


def repeat_name(scores: Any) -> str:
    """Return the name of repeats in the input."""
    if isinstance(scores, pd.DataFrame):
        return str(level_of(scores) or words.REPEAT)
    return str(scores.attrs.get(words.REPEATED, words.REPEAT))


def refuse_repeated_cube(cube: xr.Dataset, verb: str) -> None:
    """Raise if a cube has several repeats of systems."""
    if cube.sizes.get(words.SYSTEM, 1) == len(np.unique(cube[REPEAT_OF].astype(str))):
        return
    name = cube.attrs.get(words.REPEATED, words.REPEAT)
    advice = (
        f"select one, as in cube.isel(system=cube.{words.REPEAT} == 1), or treat each as a "
        f"system with cube.drop_vars([{words.REPEAT!r}, {REPEAT_OF!r}])"
    )
    raise InputError(f"one {name} of every system for {verb}", "several", advice)
