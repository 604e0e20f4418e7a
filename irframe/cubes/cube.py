"""Building cubes from runs and judgments, saving and opening them.

Verbs: cube, save, open_cube.
"""

import zlib
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from os import PathLike

import numpy as np
import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.cubes import view
from irframe.cubes.groups import own_rows, with_repeats
from irframe.errors import OneCall, caution, cautions_of, in_group, listing, warn
from irframe.evaluation.repeats import fold, not_lacking
from irframe.evaluation.scoring import Plan
from irframe.experiments import choices, group_columns
from irframe.experiments.coded_tables import (
    QrelsTable,
    RunTable,
    digest_of,
    once_judged,
    read_qrels_table,
    read_table,
)
from irframe.experiments.experiment import Experiment
from irframe.experiments.hits import refuse_large
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import choose_topics
from irframe.experiments.policy import Policy, Topics
from irframe.experiments.ranked_runs import Extras, Framed, rank_framed, rank_scanned
from irframe.experiments.saved import read_experiment, write_experiment
from irframe.experiments.spans import TEXT
from irframe.files.as_runs import Qrels, Runs, as_qrels, in_groups
from irframe.files.read_runs import changed_files
from irframe.files.scan_runs import ScannedRuns
from irframe.frames.ids import give_back
from irframe.record import INPUTS, RECORD, InGroups, Steps, recorded


