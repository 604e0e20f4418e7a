"""Units of runs: chunks, copies, lengths and searches.

`Preparation` changes runs and judgments before they are joined and ranked.

Verbs: collapse.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.arrays import Array
from irframe.checks import choice, refuse_any
from irframe.errors import IdError, InputError, ParameterError, shortened, warn
from irframe.evaluation import searches
from irframe.experiments import choices
from irframe.experiments.coded_tables import RunTable, Side, code_documents, read_table
from irframe.experiments.policy import Metrics, Policy, one_by_one, parse_metrics, shares_ranks
from irframe.experiments.rank_table import listed_again, rank_table, refuse_duplicates
from irframe.experiments.ranked_runs import list_differs, refuse_unread_searches
from irframe.files.as_runs import Qrels, Runs, by_role
from irframe.files.scan_runs import ScannedRuns
from irframe.frames.ids import Codes, within
from irframe.frames.kinds import QRELS, RUN, ByRole
from irframe.record import recorded

RankBy = Literal["first", "max", "sum", "mean"]
"""The rule that ranks documents by their chunks."""

FIRST_CHUNK = "doc, at its first chunk"
"""The value of the attribute `unit` of scores whose runs were collapsed by ``units=``."""
UNKNOWN = "the document of each chunk"
"""Description of the expected value, for errors about chunks whose document is unknown."""
COUNT = "chunks"
"""Name of the column of collapsed runs with the number of each document's chunks in the list."""


@recorded
def collapse(
    runs: Runs,
    unit: str = words.DOC,
    *,
    rank_by: RankBy = "first",
    of: choices.ChunksOf = None,
    ties: choices.TiesLike = words.DEFAULT_TIES,
) -> pd.DataFrame:
    r"""Collapse lists of chunks to lists of documents.

    Parameters
    ----------
    runs
        A run frame with the columns topic, chunk, and score or rank, and usually system.
    unit
        The column of `runs` or of the table `of` that contains the document of each chunk.
    rank_by
        ``"first"``: documents are ranked by the position of their first chunk. ``"max"``, ``"sum"``
        and ``"mean"``: documents are ranked by the maximum, sum or mean of their chunks' scores in
        the list.
    of
        The document of each chunk, if `runs` have no column of documents. The value is a
        dictionary, Series or frame that maps chunks to documents, or a regular expression such as
        ``r"(.+)#\d+"``. The single group of the regular expression matches the document id within
        the chunk id.
    ties
        The rule that orders chunks with equal scores, or an `irframe.Ties`.

    Returns
    -------
    pandas.DataFrame
        One row per system, topic and document. The rows of each list are sorted by rank. Each row
        has the values of the document's first chunk, without the chunk id. The column ``rank``
        decides the order, so scores are renamed to ``listed_score``. The column ``chunks`` counts
        the document's chunks in the list. A column ``unit`` in `runs` is overwritten with the name
        of the document column.

    Raises
    ------
    IdError
        If a list contains a chunk twice, or the document of a chunk is unknown.
    ParameterError
        If neither a column nor `of` specifies the document of each chunk.

    Examples
    --------
    >>> import pandas as pd
    >>> run = pd.DataFrame({"topic": "1", "chunk": ["a#1", "a#2", "b#1"], "score": [3, 2, 1]})
    >>> collapse(run, of=r"(.+)#\d+")
      topic doc  listed_score  rank  chunks
    0     1   a             3     1       2
    1     1   b             1     2       1
    """
    choice("rank_by", rank_by, ("first", "max", "sum", "mean"))
    if not isinstance(unit, str):
        raise ParameterError("unit to be the name of a column", shortened(unit))
    policy = Policy(**choices.Ties.read(ties).plain)
    collapsed = _collapsed(_of_chunks(by_role(runs, RUN), unit, of), rank_by, policy)
    score = words.roles(collapsed.columns).get(words.SCORE)
    if score is None:
        return collapsed
    unscored = collapsed.drop(columns=words.LISTED_SCORE, errors="ignore")
    return unscored.rename(columns={score: words.LISTED_SCORE})


