"""Lists of chunks collapsed to lists of the documents that they are of."""

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irframe.checks import choice
from irframe.errors import IdError, InputError, ParameterError
from irframe.experiments.coded_tables import RunTable, Side, code_documents, read_table
from irframe.experiments.policy import TIE_POLICIES, Policy
from irframe.experiments.rank_table import listed_again, rank_table, refuse_duplicates
from irframe.files.as_runs import Runs, runs_by_role
from irframe.files.ids import ByRole, Codes
from irframe.names import (
    ALIASES,
    CHUNKS,
    DEFAULT_DTYPE,
    DEFAULT_TIES,
    DOC,
    RANK,
    SCORE,
    TOPIC,
    UNIT,
    ScoreDtype,
    Ties,
)
from irframe.record import recorded

ChunksOf = str | Mapping[Any, Any] | pd.Series | pd.DataFrame | None
"""Which document a chunk is of: a column of the runs, a pattern, or a table."""
By = Literal["first", "max", "sum", "mean"]
"""How documents are ranked by their chunks."""

COLLAPSED = UNIT
FIRST_CHUNK = "doc, at its first chunk"
"""Attribute of runs that were collapsed, and what it says of those that verbs collapse."""
COUNT = "chunks"
"""Column of collapsed runs: how many chunks of a document were in the list."""


@recorded
def collapse(
    runs: Runs,
    unit: str = DOC,
    *,
    by: By = "first",
    of: ChunksOf = None,
    ties: Ties = DEFAULT_TIES,
    score_dtype: ScoreDtype = DEFAULT_DTYPE,
    seed: int = 0,
) -> pd.DataFrame:
    r"""Collapse lists of chunks to lists of the documents that they are of.

    Parameters
    ----------
    runs
        Run frame of chunks: topic, chunk, and score or rank; usually system.
    unit
        The column that says which document a chunk is of: one of `runs`, or of the table `of`.
    by
        ``"first"``: a document stands where its first chunk stood. ``"max"``, ``"sum"``,
        ``"mean"``: documents are ranked anew, by this of the scores of their chunks in the list.
    of
        Where `runs` do not say it: chunk -> document, as a dictionary, a Series or a frame; or a
        pattern with one group, such as ``r"(.+)#\d+"``, that names the document in the chunk.
    ties, score_dtype, seed
        How chunks are ranked, as for `rank`.

    Returns
    -------
    pandas.DataFrame
        A row per system, topic and document, best first, with the columns of its first chunk but
        for the name of that, ``rank`` 1, 2, ..., and ``chunks``, how many there were in the list. A
        column ``unit`` then says that lists are of these documents.

    Raises
    ------
    IdError
        If a list has a chunk twice, or the document of a chunk is not known.
    ParameterError
        If nothing says which document a chunk is of.

    Examples
    --------
    >>> import pandas as pd
    >>> run = pd.DataFrame({"topic": "1", "chunk": ["a#1", "a#2", "b#1"], "score": [3, 2, 1]})
    >>> collapse(run, of=r"(.+)#\d+")
      topic doc  score  rank  chunks
    0     1   a      3     1       2
    1     1   b      1     2       1
    """
    choice("by", by, ("first", "max", "sum", "mean"))
    policy = Policy(ties=ties, score_dtype=score_dtype, seed=seed)
    named = _of_chunks(runs_by_role(runs), unit, of)
    ordered = Ordered.of(named, policy, once=named.chunk is not None)
    name = str(named.doc.name)
    docs = named.doc.to_numpy()[ordered.order]
    key = pairs_of(ordered.list, docs)
    later = pd.Series(key).duplicated().to_numpy()
    first = np.flatnonzero(~later)
    count: Codes = np.bincount(pd.factorize(key)[0])
    frame = ordered.frame.iloc[first]
    before = min(list(frame.columns).index(left) for left in named.left)
    frame = frame.drop(columns=named.left)
    frame.insert(before, name, docs[first])
    if by != "first":
        frame, count = _ranked_anew(frame, ordered, key, count, by)
    lists = ordered.list[first] if by == "first" else frame.pop("_list").to_numpy()
    rank = pd.Series(lists).groupby(lists, sort=False).cumcount().to_numpy() + 1
    told = {UNIT: name} if UNIT in frame.columns else {}
    frame = frame.assign(**{ordered.rank: rank, COUNT: count}, **told).reset_index(drop=True)
    frame.attrs = {**ordered.frame.attrs, COLLAPSED: _told_unit(name, by)}
    return frame