@recorded(groups=True)
def cube(
    runs: Runs | ScannedRuns,
    qrels: Qrels,
    *,
    depth: int | None = None,
    ties: choices.TiesLike = words.DEFAULT_TIES,
    topics: Topics = "qrels",
    collection: str | None = None,
    pool: choices.PoolLike = None,
    units: choices.UnitsLike = None,
    search: choices.SearchLike = None,
    scores: bool = False,
) -> view.Cube:
    """Build a cube of judged rankings from runs and judgments.

    The cube is the input of `score` and of many other verbs.

    Parameters
    ----------
    runs
        Run frame with columns for topic, doc, and score or rank, and usually a column for system.
        Any other input of `as_runs` is accepted too. Columns that are constant per topic or per
        system (track, team, ...) become coordinates. If `runs` is the result of `scan_runs`, files
        are read a few at a time, and only judged documents are kept.
    qrels
        Qrels frame with columns for topic, doc and grade. Any other input of `as_qrels` is accepted
        too. If there is a column ``subtopic``, ``intent`` or ``aspect``, a document may have a
        grade for each subtopic. Columns that are constant per topic become coordinates.
    depth
        Number of ranks to keep, at least 1. The default is the length of the longest list. Ranks
        beyond the end of a list are empty.
    ties
        The tie policy, which orders documents with equal scores. Pass the name of a rule, such as
        ``"trec"``, or an `irframe.Ties`.
    topics
        ``"qrels"`` selects every judged topic, and a missing list is treated as an empty list.
        ``"runs"`` selects topics for which at least one run has a list. ``"common"`` selects topics
        for which every run of the collection has a list. A list of judged topics selects these
        topics.
    collection
        A column of the runs or the judgments that contains the collection (track) of each topic. A
        system takes part in a collection if it retrieved anything for a topic of this collection,
        even for a topic without judgments. A system has no scores in other collections. Each
        collection has its own pool and top grade. By default all topics are one collection.
    pool
        The depth of the judged pool, or an `irframe.Pool`, which also names the contributing runs.
    units
        The column of the runs that contains the document of each retrieved chunk, or another value
        of ``irframe.Units(of=...)``. An `irframe.Units` can also contain the cost of each hit and
        the original of each copy.
    search
        The column that numbers the searches of an agent, or an `irframe.Searches`.
    scores
        Whether to keep the scores of documents, which an `irframe.Threshold` needs. Scores take 8
        bytes per document, or 4 with ``irframe.Ties(dtype="float32")``.

    Returns
    -------
    xarray.Dataset
        A cube with the variable ``grade`` over (system, topic, depth), int8. Unjudged documents
        have the value `irframe.names.UNJUDGED`, and empty ranks have `irframe.names.EMPTY`. The
        coordinates ``retrieved`` and ``unjudged`` over (system, topic) count all documents and the
        unjudged documents of the complete list. Attributes contain the options and the experiment
        (the runs joined to the judgments). The coordinates ``system_code`` and ``topic_code``
        contain the positions of systems and topics in the experiment. If systems have repeats,
        every repeat is one system of the cube. The coordinates ``repeat_of`` and ``repeat`` then
        name the system and the repeat. Scores of a cube with repeats have the dimensions (metric,
        system, repeat, topic, depth).

    Raises
    ------
    DepthError
        If the depth is below 1.
    IdError
        If runs and judgments have no common topic, or if a document occurs twice in a list or among
        the judgments of a topic.
    RankingError
        If scores or ranks do not define an order.
    ParameterError
        If a topic or system has no collection or group. If the groups in a column differ within a
        topic and also within a system.

    Warns
    -----
    IrframeWarning
        If topics of the runs have no judgments, or judged topics have no list. If systems lack
        lists for some topics. Missing lists are treated as empty. If systems have no list for any
        judged topic. If no retrieved document is judged.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"system": "s", "topic": "1", "doc": list("ab"), "score": [2, 1]})
    >>> qrels = pd.DataFrame({"topic": ["1"], "doc": ["b"], "grade": [1]})
    >>> dict(cube(runs, qrels).sizes)
    {'system': 1, 'topic': 1, 'depth': 2}
    """
    grouped = runs if isinstance(runs, InGroups) else None
    groups = None
    if grouped is not None:
        of_groups = grouped.subject, qrels, grouped.by
        runs, qrels, groups = group_columns.with_given_groups(*of_groups)
    options: dict[str, object] = {"depth": depth, "topics": topics, "collection": collection}
    options |= choices.Pool.read(pool).plain
    plan = Plan.read(options, None, ties, units, search, scores=scores)
    folded = fold(runs, plan.policy.search)
    extra = folded.attributes
    contributing = folded.contributing(plan.policy.contributing)
    policy = replace(plan.policy, contributing=contributing)
    with OneCall(without=not_lacking(folded.repeat, None)):
        runs, qrels = plan.inputs(folded.runs, qrels, groups)
        if grouped is None:
            return with_repeats(build_cube(runs, qrels, policy, extra=extra), folded)
        built = build_groups(runs, qrels, policy, grouped.name, extra)
        cubes = {key: with_repeats(group, folded) for key, group in built}
    return replace(grouped, subject=cubes)  # type: ignore[return-value]  # only `Grouped` calls it


def build_groups(
    runs: Runs | ScannedRuns,
    qrels: Qrels,
    policy: Policy,
    by: str,
    extra: Mapping[str, str] | None = None,
) -> Iterator[tuple[Hashable, xr.Dataset]]:
    """Yield a cube for every group.

    Usually one cube is built, and each group is a selection from this cube. If topics of different
    groups have the same name, a cube is built for each group.
    """
    if isinstance(runs, ScannedRuns):
        runs = runs.readable().frame()
    runs = in_groups(runs, by)
    qrels = as_qrels(qrels)
    if not group_columns.share_names(qrels, by):
        # collections, if there are any, determine which lists are missing, and groups do not
        joint = build_cube(
            runs, qrels, policy, by if policy.collection is None else None, extra=extra
        )
        if by not in joint.coords:
            group_columns.refuse_rows(runs, by)
            group_columns.refuse_rows(qrels, by)
        yield from own_rows(joint, by)
        return
    absent = {}
    for key in pd.unique(qrels[by]):
        with in_group(f"{by} {key}"):
            group = build_cube(runs[runs[by] == key], qrels[qrels[by] == key], policy, extra=extra)
        everyone = pd.unique(runs[words.roles(runs.columns)[words.SYSTEM]])
        absent[key] = [name for name in everyone if name not in group.indexes[words.SYSTEM]]
        yield key, group
    if policy.collection is None:
        group_columns.warn_without_rows(by, absent)


