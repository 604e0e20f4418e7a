# The verbs of every kind of object. Written by .ci/typed_stub.py; do not edit.

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, overload, type_check_only

import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from pandas.io.formats.style import Styler

from irframe.agreements import Agreement, Method
from irframe.comparing.corrections import Correction, Family
from irframe.comparing.document_texts import Texts
from irframe.comparing.joint_corrections import Adjust
from irframe.cubes.stratified import Share
from irframe.cubes.topic_weights import TopicWeights
from irframe.depths.agreement_intervals import Of
from irframe.experiments.metrics import Metrics
from irframe.experiments.policy import Contributing, PoolDepth, Topics
from irframe.experiments.relevance import Rel
from irframe.files.as_qrels import Qrels
from irframe.files.as_runs import Runs
from irframe.metrics import Metric
from irframe.metrics.asl import Unretrieved
from irframe.metrics.base import MetricType
from irframe.metrics.relative_position import Crossing
from irframe.names import NoRel, ScoreDtype, Ties
from irframe.paired import Test
from irframe.ranks.rank_intervals import RankMethod
from irframe.reports.report import Target
from irframe.scores.pairs_of_systems import Baselines
from irframe.scores.read_scores import Depths
from irframe.scores.reference import Reference
from irframe.scores.summary import Interval
from irframe.studies.judges.grades_by_judge import Grades
from irframe.studies.judges.judge_changes import Groups
from irframe.studies.judging.judge_next import Credit
from irframe.studies.orderings.orderings import GainLike
from irframe.studies.orderings.preferences import Weights
from irframe.studies.outcomes.answers import Relevant
from irframe.studies.outcomes.comparisons import Measure, OutcomeTest
from irframe.studies.outcomes.outcomes import Outcomes
from irframe.studies.searching.effective_top import Precision

__all__ = ["ireval"]

