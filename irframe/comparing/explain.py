"""The documents behind a difference of two systems, by their names and with their texts.

Verbs: explain.
"""

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import listed, places
from irframe.cubes.score import refuse_metrics, wanted_depths
from irframe.cubes.verb import common_topics, loaded, read_depth, verb
from irframe.cubes.view import experiment_of
from irframe.errors import FileFormatError, IdError, InputError, ParameterError
from irframe.experiments.choices import Ties
from irframe.experiments.hits import refuse_open
from irframe.experiments.policy import parse_metrics
from irframe.experiments.rank_table import rank
from irframe.extremes.labelled_bounds import one_label
from irframe.files.as_runs import Runs, as_runs
from irframe.files.compression import parquet_batches
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.facts import contributions, label_at, refuse_without_terms
from irframe.names import DEPTH, DOC, EMPTY, GRADE, METRIC, RANK, SYSTEM, TOPIC, UNJUDGED, roles

Texts = pd.DataFrame | Mapping[Any, Any] | str | os.PathLike[str] | Sequence[Any]
"""Texts as users have them: a frame, a dictionary, a Parquet file, or several of these."""

TEXT, QUERY = "text", "query"
SNIPPET = 300
"""Characters of a text that are shown."""
TEXT_COLUMNS = {
    DOC: (TEXT, "contents", "content", "body", "passage", "snippet", "document"),
    TOPIC: (QUERY, "question", "title", TEXT),
}
"""Role of an id -> names of the column with its text, the first that there is."""
EXAMPLES = 2
"""How many ids of each side an error shows."""


class Told(NamedTuple):
    """Texts by id, ids as text."""

    documents: dict[str, str]
    queries: dict[str, str]


def read_texts(texts: Texts | None, docs: Iterable[Any], topics: Iterable[Any]) -> Told:
    """Return the texts of some documents and topics, as far as they are known.

    Parameters
    ----------
    texts
        Texts: a frame with a column of documents or topics, called as in runs and judgments, and
        one of texts, ``text`` or ``query``; a Parquet file of such a table; a dictionary
        doc -> text, or ``{"doc": {doc: text}, "topic": {topic: query}}``; or several of these.
        They may be of more documents and topics than are asked for.
    docs, topics
        Those asked for.

    Raises
    ------
    InputError
        For anything else, an id with several texts, or a text that is none.
    IdError
        If no id of a table is asked for.
    FileFormatError
        For a file that is no Parquet file.

    Examples
    --------
    >>> told = read_texts({"d1": "Cats.", "d2": "Dogs."}, ["d2", "d3"], [])
    >>> told.documents
    {'d2': 'Dogs.'}
    """
    wanted = {DOC: {*map(str, docs)}, TOPIC: {*map(str, topics)}}
    known: dict[str, dict[str, str]] = {DOC: {}, TOPIC: {}}
    single = isinstance(texts, pd.DataFrame | Mapping | str | os.PathLike)
    for source in [texts] if single else listed(texts):
        for role, column in _texts_by_id(source, wanted):
            known[role] |= _known(column.set_axis(column.index.map(str)), role, wanted[role])
    return Told(known[DOC], known[TOPIC])


def _texts_by_id(source: Any, wanted: dict[str, set[str]]) -> list[tuple[str, pd.Series]]:
    """Return texts by id, each with the role of its ids."""
    if isinstance(source, Mapping):
        parts = source if source and {*source} <= {DOC, TOPIC} else {DOC: source}
        for part in parts.values():
            if not isinstance(part, Mapping):
                raise InputError("texts by id, a dictionary", f"a {type(part).__name__}")
        return [(role, pd.Series(dict(part), dtype=object)) for role, part in parts.items()]
    if isinstance(source, str | os.PathLike):
        return _of_file(Path(source), wanted)
    if isinstance(source, pd.DataFrame):
        return [(role, _texts(source, *n)) for role, n in _text_columns(source.columns).items()]
    wanted_words = "texts: a frame, a dictionary doc -> text, or a Parquet file"
    raise InputError(wanted_words, f"a {type(source).__name__}")


def _text_columns(names: Iterable[Any]) -> dict[str, tuple[Any, Any]]:
    """Return role -> column of ids and column of texts, of a table of texts."""
    present, role = list(names), roles(names)
    columns = {}
    for kind, known in TEXT_COLUMNS.items():
        text = next((name for name in known if name in present), None)
        taken = kind == TOPIC and DOC in role and text == TEXT
        if kind in role and text is not None and not taken:
            columns[kind] = role[kind], text
    if not columns:
        advice = "name the columns doc and text, or topic and query"
        wanted = "a table of texts, with a column of ids and one of texts"
        raise InputError(wanted, "only the columns", advice, present)
    return columns