def build_cube(
    runs: Runs | ScannedRuns,
    qrels: Qrels,
    policy: Policy,
    by: str | None = None,
    *,
    extra: Mapping[str, str] | None = None,
) -> xr.Dataset:
    """Build a cube with a ranking policy; see `cube`.

    If `by` is passed, the cube can be split by the groups in this column. The attributes in `extra`
    are added to the cube.
    """
    table = once_judged(read_qrels_table(qrels, spans=True))
    # unlike a scorer, a cube does not know which metrics and pools are computed later
    expected = Extras(filed=True, all_ties=True)
    ranked = None
    files = list(table.frame.attrs.get(words.FILES, []))
    if isinstance(runs, ScannedRuns):
        runs = runs.readable()
        states = runs.states()
        ranked = rank_scanned(runs, table, policy, expected)
        runs = runs if ranked else runs.frame()
        files = [*states, *files]
    if ranked is None:
        framed = Framed.of(read_table(runs, empty=True), table, policy.collection)
        files = [*framed.table.frame.attrs.get(words.FILES, []), *files]
    lists = (ranked.runs if ranked else framed).lists
    judgments = Judgments.chosen(table, choose_topics(lists, table.topics, policy.topics))
    depth = policy.depth or lists.longest(judgments.code)
    # scanned runs are ranked in blocks of topics, so that only one topic must fit into memory
    refuse_large(len(lists.systems), len(judgments.code) if ranked is None else 1, depth)
    if ranked is None:
        ranked = rank_framed(framed, policy, expected)
    user_coords = group_columns.constant_columns(
        ranked.runs.table, table, lists.placed, judgments.code
    )
    dim, keys = user_coords.get(by or "", ("", None))
    built = Experiment.of(ranked, judgments, policy, keys if dim == words.TOPIC else None)
    hits = built.hits.by_list()
    # memory that ranking no longer uses is returned before the array of grades is allocated
    give_back(8 * int(hits.length.sum()))
    if built.units and words.UNIT not in user_coords:
        units = np.array([built.units[system] for system in built.systems], object)
        user_coords[words.UNIT] = words.SYSTEM, units
    attrs = policy.attributes | {"pool": built.pool_kind, "irframe": words.VERSION, **(extra or {})}
    attrs |= {words.UNIT: TEXT} if table.spans is not None else {}
    # the cube keeps neither the caller's frame nor judgments of topics that were not selected
    chosen = judgments.only(np.arange(len(judgments.row)))
    # numbers of searches may be constant per topic, but do not describe topics
    user_coords.pop(policy.search or "", None)
    experiment = replace(built, judgments=chosen, hits=hits, options=attrs, files=files)
    chunks = view.blocks_of(*experiment.shape, depth) if isinstance(runs, ScannedRuns) else None
    coords = {name: view.variable(*column) for name, column in user_coords.items()}
    shown = view.view(experiment, depth, coords, chunks=chunks)
    # files are already recorded by name, size and modification time
    return shown if files else shown.assign_attrs({INPUTS: _inputs(framed.table, table, policy)})


def _inputs(runs: RunTable, qrels: QrelsTable, policy: Policy) -> list[list[str]]:
    """Return the name, size and SHA-256 of each input frame."""
    changed = policy.unit or policy.copies or policy.search
    tables: list[RunTable | QrelsTable] = [runs, qrels]
    names = ["runs, as they are scored" if changed else "runs", "qrels"]
    pairs = zip(names, tables, strict=True)
    return [[name, f"{len(table.topic)} rows", digest_of(table)] for name, table in pairs]


