"""One cube of cubes that were built apart."""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice
from irframe.cubes.checksums import sealed
from irframe.cubes.gate import read_cube
from irframe.cubes.hashing import numbers
from irframe.cubes.layout import (
    CHECKSUMS,
    FILED,
    JUDGED,
    LEVEL,
    LIST,
    PARTS,
    PROVENANCE,
    SOMETIMES,
    SUBTOPIC_GRADE,
)
from irframe.cubes.recall_base import along, gather, starts, topic_of
from irframe.cubes.top_documents import LISTED, listed_in
from irframe.errors import DepthError, IdError, InputError, ParameterError
from irframe.names import DEPTH, SUBTOPIC, SYSTEM, TOPIC

ORDER = ("ties", "score_dtype", "seed")
"""Attributes in which cubes must agree to be put together."""


def concat(cubes: Iterable[xr.Dataset], dim: str = TOPIC) -> xr.Dataset:
    """Put cubes of different topics, or of different systems, together into one.

    Parameters
    ----------
    cubes
        Cubes made by `irframe.cube`, at least one.
    dim
        ``"topic"``: cubes of different topics, such as tracks. A system that a cube lacks did
        not take part there. ``"system"``: cubes of different systems on the same topics with
        the same judgments; the pool is that of all contributing systems.

    Returns
    -------
    xarray.Dataset
        The cube, as deep as the deepest one.

    Raises
    ------
    IdError
        If a topic (or system) stands in several cubes.
    InputError
        If cubes of different systems differ in topics or judgments, or cubes disagree on the
        group of a system or topic.
    ParameterError
        If cubes were ranked differently.
    DepthError
        If lists of a shallower cube were cut.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> halves = [cube.isel(topic=slice(8)), cube.isel(topic=slice(8, None))]
    >>> concat(halves).identical(cube)
    True
    """
    choice("dim", dim, LIST)
    parts = [read_cube(cube).drop_vars(CHECKSUMS) for cube in cubes]
    if not parts:
        raise ParameterError("at least one cube", "none")
    _refuse_strangers(parts)
    _refuse_shared(parts, dim)
    parts = _regrouped(_as_wide(_as_deep(parts)), dim)
    whole = _topics(parts) if dim == TOPIC else _systems(parts)
    sound = sealed(whole.drop_attrs(deep=False).assign_attrs(_attributes(parts)))
    sound.encoding = {LISTED: listed} if (listed := listed_in(parts, sound)) is not None else {}
    return sound


def _refuse_strangers(cubes: list[xr.Dataset]) -> None:
    for name in ORDER:
        values = {repr(_plain(cube.attrs.get(name))) for cube in cubes}
        if len(values) > 1:
            raise ParameterError(f"cubes made with the same {name}", "several", "", values)


def _plain(value: Any) -> Any:
    """Return an attribute as it was before netCDF or Zarr made a number of numpy's of it."""
    return value.item() if isinstance(value, np.generic) else value


def _refuse_shared(cubes: list[xr.Dataset], dim: str) -> None:
    labels = pd.Index(np.concatenate([cube[dim].to_numpy() for cube in cubes]))
    again = labels[labels.duplicated()].unique()
    if len(again):
        raise IdError(f"every {dim} in one of the cubes", f"{len(again)} in several", "", again)


def _as_deep(cubes: list[xr.Dataset]) -> list[xr.Dataset]:
    """Return cubes of one depth, missing ranks empty; a cut list must not end early."""
    deepest = max(cube.sizes[DEPTH] for cube in cubes)
    short = [
        str(cube.sizes[DEPTH])
        for cube in cubes
        if cube.sizes[DEPTH] < deepest and int(cube["retrieved"].max()) > cube.sizes[DEPTH]
    ]
    if short:
        advice = "build them all to the same depth"
        raise DepthError(f"lists that go down to depth {deepest}", "some cut at", advice, short)
    return [_padded(cube, DEPTH, deepest) for cube in cubes]


def _as_wide(cubes: list[xr.Dataset]) -> list[xr.Dataset]:
    """Return cubes with room for the deepest pool, and with all grades."""
    widest = max(cube.sizes[FILED] for cube in cubes)
    cubes = [_padded(cube, FILED, widest) for cube in cubes]
    _refuse_some(cubes)
    most = max(cube.sizes.get(SUBTOPIC, 0) for cube in cubes)
    cubes = [_padded(cube, SUBTOPIC, most) for cube in cubes] if most else cubes
    levels = reduce(np.union1d, [cube[LEVEL].to_numpy() for cube in cubes])
    return [cube.reindex({LEVEL: levels.astype(np.int8)}, fill_value=0) for cube in cubes]