def _texts(frame: pd.DataFrame, ids: Any, text: Any) -> pd.Series:
    return pd.Series(frame[text].to_numpy(object), frame[ids].to_numpy(object), dtype=object)


def _of_file(path: Path, wanted: dict[str, set[str]]) -> list[tuple[str, pd.Series]]:
    """Read what is asked for out of a Parquet file, which may be a whole collection."""
    if not path.is_file():
        raise FileFormatError("a Parquet file of texts", f"no file {path}")
    read, columns = partial(parquet_batches, str(path), str(path)), []
    for role, names in _text_columns(next(read()).column_names).items():
        ids = pa.array(sorted(wanted[role]), pa.string())
        batches = (batch.select(names) for batch in read(columns=names))
        found = [part.filter(pc.is_in(part[0].cast(pa.string()), ids)) for part in batches]
        table = pa.concat_tables(found)
        rows = table if table.num_rows else next(read(columns=names)).select(names)[:2]
        columns.append((role, _texts(rows.to_pandas(), *names)))
    return columns


def _known(texts: pd.Series, role: str, wanted: set[str]) -> dict[str, str]:
    """Return the texts that are asked for, refusing a table of which none is."""
    known = texts[texts.index.isin(wanted)].dropna()
    if not len(known) and wanted and len(texts):
        first = (list(ids)[:EXAMPLES] for ids in (texts.index, sorted(wanted)))
        shown = (", ".join(map(repr, ids)) for ids in first)
        sides = "texts of {}; results of {}".format(*shown)
        raise IdError(f"texts of {role}s that occur", sides, "check how the ids are written")
    strange = [key for key, text in known.items() if not isinstance(text, str)]
    if strange:
        raise InputError("texts that are text", f"other values for {role}s", "", strange)
    several = known.groupby(level=0, sort=False).nunique()
    again = several.index[several > 1]
    if len(again):
        raise InputError(f"one text for each {role}", f"{len(again)} with several", "", again)
    return dict(zip(known.index, known, strict=True))


def names_of(cube: xr.Dataset, depth: int, runs: pd.DataFrame | None = None) -> Array:
    """Return the names of the documents at the top of every ranking.

    Parameters
    ----------
    cube
        A cube, which knows what judged documents are called, and those that it took along from
        the frames of which it was built.
    depth
        How many ranks.
    runs
        The run frame that it was made of, which knows the names of all.

    Returns
    -------
    numpy.ndarray
        Objects (system, topic, rank), None where nothing is listed or no name is known, as of
        unjudged documents of stores, files and lists whose documents were removed.

    Raises
    ------
    InputError
        If the cube was made of other runs.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> int((names_of(cube, 3) == None).sum())
    0
    """
    experiment, grade = experiment_of(cube), cube["grade"].to_numpy()[..., :depth]
    judged = np.append(experiment.judgments.docs.astype(object), [None])[
        experiment.rows_at(grade.shape[-1])
    ]
    there = grade != EMPTY
    if runs is None:
        if experiment.listing is not None:
            others = experiment.listing.load().names(experiment.shape, grade.shape[-1])
            judged[grade == UNJUDGED] = others[grade == UNJUDGED]
        return np.asarray(judged)
    listed, named = _listed_names(cube, depth, runs), _is_name(judged)
    listed[~there] = None
    if (listed[named] != judged[named]).any() or not _is_name(listed[there]).all():
        raise InputError("the runs that the cube was made of", "rankings that differ from its own")
    return listed


def _is_name(names: Array) -> NDArray[np.bool_]:
    return np.asarray(names != None)  # noqa: E711 - by element


def _listed_names(cube: xr.Dataset, depth: int, runs: pd.DataFrame) -> Array:
    """Return the names that a run frame has at the ranks of a cube."""
    made = experiment_of(cube).made
    known = roles(runs.columns).get(SYSTEM)
    wanted = runs if known is None else runs[runs[known].isin(cube.indexes[SYSTEM])]
    ranked = rank(wanted, Ties(made["ties"], dtype=made["score_dtype"], seed=made.get("seed", 0)))
    role = roles(ranked.columns)
    shape = cube.sizes[SYSTEM], cube.sizes[TOPIC], min(depth, cube.sizes[DEPTH])
    top = ranked[ranked[role[RANK]] <= shape[-1]]
    topics = cube.indexes[TOPIC].get_indexer(pd.Index(top[role[TOPIC]]))
    labels = cube.indexes[SYSTEM]
    systems = np.zeros(len(top), int) if known is None else labels.get_indexer(pd.Index(top[known]))
    inside = (topics >= 0) & (systems >= 0)
    names = np.full(shape, None, object)
    place = systems[inside], topics[inside], top[role[RANK]].to_numpy()[inside] - 1
    names[place] = top[role[DOC]].to_numpy()[inside]
    return names


