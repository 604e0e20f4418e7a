"""Contributions of documents to the difference of two systems.

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
from irframe.checks import listed, positions_of
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
from irframe.files.sources import parquet_batches
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.facts import contributions, label_at, refuse_without_terms
from irframe.names import DEPTH, DOC, EMPTY, GRADE, METRIC, RANK, SYSTEM, TOPIC, UNJUDGED, roles

Texts = pd.DataFrame | Mapping[Any, object] | str | os.PathLike[str] | Sequence[object]
"""Type of the argument ``texts=``: a frame, a dictionary, the path of a Parquet file, or a list of
these."""

TEXT = "text"
QUERY = "query"
SNIPPET = 300
"""Maximum number of characters of a document's text in reports and figures."""
TEXT_COLUMNS = {
    DOC: (TEXT, "contents", "content", "body", "passage", "snippet", "document"),
    TOPIC: (QUERY, "question", "title", TEXT),
}
"""Possible names of the column with the texts of documents or topics, in order of preference."""
EXAMPLES = 2
"""Maximum number of document ids, and of topic ids, in an error message."""


class TextsById(NamedTuple):
    """Texts of documents and queries, by id."""

    documents: dict[str, str]
    queries: dict[str, str]


def read_texts(texts: Texts | None, docs: Iterable[object], topics: Iterable[object]) -> TextsById:
    """Return the texts of selected documents and topics.

    Parameters
    ----------
    texts
        A frame, a dictionary or the path of a Parquet file, or a list of these. Frames and files
        have the columns doc and text, or topic and query. A dictionary has the form ``{doc: text}``
        or ``{"doc": {doc: text}, "topic": {topic: query}}``. Texts of other documents and topics
        are ignored.
    docs, topics
        Ids of the documents and topics whose texts are returned.

    Raises
    ------
    InputError
        If `texts` has another type, an id has several texts, or a text is not a string.
    IdError
        If a source contains texts, but none of the ids.
    FileFormatError
        If a file is not a Parquet file.

    Examples
    --------
    >>> by_id = read_texts({"d1": "Cats.", "d2": "Dogs."}, ["d2", "d3"], [])
    >>> by_id.documents
    {'d2': 'Dogs.'}
    """
    ids = {DOC: {*map(str, docs)}, TOPIC: {*map(str, topics)}}
    by_id: dict[str, dict[str, str]] = {DOC: {}, TOPIC: {}}
    single = isinstance(texts, pd.DataFrame | Mapping | str | os.PathLike)
    for source in [texts] if single else listed(texts):
        for role, column in _texts_by_role(source, ids):
            by_id[role] |= _select(column.set_axis(column.index.map(str)), role, ids[role])
    return TextsById(by_id[DOC], by_id[TOPIC])


def _texts_by_role(source: object, ids: dict[str, set[str]]) -> list[tuple[str, pd.Series]]:
    """Return the columns of texts, indexed by id.

    The result is a list of pairs of the kind of ids, ``"doc"`` or ``"topic"``, and the column.
    """
    if isinstance(source, Mapping):
        by_role = source if source and {*source} <= {DOC, TOPIC} else {DOC: source}
        for texts in by_role.values():
            if not isinstance(texts, Mapping):
                raise InputError("a dictionary from id to text", f"a {type(texts).__name__}")
        return [(role, pd.Series(dict(texts), dtype=object)) for role, texts in by_role.items()]
    if isinstance(source, str | os.PathLike):
        return _from_parquet(Path(source), ids)
    if isinstance(source, pd.DataFrame):
        return [(role, _texts(source, *n)) for role, n in _text_columns(source.columns).items()]
    expected = "texts as a frame, as a dictionary from document to text, or as a Parquet file"
    raise InputError(expected, f"a {type(source).__name__}")


def _text_columns(names: Iterable[Hashable]) -> dict[str, tuple[Any, str]]:
    """Return the names of the columns with ids and texts."""
    present = list(names)
    column_of = roles(names)
    columns = {}
    for role, candidates in TEXT_COLUMNS.items():
        text = next((name for name in candidates if name in present), None)
        is_document_text = role == TOPIC and DOC in column_of and text == TEXT
        if role in column_of and text is not None and not is_document_text:
            columns[role] = column_of[role], text
    if not columns:
        advice = "name the columns doc and text, or topic and query"
        expected = "a table with a column of ids and a column of texts"
        raise InputError(expected, "only the columns", advice, present)
    return columns


def _texts(frame: pd.DataFrame, ids: Hashable, text: Hashable) -> pd.Series:
    return pd.Series(frame[text].to_numpy(object), frame[ids].to_numpy(object), dtype=object)