@type_check_only
class FrameFigures:
    def best_so_far(
        self,
        dates: Mapping[Any, Any],
        *,
        metric: Any = None,
        depth: int | None = None,
        named: bool = True,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def best_systems(
        self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None
    ) -> Axes: ...
    def difference_histogram(
        self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None
    ) -> Axes: ...
    def explained(
        self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None
    ) -> Axes: ...
    def ladder(
        self,
        *,
        metric: Any = None,
        depth: int | None = None,
        top: int | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def leave_out_changes(
        self,
        *,
        depth: int | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def length_histogram(
        self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None
    ) -> Axes: ...
    def outcome_shares(
        self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None
    ) -> Axes: ...
    def p_value_curves(
        self,
        *,
        alpha: float | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def panes(
        self,
        draw: Callable[..., Any],
        *,
        by: str | None = None,
        metric: Any = None,
        depth: int | None = None,
        systems: Sequence[Hashable] | None = None,
        columns: int = 3,
        figsize: tuple[float, float] | None = None,
    ) -> NDArray[Any]: ...
    def rank_scatter(
        self,
        *,
        a: Hashable | None = None,
        b: Hashable | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def score_boxes(
        self,
        *,
        metric: Any = None,
        depth: int | None = None,
        systems: Sequence[Hashable] | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def system_ranking(
        self,
        *,
        metric: Any = None,
        depth: int | None = None,
        alpha: float = 0.05,
        top: int | None = None,
        systems: Sequence[Hashable] | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def topic_differences(
        self,
        a: Hashable,
        b: Hashable,
        *,
        metric: Any = None,
        depth: int | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...

@type_check_only
class CubeFigures:
    def agreement_bars(
        self,
        *,
        test: str | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def agreement_triangle(
        self,
        *,
        metric: Any = None,
        test: str | None = None,
        depth: int | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def archetypes(
        self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None
    ) -> Axes: ...
    def budget_curves(
        self,
        value: Literal["kept", "changed", "found", "tau", "tau_ap"] = "kept",
        *,
        metric: Hashable | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def conclusion_shares(
        self,
        *,
        judge: Hashable | None = None,
        metric: Any = None,
        log: bool = True,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def confusion_map(
        self,
        *,
        pair: tuple[Any, Any] | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def crp_and_gain(
        self,
        scores: xr.DataArray,
        *,
        system: Hashable,
        topic: Hashable,
        metric: Any = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def crp_curves(
        self,
        *,
        topic: Hashable,
        systems: Sequence[Hashable] | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def effort_gain(
        self,
        *,
        metric: Any = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def equal_cost(
        self,
        *,
        metric: Any = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def hasse(
        self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None
    ) -> Axes: ...
    def judge_ranks(
        self,
        *,
        judge: Hashable | None = None,
        metric: Any = None,
        depth: int | None = None,
        marked: Sequence[Hashable] = (),
        named: int = 5,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def ladder(
        self,
        *,
        metric: Any = None,
        depth: int | None = None,
        top: int | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def orderings(
        self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None
    ) -> Axes: ...
    def p_value_curves(
        self,
        *,
        alpha: float | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def panes(
        self,
        draw: Callable[..., Any],
        *,
        by: str | None = None,
        metric: Any = None,
        depth: int | None = None,
        systems: Sequence[Hashable] | None = None,
        columns: int = 3,
        figsize: tuple[float, float] | None = None,
    ) -> NDArray[Any]: ...
    def pool_curves(
        self, *, ax: Sequence[Axes] | None = None, figsize: tuple[float, float] | None = None
    ) -> Any: ...
    def ranking_grid(
        self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None
    ) -> Axes: ...
    def reference_runs(
        self,
        cube: xr.Dataset,
        *,
        system: Hashable,
        topic: Hashable,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def unjudged_share(
        self,
        *,
        pool_depth: int | None = None,
        log: bool = True,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...

@type_check_only
class ScoresFigures:
    def agreement_map(
        self,
        *,
        depth: int | None = None,
        levels: Sequence[float] = ...,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def best_so_far(
        self,
        dates: Mapping[Any, Any],
        *,
        metric: Any = None,
        depth: int | None = None,
        named: bool = True,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def bound_bands(
        self,
        *,
        metric: Any = None,
        systems: Sequence[Hashable] | None = None,
        pool_depth: int | None = None,
        log: bool = True,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def depth_curves(
        self,
        *,
        metric: Any = None,
        systems: Sequence[Hashable] | None = None,
        log: bool = True,
        pool_depth: int | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def panes(
        self,
        draw: Callable[..., Any],
        *,
        by: str | None = None,
        metric: Any = None,
        depth: int | None = None,
        systems: Sequence[Hashable] | None = None,
        columns: int = 3,
        figsize: tuple[float, float] | None = None,
    ) -> NDArray[Any]: ...
    def ratio_curves(
        self,
        *,
        log: bool = True,
        pool_depth: int | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def robustness_curves(
        self,
        *,
        depth: int | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def score_boxes(
        self,
        *,
        metric: Any = None,
        depth: int | None = None,
        systems: Sequence[Hashable] | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def system_ranking(
        self,
        *,
        metric: Any = None,
        depth: int | None = None,
        alpha: float = 0.05,
        top: int | None = None,
        systems: Sequence[Hashable] | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def tie_bars(
        self,
        *,
        metric: Any = None,
        depth: int | None = None,
        systems: Sequence[Hashable] | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def topic_differences(
        self,
        a: Hashable,
        b: Hashable,
        *,
        metric: Any = None,
        depth: int | None = None,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...
    def volatility_map(
        self,
        *,
        metric: Any = None,
        levels: Sequence[float] = ...,
        pool_depth: int | None = None,
        log: bool = False,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes: ...

@type_check_only
class FrameVerbs:
    @property
    def plot(self) -> FrameFigures: ...
    @overload
    def agreement(
        self,
        reference: Reference | None = None,
        method: Method = "kendall",
        *,
        at: Depths = None,
        interval: Literal[False] = False,
        of: Of = "expected",
        alpha: float = 0.05,
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
    ) -> xr.DataArray: ...
    @overload
    def agreement(
        self,
        reference: Reference | None = None,
        method: Method = "kendall",
        *,
        at: Depths = None,
        interval: Literal[True],
        of: Of = "expected",
        alpha: float = 0.05,
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def best_systems(self, *, by: str | None = None, at: Depths = None) -> pd.DataFrame: ...
    def bootstrap_sensitivity(
        self,
        *,
        samples: int = 1000,
        seed: int = 0,
        alpha: float = 0.05,
        resamples: ArrayLike | None = None,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def check(
        self,
        qrels: Qrels,
        *,
        depth: int = 10,
        length: int | None = None,
        documents: Iterable[Any] | None = None,
        problems: pd.DataFrame | None = None,
    ) -> pd.DataFrame: ...
    def compare(
        self,
        test: Test = "t",
        *,
        adjust: Adjust = "auto",
        family: Family = "depth",
        alpha: float = 0.05,
        baseline: Baselines = None,
        at: Depths = None,
        by: str | None = None,
        weights: TopicWeights = None,
        simultaneous: bool = False,
        effects: bool = False,
        margin: float | None = None,
        power: float | None = None,
        progress: bool = False,
    ) -> pd.DataFrame: ...
    def components(
        self,
        *,
        topics: int | None = None,
        systems: Literal["random", "fixed"] = "random",
        alpha: float = 0.05,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def coverage(
        self,
        reference: Reference,
        test: Test = "t",
        *,
        adjust: Adjust = None,
        family: Family = "depth",
        alpha: float = 0.05,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.DataArray: ...
    @overload
    def cube(
        self,
        qrels: Qrels,
        *,
        depth: int | None = None,
        ties: Ties = "trec",
        score_dtype: ScoreDtype = "float64",
        topics: Topics = "qrels",
        contributing: Contributing = None,
        pool_depth: PoolDepth = None,
        collection: str | None = None,
        by: None = None,
        seed: int = 0,
    ) -> xr.Dataset: ...
    @overload
    def cube(
        self,
        qrels: Qrels,
        *,
        depth: int | None = None,
        ties: Ties = "trec",
        score_dtype: ScoreDtype = "float64",
        topics: Topics = "qrels",
        contributing: Contributing = None,
        pool_depth: PoolDepth = None,
        collection: str | None = None,
        by: str,
        seed: int = 0,
    ) -> xr.DataTree: ...
    def diagnose(
        self,
        qrels: Qrels,
        metrics: Metrics = (),
        *,
        depth: int | None = None,
        ties: Ties = "trec",
        contributing: str | Sequence[Hashable] | None = None,
        pool_depth: int | None = None,
        errors: Literal["raise", "report"] = "raise",
    ) -> pd.DataFrame: ...
    def difference_histogram(
        self,
        a: Hashable,
        b: Hashable,
        *,
        bins: int = 5,
        width: int | None = None,
        by: str | None = None,
    ) -> pd.DataFrame: ...
    def discrimination(
        self,
        test: Test = "t",
        *,
        adjust: Adjust = None,
        family: Family = "depth",
        alpha: float = 0.05,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.DataArray: ...
    def effective_top(
        self, *, precision: Precision = "map", by: str | None = None
    ) -> pd.DataFrame: ...
    def effort_gain(
        self,
        *,
        effort: Metric | MetricType | str = "Twist",
        quartiles: Any = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def evaluate(
        self,
        qrels: Qrels,
        *metrics: Metrics,
        depth: int | None = None,
        ties: Ties = "trec",
        score_dtype: ScoreDtype = "float64",
        topics: Topics = "qrels",
        contributing: Contributing = None,
        pool_depth: PoolDepth = None,
        collection: str | None = None,
        by: str | None = None,
        seed: int = 0,
        no_rel: NoRel | None = None,
        rel: Rel = None,
    ) -> pd.DataFrame: ...
    def interaction(
        self,
        *,
        by: str,
        adjust: Correction | None = "holm",
        family: Family = "all",
        alpha: float = 0.05,
        baseline: Baselines = None,
        at: Depths = None,
    ) -> pd.DataFrame: ...
    def inversions(
        self,
        reference: Reference,
        test: Test = "t",
        *,
        adjust: Adjust = None,
        family: Family = "depth",
        alpha: float = 0.05,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.DataArray: ...
    def judge(self, qrels: Qrels) -> pd.DataFrame: ...
    def judge_effect(
        self,
        judges: Mapping[Any, Qrels],
        metrics: Metrics,
        *,
        test: Test = "t",
        adjust: Adjust = "auto",
        family: Family = "depth",
        alpha: float = 0.05,
        reference: Hashable | None = None,
        at: int | Sequence[int] | None = None,
        pairs: Literal["same", "common", "own"] = "same",
        grades: Grades = None,
        methods: str | Agreement | Sequence[str | Agreement] = ("kendall", "tau_ap", "rbo"),
        interval: bool = False,
        of: Of = "expected",
        samples: int = 1000,
        seed: int = 0,
        groups: Groups | None = None,
        depth: int | None = None,
        ties: Ties = "trec",
        score_dtype: ScoreDtype = "float64",
    ) -> xr.Dataset: ...
    def leaderboard(
        self,
        *,
        test: Test = "t",
        adjust: Adjust = "auto",
        family: Family = "depth",
        alpha: float = 0.05,
        baseline: Hashable | None = None,
        at: Depths = None,
        method: RankMethod = "holm",
        interval: Interval = "logit",
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
        weights: TopicWeights = None,
    ) -> pd.DataFrame: ...
    def length_histogram(
        self, *, bins: int = 10, width: int | None = None, by: str | None = None
    ) -> pd.DataFrame: ...
    def letters(self, *, by: str | None = None) -> pd.DataFrame: ...
    def median_p(
        self,
        test: Test = "t",
        *,
        adjust: Adjust = None,
        family: Family = "depth",
        alpha: float = 0.05,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.DataArray: ...
    def outcomes(
        self,
        qrels: Qrels | None = None,
        *,
        test: OutcomeTest = "wilcoxon",
        adjust: Correction | None = None,
        alpha: float = 0.05,
        baseline: Hashable | None = None,
        systems: Hashable | Sequence[Hashable] | None = None,
        order: Sequence[Hashable] | None = None,
        depth: int | None = None,
        rel: int = 1,
        relevant: Relevant = "only",
        measure: Measure = "ESL",
        by: str | None = None,
        ties: Ties = "trec",
        score_dtype: ScoreDtype = "float64",
        topics: str | Sequence[Hashable] = "qrels",
        seed: int = 0,
    ) -> Outcomes: ...
    def pool(
        self,
        depth: int,
        *,
        contributing: str | Sequence[Hashable] | None = None,
        together: str | None = None,
    ) -> pd.DataFrame: ...
    def predict_powered(
        self,
        human: xr.DataArray | pd.DataFrame,
        *,
        metrics: Metric | MetricType | str | Sequence[Metric | MetricType | str] | None = None,
        alpha: float = 0.05,
        baseline: Hashable | None = None,
        at: Depths = None,
        topics: Literal["rest", "all", "random", "fixed"] | None = None,
        distribution: Literal["t", "normal"] = "t",
        half_width: float | None = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def rank(
        self, ties: Ties = "trec", *, score_dtype: ScoreDtype = "float64", seed: int = 0
    ) -> pd.DataFrame: ...
    def rank_intervals(
        self,
        method: RankMethod = "holm",
        *,
        test: Test = "t",
        adjust: Adjust = "auto",
        family: Family = "depth",
        alpha: float = 0.05,
        at: Depths = None,
        interval: Interval = "logit",
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
        weights: TopicWeights = None,
    ) -> pd.DataFrame: ...
    def reordering(
        self,
        *,
        at: Depths = None,
        by: str | None = None,
        margin: float = 0.1,
        alpha: float = 0.05,
        per: Literal["step", "system"] = "step",
    ) -> pd.DataFrame: ...
    def replicate(
        self,
        original: xr.DataArray | pd.DataFrame,
        *,
        baseline: Hashable | None = None,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def report(
        self,
        qrels: Qrels,
        path: Target,
        *,
        metrics: Metrics = ...,
        baseline: Baselines = None,
        collection: str | None = None,
        depth: int | None = None,
        ties: Ties = "trec",
        contributing: Contributing = None,
        pool_depth: PoolDepth = None,
        depths: int | Sequence[int] | None = None,
        at: int | None = None,
        title: str | None = None,
        test: Test = "t",
        adjust: Adjust = "auto",
        alpha: float = 0.05,
        samples: int = 1000,
        seed: int = 0,
        margin: float | None = None,
        texts: Texts | None = None,
    ) -> Path: ...
    def restrict(self, documents: pd.DataFrame) -> pd.DataFrame: ...
    def risk(
        self, *, baseline: Hashable, a: float = 1.0, at: Depths = None, by: str | None = None
    ) -> pd.DataFrame: ...
    def rrie(
        self, *, baseline: Hashable, at: Depths = None, by: str | None = None
    ) -> pd.DataFrame: ...
    def sample(
        self, share: Share, *, strata: str | None = None, seed: int = 0, by: None = None
    ) -> pd.DataFrame: ...
    def score_nuggets(self, *, no_vital: str | None = None) -> pd.DataFrame: ...
    def sheet(self, system: Hashable, *, by: str | None = None) -> pd.DataFrame: ...
    def standardise(
        self,
        method: Literal["z", "normal", "uniform"] = "z",
        *,
        reference: Hashable | Sequence[Hashable] | xr.DataArray | pd.DataFrame | None = None,
        a: float = 0.15,
        b: float = 0.5,
        by: str | None = None,
    ) -> xr.DataArray | pd.DataFrame: ...
    def styled(
        self,
        precision: int = 3,
        *,
        best: bool = True,
        marks: Literal["letters", "daggers", "none"] = "letters",
        intervals: bool | None = None,
        relative_to: Hashable | None = None,
        sort: Hashable = False,
    ) -> Styler: ...
    def summary(
        self,
        *,
        by: str | None = None,
        alpha: float = 0.05,
        interval: Interval = ...,
        weights: TopicWeights = None,
    ) -> pd.DataFrame: ...
    def tau_union(self, original: Runs, *, depth: int | None = None) -> pd.DataFrame: ...
    def tie_agreement(
        self,
        qrels: Qrels,
        metrics: Metrics,
        *,
        ties: Sequence[Ties] = ("trec", "order"),
        at: int | Sequence[int] | None = None,
        score_dtype: ScoreDtype = "float64",
        method: Method = "kendall",
    ) -> xr.DataArray: ...
    def to_pytrec_eval(self) -> dict[str, dict[str, Any]]: ...
    def to_ranx(self) -> Any: ...
    def topics_needed(
        self,
        *,
        difference: float | None = None,
        width: float | None = None,
        margin: float | None = None,
        topics: int | None = None,
        erho2: float | None = None,
        phi: float | None = None,
        test: Literal["t", "anova"] = "t",
        power: float = 0.8,
        alpha: float = 0.05,
        systems: int | None = None,
        baseline: Baselines = None,
        each: bool = False,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    @overload
    def volatility(
        self,
        reference: Reference | None = None,
        method: Method = "kendall",
        *,
        at: Depths = None,
        interval: Literal[False] = False,
        of: Of = "expected",
        alpha: float = 0.05,
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
    ) -> xr.DataArray: ...
    @overload
    def volatility(
        self,
        reference: Reference | None = None,
        method: Method = "kendall",
        *,
        at: Depths = None,
        interval: Literal[True],
        of: Of = "expected",
        alpha: float = 0.05,
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def write_qrels(self, path: str | PathLike[str]) -> None: ...
    def write_run(self, path: str | PathLike[str], *, system: str | None = None) -> None: ...

@type_check_only
class CubeVerbs:
    @property
    def plot(self) -> CubeFigures: ...
    def ablation(
        self,
        *,
        depth: int | None = None,
        rel: int = 1,
        unretrieved: Unretrieved = "irrel",
        by: str | None = None,
        margin: float = 0.1,
        alpha: float = 0.05,
    ) -> pd.DataFrame: ...
    def archetypes(self, *, by: str | None = None) -> pd.DataFrame: ...
    def bounds(
        self, *metrics: Metrics, at: int | Sequence[int] | None = None, by: str | None = None
    ) -> xr.DataArray: ...
    def budget(
        self,
        *metrics: Metrics,
        test: Test = "t",
        adjust: Correction | None = None,
        alpha: float = 0.05,
        judgments: int | Sequence[int] | None = None,
        overhead: float = 0,
        at: int | Sequence[int] | None = None,
        samples: int = 100,
        seed: int = 0,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def compare_orderings(
        self,
        *,
        metric: Metric | MetricType | str,
        test: Test = "t",
        adjust: Correction | None = None,
        alpha: float = 0.05,
        baseline: Hashable,
        systems: Hashable | Sequence[Hashable] | None = None,
        depth: int | None = None,
        gain: GainLike | None = None,
        rel: int | None = None,
        by: str | None = None,
    ) -> pd.DataFrame: ...
    def condense(self, *, by: str | None = None) -> xr.Dataset: ...
    def cwl(
        self, *metrics: Metrics, at: int | Sequence[int] | None = None, by: str | None = None
    ) -> xr.Dataset: ...
    def estimate(
        self,
        *metrics: Metric | MetricType | str,
        at: int | Sequence[int] | None = None,
        alpha: float = 0.05,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def explain(
        self,
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
    ) -> pd.DataFrame: ...
    def judge_findings(self, *, depth: int | None = None) -> pd.DataFrame: ...
    def judge_next(
        self,
        n: int,
        method: Literal["pool", "mtf", "maxmean", "leverage"] = "leverage",
        *,
        credit: Credit = "all",
        batch: int = 1,
        prior: pd.DataFrame | None = None,
        depth: int | None = None,
        rel: int = 1,
        runs: Runs | None = None,
        seed: int = 0,
        by: str | None = None,
    ) -> pd.DataFrame: ...
    def leave_out(
        self,
        *metrics: Metrics,
        together: str | None = None,
        depth: int | None = None,
        at: int | Sequence[int] | None = None,
        by: str | None = None,
        progress: bool = False,
    ) -> pd.DataFrame: ...
    def misplacement(
        self,
        *,
        depth: int | None = None,
        crossing: Crossing = "sign_change",
        rel: int = 1,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def orderings(
        self,
        a: Hashable | None = None,
        b: Hashable | None = None,
        *,
        depth: int | None = None,
        gain: GainLike = "binary",
        rel: int = 1,
        labels: bool | None = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def outcomes(
        self,
        qrels: Qrels | None = None,
        *,
        test: OutcomeTest = "wilcoxon",
        adjust: Correction | None = None,
        alpha: float = 0.05,
        baseline: Hashable | None = None,
        systems: Hashable | Sequence[Hashable] | None = None,
        order: Sequence[Hashable] | None = None,
        depth: int | None = None,
        rel: int = 1,
        relevant: Relevant = "only",
        measure: Measure = "ESL",
        by: str | None = None,
        ties: Ties = "trec",
        score_dtype: ScoreDtype = "float64",
        topics: str | Sequence[Hashable] = "qrels",
        seed: int = 0,
    ) -> Outcomes: ...
    def pool_growth(
        self, *, at: int | Sequence[int] | None = None, rel: int = 1, by: str | None = None
    ) -> xr.Dataset: ...
    def pooled(self, depth: int, *, by: str | None = None) -> xr.Dataset: ...
    def predict_powered(
        self,
        human: xr.DataArray | pd.DataFrame,
        *,
        metrics: Metric | MetricType | str | Sequence[Metric | MetricType | str] | None = None,
        alpha: float = 0.05,
        baseline: Hashable | None = None,
        at: Depths = None,
        topics: Literal["rest", "all", "random", "fixed"] | None = None,
        distribution: Literal["t", "normal"] = "t",
        half_width: float | None = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def preferences(
        self,
        a: Hashable | None = None,
        b: Hashable | None = None,
        *,
        at: int | Sequence[int] | None = None,
        weights: Weights = "uniform",
        rel: int = 1,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def replay(
        self,
        methods: str | Sequence[str],
        budgets: int | Sequence[int],
        *metrics: Metric | MetricType | str,
        test: Test = "t",
        adjust: Adjust = "auto",
        family: Family = "depth",
        alpha: float = 0.05,
        at: int | None = None,
        unjudged: Literal["nonrelevant", "condensed"] = "nonrelevant",
        batch: int = 1,
        prior: pd.DataFrame | None = None,
        depth: int | None = None,
        rel: int = 1,
        share: float = 1.0,
        together: str | None = None,
        samples: int = 8,
        seed: int = 0,
        by: str | None = None,
        progress: bool = False,
    ) -> xr.Dataset: ...
    def report(
        self,
        path: Target,
        /,
        *,
        metrics: Metrics = ...,
        baseline: Baselines = None,
        depths: int | Sequence[int] | None = None,
        at: int | None = None,
        title: str | None = None,
        test: Test = "t",
        adjust: Adjust = "auto",
        alpha: float = 0.05,
        samples: int = 1000,
        seed: int = 0,
        margin: float | None = None,
        texts: Texts | None = None,
    ) -> Path: ...
    def robustness(
        self,
        *metrics: Metrics,
        shares: Sequence[float] = ...,
        seeds: int | Sequence[int] = 10,
        at: int | Sequence[int] | None = None,
        method: Method = "kendall",
        by: str | None = None,
        progress: bool = False,
    ) -> xr.DataArray: ...
    def sample(
        self, share: Share, *, strata: str | None = None, seed: int = 0, by: str | None = None
    ) -> xr.Dataset: ...
    def save(self, path: str | PathLike[str], *, progress: bool = False) -> xr.Dataset: ...
    def score(
        self,
        *metrics: Metrics,
        at: int | Sequence[int] | None = None,
        no_rel: NoRel | None = None,
        rel: Rel = None,
        by: str | None = None,
    ) -> xr.DataArray: ...
    def search_lengths(
        self,
        *,
        depth: int | None = None,
        rel: int = 1,
        unretrieved: Unretrieved = "irrel",
        by: str | None = None,
    ) -> pd.DataFrame: ...
    def select_top(
        self,
        share: float = 0.75,
        *,
        metric: Metric | MetricType | str = "AP",
        by: str | None = None,
    ) -> xr.Dataset | xr.DataArray: ...
    def separability(
        self,
        *,
        depth: int | None = None,
        gain: GainLike = "binary",
        rel: int = 1,
        by: str | None = None,
    ) -> xr.DataArray: ...
    def side_by_side(
        self,
        a: Hashable,
        b: Hashable,
        *metrics: Metrics,
        depth: int | None = None,
        gain: GainLike = "binary",
        rel: int = 1,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def significance_agreement(
        self,
        *metrics: Metrics,
        test: Test | Sequence[Test] = "t",
        adjust: Correction | None = None,
        alpha: float = 0.05,
        at: int | Sequence[int] | None = None,
        gain: GainLike | None = None,
        rel: int | None = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def styled(
        self,
        precision: int = 3,
        *,
        best: bool = True,
        marks: Literal["letters", "daggers", "none"] = "letters",
        intervals: bool | None = None,
        relative_to: Hashable | None = None,
        sort: Hashable = False,
    ) -> Styler: ...
    def tie_ranges(
        self, *metrics: Metrics, at: int | Sequence[int] | None = None, by: str | None = None
    ) -> xr.DataArray: ...
    def tie_rates(self, depth: int = 20, *, by: str | None = None) -> xr.DataArray: ...

@type_check_only
class ScoresVerbs:
    @property
    def plot(self) -> ScoresFigures: ...
    @overload
    def agreement(
        self,
        reference: Reference | None = None,
        method: Method = "kendall",
        *,
        at: Depths = None,
        interval: Literal[False] = False,
        of: Of = "expected",
        alpha: float = 0.05,
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
    ) -> xr.DataArray: ...
    @overload
    def agreement(
        self,
        reference: Reference | None = None,
        method: Method = "kendall",
        *,
        at: Depths = None,
        interval: Literal[True],
        of: Of = "expected",
        alpha: float = 0.05,
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def best_systems(self, *, by: str | None = None, at: Depths = None) -> pd.DataFrame: ...
    def bootstrap_sensitivity(
        self,
        *,
        samples: int = 1000,
        seed: int = 0,
        alpha: float = 0.05,
        resamples: ArrayLike | None = None,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def compare(
        self,
        test: Test = "t",
        *,
        adjust: Adjust = "auto",
        family: Family = "depth",
        alpha: float = 0.05,
        baseline: Baselines = None,
        at: Depths = None,
        by: str | None = None,
        weights: TopicWeights = None,
        simultaneous: bool = False,
        effects: bool = False,
        margin: float | None = None,
        power: float | None = None,
        progress: bool = False,
    ) -> pd.DataFrame: ...
    def components(
        self,
        *,
        topics: int | None = None,
        systems: Literal["random", "fixed"] = "random",
        alpha: float = 0.05,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def coverage(
        self,
        reference: Reference,
        test: Test = "t",
        *,
        adjust: Adjust = None,
        family: Family = "depth",
        alpha: float = 0.05,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.DataArray: ...
    def decide(
        self, *, baseline: Baselines = None, at: Depths = None, by: str | None = None
    ) -> pd.DataFrame: ...
    def discrimination(
        self,
        test: Test = "t",
        *,
        adjust: Adjust = None,
        family: Family = "depth",
        alpha: float = 0.05,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.DataArray: ...
    def effort_gain(
        self,
        *,
        effort: Metric | MetricType | str = "Twist",
        quartiles: Any = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def interaction(
        self,
        *,
        by: str,
        adjust: Correction | None = "holm",
        family: Family = "all",
        alpha: float = 0.05,
        baseline: Baselines = None,
        at: Depths = None,
    ) -> pd.DataFrame: ...
    def inversions(
        self,
        reference: Reference,
        test: Test = "t",
        *,
        adjust: Adjust = None,
        family: Family = "depth",
        alpha: float = 0.05,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.DataArray: ...
    def leaderboard(
        self,
        *,
        test: Test = "t",
        adjust: Adjust = "auto",
        family: Family = "depth",
        alpha: float = 0.05,
        baseline: Hashable | None = None,
        at: Depths = None,
        method: RankMethod = "holm",
        interval: Interval = "logit",
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
        weights: TopicWeights = None,
    ) -> pd.DataFrame: ...
    def median_p(
        self,
        test: Test = "t",
        *,
        adjust: Adjust = None,
        family: Family = "depth",
        alpha: float = 0.05,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.DataArray: ...
    def predict_powered(
        self,
        human: xr.DataArray | pd.DataFrame,
        *,
        metrics: Metric | MetricType | str | Sequence[Metric | MetricType | str] | None = None,
        alpha: float = 0.05,
        baseline: Hashable | None = None,
        at: Depths = None,
        topics: Literal["rest", "all", "random", "fixed"] | None = None,
        distribution: Literal["t", "normal"] = "t",
        half_width: float | None = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def rank_intervals(
        self,
        method: RankMethod = "holm",
        *,
        test: Test = "t",
        adjust: Adjust = "auto",
        family: Family = "depth",
        alpha: float = 0.05,
        at: Depths = None,
        interval: Interval = "logit",
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
        weights: TopicWeights = None,
    ) -> xr.Dataset: ...
    def reordering(
        self,
        *,
        at: Depths = None,
        by: str | None = None,
        margin: float = 0.1,
        alpha: float = 0.05,
        per: Literal["step", "system"] = "step",
    ) -> pd.DataFrame: ...
    def replicate(
        self,
        original: xr.DataArray | pd.DataFrame,
        *,
        baseline: Hashable | None = None,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    def risk(
        self, *, baseline: Hashable, a: float = 1.0, at: Depths = None, by: str | None = None
    ) -> pd.DataFrame: ...
    def rrie(
        self, *, baseline: Hashable, at: Depths = None, by: str | None = None
    ) -> pd.DataFrame: ...
    def select_top(
        self,
        share: float = 0.75,
        *,
        metric: Metric | MetricType | str = "AP",
        by: str | None = None,
    ) -> xr.Dataset | xr.DataArray: ...
    def sheet(self, system: Hashable, *, by: str | None = None) -> xr.Dataset: ...
    def stability(self, threshold: float = 0.9, *, by: str | None = None) -> xr.Dataset: ...
    def standardise(
        self,
        method: Literal["z", "normal", "uniform"] = "z",
        *,
        reference: Hashable | Sequence[Hashable] | xr.DataArray | pd.DataFrame | None = None,
        a: float = 0.15,
        b: float = 0.5,
        by: str | None = None,
    ) -> xr.DataArray | pd.DataFrame: ...
    def styled(
        self,
        precision: int = 3,
        *,
        best: bool = True,
        marks: Literal["letters", "daggers", "none"] = "letters",
        intervals: bool | None = None,
        relative_to: Hashable | None = None,
        sort: Hashable = False,
    ) -> Styler: ...
    def summary(
        self,
        *,
        by: str | None = None,
        alpha: float = 0.05,
        interval: Interval = ...,
        weights: TopicWeights = None,
    ) -> xr.Dataset: ...
    def topics_needed(
        self,
        *,
        difference: float | None = None,
        width: float | None = None,
        margin: float | None = None,
        topics: int | None = None,
        erho2: float | None = None,
        phi: float | None = None,
        test: Literal["t", "anova"] = "t",
        power: float = 0.8,
        alpha: float = 0.05,
        systems: int | None = None,
        baseline: Baselines = None,
        each: bool = False,
        at: Depths = None,
        by: str | None = None,
    ) -> xr.Dataset: ...
    @overload
    def volatility(
        self,
        reference: Reference | None = None,
        method: Method = "kendall",
        *,
        at: Depths = None,
        interval: Literal[False] = False,
        of: Of = "expected",
        alpha: float = 0.05,
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
    ) -> xr.DataArray: ...
    @overload
    def volatility(
        self,
        reference: Reference | None = None,
        method: Method = "kendall",
        *,
        at: Depths = None,
        interval: Literal[True],
        of: Of = "expected",
        alpha: float = 0.05,
        samples: int = 1000,
        seed: int = 0,
        by: str | None = None,
    ) -> xr.Dataset: ...

@overload
def ireval(subject: pd.DataFrame | pd.Series) -> FrameVerbs: ...
@overload
def ireval(subject: xr.Dataset) -> CubeVerbs: ...
@overload
def ireval(subject: xr.DataArray) -> ScoresVerbs: ...