def _collapsed(named: "Named", by: RankBy, policy: Policy, cost: str | None = None) -> pd.DataFrame:
    """Return collapsed lists, with the cost of each document.

    The cost of a document is the cost of all chunks after the first chunk of the previous document,
    up to the document's first chunk. Some chunks in this range may belong to earlier documents of
    the list.
    """
    table, order = _ordered(named.runs, policy, once=named.once)
    frame = table.frame
    lists = table.group
    name = str(named.doc.name)
    docs = named.doc.to_numpy()[order]
    key = pairs_of(lists, docs)
    first = np.flatnonzero(~pd.Series(key).duplicated())
    values: dict[str, Any] = {COUNT: np.bincount(key)}
    if by != "first":
        score = table.kept_score
        name_of_score = table.columns.get(words.SCORE, words.LISTED_SCORE)
        if score is None:
            expected = f"scores of chunks, to collapse by {by!r}"
            raise InputError(expected, "ranks without scores", "pass rank_by='first'")
        inside = lists[1:] == lists[:-1]
        if name_of_score == words.LISTED_SCORE and (score[1:] > score[:-1])[inside].any():
            got = f"lists in which {words.LISTED_SCORE!r} rises"
            expected = f"scores that fall from rank to rank, to collapse by {by!r}"
            raise InputError(expected, got, "pass rank_by='first'")
        value = pd.Series(score.astype(float)).groupby(key).agg(by).to_numpy()
        # The sort is stable, so documents with equal values keep the order of their first chunks.
        best = np.lexsort((-value, lists[first]))
        first = first[best]
        values = {str(name_of_score): value[best], COUNT: values[COUNT][best]}
    if cost in frame.columns:
        values[str(cost)] = searches.read_from_one_to_the_next(table, str(cost), first)
    before = min(list(frame.columns).index(column) for column in named.replaced)
    chosen = frame.iloc[first].drop(columns=named.replaced)
    chosen.insert(before, name, docs[first])
    # The column is removed and added again, so that it is the last column.
    count = {COUNT: values.pop(COUNT)}
    values |= {_rank_of(table): within(lists[first]) + 1} | count
    if words.UNIT in frame.columns:
        values[words.UNIT] = name
    chosen = chosen.assign(**values).reset_index(drop=True)
    at = "at its first chunk" if by == "first" else f"by the {by} of its chunks"
    chosen.attrs[words.UNIT] = f"{name}, {at}"
    return chosen


class Named(NamedTuple):
    """Runs, and the document of each chunk."""

    runs: ByRole
    """The runs. If chunks have ids, their column has the role "doc"."""
    doc: pd.Series
    replaced: list[str]
    """The columns of chunks and documents. Collapsed lists have a single column in their place."""
    once: bool
    """Whether chunks have ids. If so, a list must not contain a chunk twice."""


def _of_chunks(runs: ByRole, unit: str, of: choices.ChunksOf) -> Named:
    """Find the chunks and their documents in runs."""
    frame, columns = runs
    doc_column = columns[words.DOC]
    if isinstance(of, str) and of in words.ALIASES[words.DOC] and of not in frame.columns:
        # `of` is an alias of the document column, which `by_role` has renamed.
        of = doc_column
    inside = of if isinstance(of, str) and of in frame.columns else unit
    if (of is None or inside is of) and inside in frame.columns:
        chunk = next(
            (c for c in (doc_column, *words.CHUNKS) if c in frame.columns and c != inside), None
        )
        keys = [columns[role] for role in (words.SYSTEM, words.TOPIC, words.DOC) if role in columns]
        if chunk is None and inside == doc_column and not frame.duplicated(keys).any():
            advice = "name the column, as in collapse('doc_id'), or pass of= chunk -> document"
            raise ParameterError(UNKNOWN, f"only the column {doc_column!r}", advice)
        doc = frame[inside].rename(inside if inside in words.ALIASES[words.DOC] else words.DOC)
        named = ByRole(frame, {**columns, words.DOC: chunk or doc_column})
        return Named(named, doc, [*filter(None, {chunk, inside})], once=chunk is not None)
    if of is None:
        advice = f"name one of the columns {list(frame.columns)}, or pass of= chunk -> document"
        raise ParameterError(UNKNOWN, f"no column {unit!r}", advice)
    title = words.DOC if doc_column in words.CHUNKS else doc_column
    doc = _document_of_each(frame[doc_column], unit, of).rename(title)
    return Named(runs, doc, [doc_column], once=True)