def _from_parquet(path: Path, ids: dict[str, set[str]]) -> list[tuple[str, pd.Series]]:
    """Read the texts with given ids from a Parquet file."""
    if not path.is_file():
        raise FileFormatError("a Parquet file of texts", f"no file {path}")
    batches_of = partial(parquet_batches, str(path), str(path))
    columns = []
    for role, names in _text_columns(next(batches_of()).column_names).items():
        selected = pa.array(sorted(ids[role]), pa.string())
        batches = (batch.select(names) for batch in batches_of(columns=names))
        # batches are filtered one by one, so that only the selected texts are in memory
        table = pa.concat_tables(
            [batch.filter(pc.is_in(batch[0].cast(pa.string()), selected)) for batch in batches]
        )
        # without a match, two rows remain, whose ids the error message of `_select` shows
        rows = table if table.num_rows else next(batches_of(columns=names)).select(names)[:2]
        columns.append((role, _texts(rows.to_pandas(), *names)))
    return columns


def _select(texts: pd.Series, role: str, ids: set[str]) -> dict[str, str]:
    """Select texts by id, and raise if no id matches."""
    selected = texts[texts.index.isin(ids)].dropna()
    if not len(selected) and ids and len(texts):
        first = (list(keys)[:EXAMPLES] for keys in (texts.index, sorted(ids)))
        shown = (", ".join(map(repr, keys)) for keys in first)
        sides = "texts of ids {} and results with ids {}".format(*shown)
        raise IdError(f"texts of {role}s in the results", sides, "compare the ids")
    strange = [key for key, text in selected.items() if not isinstance(text, str)]
    if strange:
        raise InputError("texts that are strings", f"other values for {role}s", "", strange)
    n_texts = selected.groupby(level=0, sort=False).nunique()
    several = n_texts.index[n_texts > 1]
    if len(several):
        raise InputError(
            f"one text for each {role}", f"{len(several)} {role}s with several texts", "", several
        )
    return dict(zip(selected.index, selected, strict=True))


def document_names(cube: xr.Dataset, depth: int, runs: pd.DataFrame | None = None) -> Array:
    """Return the ids of the top documents of every list.

    Parameters
    ----------
    cube
        A cube. Every cube contains the ids of judged documents. A cube built from frames also
        contains ids of unjudged documents.
    depth
        Number of ranks.
    runs
        The run frame from which the cube was made, which provides ids that the cube lacks.

    Returns
    -------
    numpy.ndarray
        Ids with object dtype, shape (system, topic, rank). The value is None after the end of a
        list, and for unjudged documents whose ids are not in the cube.

    Raises
    ------
    InputError
        If the cube was made from other runs.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> int((document_names(cube, 3) == None).sum())
    0
    """
    experiment = experiment_of(cube)
    grade = cube["grade"].to_numpy()[..., :depth]
    # row -1, which marks ranks without a judgment, selects the appended None
    judged = np.append(experiment.judgments.docs.astype(object), [None])[
        experiment.rows_at(grade.shape[-1])
    ]
    if runs is None:
        if experiment.listing is not None:
            unjudged_names = experiment.listing.load().names(experiment.shape, grade.shape[-1])
            judged[grade == UNJUDGED] = unjudged_names[grade == UNJUDGED]
        return np.asarray(judged)
    names = _names_in_runs(cube, depth, runs)
    retrieved = grade != EMPTY
    names[~retrieved] = None
    named = _is_name(judged)
    if (names[named] != judged[named]).any() or not _is_name(names[retrieved]).all():
        raise InputError("the runs that the cube was made from", "other rankings")
    return names


def _is_name(names: Array) -> NDArray[np.bool_]:
    return np.asarray(names != None)  # noqa: E711 - by element


def _names_in_runs(cube: xr.Dataset, depth: int, runs: pd.DataFrame) -> Array:
    """Return the ids of the top documents from run frames."""
    rule = experiment_of(cube).options
    column = roles(runs.columns).get(SYSTEM)
    rows = runs if column is None else runs[runs[column].isin(cube.indexes[SYSTEM])]
    ranked = rank(rows, Ties(rule["ties"], dtype=rule["score_dtype"], seed=rule.get("seed", 0)))
    role = roles(ranked.columns)
    shape = cube.sizes[SYSTEM], cube.sizes[TOPIC], min(depth, cube.sizes[DEPTH])
    top = ranked[ranked[role[RANK]] <= shape[-1]]
    topics = cube.indexes[TOPIC].get_indexer(pd.Index(top[role[TOPIC]]))
    labels = cube.indexes[SYSTEM]
    systems = np.zeros(len(top), int)
    if column is not None:
        systems = labels.get_indexer(pd.Index(top[column]))
    inside = (topics >= 0) & (systems >= 0)
    names = np.full(shape, None, object)
    cells = systems[inside], topics[inside], top[role[RANK]].to_numpy()[inside] - 1
    names[cells] = top[role[DOC]].to_numpy()[inside]
    return names


