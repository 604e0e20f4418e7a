"""Judgments and metrics prepared once, for as many runs as there are."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import choice
from irframe.errors import InputError, singular
from irframe.experiments.experiment import Experiment
from irframe.experiments.judgments import Judgments
from irframe.experiments.metrics import Metrics, cut_at, parse_metrics
from irframe.experiments.policy import Contributing, Policy, Topics
from irframe.experiments.scorer_input import Reader
from irframe.experiments.scoring import Scoring
from irframe.files.as_qrels import Qrels
from irframe.files.as_runs import Runs
from irframe.metrics import Metric
from irframe.names import DEFAULT_DTYPE, DEFAULT_TIES, NoRel, ScoreDtype, Ties


class Scorer:
    """Judgments and metrics, prepared; made by `scorer`.

    Attributes
    ----------
    metrics
        The metrics, as they were asked for.
    topics
        The topics that are scored.
    docs
        The judged documents of all topics, and those that `docs` named besides, each once.

    Examples
    --------
    Documents by their positions, of which the second is no judged one:

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
        metrics: list[Metric],
        policy: Policy,
        docs: Iterable[Any],
        no_rel: NoRel | None,
    ) -> None:
        self.metrics = metrics
        self._scoring = Scoring(judgments, metrics, policy, no_rel)
        self._reader = Reader(judgments, policy, docs, pooled=self._scoring.pooled)
        self._judgments, self._names = judgments, [str(metric) for metric in metrics]

    @property
    def topics(self) -> pd.Index:
        """The topics that are scored, to which positions refer."""
        return self._judgments.topics

    @property
    def docs(self) -> pd.Index:
        """The documents to which positions refer."""
        return self._reader.places.docs

    def __repr__(self) -> str:
        named = ", ".join(self._names)
        topics, judgments = len(self.topics), len(self._judgments.row)
        return singular(f"<Scorer: {named}; {topics} topics, {judgments} judgments>")

    def __call__(
        self, run: Runs | None = None, *, topic: Any = None, doc: Any = None, score: Any = None
    ) -> pd.DataFrame:
        """Score a run, or runs, per system and topic.

        Parameters
        ----------
        run
            What `irframe.as_runs` takes: ``{topic: {doc: score}}``, a run frame, ...
        topic, doc, score
            In its place, three arrays of one length: ids, or positions in `topics` and `docs`
            where these are integers and judged ids are text. A document at -1 is one of which no
            more is known than that it is not judged; among equal scores it is the last.

        Returns
        -------
        pandas.DataFrame
            What `irframe.evaluate` gives.
        """
        return self._scoring.table(self._read(run, topic, doc, score))

    def mean(
        self, run: Runs | None = None, *, topic: Any = None, doc: Any = None, score: Any = None
    ) -> dict[str, float]:
        """Score one run, averaged over topics as each metric is.

        Parameters
        ----------
        run, topic, doc, score
            The run, as for a call.

        Returns
        -------
        dict
            Metric, as printed -> average, as `irframe.verbs.summary` has it.

        Raises
        ------
        InputError
            For several systems.
        """
        found = self._read(run, topic, doc, score)
        if len(found.systems) > 1:
            advice = "scorer(runs).ireval.summary() has the averages of each"
            raise InputError("one run", f"{len(found.systems)}", advice, found.systems)
        return dict(zip(self._names, self._scoring.means(found), strict=True))

    def values(self, run: Runs) -> tuple[list[Any], NDArray[np.float64]]:
        """Score one run without labels.

        Parameters
        ----------
        run
            The run, as for a call.

        Returns
        -------
        topics, scores
            The topics, and the scores of each metric as it was asked for, shape (metric, topic).
        """
        found = self._reader.read(run)
        scores = self._scoring.values(found)[self._scoring.place, 0]
        return found.judgments.topics.tolist(), scores

    def _read(self, run: Runs | None, topic: Any, doc: Any, score: Any) -> Experiment:
        arrays = [part is not None for part in (topic, doc, score)]
        if any(arrays) if run is not None else not all(arrays):
            given = ["a run"] * (run is not None)
            given += [
                f"{name}="
                for name, there in zip(("topic", "doc", "score"), arrays, strict=True)
                if there
            ]
            found = "" if given else "nothing"
            raise InputError("a run, or three arrays: topic=, doc= and score=", found, "", given)
        return (
            self._reader.read_arrays(topic, doc, score) if all(arrays) else self._reader.read(run)
        )


def scorer(
    qrels: Qrels,
    metrics: Metrics,
    *,
    docs: Iterable[Any] | None = None,
    depth: int | None = None,
    ties: Ties = DEFAULT_TIES,
    score_dtype: ScoreDtype = DEFAULT_DTYPE,
    topics: Topics = "qrels",
    contributing: Contributing = None,
    pool_depth: int | None = None,
    seed: int = 0,
    no_rel: NoRel | None = None,
) -> Scorer:
    """Prepare judgments and metrics once, to score one run after the other.

    Parameters
    ----------
    qrels
        Qrels frame, or what `as_qrels` takes, such as ``{topic: {doc: grade}}``.
    metrics
        Metrics or their names, as for `evaluate`.
    docs
        Documents that arrays may name by their position, besides the judged ones.
    depth, ties, score_dtype, contributing, pool_depth, seed, no_rel
        As for `evaluate`.
    topics
        ``"qrels"``: every judged topic, those that a run lacks as an empty list. ``"runs"``: those
        for which some run has a list; ``"common"``: those for which every run has one. Or a list
        of judged topics.

    Returns
    -------
    Scorer
        ``scorer(run)`` is what `evaluate` gives for the run, to the last bit; ``scorer.mean(run)``
        is a dictionary metric -> average. A run is a dictionary, a frame, whatever `as_runs` takes,
        or three arrays ``scorer(topic=, doc=, score=)``.

    Raises
    ------
    IrframeError
        As `evaluate`, as far as judgments and metrics alone are at fault; the rest when called.

    Warns
    -----
    IrframeWarning
        When called, if the run lacks topics, has others, or none of its documents is judged.

    Notes
    -----
    Of a dictionary of dictionaries only the judged documents are looked up, and others only where
    their scores tie with one of these. So ids and scores are checked for their types by the first
    of each list alone; that no score is missing is checked for all.

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
    chosen = parse_metrics(metrics)
    choice("no_rel", "zero" if no_rel is None else no_rel, ("nan", "zero"))
    policy = Policy(
        depth=cut_at(chosen, depth),
        ties=ties,
        score_dtype=score_dtype,
        topics=topics,
        contributing=contributing,
        pool_depth=pool_depth,
        seed=seed,
    )
    judgments = Judgments.of(qrels, chosen, topics)
    return Scorer(judgments, chosen, policy, docs or (), no_rel)
