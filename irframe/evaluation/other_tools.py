"""Adapters to Lightning, sentence-transformers, pytrec_eval and ranx.

`Batches` has the interface of a Lightning metric. `Evaluator` has the interface of an evaluator of
sentence-transformers. This module does not import these packages, except ranx in `to_ranx`.

Verbs: to_pytrec_eval, to_ranx.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.arrays import Array, as_plain
from irframe.checks import check_int, refuse_any
from irframe.errors import IdError, InputError, needing
from irframe.evaluation.scorer_input import paired
from irframe.experiments import coded_tables
from irframe.experiments.rank_table import rank
from irframe.frames.ids import repeated
from irframe.frames.kinds import RUN, refuse_two_units, require_columns
from irframe.frames.tables import columns_of
from irframe.metrics import Metric
from irframe.metrics.facts import facts

QUERIES = 1 << 12
"""The number of queries whose similarities are computed at once, which limits memory."""


class Batches:
    """A collector of batches of topics, returned by `Scorer.batches`.

    Examples
    --------
    >>> import irframe as ir
    >>> batches = ir.scorer({"q1": {"a": 1}, "q2": {"b": 1}}, "RR@10").batches()
    >>> batches.update(topic=["q1"], doc=[["x", "a"]], score=[[2.0, 1.0]])
    >>> batches.update(topic=["q2"], doc=["b"], score=[0.5])
    >>> batches.compute()
    {'RR_at_10': 0.75}
    """

    def __init__(self, mean: Callable[..., dict[str, float]]) -> None:
        self._mean = mean
        self.reset()

    def reset(self) -> None:
        """Remove all batches."""
        self._batches: list[dict[str, Array]] = []
        self._topics: set[Hashable] = set()

    def update(self, topic: object, doc: object, score: object) -> None:
        """Add a batch of lists, as arrays or tensors.

        Parameters
        ----------
        topic
            The topic of each row of `doc`, or the topic of each document.
        doc, score
            Documents and their scores, either with shape (topic, rank) or with the shape of
            `topic`. Documents are ids or positions, as described in `Scorer`.

        Raises
        ------
        IdError
            If a topic was in an earlier batch.
        """
        columns = paired(topic, doc, score)
        topics = {*columns[words.TOPIC].tolist()}
        repeated_topics = sorted(topics & self._topics, key=str)
        refuse_any(IdError, repeated_topics, "every topic in one batch", "{} topics again")
        self._topics |= topics
        self._batches.append(columns)

    def compute(self) -> dict[str, float]:
        """Return averages over topics, and remove all batches.

        Raises
        ------
        IrframeError
            If there is no batch. Invalid lists raise the errors of `Scorer`.
        """
        if not self._batches:
            raise InputError("at least one batch", "none", "call update before compute")
        arrays = {
            name: joined([batch[name] for batch in self._batches]) for name in self._batches[0]
        }
        means = self._mean(names="plain", **arrays)
        self.reset()
        return means


class Evaluator:
    """An evaluator of embedding models, returned by `Scorer.evaluator`.

    Attributes
    ----------
    primary_metric
        The plain name of the first metric. Trainers of sentence-transformers choose checkpoints by
        this metric.
    """

    def __init__(
        self,
        mean: Callable[..., dict[str, float]],
        metrics: Mapping[str, Metric],
        queries: Mapping[Hashable, str],
        corpus: Mapping[Hashable, str],
        *,
        k: int,
        name: str,
        similarity: Callable[[Array, Array], object] | None,
    ) -> None:
        check_int("k", k, low=1)
        if not queries or not corpus:
            raise InputError("at least one query and one document", "none")
        self.name = name
        self._mean = mean
        self._queries = dict(queries)
        self._corpus = dict(corpus)
        # `argpartition` refuses positions beyond the last document
        self._k = min(k, len(corpus))
        self._similarity = similarity or _cosine
        first = next(iter(metrics))
        self.primary_metric = self._named(first)
        self.greater_is_better = facts(metrics[first]).sign > 0

    def __call__(
        self,
        model: Any,
        output_path: str | None = None,  # noqa: ARG002 - what trainers pass
        epoch: int = -1,  # noqa: ARG002
        steps: int = -1,  # noqa: ARG002
    ) -> dict[str, float]:
        """Return averages by plain names of metrics, with a prefix.

        Parameters
        ----------
        model
            A model with a method ``encode(texts)``, or with ``encode_query`` and
            ``encode_document``. Each method returns an array or tensor with a row per text.
        output_path, epoch, steps
            These arguments, which trainers pass, are ignored.
        """
        means = self._mean(self.search(model), names="plain")
        return {self._named(metric): value for metric, value in means.items()}

    def __iter__(self) -> Iterator["Evaluator"]:
        """Yield the evaluator itself, since trainers iterate over evaluators."""
        yield self

    def search(self, model: Any) -> dict[Hashable, dict[Hashable, float]]:
        """Return the most similar documents per topic as a run."""
        of_queries = getattr(model, "encode_query", None) or model.encode
        of_documents = getattr(model, "encode_document", None) or model.encode
        names = np.array([*self._corpus], dtype=object)
        texts = _floats(of_documents([*self._corpus.values()]))
        topics = [*self._queries]
        run: dict[Hashable, dict[Hashable, float]] = {}
        for start in range(0, len(topics), QUERIES):
            batch = topics[start : start + QUERIES]
            queries = _floats(of_queries([self._queries[topic] for topic in batch]))
            scores = _floats(self._similarity(queries, texts))
            # the best documents need no order, because the scorer sorts lists by score
            best = np.argpartition(-scores, self._k - 1, axis=1)[:, : self._k]
            best_scores = np.take_along_axis(scores, best, axis=1).tolist()
            lists = zip(batch, names[best].tolist(), best_scores, strict=True)
            run |= {t: dict(zip(docs, values, strict=True)) for t, docs, values in lists}
        return run

    def _named(self, metric: str) -> str:
        return f"{self.name}_{metric}" if self.name else metric


def joined(arrays: Sequence[Array]) -> Array:
    """Concatenate arrays; keep the type of each value."""
    # NumPy would convert integers to text if another array contains text.
    numbers = all(array.dtype.kind in "iuf" for array in arrays)
    return np.concatenate(arrays if numbers else [array.astype(object) for array in arrays])


def _cosine(queries: Array, texts: Array) -> Array:
    """Return cosine similarities, shape (query, document)."""
    return np.asarray(_unit(queries) @ _unit(texts).T)


def _floats(values: object) -> Array:
    """Return an array or tensor as an array of floats."""
    return as_plain(values).astype(np.float64, copy=False)


def _unit(rows: Array) -> Array:
    """Return rows scaled to length 1; keep zero rows."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    # the cosine with a vector of zeros is undefined, and 0 instead of NaN keeps the document
    return np.asarray(rows / np.where(length == 0, 1, length))