def _refuse_some(cubes: list[xr.Dataset]) -> None:
    """Raise if some cubes have subtopics, strata or probabilities and others do not."""
    for name in SOMETIMES:
        plain = [str(dict(cube.sizes)) for cube in cubes if name not in cube.variables]
        if plain and len(plain) < len(cubes):
            what = {SUBTOPIC_GRADE: "subtopics"}.get(name, name)
            raise InputError(f"cubes that all have {what}, or none", "some without", "", plain)


def _padded(cube: xr.Dataset, dim: str, size: int) -> xr.Dataset:
    missing = size - cube.sizes[dim]
    if not missing:
        return cube
    changed = {
        name: cube.variables[name].pad({dim: (0, missing)}, constant_values=part.fill)
        for name, part in (PARTS | SOMETIMES).items()
        if dim in part.dims
    }
    bare = cube.drop_vars([*changed, *({dim} & set(cube.coords))])
    facts = {name: value for name, value in changed.items() if name in cube.coords}
    labels = {DEPTH: np.arange(1, size + 1)} if dim == DEPTH else {}
    rankings = {name: value for name, value in changed.items() if name not in facts}
    return bare.assign(rankings).assign_coords(facts | labels)


def _topics(cubes: list[xr.Dataset]) -> xr.Dataset:
    systems = pd.Index(np.concatenate([cube[SYSTEM].to_numpy() for cube in cubes])).unique()
    fill = {name: part.fill for name, part in PARTS.items()}
    same = [cube.sizes[SYSTEM] == len(systems) for cube in cubes]
    wide = [
        cube
        if whole and cube.indexes[SYSTEM].equals(systems)
        else cube.reindex({SYSTEM: systems}, fill_value=fill)
        for cube, whole in zip(cubes, same, strict=True)
    ]
    contributing = reduce(np.logical_or, [cube["contributing"].to_numpy() for cube in wide])
    shared = {"contributing": (SYSTEM, contributing)} | _shared(cubes, SYSTEM, systems)
    base: dict[str, Any] = {
        name: (cubes[0][name].dims, np.concatenate([cube[name].to_numpy() for cube in cubes]))
        for name in along(cubes[0])
    }
    joined = _joined(wide, TOPIC, [*shared, *base, "judged_start"])
    base["judged_start"] = (TOPIC, starts(joined["judged_count"].to_numpy()))
    return joined.assign_coords(shared | base)


def _systems(cubes: list[xr.Dataset]) -> xr.Dataset:
    first = cubes[0]
    cubes = [first, *(_same_base(cube, first) for cube in cubes[1:])]
    ranks = np.stack([cube["pool_rank"].to_numpy() for cube in cubes])
    best = np.where(ranks > 0, ranks, np.iinfo(np.int32).max).min(axis=0)
    best[best == np.iinfo(np.int32).max] = 0
    pools = [cube["pool_depth"].to_numpy() for cube in cubes if _has_pool(cube)]
    depths = np.stack(pools or [first["pool_depth"].to_numpy()]).min(axis=0)
    kept = ("judged_start", "judged_count", "top", *(set(along(first)) - {"pool_rank"}))
    base: dict[str, Any] = {name: first[name].variable for name in kept}
    base |= {"pool_rank": (JUDGED, best), "pool_depth": ((TOPIC,), depths)}
    shared = base | _shared(cubes, TOPIC, first.indexes[TOPIC])
    return _joined(cubes, SYSTEM, list(shared)).assign_coords(shared)


def _has_pool(cube: xr.Dataset) -> bool:
    """Return whether a cube says something of the pool: it may hold other runs only."""
    return bool(cube["contributing"].any() or cube["pool_depth"].any())


def _joined(cubes: list[xr.Dataset], dim: str, apart: Sequence[str]) -> xr.Dataset:
    """Concatenate what belongs to a dimension, without the coordinates that do not."""
    bare = [cube.drop_vars([name for name in apart if name in cube.coords]) for cube in cubes]
    riders = set().union(*(cube.coords for cube in bare))
    known = [cube.drop_vars(set(cube.coords) - _everywhere(bare)) for cube in bare]
    lost = sorted(map(str, riders - _everywhere(bare)))
    if lost:
        raise InputError("cubes with the same group coordinates", "some without", "", lost)
    joined = xr.concat(
        known, dim, data_vars="minimal", coords="minimal", compat="override", join="exact"
    )
    order = [name for name in cubes[0].coords if name in joined.coords]
    return joined.assign_coords({name: joined[name] for name in order})