USUAL = 10
"""Evaluation depth, unless said."""
SIDES = ("a", "b")
NUMBERS = ("contribution_a", "contribution_b", "difference")
COLUMNS = (TOPIC, DOC, "rank_a", "rank_b", GRADE, *NUMBERS, "could_add_a", "could_add_b")


@verb(bounded=True)
def explain(
    cube: xr.Dataset,
    a: Hashable,
    b: Hashable,
    metric: Metric | MetricType | str,
    *,
    at: int | None = None,
    topics: Sequence[Hashable] | None = None,
    docs: Sequence[Hashable] | None = None,
    runs: Runs | None = None,
    texts: Texts | None = None,
) -> pd.DataFrame:
    """Say which documents make one system score higher than another, topic by topic.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    a, b
        Two systems.
    metric
        A metric that is a sum over documents, or its name: AP, DCG, nDCG, RBP, P, Recall, ERR, Q,
        RR and others.
    at
        Evaluation depth, within the cube; by default that of the metric or, if it has none, 10 or
        the last of a cube that is less deep. A depth of the metric counts where it is smaller.
    topics
        The topics wanted; by default all.
    docs
        The documents wanted; by default all that either system has.
    runs
        The runs that the cube was made of, where it does not know what its unjudged documents are
        called: cubes of stores and files, those that xarray computed anew, ranks beyond 100. An
        unjudged document without a name that both systems have is two rows.
    texts
        Texts of documents and queries, for the columns ``query`` and ``text``: a frame or Parquet
        file with the columns doc and text, or topic and query; a dictionary doc -> text, or
        ``{"doc": {doc: text}, "topic": {topic: query}}``; or a list of these.

    Returns
    -------
    pandas.DataFrame
        A row for every topic and document that a or b has down to the depth, and one without a
        document for a rank past the end of a list, where that counts as for CRP:

        - ``topic``, ``doc``; ``rank_a``, ``rank_b``, <NA> where it is not retrieved so far;
          ``grade``, <NA> where unjudged;
        - ``contribution_a``, ``contribution_b``: what it adds to the scores, and ``difference``,
          a - b. Summed over the documents of a topic they are the scores and their difference;
          summed over all topics, the number of topics times the means and their difference,
          where the metric is averaged;
        - ``could_add_a``, ``could_add_b``: how much higher the score would be if this unjudged
          document alone had the grade that helps most; NaN of judged documents, of those that are
          not retrieved, and of metrics of subtopics.

        Topics with the largest differences come first, and in them documents likewise.

    Raises
    ------
    MetricError
        For a metric that is no sum over documents, or that the cube's ties do not allow.
    DepthError
        For a depth beyond the cube.
    ParameterError
        For an unknown system, topic or document, or the same system twice.
    InputError
        For runs that the cube was not made of, or texts that are none.
    IdError
        For texts of other documents or topics.

    Warns
    -----
    IrframeWarning
        If topics are left out in which only one of the systems took part.

    Notes
    -----
    The score of a list cut at depth k is the sum over ranks of what each adds, divided by what
    holds for the depth: discounted gain over that of the ideal ranking for nDCG, precision at
    relevant documents over their number for AP, the stop at each rank for ERR; RR and Success
    go to the first relevant document. What a document could add takes time in proportion to the
    unjudged documents times the depth: seconds a pair at depth 1000. See `bounds` for all unjudged
    documents together.

    References
    ----------
    .. [1] Järvelin, Kekäläinen. Cumulated gain-based evaluation of IR techniques. ACM TOIS 20,
       2002. doi:10.1145/582415.582418

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> found = cube.ireval.explain("splade", "bm25", "nDCG", at=5)
    >>> found.loc[:2, ["topic", "rank_a", "rank_b", "grade", "difference"]]
      topic  rank_a  rank_b  grade  difference
    0   110       1    <NA>      3       0.399
    1   110       2    <NA>      2       0.168
    2   110       5    <NA>      2       0.103
    """
    chosen = parse_metrics([metric])
    refuse_without_terms(chosen)
    wanted = chosen[0].depth or min(USUAL, cube.sizes[DEPTH]) if at is None else at
    wanted_depths(cube, chosen, wanted)
    depth = min(read_depth(cube, wanted), chosen[0].depth or wanted)
    pair = _pair(cube, a, b, topics)
    frame = _rows(pair, chosen[0], depth, None if runs is None else as_runs(runs))
    if docs is not None:
        known = frame[DOC].dropna().unique().tolist()
        places(f"documents that {a} or {b} has down to depth {depth}", docs, known)
        frame = frame[frame[DOC].isin(listed(docs))].reset_index(drop=True)
    if texts is not None:
        read = read_texts(texts, frame[DOC].dropna(), frame[TOPIC])
        queries, documents = frame[TOPIC].map(str), frame[DOC].map(str)
        named = {QUERY: queries.map(read.queries), TEXT: documents.map(read.documents)}
        frame = frame.assign(**named)
    frame.attrs = {"systems": [str(a), str(b)], METRIC: label_at(str(chosen[0]), depth)}
    return frame


