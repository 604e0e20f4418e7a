"""Concatenation of cubes along topics or systems."""

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice
from irframe.cubes import view
from irframe.errors import DepthError, IdError, InputError, ParameterError
from irframe.experiments.coded_tables import QrelsTable
from irframe.experiments.experiment import Experiment
from irframe.experiments.hits import JoinedUnjudged
from irframe.experiments.judgments import Judgments
from irframe.experiments.ranked_runs import Gathered, ListHits
from irframe.experiments.spans import Spans
from irframe.frames.ids import Codes
from irframe.names import DEPTH, EMPTY, GRADE, SYSTEM, TOPIC
from irframe.record import INPUTS, RECORD, Step, Steps, steps_of

ORDER = ("ties", "score_dtype", "seed", "search", "each")
"""Attributes that must be equal in all concatenated cubes."""
OPTIONAL = {"subtopic_grade": "subtopics", "stratum": "stratum", "probability": "probability"}
"""Mapping from optional fields of judgments to their names in messages."""
NEVER = np.iinfo(np.int32).max
"""Largest integer. While pools are merged, it is the pooling rank of documents that no contributing
run retrieved."""


def concat(cubes: Iterable[xr.Dataset], dim: str = TOPIC) -> xr.Dataset:
    """Concatenate cubes along topics or systems.

    Parameters
    ----------
    cubes
        Cubes made by `irframe.cube`, at least one.
    dim
        Pass ``"topic"`` for cubes of different topics, such as the cubes of several tracks. A
        system that is missing from a cube is treated as absent from the topics of this cube. Pass
        ``"system"`` for cubes of different systems with the same topics and judgments. The pool of
        the result contains the documents of all contributing systems.

    Returns
    -------
    xarray.Dataset
        The concatenated cube, with the depth of the deepest cube.

    Raises
    ------
    IdError
        If a label of the dimension `dim` occurs in several cubes.
    InputError
        If cubes of different systems differ in topics or judgments. If a system or topic has
        different groups in two cubes.
    ParameterError
        If cubes were built with different ranking options, such as ``ties=``.
    DepthError
        If the lists of a cube were cut, and another cube is deeper.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> halves = [cube.isel(topic=slice(8)), cube.isel(topic=slice(8, None))]
    >>> concat(halves).identical(cube)
    True
    """
    choice("dim", dim, view.LIST)
    cubes = [view.read_cube(cube) for cube in cubes]
    for cube in cubes:
        view.verify_grades(cube)
    if not cubes:
        raise ParameterError("at least one cube", "none")
    for name in ORDER:
        values = {repr(cube.attrs.get(name)) for cube in cubes}
        if len(values) > 1:
            raise ParameterError(f"cubes made with the same {name}", "different values", "", values)
    names = pd.Index(np.concatenate([cube[dim].to_numpy() for cube in cubes]))
    doubled = names[names.duplicated()].unique()
    if len(doubled):
        raise IdError(f"every {dim} in a single cube", f"{dim}s in several cubes", "", doubled)
    depth = _deepest(cubes)
    across = SYSTEM if dim == TOPIC else TOPIC
    labels = _appended([cube.indexes[across] for cube in cubes])
    experiments = [view.experiment_of(cube).loaded for cube in cubes]
    for name, label in OPTIONAL.items():
        plain = [str(exp) for exp in experiments if getattr(exp.judgments.table, name) is None]
        if plain and len(plain) < len(experiments):
            raise InputError(
                f"{label} in all cubes or in none", f"cubes without {label}", "", plain
            )
    joined = _along_topics(experiments, labels.unique()) if dim == TOPIC else _systems(experiments)
    user_coords = joined_groups(regrouped(cubes, dim), dim, labels.unique())
    attributes = {
        str(name): value
        for name, value in cubes[0].attrs.items()
        if name not in {view.EXPERIMENT, RECORD}
        and (name not in view.PROVENANCE or all(cube.attrs.get(name) == value for cube in cubes))
    }
    # Cubes that differ in `pool` have no common pool. Metrics that need the pool must then raise an
    # error.
    attributes.setdefault("pool", "unknown")
    files = [state for exp in experiments for state in exp.files]
    # `joined` is derived from the first experiment, whose collections and mark do not describe the
    # concatenated cube.
    experiment = replace(joined, options=attributes, files=files, collection=None, origin=0)
    lazy = any(cube[GRADE].chunks for cube in cubes)
    # lazy cubes remain lazy even if the concatenated cube is small
    chunks = view.blocks_of(*experiment.shape, depth, least=0) if lazy else None
    record = Steps(json.dumps(_joined_record([*map(steps_of, cubes)])))
    return view.view(experiment, depth, user_coords, chunks=chunks).assign_attrs({RECORD: record})