def _everywhere(cubes: list[xr.Dataset]) -> set[Any]:
    return set.intersection(*(set(cube.coords) for cube in cubes))


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
    return [str(name) for name in dict.fromkeys(names) if name != dim and name not in PARTS]


def _disagreeing(parts: list[xr.DataArray]) -> pd.Index:
    """Return labels to which coordinates give different groups."""
    counts = pd.concat([part.to_series() for part in parts]).groupby(level=0, sort=False).nunique()
    labels: pd.Index = counts.index[counts > 1]
    return labels


def _regrouped(cubes: list[xr.Dataset], dim: str) -> list[xr.Dataset]:
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


def _same_base(cube: xr.Dataset, first: xr.Dataset) -> xr.Dataset:
    """Return a cube whose documents are numbered as in another cube, refusing other judgments."""
    missing = cube.indexes[TOPIC].symmetric_difference(first.indexes[TOPIC])
    if len(missing):
        found = f"{len(missing)} that some cube lacks"
        raise InputError("cubes of the same topics", found, "", missing)
    cube = gather(cube.sel({TOPIC: first[TOPIC].to_numpy()}))
    higher = cube.indexes[TOPIC][cube["top"].to_numpy() != first["top"].to_numpy()]
    if len(higher):
        found = f"different ones on {len(higher)} topics"
        raise InputError("cubes with the same top grades", found, "", higher)
    same = ("judged_count", *(set(along(first)) - {"pool_rank"}))
    if all(np.array_equal(cube[name].to_numpy(), first[name].to_numpy()) for name in same):
        return cube
    return _renumbered(cube, first)


def _refuse_judgments(cube: xr.Dataset, apart: Array) -> None:
    """Raise if some topics, given which, have other judgments."""
    if apart.any():
        topics, found = cube.indexes[TOPIC][apart], f"different ones on {apart.sum()} topics"
        raise InputError("cubes with the same judgments", found, "", topics)


def _renumbered(cube: xr.Dataset, first: xr.Dataset) -> xr.Dataset:
    """Return a cube with the documents of another one, which it has in another order."""
    _refuse_judgments(cube, (cube["judged_count"] != first["judged_count"]).to_numpy())
    topic, start = topic_of(first), first["judged_start"].to_numpy()
    names = [part["judged_doc"].to_numpy() for part in (cube, first)]
    grades = [part["judged_grade"].to_numpy() for part in (cube, first)]
    here, there = (np.lexsort((side.astype(str), topic)) for side in names)
    differing = (names[0][here] != names[1][there]) | (grades[0][here] != grades[1][there])
    for name in SOMETIMES.keys() & first.variables.keys():
        sides = [numbers(side[name].to_numpy()) for side in (cube, first)]
        unlike = sides[0][here] != sides[1][there]
        differing |= unlike.reshape(len(differing), -1).any(axis=1)
    _refuse_judgments(cube, np.bincount(topic, differing, len(start)) > 0)
    place = np.empty_like(there)
    place[here] = there - start[topic]
    ranks = np.empty_like(cube["pool_rank"].to_numpy())
    ranks[there] = cube["pool_rank"].to_numpy()[here]
    moved = {name: _moved(cube[name].variable, start, place) for name in ("doc", "filed")}
    base = {name: first[name].variable for name in along(first) if name != "pool_rank"}
    return cube.assign(doc=moved.pop("doc")).assign_coords(
        base | {"pool_rank": (JUDGED, ranks)} | moved
    )


def _moved(places: xr.Variable, start: Array, new: Array) -> xr.Variable:
    """Return places in a recall base by their new numbers, shape (system, topic, ...)."""
    moved, known = places.to_numpy().copy(), places.to_numpy() >= 0
    moved[known] = new[(start[:, np.newaxis] + moved)[known]]
    return places.copy(data=moved)


def _attributes(cubes: list[xr.Dataset]) -> dict[str, Any]:
    """Return what all cubes say of how they were made, and what else the first one says."""
    agreed = {
        name: value
        for name, value in cubes[0].attrs.items()
        if name not in PROVENANCE or all(cube.attrs.get(name) == value for cube in cubes)
    }
    return agreed | ({} if "pool" in agreed else {"pool": "unknown"})