def to_pytrec_eval(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Convert a frame to the dictionaries of pytrec_eval and ranx.

    Parameters
    ----------
    frame
        A run frame or a qrels frame. A frame with a column of grades is a qrels frame. If a run
        frame has no scores, the score is the negative rank.

    Returns
    -------
    dict
        ``{topic: {doc: grade}}`` for a qrels frame, and ``{topic: {doc: score}}`` for a run frame.
        The result for several systems is ``{system: {topic: {doc: score}}}``. Ids are converted to
        text, as pytrec_eval and ranx require.

    Raises
    ------
    InputError
        If the frame is neither a run nor a qrels frame.
    IdError
        If a document is listed or judged twice.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": [1, 1], "docno": ["d7", "d3"], "score": [2.5, 0.5]})
    >>> to_pytrec_eval(run)
    {'1': {'d7': 2.5, 'd3': 0.5}}
    """
    named = columns_of(frame)
    table = frame if named is None else named
    if named is not None and words.GRADE in words.roles(named.columns):
        judged = coded_tables.read_qrels_table(table)
        columns = judged.columns
        if judged.subtopic_grade is not None:
            column = repr(columns[words.SUBTOPIC])
            raise InputError("judgments with one grade per document", f"subtopics in {column}")
        (codes,) = coded_tables.code_documents(coded_tables.Side(judged.topic, judged.doc))
        coded_tables.refuse_twice_judged(judged, repeated(codes))
        return _nested(table, columns, table[columns[words.GRADE]].astype(int))
    columns = require_columns(table, RUN)
    refuse_two_units(table, columns)
    ranked = rank(table)
    values = -ranked[columns.get(words.RANK, words.RANK)]
    if words.SCORE in columns:
        values = ranked[columns[words.SCORE]].astype(float)
    if words.SYSTEM not in columns or len(ranked[columns[words.SYSTEM]].unique()) == 1:
        return _nested(ranked, columns, values)
    systems = ranked[columns[words.SYSTEM]]
    return {
        str(system): _nested(ranked.loc[rows], columns, values.loc[rows])
        for system, rows in systems.groupby(systems, sort=False).groups.items()
    }


def _nested(
    frame: pd.DataFrame, columns: Mapping[str, Hashable], values: pd.Series
) -> dict[str, dict[str, Any]]:
    """Return a dictionary of values by document for every topic."""
    nested: dict[str, dict[str, Any]] = {}
    ids = (frame[columns[role]].astype(str).tolist() for role in (words.TOPIC, words.DOC))
    for topic, doc, value in zip(*ids, values.tolist(), strict=True):
        nested.setdefault(topic, {})[doc] = value
    return nested


def to_ranx(frame: pd.DataFrame) -> Any:
    """Convert a frame to a `ranx.Run` or `ranx.Qrels`.

    Parameters
    ----------
    frame
        A run frame or a qrels frame. A frame with a column of grades is a qrels frame.

    Returns
    -------
    ranx.Qrels, ranx.Run or list of ranx.Run
        A frame with several systems is converted to a list with a run for each system. Ids are
        converted to text, as ranx requires.

    Raises
    ------
    InputError
        If the package ranx is not installed, or the frame is neither a run nor a qrels frame.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, _ = ir.example_track()
    >>> runs.ireval.to_ranx()[0].name  # doctest: +SKIP
    'bm25'
    """
    with needing("ranx", "this function", "ranx"):
        import ranx  # noqa: PLC0415 - an optional package
    nested = to_pytrec_eval(frame)
    table = cast("pd.DataFrame", columns_of(frame))
    columns = words.roles(table.columns)
    if words.GRADE in columns:
        return ranx.Qrels(nested)
    named = words.SYSTEM in columns
    systems = [*table[columns[words.SYSTEM]].astype(str).unique()] if named else [None]
    if len(systems) == 1:
        return ranx.Run(nested, name=systems[0])
    return [ranx.Run(run, name=system) for system, run in nested.items()]
