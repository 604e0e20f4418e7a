"""Losses of rankings by cause: missing, dropped and misplaced documents.

Verbs: losses.
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.arrays import Array, Floats, in_threads, tiles
from irframe.checks import listed, positions_of
from irframe.cubes.score import (
    Kernel,
    Work,
    label_scores,
    refuse_metrics,
    score_block,
    wanted_depths,
)
from irframe.cubes.unjudged import bound_block
from irframe.cubes.verb import verb
from irframe.cubes.view import CELL, EXPERIMENT, experiment_of
from irframe.errors import InputError, MetricError, ParameterError
from irframe.evaluation.repeats import fold
from irframe.evaluation.scorer_input import Reader
from irframe.evaluation.scoring import Plan, Scoring
from irframe.experiments.experiment import Experiment, topics_of
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import MetricLike, Policy, parse_metrics, shares_ranks
from irframe.extremes.labelled_bounds import lists_of, preference_ranks, refuse_unordered
from irframe.files.as_runs import ONLY_SYSTEM, Qrels, Runs, as_runs, in_groups
from irframe.metrics import METRICS, Block, Metric
from irframe.metrics.facts import facts
from irframe.names import UNJUDGED
from irframe.quantities.block import by_scale
from irframe.quantities.subtopics import POOLED_UNJUDGED
from irframe.record import InGroups

Stages = Sequence[Hashable] | Sequence[Sequence[Hashable]] | None
DEEPEST = 100
"""Maximum depth at which `losses` returns the column ``unjudged`` for metrics whose score bounds
take long to compute."""


@verb(groups=True)
def losses(
    data: xr.Dataset | Runs,
    qrels: Qrels | MetricLike | None = None,
    metric: MetricLike | None = None,
    *,
    stages: Stages = None,
) -> xr.DataArray | pd.DataFrame:
    """Split the loss of each ranking into causes.

    The loss is the highest possible score of the topic minus the score of the ranking.

    Parameters
    ----------
    data
        A cube made by `irframe.cube`, or runs in any form that `as_runs` reads. If `data` is a
        cube, pass the metric next. If `data` are runs, pass the judgments and then the metric.
    qrels
        Judgments, in any form that `as_qrels` reads. With a cube, this argument is the metric.
    metric
        A metric or its name, such as ``"nDCG@10"``. The metric must reach its maximum if documents
        are sorted by grade. Suitable metrics are AP, BinG, Bpref, DCG, ERR, F, INSQ,
        InterpolatedAP, IPrec, nDCG, nDCGRel, P, Q, RBP, Recall, RelativeP, RR, Rprec, RprecMult,
        SDCG, Success, YAAP.
    stages
        A list of systems, such as ``["bm25", "monot5"]``, in which each system reranks the
        documents of the previous system. For several pipelines, pass a list of such lists. A system
        that is in no list has a single stage.

    Returns
    -------
    xarray.DataArray or pandas.DataFrame
        The score and the losses of every system and topic. The result for a cube is an array over
        (metric, system, topic), whose metrics are the score and the losses. The result for runs is
        a frame with the columns

        - ``score``, the score of the metric;
        - ``not_retrieved``, the loss from relevant documents that the first stage does not
          retrieve;
        - ``cut_by_`` followed by the name of a later stage, the loss from documents that this stage
          drops. The loss is 0 for systems without this stage. If pipelines have different systems
          at this stage, the column is named ``cut_by_stage_2`` and so on;
        - ``ordered``, the loss from the order of documents in the last stage, compared with the
          best order;
        - ``unjudged``, the largest possible increase of the score if unjudged documents were
          judged. This column is omitted for metrics that `bounds` does not support. This column is
          also omitted at more than 100 ranks for metrics that need the number of relevant
          documents, because their bounds would take minutes.

        Lower losses are better. The score plus all losses except ``unjudged`` equals the highest
        possible score of the topic.

    Raises
    ------
    MetricError
        If documents sorted by grade do not have the highest score of the metric, if a longer list
        can lower the score, or if scores are not averaged by the arithmetic mean.
    InputError
        If a stage has documents that the previous stage lacks. The message names the added
        documents. For a cube, the message names only judged documents.
    ParameterError
        If systems are unknown, or if a system has different previous stages in two pipelines.

    Notes
    -----
    The highest score ``max`` of a topic is the score of all judged documents in descending order of
    grade. The ceiling of a list is the score of the list after its documents are sorted into the
    best order. Both scores are cut at the depth of the metric. The treatment of unjudged documents
    depends on the metric. With stages f1, f2, ..., s, the losses are
    ``not_retrieved = max - ceiling(f1)``, ``cut by f2 = ceiling(f1) - ceiling(f2)``, and
    ``ordered = ceiling(s) - score(s)``. A metric without a cutoff is evaluated over complete lists
    of runs, or down to the depth of a cube.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> losses = runs.ireval.losses(qrels, "nDCG@10")
    >>> losses.loc[["bm25", "monot5"]].groupby("system").mean().round(3)
    metric  score  not_retrieved  ordered  unjudged
    system
    bm25    0.204          0.231    0.566     0.008
    monot5  0.558          0.066    0.376     0.000
    """
    if isinstance(data, xr.Dataset):
        if (metric is None) == (qrels is None):
            got = "a cube alone" if metric is None else "a cube, judgments and a metric"
            raise ParameterError("a cube and a metric, because a cube contains judgments", got)
        chosen = _one_metric(metric or qrels)
        experiment = experiment_of(data)
        wanted_depths(data, [chosen], None)
        refuse_metrics(data, [chosen])
        depth = data.sizes[words.DEPTH]
        is_cut = data.attrs[EXPERIMENT].longest > depth
        columns = Ceilings(experiment.loaded, chosen, depth, is_cut=is_cut).losses(stages)
        names: Any = [*columns]
        values = np.stack([*columns.values()])[..., np.newaxis]
        array = xr.DataArray(values, dims=(words.METRIC, *CELL))
        scores = label_scores(data, array, names, [depth])
        result: xr.DataArray | pd.DataFrame = scores.isel({words.DEPTH: 0}, drop=True)
    else:
        if qrels is None or metric is None:
            expected = "runs, judgments and a metric"
            raise ParameterError(expected, "runs without judgments or without a metric")
        runs, by = (data.subject, data.by) if isinstance(data, InGroups) else (data, None)
        chosen = _one_metric(metric)
        result = _of_runs(runs, qrels, chosen, stages, by)
        names = [*result.columns]
    lower = [name for name in names if name != words.SCORE]
    result.attrs |= {words.METRICS: names, words.LOWER: lower, words.METRIC: str(chosen)}
    return result


def _one_metric(metric: Any) -> Metric:
    """Return the only metric of `losses`, or raise if unsuitable.

    A metric is unsuitable if a loss could be negative.
    """
    chosen = parse_metrics(metric)
    if len(chosen) > 1:
        advice = "call losses for one metric at a time"
        raise MetricError("one metric", "several metrics", advice, map(str, chosen))
    if not chosen[0].by_grade or facts(chosen[0]).summary != "mean":
        suitable = sorted(name for name, kind in METRICS.items() if kind.by_grade)
        expected = f"a metric that is highest for documents in grade order ({', '.join(suitable)})"
        raise MetricError(expected, str(chosen[0]))
    refuse_unordered(chosen)
    return chosen[0]


def _of_runs(
    runs: Runs, qrels: Qrels, metric: Metric, stages: Stages, by: str | None
) -> pd.DataFrame:
    """Return the losses of runs by system and topic."""
    folded = fold(runs)
    policy = Policy()
    if folded.repeat is not None:
        advice = f"select one {folded.repeat}, or give each repeat its own system name"
        raise ParameterError("runs without repeats", f"several {folded.repeat}", advice)
    judgments = Judgments.of(qrels, [metric])
    reader = Reader(judgments, policy, (), pooled=True)
    groups = {None: reader.read(folded.runs)} if by is None else {}
    if by is not None:
        groups = dict(reader.read_groups(in_groups(folded.runs, by), by))
    _refuse_unlike(as_runs(folded.runs), stages)
    scoring = Scoring(judgments, Plan([metric], policy))
    tables: dict[Hashable, pd.DataFrame] = {}
    for key, group in groups.items():
        table = scoring.table(group)
        # each block of lists is a slice of the hits, so the hits must be sorted by list
        sorted_group = replace(group, hits=group.hits.by_list())
        depth = max(1, group.longest, metric.depth or 1)
        values = Ceilings(sorted_group, metric, depth, is_cut=False).losses(stages)
        columns = {name: loss[group.participated] for name, loss in values.items()}
        tables[key] = pd.DataFrame(columns, table.index).rename_axis(columns=words.METRIC)
    result = pd.DataFrame(tables[None] if by is None else pd.concat(tables, names=[by]))
    result.attrs = table.attrs
    return result


def _refuse_unlike(runs: pd.DataFrame, stages: Stages) -> None:
    """Raise if a stage adds documents to the previous stage.

    The message names judged and unjudged documents, because run frames contain the names of both.
    """
    roles = words.roles(runs.columns)
    rows = runs[[roles[role] for role in (words.TOPIC, words.DOC)]]
    name = roles.get(words.SYSTEM)
    systems = pd.Series(ONLY_SYSTEM, runs.index) if name is None else runs[name]
    for path in filter(None, paths_of(stages)):
        positions_of("systems in stages=", path, [*systems.unique()])
        for before, stage in pairwise(path):
            reranked, available = (
                pd.MultiIndex.from_frame(rows[systems == system]) for system in (stage, before)
            )
            _refuse(stage, before, reranked[~reranked.isin(available)])


def paths_of(stages: Stages) -> list[list[Hashable]]:
    """Return the pipelines of `stages` as a list of lists.

    Examples
    --------
    >>> paths_of(["bm25", "monot5"]), paths_of([["bm25", "monot5"], ["ance"]]), paths_of(None)
    ([['bm25', 'monot5']], [['bm25', 'monot5'], ['ance']], [[]])
    """
    paths = listed(stages)
    several = any(isinstance(path, Sequence) and not isinstance(path, str) for path in paths)
    return [listed(path) for path in paths] if several else [paths]


def _refuse(stage: Hashable, before: Hashable, added: Collection[tuple[object, object]]) -> None:
    if len(added):
        named = [f"{doc} on topic {topic}" for topic, doc in added]
        expected = f"only documents of {before} in {stage}, which reranks it"
        advice = "leave fused runs out of stages=, because each run must rerank the previous run"
        raise InputError(expected, f"{len(named)} other documents", advice, named)


@dataclass(frozen=True)
class Ceilings:
    """Scores of lists in actual order and in best order."""

    experiment: Experiment
    metric: Metric
    depth: int
    """Number of ranks in the lists."""
    is_cut: bool
    """Whether some original lists are longer than `depth`."""

    @property
    def at(self) -> int:
        """Cutoff of the metric, or `depth` without a cutoff."""
        return self.metric.depth or self.depth

    @cached_property
    def counts(self) -> Array:
        """Number of documents by grade, shape (system, topic, level).

        The last level counts unjudged documents.
        """
        hits = self.experiment.hits
        judgments = self.experiment.judgments
        level = np.searchsorted(judgments.levels, judgments.grade)
        size = len(judgments.levels)
        cell = hits.of.astype(np.int64) * size + level[hits.row]
        counts = np.bincount(cell, minlength=hits.length.size * size)
        judged = counts.reshape(*hits.length.shape, size)
        return np.concatenate([judged, self.experiment.unjudged[..., np.newaxis]], axis=-1)

    def losses(self, stages: Stages) -> dict[str, Floats]:
        """Map column names of `losses` to arrays (system, topic)."""
        experiment = self.experiment
        chains = self.chains(stages)
        self._refuse_added(chains)
        score = self._computed(score_block)[0]
        ceiling = self.best(self.counts, self.depth)
        first = ceiling[[chain[0] for chain in chains]]
        # losses cannot be negative, so `maximum` only removes rounding errors
        columns = {words.SCORE: score, "not_retrieved": np.maximum(self._highest() - first, 0)}
        for stage in range(1, max(map(len, chains), default=1)):
            later = [chain for chain in chains if len(chain) > stage]
            names = {str(experiment.systems[chain[stage]]) for chain in later}
            cut = np.zeros_like(score)
            for chain in later:
                lost = ceiling[chain[stage - 1]] - ceiling[chain[stage]]
                cut[chain[-1]] = np.maximum(lost, 0)
            name = names.pop() if len(names) == 1 else f"stage_{stage + 1}"
            columns[f"cut_by_{name}"] = cut
        columns["ordered"] = np.maximum(ceiling - score, 0)
        if self._is_bounded:
            columns["unjudged"] = self._computed(bound_block, 2)[1] - score
        participated = [experiment.participated[chain].all(axis=0) for chain in chains]
        return {name: np.where(participated, loss, np.nan) for name, loss in columns.items()}

    def chains(self, stages: Stages) -> list[list[int]]:
        """Return the positions of the stages of each system.

        The last position of each list is the position of the system itself.
        """
        systems = [*self.experiment.systems]
        chains: dict[int, list[int]] = {}
        for path in paths_of(stages):
            rows = positions_of("systems in stages=", path, systems)
            for end, row in enumerate(rows, start=1):
                if chains.setdefault(row, rows[:end]) != rows[:end]:
                    expected = "the same previous stages of a system in all pipelines of stages="
                    raise ParameterError(expected, f"different stages before {systems[row]}")
        return [chains.get(row, [row]) for row in range(len(systems))]

    def _refuse_added(self, chains: list[list[int]]) -> None:
        """Raise if a stage adds documents to the previous stage."""
        experiment = self.experiment
        hits = experiment.hits
        judgments = experiment.judgments
        system = hits.of // max(1, experiment.shape[1])
        for before, stage in {tuple(chain[-2:]) for chain in chains if len(chain) > 1}:
            reranked, available = (hits.row[system == row] for row in (stage, before))
            rows = reranked[~np.isin(reranked, available)]
            topics = judgments.topics[judgments.topic[rows]]
            added = [*zip(judgments.names[rows], topics, strict=True)]
            # a cube has the number of unjudged documents, but not their names
            longer = experiment.unjudged[stage] > experiment.unjudged[before]
            added += [("an unjudged document", topic) for topic in judgments.topics[longer]]
            _refuse(experiment.systems[stage], experiment.systems[before], added)

    def _computed(self, kernel: Kernel, arrays: int = 1) -> Floats:
        """Return the arrays that `kernel` computes, shape (array, system, topic)."""
        shares = shares_ranks(self.experiment.options.get("ties"))
        width = self.at if self.metric.by_prefix and not shares else self.depth
        hidden = bool(arrays > 1 and self.metric.fillings)
        work = Work([self.metric], [self.at], kernel, arrays, hidden=hidden)
        return work.tiles(self.experiment, width, in_threads)[..., 0]

    @property
    def _is_bounded(self) -> bool:
        """Whether bounds of scores exist and are fast to compute."""
        extremes = facts(self.metric).extremes
        # grade -1 marks pooled but unjudged documents, for which `bounds` raises an error
        marked = (self.experiment.judgments.grade == POOLED_UNJUDGED).any()
        if not extremes or marked or shares_ranks(self.experiment.options.get("ties")):
            return False
        slow = self.at > DEEPEST or self.metric.graded == "labelings"
        return extremes == "ceiling" or not slow

    def _highest(self) -> Floats:
        """Return the highest score of every topic, shape (1, topic)."""
        levels = self.experiment.judgments.levels_of
        ends = self.metric.depth or self.is_cut or self.metric.needs_depth
        to_the_end = not ends and not facts(self.metric).pooled
        # an ideal ranking without a cutoff contains all judged documents, even beyond all lists
        longest = int(levels.sum(axis=-1).max(initial=0)) if to_the_end else 0
        # the last level counts unjudged documents, and an ideal ranking contains none
        counts = np.pad(levels, ((0, 0), (0, 1)))[np.newaxis]
        return self.best(counts, max(self.depth, longest))

    def best(self, counts: Array, depth: int) -> Floats:
        """Return scores of documents in best order, shape (row, topic).

        `counts` is the number of documents by grade, shape (row, topic, level).
        """
        experiment = self.experiment
        metric = self.metric
        levels = experiment.judgments.levels
        top = int(np.max(experiment.top, initial=1))
        width = metric.depth or depth
        codes = np.append(levels, UNJUDGED).astype(np.int64)
        order = np.argsort(-preference_ranks(metric, levels, top)[codes], kind="stable")
        fields = experiment.fields([metric], width)
        retrieved = np.minimum(counts.sum(axis=-1), width)
        scores = np.empty(counts.shape[:2])

        def fill(tile: tuple[slice, slice]) -> None:
            grade = lists_of(counts[tile][..., order], codes[order], width)
            of_topics = topics_of(fields, tile[1])
            block = Block(**of_topics, grade=grade, retrieved=retrieved[tile])
            (best,) = by_scale(block, lambda block: score_block(block, [metric], [width]))
            scores[tile] = best[..., 0]

        in_threads(fill, tiles(counts.shape[0], counts.shape[1], width))
        return scores
