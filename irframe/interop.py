"""irframe as a provider of ir_measures and PyTerrier.

Importing this module registers the provider.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from irframe.errors import InputError, IrframeError, needing, unsaid
from irframe.evaluation.scorer import Scorer, scorer
from irframe.experiments.choices import Ties
from irframe.files.as_runs import Qrels, Runs, by_role
from irframe.frames.kinds import QRELS, RUN
from irframe.metrics.base import Metric
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DOC, SCORE, TOPIC

with needing("ir_measures", "this module", "ir-measures"):
    import ir_measures
    from ir_measures import providers

__all__ = ["IrframeProvider"]

SAME = frozenset(
    {"AP", "BPM", "Bpref", "Compat", "INSQ", "INST", "IPrec", "Judged", "NERR10", "NERR11"}
    | {"NERR8", "NERR9", "NumQ", "NumRel", "NumRet", "P", "R", "RBP", "RR", "Rprec", "SDCG"}
    | {"SetAP", "SetF", "SetP", "SetR", "Success", "infAP", "nDCG"}
)
"""Measures with equal definitions in irframe and in the other providers of ir_measures."""


def register() -> None:
    """Put irframe before the other providers of ir_measures.

    Only the provider of user-defined measures stays before irframe.
    """
    provider = IrframeProvider()
    providers.register(provider)
    pipeline = ir_measures.DefaultPipeline.providers
    pipeline[:] = [present for present in pipeline if present.NAME != provider.NAME]
    pipeline.insert(1, provider)


@lru_cache(maxsize=1024)
def translate(measure: Any) -> Metric | None:
    """Return the metric of irframe for a measure, or None.

    Examples
    --------
    >>> translate(ir_measures.R(rel=2) @ 10), translate(ir_measures.ERR @ 10)
    (Recall(rel=2)@10, None)
    """
    # without rel, RBP of ir_measures uses grades as gains, and RBP of irframe is binary
    graded = measure.NAME == "RBP" and "rel" not in measure.params
    if measure.NAME not in SAME or graded:
        return None
    try:
        return parse_metric(measure)
    except IrframeError:
        return None


class IrframeProvider(providers.Provider):
    """Provider of ir_measures that scores all measures in one pass.

    Ties are broken as in pytrec_eval for all measures.
    """

    NAME = "irframe"

    def supports(self, measure: Any) -> bool:
        """Return whether irframe computes a measure."""
        measure.validate_params()
        return translate(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Qrels) -> "IrframeEvaluator":
        return IrframeEvaluator(measures, qrels)


class IrframeEvaluator(providers.Evaluator):
    """Evaluator of several runs with the same measures and judgments.

    Like the other providers of ir_measures, the evaluator issues no warnings.
    """

    def __init__(self, measures: Iterable[Any], qrels: Qrels) -> None:
        qrels = _as_reusable(qrels)
        self._qrels = qrels
        self._judged_topics = set[Any]()
        if isinstance(qrels, Mapping):
            self._judged_topics = {topic for topic, docs in qrels.items() if docs}
        elif not _is_empty(qrels):
            frame, columns = by_role(qrels, QRELS)
            self._judged_topics = set(frame[columns[TOPIC]].unique().tolist())
        topics = set(qrels) if isinstance(qrels, Mapping) else self._judged_topics
        super().__init__(list(measures), topics)
        self.metrics = []
        for measure in self.measures:
            metric = translate(measure)
            if metric is None:
                raise InputError("measures that irframe computes", repr(str(measure)))
            self.metrics.append(metric.named(str(measure)))

    @cached_property
    def scorer(self) -> Scorer:
        """Scorer of runs, created when the first run is scored."""
        # pytrec_eval stores scores as float32, so scores that are equal in float32 tie
        return scorer(self._qrels, self.metrics, topics="runs", ties=Ties(dtype="float32"))

    def iter_calc(self, run: Runs) -> Iterator[Any]:
        """Yield all scores, with topics without a list last."""
        topics, scores = self._scores(_as_reusable(run))
        for measure, values in zip(self.measures, scores, strict=True):
            for topic, value in zip(topics, values, strict=True):
                yield ir_measures.Metric(query_id=topic, measure=measure, value=value)
        lacking = sorted(self.qrel_qids - set(topics))
        for measure in sorted(set(self.measures), key=str) if lacking else ():
            for topic in lacking:
                yield ir_measures.Metric(topic, measure, measure.DEFAULT)

    def calc_aggregate(self, run: Runs) -> dict[Any, Any]:
        """Return the average of every measure, aggregated by ir_measures."""
        topics, scores = self._scores(_as_reusable(run))
        lacking = len(self.qrel_qids - set(topics))
        averages = {}
        for measure, values in zip(self.measures, scores, strict=True):
            aggregator = measure.aggregator()
            for value in (*values, *[measure.DEFAULT] * lacking):
                aggregator.add(value)
            averages[measure] = aggregator.result()
        return averages

    def _scores(self, run: object) -> tuple[list[Any], list[list[float]]]:
        """Return the judged topics of a run and their scores.

        The scores contain one list per measure.
        """
        runs: Any = {}
        if not self._judged_topics or _is_empty(run):
            pass
        # dictionaries of dictionaries are filtered without a frame, as pytrec_eval takes them
        elif type(run) is dict and {type(docs) for docs in run.values()} == {dict}:
            runs = {t: docs for t, docs in run.items() if docs and t in self._judged_topics}
        else:
            frame, columns = by_role(run, RUN)
            names = [columns[role] for role in (TOPIC, DOC, SCORE)]
            runs = frame.loc[frame[names[0]].isin(self._judged_topics), names]
        if not len(runs):
            return [], [[] for _ in self.measures]
        with unsaid():
            topics, scores = self.scorer.values(runs)
        return topics, scores.tolist()


def _as_reusable(data: Any) -> Any:
    """Convert an iterator to a list, and keep other data."""
    once = isinstance(data, Iterable) and not hasattr(data, "__len__")
    return list(data) if once else data


def _is_empty(data: object) -> bool:
    """Return whether runs or judgments contain no documents."""
    if isinstance(data, Mapping):
        return not any(data.values())
    return hasattr(data, "__len__") and not len(data)


register()
