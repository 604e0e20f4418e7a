"""Scorers: metrics prepared once for many runs."""

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
    """Judgments and metrics prepared for many runs; see `scorer`.

    Attributes
    ----------
    metrics
        The metrics, as passed to `scorer`.
    topics
        The topics that are scored.
    docs
        The documents passed as `docs`, in that order, then the other judged documents.

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
        """The scored topics, in the order of topic positions."""
        return self._judgments.topics

    @property
    def docs(self) -> pd.Index:
        """The documents, in the order of document positions."""
        return self._reader.places.docs

    def __repr__(self) -> str:
        named = ", ".join(self._names)
        judgments = len(self._judgments.row)
        return singular(f"<Scorer: {named}; {len(self.topics)} topics, {judgments} judgments>")

    _repr_html_ = words.as_html

    @cached_property
    def plain_names(self) -> list[str]:
        """The metrics under names that experiment trackers accept."""
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
        """Score a run, or runs, per system and topic.

        Parameters
        ----------
        run
            Anything that `irframe.as_runs` takes, such as ``{topic: {doc: score}}`` or a run frame.
            Repeated runs have a column such as seed, or the form ``{system: {repeat: run}}``.
        topic, doc, score
            Three arrays of one length instead of `run`. Or an array of topics, and documents and
            scores of shape (topic, rank). Integers are positions in `topics` and `docs` if judged
            ids are text. Documents are also positions if the scorer has `docs`. Position -1 is an
            unjudged document without a name, which comes last among equal scores. With an infinite
            or extreme score it is ignored, because nearest-neighbour searches pad short lists so.
        system
            The label of the run, such as ``"step-500"``. By default the run's own label.

        Returns
        -------
        pandas.DataFrame
            Scores, as `irframe.evaluate` returns them.

        Raises
        ------
        InputError
            If `system` is passed and there are several systems.
        """
        folded, experiment = self._folded(run, topic, doc, score)
        if system is not None:
            _refuse_several(experiment, "scorer(runs) keeps the name of each")
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
        """Score one run, averaged over topics as each metric is.

        Parameters
        ----------
        run, topic, doc, score
            The run, as for a call. Repeats are averaged per topic first.
        names
            ``"asked"``: names of metrics as passed to `scorer`. ``"plain"``: names that experiment
            trackers accept, such as ``nDCG_at_10`` for ``nDCG@10``. They consist of letters,
            digits, underscores, points and hyphens, and `irframe.parse_metric` reads them.

        Returns
        -------
        dict
            Metric -> average, as in `irframe.verbs.summary`.

        Raises
        ------
        InputError
            For several systems.
        """
        choice("names", names, ("asked", "plain"))
        advice = "scorer(runs).ireval.summary() has the averages of each"
        if _is_plain(run):
            folded = NO_REPEATS
            experiment = self._read(run, topic, doc, score)
        else:
            folded, experiment = self._folded(run, topic, doc, score)
        repeats = None
        if folded.word is None:
            _refuse_several(experiment, advice)
        else:
            repeats = layout_of({}, folded.word)
            systems = dict.fromkeys(system for system, _ in folded.owners.values())
            if len(systems) > 1:
                raise InputError("one run", f"{len(systems)}", advice, systems)
        labels = self._names if names == "asked" else self.plain_names
        return dict(zip(labels, self._scoring.means(experiment, repeats), strict=True))

    def batches(self) -> Batches:
        """Return a collector of batches, as Lightning calls it.

        Returns
        -------
        Batches
            Call ``update(topic, doc, score)`` for each batch, then ``compute()``, which returns
            the averages under plain names.

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
        similarity: Callable[[Array, Array], Any] | None = None,
    ) -> Evaluator:
        """Return an evaluator of models as sentence-transformers call it.

        Parameters
        ----------
        queries, corpus
            Topic -> text, and document -> text.
        k
            Number of documents per list, at least 1.
        name
            Prefix of the names of metrics.
        similarity
            Function of two arrays of vectors that returns scores, shape (query, document). By
            default the cosine similarity.

        Returns
        -------
        Evaluator
            ``evaluator(model)`` returns the averages under plain names.

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

    def values(self, run: Runs) -> tuple[list[Any], NDArray[np.float64]]:
        """Score one run without labels.

        Parameters
        ----------
        run
            The run, as for a call.

        Returns
        -------
        topics, scores
            The topics, and the scores, shape (metric, topic).
        """
        experiment = self._reader.read(self._prepared.runs(run, self._plan.policy))
        scores = self._scoring.of_asked(self._scoring.values(experiment), experiment)[:, 0]
        return experiment.judgments.topics.tolist(), scores

    def _folded(
        self, run: Any, topic: object, doc: object, score: object
    ) -> tuple[Folded, Experiment]:
        """Read a run, with one system per repeat."""
        folded = fold(run, self._plan.policy.search)
        with OneCall(without=not_lacking(folded.word, self._plan.no_rel)):
            return folded, self._read(folded.runs, topic, doc, score)

    def _read(self, run: Runs | None, topic: object, doc: object, score: object) -> Experiment:
        arrays = {"a run": run, "topic=": topic, "doc=": doc, "score=": score}
        passed = [name for name, value in arrays.items() if value is not None]
        if len(passed) != (1 if run is not None else 3):
            found = "" if passed else "nothing"
            raise InputError("a run, or three arrays: topic=, doc= and score=", found, "", passed)
        if run is None and not any(self._prepared.decided.values()):
            return self._reader.read_arrays(topic, doc, score)
        if run is None:
            run = pd.DataFrame(paired(topic, doc, score))
        return self._reader.read(self._prepared.runs(run, self._plan.policy))


def _is_plain(run: object) -> bool:
    """Tell whether this is a dictionary of one run."""
    if type(run) is not dict or not run:
        return run is None
    docs = next(iter(run.values()))
    return type(docs) is dict and type(next(iter(docs.values()), None)) in {float, int}


def _refuse_several(experiment: Experiment, advice: str) -> None:
    if len(experiment.systems) > 1:
        raise InputError("one run", f"{len(experiment.systems)}", advice, experiment.systems)


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
        Qrels frame, or what `as_qrels` takes, such as ``{topic: {doc: grade}}``.
    metrics
        Metrics or their names, as for `evaluate`.
    docs
        Documents to which positions in arrays refer. Other judged documents are appended.
    depth, ties, no_rel
        As for `evaluate`.
    units, search, stop
        As for `evaluate`. Thresholds are numbers, or a mapping system -> number.
    topics
        ``"qrels"``: all judged topics. A missing list of a run counts as empty. ``"runs"``: topics
        for which some run has a list. ``"common"``: topics for which every run has a list. A list
        of judged topics selects these topics.

    Returns
    -------
    Scorer
        ``scorer(run)`` returns the scores of `evaluate`, bit for bit. ``scorer.mean(run)`` returns
        a dictionary metric -> average. A run is anything that `as_runs` takes, or three arrays:
        ``scorer(topic=, doc=, score=)``.

    Raises
    ------
    IrframeError
        As `evaluate`, for invalid judgments and metrics. An invalid run raises when it is scored.

    Warns
    -----
    IrframeWarning
        When a run is scored, if it lacks topics, has unjudged topics, or no document is judged.

    Notes
    -----
    In a dictionary of dictionaries, the scorer looks up only judged documents and documents tied
    with them. After the first run it checks the types of ids and scores only for the first document
    of each list. Missing scores are checked in all rows.

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
        raise ParameterError("numbers in ir.Threshold for a scorer", "'all'", "pass thresholds")
    silent = no_rel == "silence"
    judgments = Judgments.of(plan.prepared.qrels(qrels), chosen, topics, unjudged=silent)
    if isinstance(docs, str) or not isinstance(docs, Iterable | None):
        raise InputError("docs, a list of document ids", shortened(docs))
    names: Any = () if docs is None else docs
    names = names.tolist() if hasattr(names, "tolist") else names  # for NumPy, pandas and Arrow
    return Scorer(judgments, plan, names)
