"""The accessor ``.ireval``: every verb is one call to the function of the same name."""

from collections.abc import Callable
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import pandas as pd
import xarray as xr

from irframe.cube.bounds import bounds
from irframe.cube.building import cube
from irframe.cube.condensing import condense
from irframe.cube.evaluating import evaluate
from irframe.cube.judgments import pooled
from irframe.cube.sampling import downsample
from irframe.cube.scoring import score
from irframe.cube.tables import is_scores
from irframe.frames.judging import judge
from irframe.frames.pooling import pool, restrict
from irframe.frames.ranking import rank
from irframe.frames.sampling import sample
from irframe.inference.agreement import agreement
from irframe.inference.compare import compare
from irframe.inference.coverage import coverage, inversions
from irframe.inference.deciding import decide
from irframe.inference.discrimination import discrimination, median_p
from irframe.inference.power import discriminative_power
from irframe.inference.styling import is_comparison, styled
from irframe.inference.summary import summary
from irframe.names import ALIASES, DOC, TOPIC, roles
from irframe.plots.agreement_bars import agreement_bars
from irframe.plots.agreement_map import agreement_map
from irframe.plots.agreement_triangle import agreement_triangle
from irframe.plots.archetypes import archetypes as draw_archetypes
from irframe.plots.best_systems import best_systems as draw_best_systems
from irframe.plots.crp_and_gain import crp_and_gain
from irframe.plots.crp_curves import crp_curves
from irframe.plots.depth_curves import depth_curves
from irframe.plots.difference_histogram import difference_histogram as draw_difference_histogram
from irframe.plots.effort_gain import effort_gain as draw_effort_gain
from irframe.plots.hasse import hasse
from irframe.plots.length_histogram import length_histogram as draw_length_histogram
from irframe.plots.orderings import orderings as draw_orderings
from irframe.plots.outcome_shares import outcome_shares
from irframe.plots.p_value_curves import p_value_curves
from irframe.plots.rank_scatter import rank_scatter
from irframe.plots.ranking_grid import ranking_grid
from irframe.plots.ratio_curves import ratio_curves
from irframe.plots.system_ranking import system_ranking
from irframe.plots.topic_differences import topic_differences
from irframe.plots.volatility_map import volatility_map
from irframe.studies.archetypes import archetypes
from irframe.studies.cross_checking import cross_check
from irframe.studies.effort import effort_gain
from irframe.studies.headroom import best_systems, rrie
from irframe.studies.hedging import corroborate
from irframe.studies.histograms import difference_histogram, length_histogram
from irframe.studies.lining_up import line_up
from irframe.studies.misplacement import misplacement
from irframe.studies.orderings import display_order, orderings, separability
from irframe.studies.outcomes import outcomes, run_outcomes
from irframe.studies.pools import pool_growth, pool_statistics
from irframe.studies.reordering import ablation, delta_sort, reordering
from irframe.studies.results import is_result
from irframe.studies.reusability import leave_out
from irframe.studies.robustness import robustness
from irframe.studies.search_lengths import search_lengths
from irframe.studies.selection import select_top
from irframe.studies.ties import tie_agreement, tie_ranges, tie_rates
from irframe.studies.volatility import stability, volatility
from irframe.studies.weighting import effective_top

P = ParamSpec("P")
R = TypeVar("R")


class Verb(Generic[P, R]):
    """A function offered as a method of an accessor, with the object as its first argument."""

    def __init__(self, function: Callable[Concatenate[Any, P], R]) -> None:
        self.function = function
        self.__doc__ = f"See `irframe.{function.__name__}`."

    def __get__(self, accessor: Any, owner: type) -> Callable[P, R]:
        if accessor is None:
            return self.function  # type: ignore[return-value]
        return MethodType(self.function, accessor.subject)


class _Accessor:
    def __init__(self, subject: Any) -> None:
        self.subject = subject


class FramePlots(_Accessor):
    """Figures of frames of scores and of comparisons."""

    best_systems = Verb(draw_best_systems)
    difference_histogram = Verb(draw_difference_histogram)
    length_histogram = Verb(draw_length_histogram)
    outcome_shares = Verb(outcome_shares)
    p_value_curves = Verb(p_value_curves)
    rank_scatter = Verb(rank_scatter)
    system_ranking = Verb(system_ranking)
    topic_differences = Verb(topic_differences)


class ScoresPlots(_Accessor):
    """Figures of scores, and of what is measured on them."""

    agreement_map = Verb(agreement_map)
    depth_curves = Verb(depth_curves)
    ratio_curves = Verb(ratio_curves)
    system_ranking = Verb(system_ranking)
    topic_differences = Verb(topic_differences)
    volatility_map = Verb(volatility_map)