def _told_unit(name: str, by: str) -> str:
    return f"{name}, at its first chunk" if by == "first" else f"{name}, by the {by} of its chunks"


class Named(NamedTuple):
    """Runs whose chunks and documents are told apart."""

    frame: pd.DataFrame
    columns: Mapping[str, str]
    chunk: str | None
    doc: pd.Series
    left: list[str]
    """Columns that name chunks."""


def _of_chunks(runs: ByRole, unit: str, of: ChunksOf) -> Named:
    """Return which column names chunks, and the document of each row."""
    frame, columns = runs
    own = columns[DOC]
    inside = of if isinstance(of, str) and of in frame.columns else unit
    if (of is None or inside is of) and inside in frame.columns:
        chunk = next((c for c in (own, *CHUNKS) if c in frame.columns and c != inside), None)
        if chunk is None and inside == own and not _is_repeated(frame, columns):
            raise ParameterError(
                "to know which document a chunk is of",
                f"the column {own!r} alone",
                "name the column, as in collapse('doc_id'), or pass of= chunk -> document",
            )
        title = inside if inside in ALIASES[DOC] else DOC
        return Named(
            frame, columns, chunk, frame[inside].rename(title), [*filter(None, {chunk, inside})]
        )
    if of is None:
        advice = f"collapse(column) or of= chunk -> document; columns are {list(frame.columns)}"
        raise ParameterError("to know which document a chunk is of", f"no column {unit!r}", advice)
    title = DOC if own in CHUNKS else own
    return Named(frame, columns, own, _documents(frame[own], unit, of).rename(title), [own])


def _is_repeated(frame: pd.DataFrame, columns: Mapping[str, str]) -> bool:
    keys = [columns[role] for role in ("system", TOPIC, DOC) if role in columns]
    return bool(frame.duplicated(keys).any())


def _documents(chunk: pd.Series, unit: str, of: ChunksOf) -> pd.Series:
    """Return the document of each chunk, refusing chunks of unknown ones."""
    if isinstance(of, str):
        found = _by_pattern(chunk, of)
        advice = "the pattern of= must match every name and have one group"
    else:
        known = as_map(of, "of", (str(chunk.name), unit))
        found = pd.Series(known.reindex(chunk.astype(object)).to_numpy(), chunk.index)
        advice = "add them to of=, each with its document"
    unknown = chunk[found.isna()].unique()
    if len(unknown):
        raise IdError("the document of every chunk", f"{len(unknown)} unknown", advice, unknown)
    return found


def _by_pattern(chunk: pd.Series, pattern: str) -> pd.Series:
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise ParameterError("of=, a pattern", f"{pattern!r} ({error})") from error
    if groups != 1:
        advice = r"name a column of the runs, or write a pattern such as of=r'(.+)#\d+'"
        raise ParameterError("of=, a column or a pattern with one group", repr(pattern), advice)
    return chunk.astype(str).str.extract(f"^(?:{pattern})$", expand=False)