def _document_of_each(chunk: pd.Series, unit: str, of: choices.ChunksOf) -> pd.Series:
    """Return the document of each chunk; raise for unknown chunks."""
    if isinstance(of, str):
        try:
            groups = re.compile(of).groups
        except re.error as error:
            raise ParameterError("of to be a regular expression", f"{of!r} ({error})") from error
        if groups != 1:
            advice = r"name a column of the runs, or write a pattern such as of=r'(.+)#\d+'"
            expected = "of to be a column, or a regular expression with one group"
            raise ParameterError(expected, repr(of), advice)
        documents = chunk.astype(str).str.extract(f"^(?:{of})$", expand=False)
        advice = "write a pattern that matches every chunk id"
        unknown = chunk[documents.isna()].unique()
        refuse_any(IdError, unknown, "the document of every chunk", "no document for", advice)
        return documents
    documents = as_map(of, "of", (str(chunk.name), unit))
    advice = "add these chunks to of=, each with its document"
    return _looked_up(chunk, documents, "document of every chunk", advice)


def _ordered(runs: ByRole, policy: Policy, *, once: bool) -> tuple[RunTable, Codes]:
    """Return runs in evaluation order, and the original positions."""
    if shares_ranks(policy.ties):
        expected = "a rule that orders chunks with equal scores"
        raise ParameterError(expected, f"ties={policy.ties!r}", "choose another ties=")
    table = read_table(runs)
    order = rank_table(table, policy).order
    if once:
        (codes,) = code_documents(Side(table.topic, table.doc))
        refuse_duplicates(table, listed_again(table.system, codes))
    return table.take(order), order


def _rank_of(table: RunTable) -> str:
    """Return the caller's name of the rank column."""
    return str(table.columns.get(words.RANK, words.RANK))


def pairs_of(lists: Codes, docs: pd.Series | Array) -> Codes:
    """Return a code per row for the list and document."""
    code, labels = pd.factorize(pd.Series(docs, dtype=object))
    # a missing document has code -1, so codes are spread over one more than the documents
    return pd.factorize(lists.astype(np.int64) * (len(labels) + 1) + code)[0]


def as_map(table: object, argument: str, names: tuple[str, str]) -> pd.Series:
    """Return a table of names and values as a Series.

    Parameters
    ----------
    table
        A dictionary, a Series or a frame.
    argument
        The parameter that contains the table, for messages.
    names
        The expected columns of a frame with names and values. If a frame has two columns with other
        names, its first column contains the names.

    Examples
    --------
    >>> as_map({"a#1": "a"}, "of", ("chunk", "doc")).to_dict()
    {'a#1': 'a'}
    """
    if isinstance(table, pd.DataFrame):
        table = table.iloc[:, 0] if table.shape[1] == 1 else _map_of_frame(table, argument, names)
    elif isinstance(table, Mapping):
        table = pd.Series(dict(table), dtype=None if table else object)
    if not isinstance(table, pd.Series):
        expected = f"{argument} to be a dictionary, a Series or a frame of two columns"
        raise ParameterError(expected, type(table).__name__)
    values = table.groupby(level=0, sort=False).nunique(dropna=False)
    differing = values.index[values > 1]
    expected = f"one value for each name in {argument}="
    advice = "keep one value for each name"
    refuse_any(IdError, differing, expected, "several values for the names", advice)
    once: pd.Series = table[~table.index.duplicated()]
    return once.set_axis(once.index.astype(object))


def _map_of_frame(frame: pd.DataFrame, argument: str, names: tuple[str, str]) -> pd.Series:
    key, value = names
    columns = [str(column) for column in frame.columns]
    if value not in columns and len(columns) == 2:
        value = next(column for column in columns[::-1] if column != key)
    candidates = (
        key,
        *words.CHUNKS,
        *words.ALIASES[words.DOC],
        *(columns if len(columns) == 2 else ()),
    )
    keys = next((name for name in candidates if name in columns and name != value), None)
    if value not in columns or keys is None:
        expected = f"a frame with the columns {key!r} and {names[1]!r} for {argument}="
        raise ParameterError(expected, "only the columns", "", columns)
    return frame.set_index(keys)[value]


def _looked_up(names: pd.Series, table: pd.Series, noun: str, advice: str) -> pd.Series:
    """Return the value of every name; raise for missing values."""
    values = pd.Series(table.reindex(names.astype(object)).to_numpy(), names.index)
    unknown = names[values.isna()].unique()
    refuse_any(IdError, unknown, f"the {noun}", "no value for", advice)
    return values


