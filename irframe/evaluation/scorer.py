"""Scorers, which prepare judgments and metrics once for many runs."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import Array
from irframe.checks import choice
from irframe.errors import InputError, OneCall, ParameterError, shortened, singular
from irframe.evaluation.other_tools import Batches, Evaluator
from irframe.evaluation.repeats import Folded, fold, layout_of, not_lacking
from irframe.evaluation.scorer_input import Reader, paired
from irframe.evaluation.scoring import Plan, Scoring
from irframe.experiments import choices
from irframe.experiments import policy as policies
from irframe.experiments.experiment import Experiment
from irframe.experiments.judgments import Judgments
from irframe.files.as_runs import Qrels, Runs
from irframe.metrics.parse_metric import parse_metric
from irframe.metrics.spellings import plain_name

NO_REPEATS = Folded(None, None, {})


class Scorer:
    """Judgments and metrics that `scorer` prepares for many runs.

    Attributes
    ----------
    metrics
        The metrics, as passed to `scorer`.
    topics
        The topics that are scored.
    docs
        The documents passed as `docs` in their order, then all other judged documents.

    Examples
    --------
    A run as arrays of positions; the second document is not judged:

    >>> import irframe as ir
    >>> judged = ir.scorer({"q1": {"a": 1, "b": 0}}, "RR")
    >>> judged
    <Scorer: RR; 1 topic, 2 judgments>
    >>> judged.docs.get_indexer(["b", "x", "a"])
    array([ 1, -1,  0])
    >>> judged.mean(topic=[0, 0, 0], doc=[1, -1, 0], score=[0.3, 0.2, 0.1])
    {'RR': 0.3333333333333333}
    """

    def __init__(
        self,
        judgments: Judgments,
        plan: Plan,
        docs: Iterable[Hashable],
    ) -> None:
        self.metrics = plan.metrics
        self._plan = plan
        self._prepared = plan.prepared
        self._scoring = Scoring(judgments, plan)
        self._reader = Reader(judgments, plan.policy, docs, pooled=self._scoring.pooled)
        self._judgments = judgments
        self._names = self._scoring.labels

    @property
    def topics(self) -> pd.Index:
        """The scored topics, to which topic positions refer."""
        return self._judgments.topics

    @property
    def docs(self) -> pd.Index:
        """The documents to which document positions refer."""
        return self._reader.places.docs

    def __repr__(self) -> str:
        named = ", ".join(self._names)
        judgments = len(self._judgments.row)
        return singular(f"<Scorer: {named}; {len(self.topics)} topics, {judgments} judgments>")

    _repr_html_ = words.as_html

    @cached_property
    def plain_names(self) -> list[str]:
        """Metric names in a form that experiment trackers accept."""
        return [plain_name(name, parse_metric) for name in self._names]

    def __call__(
        self,
        run: Runs | None = None,
        *,
        topic: object = None,
        doc: object = None,
        score: object = None,
        system: Hashable = None,
    ) -> pd.DataFrame:
        """Score one or several runs per system and topic.

        Parameters
        ----------
        run
            Any object that `irframe.as_runs` converts, such as ``{topic: {doc: score}}`` or a run
            frame. Repeated runs have a column such as ``seed``, or the form
            ``{system: {repeat: run}}``.
        topic, doc, score
            Three arrays of the same length, passed instead of `run`. Alternatively, `topic` has one
            item per list, and `doc` and `score` have the shape (topic, rank). If judged ids are
            text, integers are positions in `topics` and `docs`. If the scorer was created with
            `docs`, integer documents are always positions. Position -1 stands for an unjudged
            document without an id, which ranks last among equal scores. Rows with position -1 and
            an infinite or extreme score are ignored, because nearest-neighbour searches pad short
            lists in this way.
        system
            The name of the system, such as ``"step-500"``. The default is the name in `run`.

        Returns
        -------
        pandas.DataFrame
            Scores in the same format as the result of `irframe.evaluate`.

        Raises
        ------
        InputError
            If `system` is passed and `run` contains several systems.
        """
        folded, experiment = self._folded(run, topic, doc, score)
        if system is not None:
            _refuse_several(experiment, "omit system=")
            experiment = experiment.named(pd.Index([system]), experiment.judgments.topics)
        return folded.unfold(self._scoring.table(experiment))

    def mean(
        self,
        run: Runs | None = None,
        *,
        topic: object = None,
        doc: object = None,
        score: object = None,
        names: Literal["asked", "plain"] = "asked",
    ) -> dict[str, float]:
        """Average the scores of one run over topics.

        Parameters
        ----------
        run, topic, doc, score
            The run, as in a call of the scorer. Repeats are averaged per topic first.
        names
            ``"asked"``: names of metrics as passed to `scorer`. ``"plain"``: names that experiment
            trackers accept, such as ``nDCG_at_10`` for ``nDCG@10``. Plain names consist of letters,
            digits, underscores, points and hyphens. `irframe.parse_metric` accepts plain names.

        Returns
        -------
        dict
            A dictionary that maps metrics to averages, as in `irframe.verbs.summary`.

        Raises
        ------
        InputError
            If the run contains several systems.
        """
        choice("names", names, ("asked", "plain"))
        advice = "call scorer(runs).ireval.summary() for the averages of all systems"
        # dictionaries of scores have no repeats, so no time is spent on a search for repeats
        if _is_plain(run):
            folded = NO_REPEATS
            experiment = self._read(run, topic, doc, score)
        else:
            folded, experiment = self._folded(run, topic, doc, score)
        repeats = None
        if folded.repeat is None:
            _refuse_several(experiment, advice)
        else:
            repeats = layout_of({}, folded.repeat)
            systems = dict.fromkeys(system for system, _ in folded.owners.values())
            if len(systems) > 1:
                raise InputError("a run of one system", f"{len(systems)} systems", advice, systems)
        labels = self._names if names == "asked" else self.plain_names
        return dict(zip(labels, self._scoring.means(experiment, repeats), strict=True))

    def batches(self) -> Batches:
        """Return a collector of batches with the interface of Lightning.

        Returns
        -------
        Batches
            ``update(topic, doc, score)`` adds a batch. ``compute()`` returns a dictionary that maps
            plain names of metrics to averages.

        Examples
        --------
        >>> import irframe as ir
        >>> batches = ir.scorer({"q1": {"a": 1}, "q2": {"b": 1}}, "RR@10").batches()
        >>> batches.update(topic=["q1", "q2"], doc=[["x", "a"], ["b", "x"]], score=[[2, 1], [2, 1]])
        >>> batches.compute()
        {'RR_at_10': 0.75}
        """
        return Batches(self.mean)

    def evaluator(
        self,
        queries: Mapping[Hashable, str],
        corpus: Mapping[Hashable, str],
        *,
        k: int = 100,
        name: str = "",
        similarity: Callable[[Array, Array], object] | None = None,
    ) -> Evaluator:
        """Return an evaluator with the interface of sentence-transformers.

        Parameters
        ----------
        queries, corpus
            Dictionaries that map topics and documents to their texts.
        k
            Number of documents per list, at least 1.
        name
            Prefix of the names of metrics in results.
        similarity
            Function that takes two arrays of vectors and returns scores, shape (query, document).
            The default is the cosine similarity.

        Returns
        -------
        Evaluator
            ``evaluator(model)`` returns a dictionary that maps plain names of metrics to averages.

        Examples
        --------
        >>> import irframe as ir
        >>> class Model:
        ...     def encode(self, texts):
        ...         return [[text.count("a"), text.count("b")] for text in texts]
        >>> judged = ir.scorer({"q1": {"d1": 1}}, "RR@10")
        >>> evaluator = judged.evaluator({"q1": "aab"}, {"d1": "abb", "d2": "aa"}, name="dev")
        >>> evaluator(Model())
        {'dev_RR_at_10': 0.5}
        """
        named = dict(zip(self.plain_names, self.metrics, strict=True))
        return Evaluator(self.mean, named, queries, corpus, k=k, name=name, similarity=similarity)

    def values(self, run: Runs) -> tuple[list[Hashable], NDArray[np.float64]]:
        """Score one run; return an array instead of a frame.

        Parameters
        ----------
        run
            The run, as in a call of the scorer.

        Returns
        -------
        topics, scores
            A list of topics, and an array of scores with shape (metric, topic).
        """
        experiment = self._reader.read(self._prepared.runs(run, self._plan.policy))
        scores = self._scoring.of_requested(self._scoring.values(experiment), experiment)[:, 0]
        return experiment.judgments.topics.tolist(), scores

    def _folded(
        self, run: Runs | None, topic: object, doc: object, score: object
    ) -> tuple[Folded, Experiment]:
        """Read runs, with one system per repeat."""
        folded = fold(run, self._plan.policy.search)
        with OneCall(without=not_lacking(folded.repeat, self._plan.no_rel)):
            return folded, self._read(folded.runs, topic, doc, score)

    def _read(self, run: Runs | None, topic: object, doc: object, score: object) -> Experiment:
        arrays = {"a run": run, "topic=": topic, "doc=": doc, "score=": score}
        passed = [name for name, value in arrays.items() if value is not None]
        if len(passed) != (1 if run is not None else 3):
            got = "" if passed else "nothing"
            expected = "a run, or three arrays (topic=, doc= and score=)"
            raise InputError(expected, got, "", passed)
        # options of units and searches need a frame, so arrays are converted if such options are
        # set
        if run is None and not any(self._prepared.decided.values()):
            return self._reader.read_arrays(topic, doc, score)
        if run is None:
            run = pd.DataFrame(paired(topic, doc, score))
        return self._reader.read(self._prepared.runs(run, self._plan.policy))


def _is_plain(run: object) -> bool:
    """Return whether a run is None or a score dictionary."""
    if type(run) is not dict or not run:
        return run is None
    docs = next(iter(run.values()))
    return type(docs) is dict and type(next(iter(docs.values()), None)) in {float, int}


def _refuse_several(experiment: Experiment, advice: str) -> None:
    """Raise if an experiment contains several systems."""
    if len(experiment.systems) > 1:
        got = f"{len(experiment.systems)} systems"
        raise InputError("a run of one system", got, advice, experiment.systems)


def scorer(
    qrels: Qrels,
    metrics: policies.Metrics,
    *,
    docs: Iterable[Hashable] | None = None,
    depth: int | None = None,
    ties: choices.TiesLike = words.DEFAULT_TIES,
    topics: policies.Topics = "qrels",
    no_rel: words.NoRel | None = None,
    units: choices.UnitsLike = None,
    search: choices.SearchLike = None,
    stop: choices.Stop | None = None,
) -> Scorer:
    """Prepare judgments and metrics for scoring many runs.

    Parameters
    ----------
    qrels
        A qrels frame, or any object that `as_qrels` converts, such as ``{topic: {doc: grade}}``.
    metrics
        Metrics or their names, as in `evaluate`.
    docs
        Documents in the order of their positions, for runs whose documents are arrays of positions.
        Position 0 is the first document. Judged documents that `docs` does not contain are
        appended.
    depth, ties, no_rel
        As in `evaluate`.
    units, search, stop
        As in `evaluate`. A threshold is a number, several numbers, or a mapping from systems to
        numbers.
    topics
        A list of judged topics, or one of three names. ``"qrels"``: all judged topics, where a
        missing list of a run counts as empty. ``"runs"``: topics for which at least one run has a
        list. ``"common"``: topics for which every run has a list.

    Returns
    -------
    Scorer
        ``scorer(run)`` returns exactly the scores of `evaluate`. ``scorer.mean(run)`` returns a
        dictionary that maps metrics to averages. A run is any object that `as_runs` converts, or
        three arrays, as in ``scorer(topic=, doc=, score=)``.

    Raises
    ------
    IrframeError
        If judgments or metrics are invalid, as in `evaluate`. Errors of a run are raised when the
        run is scored.

    Warns
    -----
    IrframeWarning
        If a run that is scored lacks judged topics, has unjudged topics, or has no judged document.

    Notes
    -----
    In a run ``{topic: {doc: score}}``, the scorer looks up only judged documents and the documents
    tied with them. For the first run, the scorer checks the types of all ids and scores. For later
    runs, it checks only the types of the first document and score of each list. All runs are
    checked for missing scores.

    Examples
    --------
    >>> import irframe as ir
    >>> judged = ir.scorer({"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}, ["AP", "nDCG@10"])
    >>> run = {"q1": {"b": 2.5, "a": 1.5}, "q2": {"c": 0.1}}
    >>> judged.mean(run)
    {'AP': 0.75, 'nDCG@10': 0.8154648767857288}
    >>> judged(run)
    metric         AP  nDCG@10
    system topic
    run    q1     0.5  0.63093
           q2     1.0  1.00000
    """
    choice("no_rel", no_rel or "zero", words.NO_RELS)
    chosen = policies.parse_metrics(metrics)
    plan = Plan.read({"depth": depth, "topics": topics}, chosen, ties, units, search, stop)
    plan = plan._replace(no_rel=no_rel)
    if plan.stops is not None and not plan.stops.of:
        expected = "thresholds that are numbers, for a scorer"
        raise ParameterError(expected, "'all'", "pass numbers to ir.Threshold")
    silent = no_rel == "silence"
    judgments = Judgments.of(plan.prepared.qrels(qrels), chosen, topics, unjudged=silent)
    # a string would pass as an iterable of its characters
    if isinstance(docs, str) or not isinstance(docs, Iterable | None):
        raise InputError("docs to be a list of document ids", shortened(docs))
    names: Any = () if docs is None else docs
    # `tolist` of NumPy, pandas and Arrow returns plain Python values.
    names = names.tolist() if hasattr(names, "tolist") else names
    return Scorer(judgments, plan, names)