class Ordered(NamedTuple):
    """Runs in evaluation order."""

    frame: pd.DataFrame
    order: Codes
    list: Codes
    table: RunTable
    rank: str

    @classmethod
    def of(cls, named: Named, policy: Policy, *, once: bool) -> "Ordered":
        """Rank runs by chunks."""
        if TIE_POLICIES[policy.ties].shares:
            advice = "choose another ties="
            raise ParameterError("one order of chunks", "shared ranks, ties='mean'", advice)
        columns = dict(named.columns)
        frame = named.frame
        if named.chunk is not None:
            columns[DOC] = named.chunk
        table = read_table(ByRole(frame, columns))
        ranking = rank_table(
            table, ties=policy.ties, score_dtype=policy.score_dtype, seed=policy.seed
        )
        if once:
            (codes,) = code_documents(Side(table.topic, table.doc))
            refuse_duplicates(table, listed_again(table.system, codes))
        order = ranking.order
        rank = str(columns.get(RANK, RANK))
        return cls(frame.iloc[order], order, table.group[order], table, rank)


def pairs_of(lists: Codes, docs: Any) -> Codes:
    """Return a number for each pair of list and document."""
    code, labels = pd.factorize(pd.Series(docs, dtype=object))
    found: Codes = lists.astype(np.int64) * (len(labels) + 1) + code
    return found


def _ranked_anew(
    frame: pd.DataFrame, ordered: Ordered, key: Codes, count: Codes, by: By
) -> tuple[pd.DataFrame, Codes]:
    """Return documents by a statistic of the scores of their chunks, and how many each had."""
    if ordered.table.score is None:
        raise InputError(f"scores to be collapsed by {by!r}", "ranks alone", "by='first'")
    score = pd.Series(ordered.table.score[ordered.order].astype(float))
    codes = pd.factorize(key)[0]
    value = score.groupby(codes).agg(by).to_numpy()
    first = np.flatnonzero(~pd.Series(key).duplicated().to_numpy())
    lists = ordered.list[first]
    order = np.lexsort((np.arange(len(first)), -value, lists))
    name = str(ordered.table.columns[SCORE])
    return frame.assign(**{name: value, "_list": lists}).iloc[order], count[order]


def as_map(given: Any, argument: str, names: tuple[str, str]) -> pd.Series:
    """Return a table of two columns as a Series of one by the other.

    Parameters
    ----------
    given
        A dictionary, a Series or a frame.
    argument
        What it was given for.
    names
        What its columns may be called; without these, of a frame of two columns the first is what
        is looked up.

    Examples
    --------
    >>> as_map({"a#1": "a"}, "of", ("chunk", "doc")).to_dict()
    {'a#1': 'a'}
    """
    given = series_of(given, argument, names)
    again = given.index[given.index.duplicated()]
    differing = [key for key in again.unique() if len(set(given.loc[key])) > 1]
    if differing:
        found = f"{len(differing)} with several"
        raise IdError(f"one value for each name in {argument}=", found, "keep one", differing)
    once = given[~given.index.duplicated()]
    named: pd.Series = once.set_axis(pd.Index(once.index, dtype=object))
    return named


def series_of(given: Any, argument: str, names: tuple[str, str]) -> pd.Series:
    """Return a table of two columns as a Series, in which names may be there again."""
    if isinstance(given, pd.DataFrame):
        return _of_frame(given, argument, names)
    if isinstance(given, Mapping):
        return pd.Series(dict(given), dtype=None if given else object)
    if not isinstance(given, pd.Series):
        wanted = f"{argument}=, a dictionary, a Series or a frame of two columns"
        raise ParameterError(wanted, type(given).__name__)
    return given


def _of_frame(frame: pd.DataFrame, argument: str, names: tuple[str, str]) -> pd.Series:
    if frame.shape[1] == 1:
        return frame.iloc[:, 0]
    key, value = names
    columns = [str(each) for each in frame.columns]
    if value not in columns and len(columns) == 2:
        value = next(each for each in columns[::-1] if each != key)
    keys = next((c for c in (key, *CHUNKS, *ALIASES[DOC]) if c in columns and c != value), None)
    if keys is None and len(columns) == 2:
        keys = next(each for each in columns if each != value)
    if value not in columns or keys is None:
        wanted = f"a frame with the columns {key!r} and {names[1]!r} for {argument}="
        raise ParameterError(wanted, "other columns", "", columns)
    return frame.set_index(keys)[value]