class Preparation(NamedTuple):
    """Options that change runs and judgments before they are joined."""

    of: choices.ChunksOf = None
    length: choices.Lengths = None
    copies: choices.Copies = None
    later_copies: choices.LaterCopies = "spend"
    search: str | None = None
    each: int | None = None
    scores: bool = False
    """Whether to keep the scores of documents, which thresholds need."""
    costs: tuple[str, ...] = ()
    """The costs of searches that become columns of the result."""

    @classmethod
    def read(
        cls,
        units: choices.UnitsLike = None,
        search: choices.SearchLike = None,
        *,
        scores: bool = False,
    ) -> "Preparation":
        """Return the preparation for the options `units` and `search`."""
        searched = {} if search is None else choices.Searches.read(search).plain
        return cls(**choices.Units.read(units).plain, **searched, scores=scores)

    @property
    def decided(self) -> dict[str, Any]:
        """The fields of a `Policy` that describe units and searches."""
        length = self.length
        if length is not None and not isinstance(length, str):
            lengths = as_map(length, words.LENGTH, (words.DOC, words.LENGTH))
            length = str(lengths.name or words.LENGTH)
        unit = None if self.of is None else FIRST_CHUNK
        copies = None if self.copies is None else self.later_copies
        score = words.SCORE if self.scores else None
        decided = {"unit": unit, "copies": copies, "length": length, "score": score}
        return decided | {"search": self.search, "each": self.each}

    def runs(self, runs: Runs | ScannedRuns, policy: Policy, by: Any = None) -> Any:
        """Return runs of the judged units, with their lengths.

        Parameters
        ----------
        runs
            Any object that `as_runs` converts, or scanned files.
        policy
            The options that decide rankings.
        by
            The group column. The same topic name may occur in several groups.
        """
        has_table = self.length is not None and not isinstance(self.length, str)
        ids_change = self.of is not None or self.copies is not None
        if self.search is None:
            refuse_unread_searches(runs)
            if not ids_change and not has_table:
                return runs
        named = self.shown(runs)
        if self.search is not None:
            has_table = has_table and self.of is not None
            search_policy = replace(policy, length=None) if has_table else policy
            named = searches.merged(named, search_policy, by, chunks=self.of is not None)
        if ids_change and by in named.frame and list_differs(named, by):
            prepared = self._replace(search=None)
            groups = named.frame.groupby(by, sort=False)
            frames = [prepared.runs(named._replace(frame=rows), policy) for _, rows in groups]
            return pd.concat(frames, ignore_index=True)
        if self.of is not None:
            plain = Policy(ties=policy.ties, score_dtype=policy.score_dtype, seed=policy.seed)
            chunks = _of_chunks(named, words.DOC, self.of)
            collapsed = _collapsed(chunks, "first", plain, None if has_table else policy.length)
            named = by_role(collapsed, RUN)
        if self.copies is not None:
            ties = policy.ties if self.of is None else "rank"
            named = self._copied(named, replace(policy, ties=ties, unit=None, copies=None))
        return _with_lengths(named, self.length, policy.length).frame if has_table else named.frame

    def with_costs(self, metrics: Metrics | Iterable[Metrics]) -> "tuple[list[Any], Preparation]":
        """Return the metrics without costs, and the preparation with costs."""
        if self.search is None:
            return parse_metrics(metrics), self
        names = {*searches.COSTS}
        # The cost of a search is a sum over the lengths of all chunks that it returns. If runs rank
        # chunks, only a column of the runs contains these lengths.
        if self.of is None or isinstance(self.length, str):
            names.add(self.decided["length"])
        every: list[Any] = [*one_by_one(metrics)]
        costs = [name for name in every if isinstance(name, str) and name in names]
        remaining = [metric for metric in every if metric not in costs]
        return parse_metrics(remaining), self._replace(costs=tuple(dict.fromkeys(costs)))

    def shown(self, runs: Runs | ScannedRuns) -> ByRole:
        """Return runs with the lengths that costs need."""
        if isinstance(runs, ScannedRuns):
            runs = runs.readable().frame()
        named = by_role(runs, RUN, self.search)
        if self.search is None or self.of is not None or isinstance(self.length, str | None):
            return named
        return _with_lengths(named, self.length, self.decided["length"])

    def qrels(self, qrels: Qrels, by: Hashable = None) -> Qrels:
        """Return judgments with copies replaced by their representatives."""
        if self.search is not None:
            _refuse_spans(by_role(qrels, QRELS).frame, "search=")
        if self.copies is None:
            return qrels
        named = by_role(qrels, QRELS)
        groups = [by] if by in named.frame else []
        return _judged_once(named, self._map, groups, spend=self.later_copies == "spend")

    @property
    def _map(self) -> pd.Series:
        """The representative of each copy."""
        copies = as_map(self.copies, "copies", (words.DOC, "canonical"))
        # If a representative were itself a copy, its copies would get an id without judgments.
        chained = copies[copies.isin(copies.index) & (copies.index != copies.to_numpy())]
        chained = chained[copies.reindex(chained).to_numpy() != chained.to_numpy()]
        expected = "representatives in copies= that are not copies themselves"
        advice = "map all copies to the same document"
        refuse_any(ParameterError, chained.unique(), expected, "", advice)
        return copies

    def _copied(self, named: ByRole, policy: Policy) -> ByRole:
        """Return runs in which copies have their representative's id."""
        table, _ = _ordered(named, policy, once=True)
        name = str(named.columns[words.DOC])
        lists = table.group
        renamed = table.frame.reset_index(drop=True)
        docs = renamed[name].astype(object)
        representatives = representatives_of(docs, self._map)
        key = pairs_of(lists, representatives)
        later = pd.Series(key).duplicated()
        renamed[name] = representatives
        if self.later_copies == "skip":
            renamed = renamed[~later]
            lists = lists[~later]
        else:
            # The first copy gets the id of its representative. If the representative itself comes
            # later in the list, the representative gets the id of the first copy, so that no id
            # occurs twice.
            first = docs.where(docs != representatives, docs.groupby(key).transform("first"))
            renamed[name] = first.where(later, representatives)
        ranked = renamed.assign(**{_rank_of(table): within(lists) + 1})
        return by_role(ranked.reset_index(drop=True), RUN)