USUAL = 10
"""Evaluation depth of `explain` for metrics without a fixed depth."""
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
    """Return each document's contribution to the difference of two systems.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    a, b
        Names of two systems of the cube.
    metric
        A metric whose score is a sum over documents, or the name of such a metric. Examples are AP,
        DCG, nDCG, RBP, P, Recall, ERR, Q and RR.
    at
        Evaluation depth, at most the depth of the cube. The default is the depth in the metric's
        name. If the name has no depth, the default is the smaller of 10 and the depth of the cube.
        A depth greater than the depth in the metric's name has no effect.
    topics
        Topics to return. The default is all topics.
    docs
        Documents to return. The default is all documents that a or b retrieved.
    runs
        The runs from which the cube was made. The runs provide the ids of unjudged documents, which
        a cube does not contain beyond rank 100. A cube lacks all ids of unjudged documents if the
        cube was made from files or from a saved experiment, or if xarray recomputed the cube. An
        unjudged document without an id has one row for each system that retrieved the document.
    texts
        Texts of documents and queries, for the columns ``query`` and ``text`` of the result. Pass a
        frame, a dictionary or the path of a Parquet file, or a list of these. Frames and files have
        the columns doc and text, or topic and query. A dictionary has the form ``{doc: text}`` or
        ``{"doc": {doc: text}, "topic": {topic: query}}``.

    Returns
    -------
    pandas.DataFrame
        One row for every topic and document that a or b retrieved down to the depth. For metrics
        such as CRP, whose scores also depend on the ranks beyond the end of a list, these ranks
        have rows without a document. The columns are

        - ``topic`` and ``doc``;
        - ``rank_a`` and ``rank_b``, the ranks of the document in the lists of a and b, <NA> if the
          system did not retrieve the document;
        - ``grade``, the grade of the document, <NA> if the document is unjudged;
        - ``contribution_a`` and ``contribution_b``, the contributions of the document to the scores
          of a and b, and ``difference``, the contribution to a minus the contribution to b. The
          contributions to a score on a topic sum to this score;
        - ``could_add_a`` and ``could_add_b``, the increase of the scores of a and b if this
          unjudged document alone received the most favourable grade. The increase is NaN for judged
          documents, for documents that were not retrieved, and for metrics that use subtopics.

        Topics are sorted by the absolute difference of the two scores, from the largest to the
        smallest. The documents of a topic are sorted by the absolute difference of their
        contributions.

    Raises
    ------
    MetricError
        If the metric is not a sum over documents, or does not support the cube's policy for ties.
    DepthError
        If the depth is greater than that of the cube.
    ParameterError
        If a system, topic or document is unknown, or if a and b are the same system.
    InputError
        If the cube was made from other runs, or the texts cannot be read.
    IdError
        If `texts` contains none of the documents or topics of the result.

    Warns
    -----
    IrframeWarning
        If topics are left out, because only one of the two systems took part in these topics.

    Notes
    -----
    The score of a list at depth k is a sum of terms, one per rank, divided by a number that depends
    only on the topic and the depth. For nDCG the terms are discounted gains, and the divisor is the
    ideal DCG. For AP the terms are the precisions at relevant documents, and the divisor is the
    number of relevant documents. For ERR the terms are the stopping probabilities. For RR and
    Success only the first relevant document has a term.

    The time to compute ``could_add_a`` and ``could_add_b`` is proportional to the number of
    unjudged documents times the depth. The computation takes some seconds at depth 1000. The
    function `bounds` varies the grades of all unjudged documents together.

    References
    ----------
    .. [1] Järvelin, Kekäläinen. Cumulated gain-based evaluation of IR techniques. ACM TOIS 20,
       2002. doi:10.1145/582415.582418

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> rows = cube.ireval.explain("splade", "bm25", "nDCG", at=5)
    >>> rows.loc[:2, ["topic", "rank_a", "rank_b", "grade", "difference"]]
      topic  rank_a  rank_b  grade  difference
    0   110       1    <NA>      3       0.399
    1   110       2    <NA>      2       0.168
    2   110       5    <NA>      2       0.103
    """
    chosen = parse_metrics([metric])
    refuse_without_terms(chosen)
    last = chosen[0].depth or min(USUAL, cube.sizes[DEPTH]) if at is None else at
    wanted_depths(cube, chosen, last)
    depth = min(read_depth(cube, last), chosen[0].depth or last)
    pair = _pair(cube, a, b, topics)
    frame = _rows(pair, chosen[0], depth, None if runs is None else as_runs(runs))
    if docs is not None:
        retrieved = frame[DOC].dropna().unique().tolist()
        positions_of(f"documents that {a} or {b} retrieved down to depth {depth}", docs, retrieved)
        frame = frame[frame[DOC].isin(listed(docs))].reset_index(drop=True)
    if texts is not None:
        by_id = read_texts(texts, frame[DOC].dropna(), frame[TOPIC])
        frame[QUERY] = frame[TOPIC].map(str).map(by_id.queries)
        frame[TEXT] = frame[DOC].map(str).map(by_id.documents)
    frame.attrs = {"systems": [str(a), str(b)], METRIC: label_at(str(chosen[0]), depth)}
    return frame