def _joined_record(records: list[list[Step]]) -> list[Step]:
    """Return the recorded steps of a concatenated cube.

    If all cubes have the same steps, the result has these steps with the inputs of all cubes.
    Otherwise the only step is a call of `concat`, which contains the steps of every cube.
    """
    first = records[0]
    for record in records[1:]:
        if [_without_inputs(step) for step in record] != [_without_inputs(step) for step in first]:
            distinct = [r for n, r in enumerate(records) if r not in records[:n]]
            return [Step("concat", {"cubes": distinct})]
    joined = []
    for steps in zip(*records, strict=True):
        items = [item for _, options in steps for item in options.get(INPUTS, [])]
        inputs = [item for n, item in enumerate(items) if item not in items[:n]]
        joined.append(Step(steps[0].verb, steps[0].options | ({INPUTS: inputs} if inputs else {})))
    return joined


def _without_inputs(step: Step) -> tuple[str, dict[str, object]]:
    return step.verb, {name: value for name, value in step.options.items() if name != INPUTS}


def joined_groups(cubes: list[xr.Dataset], dim: str, labels: pd.Index) -> dict[Hashable, object]:
    """Return user coordinates of the concatenated cube.

    Coordinates of the dimension that is not concatenated are aligned by label.
    """
    across = SYSTEM if dim == TOPIC else TOPIC
    group_coords = _shared_coords(cubes, across, labels)
    ours = view.OURS - {*view.LIST} | {*group_coords}
    bare = [cube.coords.to_dataset().drop_vars(ours, errors="ignore") for cube in cubes]
    common = set.intersection(*(set(cube.coords) for cube in bare))
    lost = sorted(map(str, set().union(*(cube.coords for cube in bare)) - common))
    if lost:
        advice = (
            "drop the coordinates with drop_vars, or build every cube with the same coordinates"
        )
        raise InputError(
            "the same group coordinates in all cubes",
            "coordinates of some cubes only",
            advice,
            lost,
        )
    aligned = [cube.reindex({across: labels}) for cube in bare]
    joined = xr.concat(
        aligned, dim, join="exact", data_vars="minimal", coords="minimal", compat="override"
    )
    order = [name for name in cubes[0].coords if name in joined.coords and name not in view.LIST]
    coords: dict[Hashable, object] = {name: joined[name].variable for name in order}
    return coords | group_coords


def _shared_coords(
    cubes: list[xr.Dataset], dim: str, labels: pd.Index
) -> dict[str, tuple[str, Array]]:
    """Merge the group coordinates of a dimension over all cubes.

    Raise if a label has different groups in several cubes.
    """
    joined = {}
    for name in _group_names(cubes, dim):
        coords = [cube[name] for cube in cubes if name in cube.coords]
        conflicts = _disagreeing(coords)
        if len(conflicts):
            advice = "rename the coordinate in one of the cubes"
            raise InputError(f"one {name} for every {dim}", "several for", advice, conflicts)
        values = pd.concat([coord.to_series() for coord in coords]).dropna()
        values = values[~values.index.duplicated()].reindex(labels)
        dtypes = [coord.dtype for coord in coords]
        plain = all(isinstance(dtype, np.dtype) for dtype in dtypes)
        alike = plain and len({dtype.kind for dtype in dtypes}) == 1 and not values.isna().any()
        # an array with missing groups (NaN) or groups of different types needs dtype object
        dtype = np.result_type(*dtypes) if alike else object
        joined[name] = (dim, values.to_numpy(dtype=dtype))
    return joined


def _group_names(cubes: list[xr.Dataset], dim: str) -> list[str]:
    """Return the names of group coordinates of a dimension."""
    names = [name for cube in cubes for name in cube.coords if cube[name].dims == (dim,)]
    return [str(name) for name in dict.fromkeys(names) if name != dim and name not in view.OURS]


def _disagreeing(coords: list[xr.DataArray]) -> pd.Index:
    """Return the labels whose group differs between coordinates."""
    groups = pd.concat([coord.to_series() for coord in coords])
    counts = groups.groupby(level=0, sort=False).nunique()
    labels: pd.Index = counts.index[counts > 1]
    return labels


