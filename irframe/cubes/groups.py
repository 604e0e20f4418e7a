"""Groups of systems and topics, the part of a cube in each, and where numbers come from."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.view import CODES, EXPERIMENT, LIST, OURS, PROVENANCE, Labelled, experiment_of
from irframe.errors import InputError, warn
from irframe.experiments.group_columns import Groups, refuse_missing, refuse_several, refuse_unknown
from irframe.experiments.scoring import one_or_several
from irframe.names import CAUTION, DEPTH, GRADE, JUDGMENTS, METRICS, RESULT, SYSTEM, TOPIC
from irframe.record import FACTS, SOURCES, applied, plain_options, with_step
from irframe.warned import listing


def each_group(cube: xr.Dataset, by: str, *, told: bool = True) -> Iterator[tuple[Any, xr.Dataset]]:
    """Yield the groups of a cube.

    Parameters
    ----------
    cube
        A cube, read through the gate.
    by
        A coordinate of its systems or topics.
    told
        Whether who took part says who is in a group.

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
    groups, experiment = Groups(by, *read_groups(cube, by)), experiment_of(cube)
    there, listed = experiment.there, experiment.hits.length > 0
    parts = groups.parts(cube.indexes[SYSTEM], there, listed, told=told)
    for key, (systems, topics) in parts.items():
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
    for key, part in each_group(cube, by, told="collection" in cube.attrs):
        longest = max(1, int(part["retrieved"].to_numpy().max(initial=0)))
        yield key, part if "depth" in part.attrs else part.isel({DEPTH: slice(longest)})


def tell_absent(by: Any, absent: NDArray[np.bool_], labels: Any, systems: pd.Index) -> None:
    """Warn of systems that took part in a group, shape (group, system), but have no score there."""
    rows = zip(labels, absent, strict=True)
    lines = [f"{key} ({listing(systems[row])})" for key, row in rows if row.any()]
    if lines:
        warn(f"systems without any score in a group are left out there ({by}): {'; '.join(lines)}")


def read_groups(labelled: Labelled, by: Any) -> tuple[str, Any]:
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
        cells = labelled[by].transpose(*LIST)
        codes = pd.factorize(cells.to_numpy().ravel())[0].reshape(cells.sizes[SYSTEM], -1)
        refuse_several(by, cells[TOPIC].to_numpy()[(codes != codes[:1]).any(axis=0)])
    if by not in groups:
        refuse_unknown(by, groups)
    keys = labelled[by].to_numpy()
    refuse_missing(by, known[by], keys, labelled[known[by]].to_numpy())
    return known[by], keys


def joined_groups(cubes: list[xr.Dataset], dim: str, labels: pd.Index) -> dict[Any, Any]:
    """Return the coordinates of users, those of the other dimension by its labels."""
    across = SYSTEM if dim == TOPIC else TOPIC
    shared = _shared(cubes, across, labels)
    ours = OURS - {*LIST}
    bare = [cube.coords.to_dataset().drop_vars([*ours, *shared], errors="ignore") for cube in cubes]
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
    coords = {}
    for name in _groups(cubes, dim):
        parts = [cube[name] for cube in cubes if name in cube.coords]
        apart = _disagreeing(parts)
        if len(apart):
            advice = "rename the coordinate in one of the cubes"
            raise InputError(f"one {name} for every {dim}", "several for", advice, apart)
        values = pd.concat([part.to_series() for part in parts]).dropna()
        values = values[~values.index.duplicated()].reindex(labels)
        dtypes: list[Any] = [part.dtype for part in parts]
        plain = all(isinstance(dtype, np.dtype) for dtype in dtypes)
        alike = plain and len({dtype.kind for dtype in dtypes}) == 1 and not values.isna().any()
        dtype = np.result_type(*dtypes) if alike else object
        coords[name] = (dim, values.to_numpy(dtype=dtype))
    return coords


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
            cubes = [
                cube.assign_coords(
                    {name: (dim, np.repeat(cube[name].to_numpy()[:1], cube.sizes[dim]))}
                )
                if name in cube.coords and cube[name].dims != (dim,)
                else cube
                for cube in cubes
            ]
    return cubes


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
        if isinstance(result, Labelled):  # which is of no experiment any more
            result = result.drop_vars(CODES.values(), errors="ignore")
        decided = before if before.get(RESULT) not in {None, *SOURCES} else {}
        decided = {k: v for k, v in decided.items() if k != METRICS}
        result.attrs = {**provenance(whole), **decided, **kept, **chosen, RESULT: name}
        return with_step(result, subject, name, options)
    return result


def provenance(whole: Any) -> dict[Any, Any]:
    """Return what decided the numbers of a cube, of scores or of a result."""
    attributes = getattr(whole, "attrs", {})
    known = *PROVENANCE, "top", "pool_depth", JUDGMENTS
    facts = {name: attributes[name] for name in known if name in attributes}
    if EXPERIMENT in attributes:
        experiment = experiment_of(whole)
        facts[JUDGMENTS] = experiment.judgments.digest
        for name, values in (("top", experiment.tops), ("pool_depth", experiment.known_pool.depth)):
            facts |= {name: one_or_several(values)} if len(values) else {}
    return facts


def joined_attributes(parts: Iterable[Mapping[Any, Any]]) -> dict[Any, Any]:
    """Return the attributes of the results of groups as those of one.

    What differs becomes a list, a value for each group; what some groups lack is left out, but for
    cautions, of which each is said once.

    Examples
    --------
    >>> joined_attributes([{"alpha": 0.05, "n": 3}, {"alpha": 0.05, "n": 4, "caution": "few"}])
    {'alpha': 0.05, 'n': [3, 4], 'caution': 'few'}
    """
    every, joined = list(parts), {}
    for name in [name for name in every[0] if all(name in one for one in every)]:
        values = [one[name] for one in every]
        alike = all(np.array_equal(values[0], value) for value in values)
        joined[name] = values[0] if alike else values
    cautions = [part for one in every if CAUTION in one for part in str(one[CAUTION]).split("; ")]
    return joined | ({CAUTION: "; ".join(dict.fromkeys(cautions))} if cautions else {})
