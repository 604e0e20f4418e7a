"""Reading of runs for `evaluate` and for scorers."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.arrays import Array, as_plain
from irframe.errors import InputError
from irframe.evaluation import listed
from irframe.experiments.coded_tables import read_table
from irframe.experiments.experiment import Experiment
from irframe.experiments.group_columns import Groups
from irframe.experiments.hits import JudgedPool
from irframe.experiments.joining import COLLECTIONS, refuse_no_topics, warn_none_judged
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Collections, Lists, choose_topics, warn_missing
from irframe.experiments.policy import TIE_POLICIES, Policy
from irframe.experiments.rank_table import CONTRIBUTING
from irframe.experiments.ranked_runs import Extras, Framed, Ranked, rank_framed, rank_scanned
from irframe.files.as_runs import ONLY_SYSTEM, Runs, by_role, split_empty
from irframe.files.scan_runs import ScannedRuns
from irframe.frames.ids import EXACT, Codes, is_utf8
from irframe.frames.kinds import RUN, ByRole
from irframe.frames.values import framed, numbers
from irframe.names import CHUNKS, DOC, RANK, SCORE, SYSTEM, TOPIC

ONLY = pd.Index([ONLY_SYSTEM])

SMALL = 1 << 14
"""Maximum number of rows of a frame that is faster to read as dictionaries than as columns."""

TEXT: set[type] = {str, np.str_}
INTEGERS: set[type] = {int, np.int64, np.int32}
"""Python and NumPy types of integer ids."""

NUMBERS: set[type] = {float, int, np.float64, np.float32}
"""Python and NumPy types of scores that need no conversion."""


class Reader:
    """A reader of runs for the same judgments and options.

    Parameters
    ----------
    judgments
        The judgments.
    policy
        The options that determine rankings.
    docs
        Documents to which integer positions in arrays refer, in addition to the judged documents.
    pooled
        Whether to compute the pool of judged documents.
    """

    def __init__(
        self, judgments: Judgments, policy: Policy, docs: Iterable[Hashable], *, pooled: bool
    ) -> None:
        self.places = listed.Positions(judgments, [*docs])
        self._judgments = judgments
        self._policy = policy
        self._pooled = pooled
        self._ties = TIE_POLICIES[policy.ties]
        self._is_later = False

    @cached_property
    def _kinds(self) -> tuple[set[type], set[type]]:
        """The types of the ids of judged documents and topics."""
        names = self._judgments.names[0], self._judgments.topics[0]
        kinds = [TEXT if isinstance(name, str) else INTEGERS for name in names]
        return kinds[0], kinds[1]

    def read(self, run: Runs | None) -> Experiment:
        """Read runs in any format, including scanned files."""
        if type(run) is dict:
            return self._dictionary(run) or self.read_table(run)[0]
        if isinstance(run, ScannedRuns):
            return self._read_scanned(run)
        table, empty = split_empty(run)
        if empty:
            return self.read_table(run)[0]
        named = by_role(table, RUN)
        return self._small(named) or self.read_table(named)[0]

    def read_groups(self, runs: pd.DataFrame, by: str) -> Iterator[tuple[Any, Experiment]]:
        """Yield each group and its experiment."""
        experiment, groups = self.read_table(runs, by)
        if groups is not None:
            yield from experiment.by_group(groups, stated=self._policy.collection is not None)

    def read_arrays(self, topic: object, doc: object, score: object) -> Experiment:
        """Read three arrays with ids or positions."""
        arrays = paired(topic, doc, score)
        if not len(arrays[TOPIC]):
            return self.read_table(pd.DataFrame(arrays))[0]
        if not (self.places.passed and _is_integer(arrays[DOC])) and not self._is_row(arrays, DOC):
            return self.read(self._named(arrays))
        if not self._by_dictionary or self._pooled:
            expected = "ids of documents, for ties='rank' and for metrics that need the pool"
            raise InputError(expected, "positions of documents")
        unjudged: list[Hashable] = []
        topics = arrays[TOPIC]
        if not self._is_row(arrays, TOPIC):
            codes, labels = pd.factorize(pd.Series(topics))
            positions = self._judgments.topics.get_indexer(pd.Index(labels))
            topics = positions[codes]
            unjudged = pd.Index(labels)[positions < 0].tolist()
            if (positions < 0).all():
                refuse_no_topics((labels, TOPIC), (self._judgments.topics, TOPIC))
        scores = numbers(pd.Series(arrays[SCORE], name=SCORE))
        columns = topics, arrays[DOC], scores
        unranked = listed.read_positions(self.places, *columns, self._policy.score_dtype, ONLY)
        if not len(unranked.row):
            longest = np.arange(len(unranked.length)) == unranked.length.argmax()
            judged = self._judgments.names[:3]
            warn_none_judged((unranked.documents(longest)[:3], DOC), (judged, DOC))
        # The result is never None, because positions are ranked even if many scores tie.
        return cast("Experiment", self._ranked(unranked, unjudged))

    def _named(self, arrays: dict[str, Array]) -> pd.DataFrame:
        """Return arrays with document ids as a run frame."""
        if not self._is_row(arrays, TOPIC):
            return framed(arrays)
        topics = arrays[TOPIC]
        listed.refuse_beyond(TOPIC, topics, len(self._judgments.topics))
        named = {name: array[topics >= 0] for name, array in arrays.items()}
        return framed(named | {TOPIC: self._judgments.topics[named[TOPIC]]})

    def _is_row(self, arrays: dict[str, Array], role: str) -> bool:
        """Return whether integers are positions because judged ids are text."""
        judged = (self._judgments.names if role == DOC else self._judgments.topics)[0]
        return _is_integer(arrays[role]) and isinstance(judged, str)

    @cached_property
    def _by_dictionary(self) -> bool:
        """Whether rankings depend only on the scores of documents.

        Runs are then read as dictionaries of scores, which is faster.
        """
        policy = self._policy
        # dictionaries have neither ranks, nor lengths or other columns, nor positions of spans
        by_rank = self._ties.column != SCORE or policy.order == "rank"
        columns = policy.length or policy.score or policy.search or policy.collection
        if by_rank or columns or self._judgments.table.spans is not None:
            return False
        exact = policy.score_dtype == "float64" and isinstance(policy.topics, str)
        return not self._pooled or (exact and policy.contributing is None)

    def _dictionary(self, run: dict[Any, Any]) -> Experiment | None:
        """Read ``{topic: {doc: score}}``; return None for other objects."""
        nothing: dict[Any, float] = {}
        judged = self._judgments.topic_positions
        lists = [run.get(topic, nothing) for topic in judged]
        if not self._by_dictionary or {*map(type, lists)} != {dict}:
            return None
        filled = [docs for docs in lists if docs]
        if not filled:
            return None
        # missing ids are left to the reader of frames, whose errors name them
        if any(None in docs or "" in docs for docs in filled):
            return None
        # Later runs are checked by first documents, because a full check takes as long as scoring.
        if self._is_later:
            kinds = {type(next(iter(docs))) for docs in filled}
            kinds_of_score = {type(next(iter(docs.values()))) for docs in filled}
        else:
            kinds = {*map(type, chain.from_iterable(filled))}
            kinds_of_score = {*map(type, chain.from_iterable(map(dict.values, filled)))}
        doc_kinds, topic_kinds = self._kinds
        if not (kinds <= doc_kinds and kinds_of_score <= NUMBERS and self._are_exact(filled)):
            return None
        unjudged: list[Hashable] = []
        # an unjudged topic is reported only if its list has documents
        if len(filled) < len(run):
            beyond = {topic: docs for topic, docs in run.items() if topic not in judged}
            strange = any(type(docs) is not dict for docs in beyond.values())
            unjudged = [] if strange else [topic for topic, docs in beyond.items() if docs]
            if strange or not _of(unjudged, topic_kinds):
                return None
        return self._of_names(lists, ONLY, unjudged)

    def _are_exact(self, lists: Sequence[dict[Hashable, float]]) -> bool:
        """Return whether floats represent all integer scores exactly."""
        kinds = {type(next(iter(docs.values()))) for docs in lists}
        if not kinds & INTEGERS:
            return True
        return all(abs(score) < EXACT for docs in lists for score in docs.values())

    def _small(self, named: ByRole) -> Experiment | None:
        """Read a small frame of one system as dictionaries.

        Return None if the frame is large, has several systems, or cannot be read in this way.
        """
        frame, columns = named
        if SCORE not in columns or not 0 < len(frame) <= SMALL:
            return None
        used = {*CHUNKS, *COLLECTIONS, *[CONTRIBUTING] * self._pooled}
        if used & {*frame.columns} or not self._by_dictionary:
            return None
        system = _one_system(frame[columns[SYSTEM]]) if SYSTEM in columns else ONLY
        score = frame[columns[SCORE]]
        names = frame[columns[DOC]].to_numpy(object).tolist()
        start, labels = _blocks(frame[columns[TOPIC]])
        odd = not isinstance(score.dtype, np.dtype) or score.dtype.kind not in "fiu"
        known_kinds = all(map(_of, (names, labels), self._kinds))
        odd = odd or not known_kinds or len({*labels}) < len(labels)
        if odd or system is None or not _is_by_rank(named, start):
            return None
        values = score.to_numpy(np.float64)
        if score.dtype.kind in "iu" and np.abs(values).max() >= EXACT:
            return None
        scores = values.tolist()
        ends = pairwise([*start.tolist(), len(names)])
        run = {
            label: dict(zip(names[first:end], scores[first:end], strict=True))
            for label, (first, end) in zip(labels, ends, strict=True)
        }
        judged = self._judgments.topic_positions
        lists = [run.get(topic, {}) for topic in judged]
        # a document that occurs twice in a list has only one entry, but the frame must raise an
        # error
        if sum(map(len, run.values())) < len(names) or not any(lists):
            return None
        unjudged = [label for label in labels if label not in judged]
        return self._of_names(
            lists, system, unjudged, [columns.get(SYSTEM, SYSTEM), columns[TOPIC]]
        )

    def _of_names(
        self,
        lists: listed.Dictionaries,
        system: pd.Index,
        unjudged: Sequence[Hashable],
        titles: Sequence[Hashable] = (SYSTEM, TOPIC),
    ) -> Experiment | None:
        """Read lists of scores; None if no document is judged."""
        dtype = self._policy.score_dtype
        unranked = listed.read_lists(lists, self._judgments, dtype, system, later=self._is_later)
        self._is_later = True
        if unranked is None or not len(unranked.row):
            return None
        return self._ranked(unranked, unjudged, titles)

    def read_table(
        self, runs: Runs | ByRole, by: str | None = None, systems: Sequence[Hashable] | None = None
    ) -> tuple[Experiment, Groups | None]:
        """Read runs in any format as a frame.

        Parameters
        ----------
        runs
            A run frame, or any object that `as_runs` converts.
        by
            The group column, which is constant per system or per topic. None if there are no
            groups.
        systems
            The systems to read. The default is all systems. Lists of other systems count as empty.
        """
        policy = self._policy
        qrels = self._judgments.table
        framed = Framed.of(read_table(runs, empty=True), qrels, policy.collection)
        codes = choose_topics(framed.lists, qrels.topics, policy.topics)
        groups = keys = None
        if by is not None:
            groups = Groups.read(framed.table, qrels, framed.lists.placed, codes, by)
            keys = groups.keys if groups.dim == TOPIC and policy.collection is None else None
        if systems is not None:
            framed = framed.of_systems(systems)
        ranked = rank_framed(framed, policy, Extras(filed=self._pooled))
        return self._experiment(ranked, codes, keys), groups

    def _read_scanned(self, runs: ScannedRuns) -> Experiment:
        """Read runs from files, in batches of files if possible."""
        policy = self._policy
        qrels = self._judgments.table
        runs = runs.readable()
        ranked = rank_scanned(runs, qrels, policy, Extras(filed=self._pooled))
        if ranked is None:
            return self.read_table(runs.frame())[0]
        codes = choose_topics(ranked.runs.lists, qrels.topics, policy.topics)
        return self._experiment(ranked, codes)

    def _experiment(self, ranked: Ranked, codes: Codes, keys: Array | None = None) -> Experiment:
        """Return the experiment of ranked runs and selected topics."""
        judgments = self._judgments_of(codes)
        return Experiment.of(ranked, judgments, self._policy, keys, pooled=self._pooled)

    def _ranked(
        self,
        unranked: listed.Listed,
        unjudged: Sequence[Hashable],
        names: Sequence[Hashable] = (SYSTEM, TOPIC),
    ) -> Experiment | None:
        """Rank lists and return the experiment; warn of missing lists.

        Return None if too many scores tie.
        """
        policy = self._policy
        # with many ties, the reader of frames is faster than pairs of tied documents
        hits = listed.rank_hits(unranked, self._ties, policy.seed, filed=self._pooled)
        if hits is None:
            return None
        judgments = self._chosen(unranked, unjudged)
        experiment = Experiment(judgments, unranked.systems, hits, list(names), top=judgments.top)
        if judgments is self._judgments and not self._pooled:
            return experiment
        all_hits = replace(hits, row=self._judgments.row[hits.row])
        experiment = replace(experiment, hits=all_hits.onto(judgments))
        if not self._pooled:
            return experiment
        contributing = np.ones(1, bool)
        pool = JudgedPool.of(all_hits, len(self._judgments.row), contributing, stated=False)
        collections = Collections.single(len(self._judgments.code))
        return experiment.with_pool(pool, policy.pool_depth, collections)

    def _chosen(self, unranked: listed.Listed, unjudged: Sequence[Hashable]) -> Judgments:
        """Return the judgments of scored topics; warn of missing lists."""
        judgments = self._judgments
        topics = self._policy.topics
        if unranked.length.all() and not unjudged:
            return judgments
        codes: Codes = np.arange(len(judgments.code))
        placed = np.append(codes, np.full(len(unjudged), -1))
        # unjudged topics are passed only if they have documents, so their lengths may be any number
        # above 0
        length = np.append(unranked.length, np.ones(len(unjudged), np.int64))[np.newaxis]
        labels = pd.Index([*judgments.topics, *unjudged])
        lists = Lists(unranked.systems, labels, placed, length, Collections.single(len(codes)))
        if isinstance(topics, str):
            codes = choose_topics(lists, judgments.topics, topics)
        warn_missing(lists, judgments.topics[codes], codes, judgments.relevant(1)[codes])
        return self._judgments_of(codes)

    def _judgments_of(self, codes: Codes) -> Judgments:
        """Return the judgments of selected topics."""
        judgments = self._judgments
        every = len(codes) == len(judgments.code)
        return judgments if every else Judgments.chosen(judgments.table, codes)


def _is_by_rank(named: ByRole, start: Codes) -> bool:
    """Return whether lists are sorted by rank and score."""
    frame, columns = named
    if RANK not in columns:
        return True
    rank = frame[columns[RANK]]
    if not isinstance(rank.dtype, np.dtype) or rank.dtype.kind not in "fiu":
        return False
    score = frame[columns[SCORE]].to_numpy(np.float64)
    ranks = rank.to_numpy(np.float64)
    ordered = (ranks[1:] > ranks[:-1]) & (score[1:] <= score[:-1])
    # ranks and scores of neighbours in different lists need no order
    ordered[start[1:] - 1] = True
    return bool(ordered.all())


def _blocks(column: pd.Series) -> tuple[Codes, list[Any]]:
    """Return the start and value of blocks of equal values.

    Return one block with the value None if a value is neither text nor an integer.
    """
    plain = column.tolist() if column.dtype == object else column
    if plain is not column and not (_of(plain, TEXT) or _of(plain, INTEGERS)):
        # pyarrow would loop forever on a list that contains itself, so lists are excluded first.
        return np.zeros(1, np.intp), [None]
    try:
        values = pa.array(plain)
        values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        values = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
        encoded = pc.run_end_encode(values)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return np.zeros(1, np.intp), [None]
    return np.append(0, encoded.run_ends.to_numpy()[:-1]), encoded.values.to_pylist()


def _one_system(column: pd.Series) -> pd.Index | None:
    """Return the only system in a column; None if several."""
    labels = _blocks(column)[1]
    if not (_of(labels, TEXT) or _of(labels, INTEGERS)) or len({*labels}) > 1:
        return None
    # values are Python objects here, so the label gets the dtype of the column again
    kind: Any = getattr(column.dtype, "categories", column).dtype
    system: pd.Index = pd.Index(labels[:1], dtype=kind)
    return system


def _is_integer(values: Array) -> bool:
    """Return whether an array has an integer dtype."""
    return bool(np.issubdtype(values.dtype, np.integer))


def _of(values: Iterable[object], kinds: set[type]) -> bool:
    """Return whether all values have one of the types."""
    listed = [*values]
    text = kinds is not TEXT or (is_utf8(listed) and "" not in listed)
    return {*map(type, listed)} <= kinds and text


def paired(topic: object, doc: object, score: object) -> dict[str, Array]:
    """Return topics, documents and scores as equally long arrays.

    Examples
    --------
    >>> columns = paired(["a", "b"], [[1, 2], [3, 4]], [[9, 8], [7, 6]])
    >>> columns["topic"].tolist(), columns["doc"].tolist()
    (['a', 'a', 'b', 'b'], [1, 2, 3, 4])
    """
    topics, docs, scores = map(as_plain, (topic, doc, score))
    if docs.ndim == 2 and topics.shape == docs.shape[:1] and scores.shape == docs.shape:
        topics = np.repeat(topics, docs.shape[1])
        docs = docs.ravel()
        scores = scores.ravel()
    if docs.ndim != 1 or {topics.shape, scores.shape} != {docs.shape}:
        got = f"topic {topics.shape}, doc {docs.shape}, score {scores.shape}"
        expected = "three arrays of the same length, or one topic for each row of doc and score"
        raise InputError(expected, f"arrays of the shapes {got}")
    return {TOPIC: topics, DOC: docs, SCORE: scores}