def regrouped(cubes: list[xr.Dataset], dim: str) -> list[xr.Dataset]:
    """Move group coordinates to the concatenated dimension.

    A coordinate is moved only if it has a single value in every cube. For example, let every cube
    contain one track, which is a coordinate of systems. If the cubes are concatenated along topics,
    the track becomes a coordinate of topics.
    """
    cubes = list(cubes)
    for name in _group_names(cubes, SYSTEM if dim == TOPIC else TOPIC):
        coords = [cube[name] for cube in cubes if name in cube.coords]
        mixed = len({coord.dims for coord in coords}) > 1
        single = [coord.dims == (dim,) or len(pd.unique(coord.to_numpy())) == 1 for coord in coords]
        if mixed and not all(single):
            raise InputError("groups of systems or of topics", "groups of both", "", [name])
        if all(single) and (mixed or len(_disagreeing(coords))):
            for n, cube in enumerate(cubes):
                if name in cube.coords and cube[name].dims != (dim,):
                    group = np.repeat(cube[name].to_numpy()[:1], cube.sizes[dim])
                    cubes[n] = cube.assign_coords({name: (dim, group)})
    return cubes


def _appended(labels: Sequence[pd.Index]) -> pd.Index:
    return labels[0].append([*labels[1:]])


def _deepest(cubes: list[xr.Dataset]) -> int:
    """Return the depth of the deepest cube.

    Raise if the lists of a shallower cube were cut.
    """
    deepest = max(cube.sizes[DEPTH] for cube in cubes)
    shallow = [cube for cube in cubes if cube.sizes[DEPTH] < deepest]
    cut = [str(n) for cube in shallow if int(cube["retrieved"].max()) > (n := cube.sizes[DEPTH])]
    if cut:
        advice = "build all cubes with the same depth="
        raise DepthError(f"lists that reach depth {deepest}", "lists cut at depth", advice, cut)
    return deepest


def _ranges(sizes: Iterable[int]) -> list[Codes]:
    """Return the positions of consecutive blocks, given their sizes."""
    return [np.arange(*ends) for ends in pairwise(np.cumsum([0, *sizes]))]


def _along_topics(experiments: list[Experiment], systems: pd.Index) -> Experiment:
    pools = [exp.known_pool for exp in experiments]
    contributing = np.zeros(len(systems), bool)
    positions = [systems.get_indexer(exp.systems) for exp in experiments]
    for systems_at, pool in zip(positions, pools, strict=True):
        contributing[systems_at] |= pool.contributing
    rank, depth = (np.concatenate([getattr(p, name) for p in pools]) for name in ("rank", "depth"))
    base = replace(
        experiments[0],
        judgments=_joined_judgments([exp.judgments for exp in experiments]),
        systems=systems,
        pool=replace(pools[0], rank=rank, depth=depth, contributing=contributing),
        top=np.concatenate([exp.tops for exp in experiments]),
    )
    sides = zip(positions, _ranges(exp.shape[1] for exp in experiments), strict=True)
    rows = _ranges(len(exp.judgments.row) for exp in experiments)
    return _listed(base, experiments, [*sides], rows)


def _joined_judgments(bases: Sequence[Judgments]) -> Judgments:
    """Concatenate judgments of different topics."""
    tables = [base.only(np.arange(len(base.row))).table for base in bases]
    topics = _ranges(len(table.topics) for table in tables)
    optional: dict[str, Any] = {}
    # `concat` has checked that either all tables or no table has each of these fields
    grades = [t.subtopic_grade for t in tables if t.subtopic_grade is not None]
    if grades:
        # tables may have different numbers of subtopics
        most = max(grade.shape[1] for grade in grades)
        padded = [
            np.pad(g, ((0, 0), (0, most - g.shape[1])), constant_values=EMPTY) for g in grades
        ]
        optional["subtopic_grade"] = np.concatenate(padded)
    strata = [base.strata for base in bases if base.strata is not None]
    if strata:
        optional["stratum"] = pa.chunked_array([pa.array(np.concatenate(strata))])
    if tables[0].probability is not None:
        optional["probability"] = np.concatenate([t.probability for t in tables])
    table = QrelsTable(
        tables[0].frame,
        tables[0].columns,
        np.concatenate([codes[t.topic] for t, codes in zip(tables, topics, strict=True)]),
        _appended([t.topics for t in tables]),
        pa.chunked_array([chunk for t in tables for chunk in t.doc.chunks]),
        np.concatenate([t.grade for t in tables]),
        **optional,
        spans=Spans.joined([table.spans for table in tables]),
    )
    levels = np.unique(np.concatenate([base.levels for base in bases]))
    return Judgments.chosen(table, np.arange(len(table.topics)), levels)