def open_cube(path: str | PathLike[str]) -> xr.Dataset:
    """Open a saved cube.

    The cube is lazy: rankings are read in blocks of topics when they are needed.

    Parameters
    ----------
    path
        The path or address that was passed to `save`.

    Returns
    -------
    xarray.Dataset
        The cube, backed by dask. Judgments and lengths of lists are in memory.
        ``open_cube(path).load()`` also loads the rankings.

    Raises
    ------
    StoreError
        If the path contains no saved cube, or if a file of the cube is missing, truncated or
        changed. Files with rankings are checked when they are read.

    Warns
    -----
    IrframeWarning
        If files from which the cube was built have changed or no longer exist.

    Notes
    -----
    The checksum of every file is verified when the file is read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import irframe as ir
    >>> with TemporaryDirectory() as folder:
    ...     _ = ir.cube(*ir.example_track()).ireval.save(f"{folder}/cube")
    ...     dict(open_cube(f"{folder}/cube").sizes)["topic"]
    16
    """
    view.need_dask()
    experiment, facts, user_coords = read_experiment(path)
    changed = changed_files(facts["sources"])
    if changed:
        files = f"{len(changed)} files from which this cube was built"
        warn(f"{files} have changed or no longer exist: {listing(changed)}")
    # a chunk is a saved block, so that each task reads the files of one block
    chunks = tuple(np.diff(facts["ends"], prepend=0).tolist())
    coords = {name: xr.Variable(dims, values) for name, (dims, values) in user_coords.items()}
    attributes = {words.CAUTION: facts[words.CAUTION]} if words.CAUTION in facts else {}
    attributes |= {RECORD: Steps(facts[RECORD])} if RECORD in facts else {}
    attributes |= {name: facts[name] for name in (words.DRAWN, words.REPEATS) if name in facts}
    return view.view(experiment, facts["depth"], coords, chunks=chunks).assign_attrs(attributes)


def save(cube: xr.Dataset, path: str | PathLike[str], *, progress: bool = False) -> xr.Dataset:
    """Write a cube to a folder of Parquet files.

    `open_cube` reads this folder, so the cube need not be built again.

    Parameters
    ----------
    cube
        A cube, in memory or lazy.
    path
        The path or address to write to. The folder is written under a temporary name and then
        renamed, so that the folder is never incomplete. If the folder already contains the same
        cube, its files are verified. If one of these files is damaged, all files are written again.
    progress
        Whether to show a progress bar (tqdm) over blocks of topics.

    Returns
    -------
    xarray.Dataset
        The saved cube, as `open_cube` returns it.

    Raises
    ------
    StoreError
        If the path contains anything other than a saved cube, or cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> with TemporaryDirectory() as folder:
    ...     saved = cube.ireval.save(f"{folder}/cube")
    ...     saved.compute().equals(cube)
    True
    """
    source = view.read_cube(cube)
    view.verify_grades(source)
    experiment = view.experiment_of(source)
    depth = source.sizes[words.DEPTH]
    chunks = view.blocks_of(*experiment.shape, depth, least=0) or ()
    user_coords = {
        str(name): (
            [str(dim) for dim in coord.dims],
            coord.transpose(*view.LIST, missing_dims="ignore"),
        )
        for name, coord in source.coords.items()
        if name not in view.OURS and coord.dims and {*coord.dims} <= {*view.LIST}
    }
    # The digest of the experiment does not cover user coordinates, which `save` must compare to
    # recognise another cube in the folder.
    checksums = {
        name: zlib.crc32(repr(coord[1].values.tolist()).encode())
        for name, coord in user_coords.items()
    }
    attributes = {RECORD: cube.attrs.get(RECORD, "[]"), **caution(cautions_of(cube.attrs))}
    attributes |= {
        name: cube.attrs[name] for name in (words.DRAWN, words.REPEATS) if name in cube.attrs
    }
    facts = {"depth": depth, "riders": checksums, **attributes}
    write_experiment(experiment, path, chunks, facts, user_coords, progress=progress)
    return open_cube(path)
