"""Groups of systems and topics, the part of a cube in each, and where numbers come from."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.view import CODES, EXPERIMENT, LIST, OURS, PROVENANCE, experiment_of
from irframe.errors import InputError, warn
from irframe.experiments.group_columns import Groups, refuse_missing, refuse_several, refuse_unknown
from irframe.experiments.scoring import one_or_several
from irframe.files.ids import Codes
from irframe.names import CAUTION, DEPTH, GRADE, JUDGMENTS, METRICS, RESULT, SYSTEM, TOPIC
from irframe.record import FACTS, SOURCES, applied, plain_options, with_step
from irframe.warned import listing


def each_group(cube: xr.Dataset, by: str) -> Iterator[tuple[Any, xr.Dataset]]:
    """Yield the groups of a cube.

    Parameters
    ----------
    cube
        A cube, read through the gate.
    by
        A coordinate of its systems or topics.

    Yields
    ------
    key, cube
        A group's name and its part, at all depths of the cube: of the topics of the group the
        systems that take part in a collection there, of the systems of the group the topics of
        the collections in which they take part.

    Raises
    ------
    ParameterError
        If there is no such coordinate, or a system or topic has no group.
    """
    for key, (systems, topics) in _parts(cube, by, told=True).items():
        yield key, cube.isel({SYSTEM: systems, TOPIC: topics})


def own_rows(cube: xr.Dataset, by: str) -> Iterator[tuple[Any, xr.Dataset]]:
    """Yield the groups of a cube of frames as pandas groups rows: none of whom has none there.

    Parameters
    ----------
    cube, by
        As for `each_group`. A cube with collections says by these who takes part in a group.

    Yields
    ------
    key, cube
        A group's name and its part, as deep as its own lists if the depth was not given.

    Warns
    -----
    IrframeWarning
        If systems have no rows in some group, though nothing says that they took no part.
    """
    for key, (systems, topics) in _parts(cube, by, told="collection" in cube.attrs).items():
        yield key, _cut(cube.isel({SYSTEM: systems, TOPIC: topics}))


def _parts(cube: xr.Dataset, by: str, *, told: bool) -> dict[Any, tuple[Codes, Codes]]:
    """Return which systems and topics are in each group; see `Groups`."""
    groups, experiment = Groups(by, *read_groups(cube, by)), experiment_of(cube)
    there, listed = experiment.there, experiment.hits.length > 0
    return groups.parts(cube.indexes[SYSTEM], there, listed, told=told)


def tell_absent(by: Any, absent: NDArray[np.bool_], labels: Any, systems: pd.Index) -> None:
    """Warn of systems that took part in a group, shape (group, system), but have no score there."""
    told = [
        f"{key} ({listing(systems[row])})"
        for key, row in zip(labels, absent, strict=True)
        if row.any()
    ]
    if told:
        warn(f"systems without any score in a group are left out there ({by}): {'; '.join(told)}")


def refuse_uneven(by: Any, codes: Codes, systems: Codes, topics: Codes, names: Any) -> None:
    """Raise if rows of one topic are of several groups, and rows of one system too.

    Parameters
    ----------
    by
        What the groups are called.
    codes, systems, topics
        Group, system and topic of every row.
    names
        Name of the topic of every row.
    """
    uneven = [_several(labels, codes) for labels in (systems, topics)]
    if all(len(each) for each in uneven):
        refuse_several(by, pd.unique(names[np.isin(topics, uneven[1])]))


def _several(labels: Codes, groups: Codes) -> Codes:
    """Return the labels that are in several groups."""
    pairs = np.unique(np.stack([labels, groups], axis=1), axis=0)
    return np.flatnonzero(np.bincount(pairs[:, 0]) > 1)


def read_groups(labelled: xr.Dataset | xr.DataArray, by: Any) -> tuple[str, Any]:
    """Return the dimension of a group coordinate and the group of every label there.

    Raises
    ------
    ParameterError
        If there is none of this name, listing those there are, or groups are missing.
    """
    known = {
        str(name): str(coordinate.dims[0])
        for name, coordinate in labelled.coords.items()
        if len(coordinate.dims) == 1 and coordinate.dims[0] in LIST and str(name) not in LIST
    }
    groups = [name for name in known if name not in OURS]
    if isinstance(by, str) and by in labelled.coords and {*labelled[by].dims} == {*LIST}:
        _refuse_cells(labelled[by])
    if by not in groups:
        refuse_unknown(by, groups)
    keys = labelled[by].to_numpy()
    refuse_missing(by, known[by], keys, labelled[known[by]].to_numpy())
    return known[by], keys


def _refuse_cells(keys: xr.DataArray) -> None:
    """Raise if a coordinate of systems and topics is to name groups."""
    codes = pd.factorize(keys.transpose(*LIST).to_numpy().ravel())[0].reshape(
        keys.sizes[SYSTEM], -1
    )
    refuse_several(keys.name, keys[TOPIC].to_numpy()[(codes != codes[:1]).any(axis=0)])


def _cut(cube: xr.Dataset) -> xr.Dataset:
    """Return a group as deep as its own lists, where the cube is as deep as its lists."""
    longest = max(1, int(cube["retrieved"].max())) if cube["retrieved"].size else 1
    return cube if "depth" in cube.attrs else cube.isel({DEPTH: slice(longest)})


def joined_groups(cubes: list[xr.Dataset], dim: str, labels: pd.Index) -> dict[Any, Any]:
    """Return the coordinates of users, those of the other dimension by its labels."""
    across = SYSTEM if dim == TOPIC else TOPIC
    shared = _shared(cubes, across, labels)
    ours = OURS - {*LIST}
    bare = [
        xr.Dataset(
            coords={n: c.variable for n, c in cube.coords.items() if n not in ours | {*shared}}
        )
        for cube in cubes
    ]
    kept = set.intersection(*(set(cube.coords) for cube in bare))
    lost = sorted(map(str, set().union(*(cube.coords for cube in bare)) - kept))
    if lost:
        advice = "drop them with drop_vars, or build each cube with them"
        raise InputError("cubes with the same group coordinates", "some without", advice, lost)
    wide = [cube.reindex({across: labels}) for cube in bare]
    joined = xr.concat(
        wide, dim, data_vars="minimal", coords="minimal", compat="override", join="exact"
    )
    order = [name for name in cubes[0].coords if name in joined.coords and name not in LIST]
    return {name: joined[name].variable for name in order} | shared


def _shared(cubes: list[xr.Dataset], dim: str, labels: pd.Index) -> dict[str, Any]:
    """Return the group coordinates of the other dimension, refusing those that disagree."""
    found = {}
    for name in _groups(cubes, dim):
        parts = [cube[name] for cube in cubes if name in cube.coords]
        apart = _disagreeing(parts)
        if len(apart):
            advice = "rename the coordinate in one of the cubes"
            raise InputError(f"one {name} for every {dim}", "several for", advice, apart)
        values = pd.concat([part.to_series() for part in parts]).dropna()
        values = values[~values.index.duplicated()].reindex(labels)
        dtype = object if values.isna().any() else _common([part.dtype for part in parts])
        found[name] = (dim, values.to_numpy(dtype=dtype))
    return found


def _groups(cubes: list[xr.Dataset], dim: str) -> list[str]:
    """Return the names of group coordinates that some cube has for a dimension."""
    names = [name for cube in cubes for name in cube.coords if cube[name].dims == (dim,)]
    return [str(name) for name in dict.fromkeys(names) if name != dim and name not in OURS]


def _disagreeing(parts: list[xr.DataArray]) -> pd.Index:
    """Return labels to which coordinates give different groups."""
    counts = pd.concat([part.to_series() for part in parts]).groupby(level=0, sort=False).nunique()
    labels: pd.Index = counts.index[counts > 1]
    return labels


def regrouped(cubes: list[xr.Dataset], dim: str) -> list[xr.Dataset]:
    """Return cubes in which a group that is one per cube belongs to what sets the cubes apart."""
    for name in _groups(cubes, SYSTEM if dim == TOPIC else TOPIC):
        parts = [cube[name] for cube in cubes if name in cube.coords]
        mixed = len({part.dims for part in parts}) > 1
        lone = [part.dims == (dim,) or len(pd.unique(part.to_numpy())) == 1 for part in parts]
        if mixed and not all(lone):
            raise InputError("groups of systems or groups of topics", "both in", "", [name])
        if all(lone) and (mixed or len(_disagreeing(parts))):
            cubes = [_given(cube, name, dim) for cube in cubes]
    return cubes


def _given(cube: xr.Dataset, name: str, dim: str) -> xr.Dataset:
    if name not in cube.coords or cube[name].dims == (dim,):
        return cube
    values = np.repeat(cube[name].to_numpy()[:1], cube.sizes[dim])
    return cube.assign_coords({name: (dim, values)})


def _common(dtypes: list[Any]) -> Any:
    """Return a type that holds values of all types as they are."""
    plain = all(isinstance(dtype, np.dtype) for dtype in dtypes)
    alike = len({dtype.kind for dtype in dtypes}) == 1
    return np.result_type(*dtypes) if plain and alike else object


POLICY = {"ties", "score_dtype", "topics"}
"""Arguments of verbs of frames that a cube has settled."""


def stamped(
    result: Any, name: str, whole: Any, options: Mapping[str, Any], subject: Any = None
) -> Any:
    """Say in a result's attributes which verb made it, from what, and by which options.

    Cubes have the record alone; other results each option that is a number or a text, too.
    """
    subject = whole if subject is None else subject
    if isinstance(result, xr.DataTree) or (isinstance(result, xr.Dataset) and GRADE in result):
        return with_step(result, subject, name, options)
    if hasattr(result, "attrs"):
        if isinstance(whole, xr.Dataset) and GRADE in whole:  # made by a policy of its own
            given = options.items()
            options = {k: v for k, v in given if k not in POLICY or not isinstance(v, str)}
        kept = result.attrs
        before = getattr(whole, "attrs", {})
        facts = {key for key in FACTS & kept.keys() if kept[key] != before.get(key)}
        options = applied(options, kept, whole)
        chosen = {k: v for k, v in plain_options(options).items() if k not in facts}
        if isinstance(result, xr.Dataset | xr.DataArray):  # which is of no experiment any more
            result = result.drop_vars(CODES.values(), errors="ignore")
        result.attrs = {**provenance(whole), **_decided(whole), **kept, **chosen, RESULT: name}
        return with_step(result, subject, name, options)
    return result


def _decided(whole: Any) -> dict[Any, Any]:
    """Return what decided a result that is looked at further; of cubes and scores nothing."""
    attributes = getattr(whole, "attrs", {})
    result = attributes.get(RESULT) not in {None, *SOURCES}
    return {k: v for k, v in attributes.items() if k != METRICS} if result else {}


def provenance(whole: Any) -> dict[Any, Any]:
    """Return what decided the numbers of a cube, of scores or of a result."""
    attributes = getattr(whole, "attrs", {})
    found = {name: attributes[name] for name in PROVENANCE if name in attributes}
    for name in ("top", "pool_depth", JUDGMENTS):
        if name in attributes:
            found[name] = attributes[name]
    if EXPERIMENT in attributes:
        experiment = experiment_of(whole)
        found[JUDGMENTS] = experiment.judgments.digest
        for name, values in (("top", experiment.tops), ("pool_depth", experiment.known_pool.depth)):
            found |= {name: one_or_several(values)} if len(values) else {}
    return found


def joined_attributes(parts: Iterable[Mapping[Any, Any]]) -> dict[Any, Any]:
    """Return the attributes of the results of groups as those of one.

    What differs becomes a list, a value for each group; what some groups lack is left out, but for
    cautions, of which each is said once.

    Examples
    --------
    >>> joined_attributes([{"alpha": 0.05, "n": 3}, {"alpha": 0.05, "n": 4, "caution": "few"}])
    {'alpha': 0.05, 'n': [3, 4], 'caution': 'few'}
    """
    every = list(parts)
    shared = [name for name in every[0] if all(name in one for one in every)]
    values = {name: [one[name] for one in every] for name in shared}
    found = {
        name: each[0] if all(np.array_equal(each[0], one) for one in each) else each
        for name, each in values.items()
    }
    told = [part for one in every if CAUTION in one for part in str(one[CAUTION]).split("; ")]
    return found | ({CAUTION: "; ".join(dict.fromkeys(told))} if told else {})