UNCHANGED = Preparation()
"""A preparation that leaves runs and judgments unchanged."""


def representatives_of(docs: pd.Series, copies: pd.Series) -> pd.Series:
    """Return each document's representative, by default the document itself."""
    representatives = docs.astype(object).map(copies)
    return representatives.where(representatives.notna(), docs)


def _judged_once(
    qrels: ByRole, copies: pd.Series, groups: list[Hashable], *, spend: bool
) -> pd.DataFrame:
    """Return judgments of representatives with their copies' highest grades."""
    frame, columns = qrels
    _refuse_spans(frame, "copies=")
    doc = columns[words.DOC]
    grade = columns[words.GRADE]
    keys = [columns[role] for role in (words.TOPIC, words.SUBTOPIC) if role in columns] + groups
    renamed = frame.assign(**{doc: representatives_of(frame[doc], copies)})
    grades = renamed.groupby([*keys, doc], sort=False)[grade]
    conflicts = int((grades.max() > grades.min()).sum())
    if conflicts:
        warn(f"copies of {conflicts} documents have different grades; the highest grade counts")
    once = renamed.assign(**{grade: grades.transform("max")}).drop_duplicates([*keys, doc])
    # Later copies keep their ranks, and count as judged, non-relevant documents.
    if spend:
        copied = copies[copies.index != copies.to_numpy()]
        pairs = pd.DataFrame({"_stands": copied.to_numpy(), "_copy": copied.index})
        more = once.merge(pairs, left_on=doc, right_on="_stands").assign(**{grade: 0})
        more = more.drop(columns=[doc, "_stands"]).rename(columns={"_copy": doc})
        once = pd.concat([once, more[list(once.columns)]], ignore_index=True)
    once.attrs = {k: v for k, v in frame.attrs.items() if k == words.FILES}
    return once.reset_index(drop=True)


def _refuse_spans(qrels: pd.DataFrame, argument: str) -> None:
    """Raise if spans were judged, for a parameter of documents."""
    if all(any(n in qrels.columns for n in names) for names in words.BORDERS.values()):
        raise ParameterError(f"judgments of documents for {argument}", "judgments of spans")


def _with_lengths(runs: ByRole, length: object, name: str | None) -> ByRole:
    """Return runs with a column of lengths."""
    frame, columns = runs
    doc = frame[columns[words.DOC]]
    if name in columns.values():
        got = f"the name {name!r}"
        expected = "lengths with a name that no column of the runs has"
        raise ParameterError(expected, got, "rename the lengths")
    lengths = as_map(length, words.LENGTH, (str(doc.name), words.LENGTH))
    advice = "add these documents to length="
    values = _looked_up(doc, lengths, "length of every document", advice)
    return by_role(frame.assign(**{str(name): values.to_numpy()}), RUN)