def _pair(
    cube: xr.Dataset, a: Hashable, b: Hashable, topics: Sequence[Hashable] | None
) -> xr.Dataset:
    """Return a cube of two systems with their common topics."""
    systems = positions_of("systems of the cube", [a, b], cube.indexes[SYSTEM].tolist())
    if systems[0] == systems[1]:
        raise ParameterError("two systems to compare", f"{a!r} twice")
    chosen = {SYSTEM: systems}
    if topics is not None:
        every = cube.indexes[TOPIC].tolist()
        chosen[TOPIC] = sorted({*positions_of("topics of the cube", topics, every)})
        if not chosen[TOPIC]:
            raise ParameterError("at least one topic", "none")
    return common_topics(loaded(cube.isel(chosen), "explain"))


def _rows(pair: xr.Dataset, metric: Metric, depth: int, runs: pd.DataFrame | None) -> pd.DataFrame:
    """Return a row for every document that a system retrieved."""
    refuse_metrics(pair, [metric])
    added, could = _contributions(pair, metric, depth)
    grade = pair[GRADE].to_numpy()
    judged = grade >= 0
    # metrics that ignore unjudged documents count ranks among judged documents
    above: Array = np.arange(grade.shape[-1])
    if metric.judged_only:
        above = np.cumsum(judged, axis=-1) - judged
    shown = ((above < depth) & (grade != EMPTY)) | (np.nan_to_num(added) != 0)
    width = 1 + int(np.flatnonzero(shown.any(axis=(0, 1))).max(initial=0))
    shown = shown[..., :width]
    system, topic, index = np.nonzero(shown)
    names = document_names(pair, width, runs)[shown]
    code, distinct = pd.factorize(names)
    unique = -1 - np.arange(len(code))  # documents without ids cannot be matched
    key = np.where(code < 0, unique, topic * np.int64(len(distinct) + 1) + code)
    values = {SYSTEM: system, TOPIC: topic, DOC: pd.Series(names, key, object), RANK: index + 1}
    values |= {"adds": added[..., :width][shown], "could": could[..., :width][shown]}
    cells = pd.DataFrame(values | {GRADE: grade[..., :width][shown]}, key)
    rows = cells[~cells.index.duplicated()].sort_index()
    topic = rows[TOPIC].to_numpy()
    names = rows[DOC]
    columns: dict[str, pd.Series | pd.Index] = {
        TOPIC: pair.indexes[TOPIC].take(topic),
        DOC: names.infer_objects(),
        GRADE: rows[GRADE].astype("Int64").where(rows[GRADE] > UNJUDGED),
    }
    # unlike int64 of numpy, Int64 keeps integers beside missing values
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
    # differences are rounded, because rounding errors would change the order of tied rows
    total = abs(np.bincount(topic, difference.fillna(0.0))).round(12)[topic]
    order = np.lexsort([best, -abs(difference).round(12), topic, -total])
    return frame[list(COLUMNS)].iloc[order].reset_index(drop=True)


def _contributions(pair: xr.Dataset, metric: Metric, depth: int) -> tuple[Array, Array]:
    """Return the contributions and possible increases of documents.

    The possible increase of an unjudged document is the increase of the score with the most
    favourable grade. Both arrays have the shape (system, topic, depth).
    """
    experiment = experiment_of(pair)
    last = pair.sizes[DEPTH]
    if metric.judged_only:
        refuse_open(experiment.longest, last)
    block = experiment.block(experiment.fields([metric], last), last)
    added = np.zeros(block.grade.shape)
    could = np.full(block.grade.shape, np.nan)
    for topics, subset in block.scales():
        added[:, topics] = contributions(metric, subset, depth)
        if not metric.subtopics:
            lists = subset if metric.judged_only else subset.cut(depth)
            gains = one_label(metric, lists.rows(), depth).reshape(*subset.shape, -1)
            could[:, topics, : gains.shape[-1]] = gains
    return added, could
