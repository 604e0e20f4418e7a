"""The documents behind a difference of two systems."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import listed, places
from irframe.cubes.blockwise import whole_block
from irframe.cubes.layout import LAZY
from irframe.cubes.recall_base import gather
from irframe.cubes.score import block_fields, refuse_metrics, wanted_depths
from irframe.cubes.verb import in_memory, verb
from irframe.errors import ParameterError
from irframe.experiments.metrics import parse_metrics
from irframe.extremes.one_label import one_label
from irframe.frames.as_runs import Runs, as_runs
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.contributions import contributions, refuse_without_terms
from irframe.metrics.facts import label_at
from irframe.names import DEPTH, DOC, EMPTY, GRADE, METRIC, RANK, SYSTEM, TOPIC, UNJUDGED
from irframe.studies.explaining.names import names_of
from irframe.studies.explaining.texts import QUERY, TEXT, Texts, read_texts
from irframe.studies.reading import read_depth, shared

Array = NDArray[Any]

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
    by: str | None = None,
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
        The runs that the cube was made of, which alone know what unjudged documents are called.
        Without them unjudged documents have no name, and one that both systems have is two rows.
    texts
        Texts of documents and queries, for the columns ``query`` and ``text``: a frame or Parquet
        file with the columns doc and text, or topic and query; a dictionary doc -> text, or
        ``{"doc": {doc: text}, "topic": {topic: query}}``; or a list of these.
    by
        A coordinate of systems or topics such as ``"track"``: one result per group.

    Returns
    -------
    pandas.DataFrame
        A row for every topic and document that a or b has down to the depth:

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
    >>> found.loc[:2, ["topic", "rank_a", "rank_b", "grade", "difference"]].round(3)
      topic  rank_a  rank_b  grade  difference
    0   110       1    <NA>      3       0.399
    1   110       2    <NA>      2       0.168
    2   110       5    <NA>      2       0.103
    """
    chosen = parse_metrics([metric])
    refuse_without_terms(chosen)
    asked = chosen[0].depth or min(USUAL, cube.sizes[DEPTH]) if at is None else at
    wanted_depths(cube, chosen, asked)
    depth = min(read_depth(cube, asked), chosen[0].depth or asked)
    pair = _pair(cube, a, b, topics)
    frame = _rows(pair, chosen[0], depth, None if runs is None else as_runs(runs))
    if docs is not None:
        known = frame[DOC].dropna().unique().tolist()
        places(f"documents that {a} or {b} has down to depth {depth}", docs, known)
        frame = frame[frame[DOC].isin(listed(docs))].reset_index(drop=True)
    frame = _with_texts(frame, texts)
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
    pair = gather(cube.isel(chosen)).drop_vars(
        [name for name in LAZY if name not in {GRADE, DOC, "tied", "tail", "tail_size"}]
    )
    return shared(in_memory(pair, "explain"))


def _rows(pair: xr.Dataset, metric: Metric, depth: int, runs: pd.DataFrame | None) -> pd.DataFrame:
    """Return a row for every document that one of two systems has."""
    refuse_metrics(pair, [metric])
    added, could = _contributed(pair, metric, depth)
    grade, names = pair[GRADE].to_numpy(), names_of(pair, pair.sizes[DEPTH], runs)
    read = _read(grade, metric, depth)
    sides = [
        _side(read[row], grade[row], names[row], added[row], could[row], suffix)
        for row, suffix in enumerate(SIDES)
    ]
    frame = sides[0].merge(sides[1], on=["place", "key", DOC, GRADE], how="outer", sort=False)
    frame[list(NUMBERS[:2])] = frame[list(NUMBERS[:2])].fillna(0.0)
    unscored = np.asarray(np.isnan(added).any(axis=(0, 2)))
    place = frame["place"].to_numpy()
    missing = unscored[place]
    frame.loc[missing, list(NUMBERS[:2])] = np.nan
    frame["difference"] = frame["contribution_a"] - frame["contribution_b"]
    frame[TOPIC] = pair.indexes[TOPIC].take(place)
    frame[DOC] = _ids(frame[DOC])
    return _sorted(frame)[list(COLUMNS)]


def _ids(names: pd.Series) -> pd.Series:
    """Return names of documents as text or whole numbers, missing where there is none."""
    whole = names.map(lambda name: isinstance(name, int)).any()
    return names.astype("Int64") if whole else names.infer_objects()


def _read(grade: Array, metric: Metric, depth: int) -> Array:
    """Return which documents a score at a depth is about."""
    judged = grade >= 0
    above = (
        np.cumsum(judged, axis=-1) - judged if metric.judged_only else np.arange(grade.shape[-1])
    )
    return np.asarray((above < depth) & (grade != EMPTY))


def _contributed(pair: xr.Dataset, metric: Metric, depth: int) -> tuple[Array, Array]:
    """Return what documents add, and what unjudged ones could; shape (system, topic, depth)."""
    block = whole_block(block_fields(pair, [metric]))
    added = np.zeros(block.grade.shape)
    could = np.full(block.grade.shape, np.nan)
    for topics, part in block.scales():
        added[:, topics] = contributions(metric, part, depth)
        if not metric.subtopics:
            lists = part if metric.judged_only else part.cut(depth)
            found = one_label(metric, lists.rows(), depth).reshape(*part.shape, -1)
            could[:, topics, : found.shape[-1]] = found
    return added, could


def _side(
    read: Array, grade: Array, names: Array, added: Array, could: Array, suffix: str
) -> pd.DataFrame:
    """Return the documents of one system; those without a name are nobody else's."""
    place, rank = np.nonzero(read)
    name, judged = names[place, rank], grade[place, rank] > UNJUDGED
    alone = np.array([f"{suffix}{number}" for number in range(len(place))], object)
    named = name != None  # noqa: E711 - by element
    return pd.DataFrame(
        {
            "place": place,
            "key": np.where(named, "", alone),
            DOC: pd.Series(name, dtype=object),
            GRADE: pd.arrays.IntegerArray(grade[place, rank].astype(np.int64), ~judged),
            f"{RANK}_{suffix}": pd.array(rank + 1, dtype="Int64"),
            f"contribution_{suffix}": added[place, rank],
            f"could_add_{suffix}": could[place, rank],
        }
    )


def _sorted(frame: pd.DataFrame) -> pd.DataFrame:
    """Return topics by their differences, and documents in them likewise."""
    place = frame["place"].to_numpy()
    topic = frame.groupby("place")["difference"].sum().abs().round(12).loc[place].to_numpy()
    first = frame[["rank_a", "rank_b"]].min(axis=1).to_numpy(float)
    own = frame["difference"].abs().round(12).to_numpy()
    order = np.lexsort([first, -own, place, -topic])
    return frame.iloc[order].reset_index(drop=True)


def _with_texts(frame: pd.DataFrame, texts: Texts | None) -> pd.DataFrame:
    if texts is None:
        return frame
    told = read_texts(texts, frame[DOC].dropna(), frame[TOPIC])
    queries, documents = frame[TOPIC].map(str), frame[DOC].map(str)
    return frame.assign(**{QUERY: queries.map(told.queries), TEXT: documents.map(told.documents)})