def _systems(experiments: list[Experiment]) -> Experiment:
    first = experiments[0]
    experiments = [_same_topics(exp, first) for exp in experiments]
    # the call is needed only because it raises an error if spans differ between cubes
    Spans.joined([exp.judgments.table.spans for exp in experiments])
    rows = [_positions_in(first, exp) for exp in experiments]
    best = np.full(len(first.judgments.row), NEVER, np.int32)
    for row, exp in zip(rows, experiments, strict=True):
        rank = exp.known_pool.rank
        best[row] = np.minimum(best[row], np.where(rank > 0, rank, NEVER))
    best[best == NEVER] = 0  # the pooling rank is 0 if no contributing run retrieved the document
    pools = [exp.known_pool for exp in experiments]
    # All systems are judged only down to the depth of the shallowest pool, which is therefore the
    # pool depth of the result. Pools with neither contributors nor a depth are ignored.
    depths = [pool.depth for pool in pools if pool.contributing.any() or pool.depth.any()]
    depth = np.stack(depths or [pools[0].depth]).min(axis=0)
    contributing = np.concatenate([pool.contributing for pool in pools])
    pool = replace(pools[0], rank=best, depth=depth, contributing=contributing)
    systems = _appended([exp.systems for exp in experiments])
    topics = np.arange(first.shape[1])
    sides = [(rank, topics) for rank in _ranges(len(exp.systems) for exp in experiments)]
    return _listed(replace(first, systems=systems, pool=pool), experiments, sides, rows)


def _listed(
    base: Experiment,
    experiments: list[Experiment],
    sides: Sequence[tuple[Codes, Codes]],
    rows: Sequence[Codes],
) -> Experiment:
    """Add the lists of several experiments to an experiment.

    For each experiment, `sides` contains the positions of its systems and topics in the result.
    `rows` contains the positions of each experiment's judgments in the result.
    """
    shape = len(base.systems), len(base.judgments.code)
    took_part = np.zeros(shape, bool)
    pieces = []
    listings = []
    for exp, (systems, topics), row in zip(experiments, sides, rows, strict=True):
        took_part[np.ix_(systems, topics)] = exp.participated
        lists = (systems[:, np.newaxis] * shape[1] + topics).ravel()
        listed = exp.hits.by_list()
        moved = np.asarray(row[listed.row], np.int32)
        length = listed.length.ravel()
        hits = replace(listed, length=length, row=moved, filed=listed.pool_rank)
        pieces.append(ListHits(lists, hits))
        listings.append(None if exp.listing is None else exp.listing.onto(lists))
    return replace(
        base,
        hits=Gathered(pieces).hits(shape).by_list(),
        took_part=None if took_part.all() else took_part,
        listing=JoinedUnjudged(listings).joined(),
    )


def _same_topics(experiment: Experiment, first: Experiment) -> Experiment:
    """Sort the topics of an experiment like those of `first`."""
    topics = first.judgments.topics
    unsorted = experiment.judgments.topics
    missing = unsorted.symmetric_difference(topics)
    if len(missing):
        message = f"{len(missing)} topics that some cube lacks"
        raise InputError("cubes of the same topics", message, "", missing)
    experiment = experiment.select(np.arange(experiment.shape[0]), unsorted.get_indexer(topics))
    higher = topics[experiment.tops != first.tops]
    if len(higher):
        message = f"different top grades on {len(higher)} topics"
        raise InputError("cubes with the same top grades", message, "", higher)
    return experiment


def _positions_in(first: Experiment, experiment: Experiment) -> Codes:
    """Return the position in `first` of every judgment.

    Raise if the judgments differ.
    """
    base = experiment.judgments
    expected = first.judgments
    _refuse_judgments(expected, base.count != expected.count)
    # Cubes built from the same judgments file contain the same documents. Looking up their names
    # would be slow.
    if np.array_equal(base.docs, expected.docs):
        positions = np.arange(len(base.row))
    else:
        sides = [pd.MultiIndex.from_arrays([side.topic, side.docs]) for side in (expected, base)]
        positions = sides[0].get_indexer(sides[1])
    differing = (positions < 0) | (base.grade != expected.grade[positions])
    for values, of_first in zip(_optional_fields(base), _optional_fields(expected), strict=True):
        reference = of_first[positions]
        # missing values are equal, but NaN differs from NaN
        unlike = (values != reference) & ~(pd.isna(values) & pd.isna(reference))
        differing |= unlike.reshape(len(differing), -1).any(axis=1)
    _refuse_judgments(expected, base.count_by_topic(differing) > 0)
    return positions


def _optional_fields(base: Judgments) -> list[Array]:
    """Return the values of the optional fields in `OPTIONAL`."""
    grades = base.table.subtopic_grade
    fields = None if grades is None else grades[base.row], base.strata, base.probability
    return [values for values in fields if values is not None]


def _refuse_judgments(base: Judgments, differing: Array) -> None:
    """Raise if the judgments of any topic differ."""
    if differing.any():
        topics = base.topics[differing]
        message = f"different judgments on {differing.sum()} topics"
        raise InputError("cubes with the same judgments", message, "", topics)