class CubePlots(_Accessor):
    """Figures of cubes and of what the studies of cubes return."""

    agreement_bars = Verb(agreement_bars)
    agreement_triangle = Verb(agreement_triangle)
    archetypes = Verb(draw_archetypes)
    crp_and_gain = Verb(crp_and_gain)
    crp_curves = Verb(crp_curves)
    effort_gain = Verb(draw_effort_gain)
    hasse = Verb(hasse)
    orderings = Verb(draw_orderings)
    p_value_curves = Verb(p_value_curves)
    ranking_grid = Verb(ranking_grid)


@pd.api.extensions.register_dataframe_accessor("ireval")
class FrameAccessor(_Accessor):
    """Verbs of run frames, score frames and comparison frames."""

    def __init__(self, subject: pd.DataFrame) -> None:
        found = roles(subject.columns)
        known = is_scores(subject) or is_comparison(subject) or is_result(subject)
        if not ({TOPIC, DOC} <= set(found) or known):
            wanted = "; ".join(f"{role}: {', '.join(names)}" for role, names in ALIASES.items())
            message = (
                "ireval needs a run frame (columns topic, doc and score or rank), scores (index "
                "system, topic; or columns topic, measure, value) or a comparison of systems "
                f"(columns system_a, system_b, p). Names per role: {wanted}"
            )
            raise AttributeError(message)
        super().__init__(subject)

    agreement = Verb(agreement)
    best_systems = Verb(best_systems)
    compare = Verb(compare)
    coverage = Verb(coverage)
    cube = Verb(cube)
    delta_sort = Verb(delta_sort)
    difference_histogram = Verb(difference_histogram)
    discrimination = Verb(discrimination)
    discriminative_power = Verb(discriminative_power)
    effective_top = Verb(effective_top)
    effort_gain = Verb(effort_gain)
    evaluate = Verb(evaluate)
    inversions = Verb(inversions)
    judge = Verb(judge)
    length_histogram = Verb(length_histogram)
    median_p = Verb(median_p)
    outcomes = Verb(run_outcomes)
    pool = Verb(pool)
    rank = Verb(rank)
    reordering = Verb(reordering)
    restrict = Verb(restrict)
    rrie = Verb(rrie)
    sample = Verb(sample)
    styled = Verb(styled)
    summary = Verb(summary)
    tie_agreement = Verb(tie_agreement)

    @property
    def plot(self) -> FramePlots:
        """Figures of these scores or comparisons."""
        return FramePlots(self.subject)


@xr.register_dataset_accessor("ireval")  # type: ignore[no-untyped-call]
class CubeAccessor(_Accessor):
    """Verbs of cubes."""

    ablation = Verb(ablation)
    archetypes = Verb(archetypes)
    bounds = Verb(bounds)
    condense = Verb(condense)
    corroborate = Verb(corroborate)
    cross_check = Verb(cross_check)
    display_order = Verb(display_order)
    downsample = Verb(downsample)
    leave_out = Verb(leave_out)
    line_up = Verb(line_up)
    misplacement = Verb(misplacement)
    orderings = Verb(orderings)
    outcomes = Verb(outcomes)
    pool_growth = Verb(pool_growth)
    pool_statistics = Verb(pool_statistics)
    pooled = Verb(pooled)
    robustness = Verb(robustness)
    score = Verb(score)
    search_lengths = Verb(search_lengths)
    select_top = Verb(select_top)
    separability = Verb(separability)
    tie_ranges = Verb(tie_ranges)
    tie_rates = Verb(tie_rates)

    @property
    def plot(self) -> CubePlots:
        """Figures of this cube or study."""
        return CubePlots(self.subject)


@xr.register_dataarray_accessor("ireval")  # type: ignore[no-untyped-call]
class ScoresAccessor(_Accessor):
    """Verbs of arrays of scores."""

    agreement = Verb(agreement)
    best_systems = Verb(best_systems)
    compare = Verb(compare)
    coverage = Verb(coverage)
    decide = Verb(decide)
    delta_sort = Verb(delta_sort)
    discrimination = Verb(discrimination)
    discriminative_power = Verb(discriminative_power)
    effort_gain = Verb(effort_gain)
    inversions = Verb(inversions)
    median_p = Verb(median_p)
    reordering = Verb(reordering)
    rrie = Verb(rrie)
    select_top = Verb(select_top)
    stability = Verb(stability)
    summary = Verb(summary)
    volatility = Verb(volatility)

    @property
    def plot(self) -> ScoresPlots:
        """Figures of these scores."""
        return ScoresPlots(self.subject)