def _pair(cube: xr.Dataset, a: Hashable, b: Hashable, topics: Any) -> xr.Dataset:
    """Return the lists of two systems on the topics wanted where both took part."""
    systems = places("systems of the cube", [a, b], cube.indexes[SYSTEM].tolist())
    if systems[0] == systems[1]:
        raise ParameterError("two systems to compare", f"{a!r} twice")
    chosen = {SYSTEM: systems}
    if topics is not None:
        known = cube.indexes[TOPIC].tolist()
        chosen[TOPIC] = sorted({*places("topics of the cube", topics, known)})
        if not chosen[TOPIC]:
            raise ParameterError("at least one topic", "none")
    return common_topics(loaded(cube.isel(chosen), "explain"))


def _rows(pair: xr.Dataset, metric: Metric, depth: int, runs: pd.DataFrame | None) -> pd.DataFrame:
    """Return a row for every document that one of two systems has."""
    refuse_metrics(pair, [metric])
    added, could = _contributed(pair, metric, depth)
    whole = pair[GRADE].to_numpy()
    judged = whole >= 0
    above: Any = np.arange(whole.shape[-1])
    if metric.judged_only:
        above = np.cumsum(judged, axis=-1) - judged
    read = ((above < depth) & (whole != EMPTY)) | (np.nan_to_num(added) != 0)
    width = 1 + int(np.flatnonzero(read.any(axis=(0, 1))).max(initial=0))
    read = read[..., :width]
    system, topic, place = np.nonzero(read)
    names = names_of(pair, width, runs)[read]
    code, known = pd.factorize(names)
    alone = -1 - np.arange(len(code))  # a document without a name is nobody else's
    key = np.where(code < 0, alone, topic * np.int64(len(known) + 1) + code)
    held = {SYSTEM: system, TOPIC: topic, DOC: pd.Series(names, key, object), RANK: place + 1}
    held |= {"adds": added[..., :width][read], "could": could[..., :width][read]}
    cells = pd.DataFrame(held | {GRADE: whole[..., :width][read]}, key)
    rows = cells[~cells.index.duplicated()].sort_index()
    topic, names = rows[TOPIC].to_numpy(), rows[DOC]
    columns: dict[str, Any] = {
        TOPIC: pair.indexes[TOPIC].take(topic),
        DOC: names.infer_objects(),
        GRADE: rows[GRADE].astype("Int64").where(rows[GRADE] > UNJUDGED),
    }
    if any(isinstance(name, int) for name in names):
        columns[DOC] = names.astype("Int64")
    sides = [cells[cells[SYSTEM] == side].reindex(rows.index) for side in range(len(SIDES))]
    scored = np.asarray(~np.isnan(added).any(axis=(0, 2)))[topic]
    for side, suffix in zip(sides, SIDES, strict=True):
        columns[f"{RANK}_{suffix}"] = side[RANK].astype("Int64")
        columns[f"contribution_{suffix}"] = side["adds"].fillna(0.0).where(scored)
        columns[f"could_add_{suffix}"] = side["could"]
    frame = pd.DataFrame(columns, rows.index)
    difference = frame["difference"] = frame["contribution_a"] - frame["contribution_b"]
    best = np.fmin(sides[0][RANK], sides[1][RANK])
    total = abs(np.bincount(topic, difference.fillna(0.0))).round(12)[topic]
    order = np.lexsort([best, -abs(difference).round(12), topic, -total])
    return frame[list(COLUMNS)].iloc[order].reset_index(drop=True)


def _contributed(pair: xr.Dataset, metric: Metric, depth: int) -> tuple[Array, Array]:
    """Return what documents add, and what unjudged ones could; shape (system, topic, depth)."""
    experiment, deep = experiment_of(pair), pair.sizes[DEPTH]
    if metric.judged_only:
        refuse_open(experiment.longest, deep)
    block = experiment.block(experiment.fields([metric], deep), deep)
    added = np.zeros(block.grade.shape)
    could = np.full(block.grade.shape, np.nan)
    for topics, part in block.scales():
        added[:, topics] = contributions(metric, part, depth)
        if not metric.subtopics:
            lists = part if metric.judged_only else part.cut(depth)
            gains = one_label(metric, lists.rows(), depth).reshape(*part.shape, -1)
            could[:, topics, : gains.shape[-1]] = gains
    return added, could
