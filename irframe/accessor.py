"""The accessor ``.ireval``: every verb is one call to the function of the same name.

Functions are found when first called, so that registering the accessor costs nothing.
"""

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from types import MethodType
from typing import Any

import pandas as pd
import xarray as xr

from irframe.names import ALIASES, DOC, TOPIC, roles


class Verb:
    """A function offered as a method of an accessor, with the object as its first argument.

    Parameters
    ----------
    module
        Where the function is, below ``irframe``.
    function
        Its name there; by default that of the verb.
    """

    def __init__(self, module: str, function: str | None = None) -> None:
        self._module, self._function = module, function

    def __set_name__(self, owner: type, name: str) -> None:
        self._function = self._function or name
        self.__doc__ = f"See `irframe.{self._function}`."

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function."""
        found: Callable[..., Any] = getattr(
            import_module(f"irframe.{self._module}"), str(self._function)
        )
        return found

    def __get__(self, accessor: Any, owner: type) -> Callable[..., Any]:
        return self.function if accessor is None else MethodType(self.function, accessor.subject)


class _Accessor:
    def __init__(self, subject: Any) -> None:
        self.subject = subject


class FramePlots(_Accessor):
    """Figures of frames of scores and of comparisons."""

    best_systems = Verb("plots.best_systems")
    difference_histogram = Verb("plots.difference_histogram")
    leave_out_changes = Verb("plots.leave_out_changes")
    length_histogram = Verb("plots.length_histogram")
    outcome_shares = Verb("plots.outcome_shares")
    p_value_curves = Verb("plots.p_value_curves")
    rank_scatter = Verb("plots.rank_scatter")
    system_ranking = Verb("plots.system_ranking")
    topic_differences = Verb("plots.topic_differences")


class ScoresPlots(_Accessor):
    """Figures of scores, and of what is measured on them."""

    agreement_map = Verb("plots.agreement_map")
    bound_bands = Verb("plots.bound_bands")
    depth_curves = Verb("plots.depth_curves")
    ratio_curves = Verb("plots.ratio_curves")
    robustness_curves = Verb("plots.robustness_curves")
    system_ranking = Verb("plots.system_ranking")
    tie_bars = Verb("plots.tie_bars")
    topic_differences = Verb("plots.topic_differences")
    unjudged_share = Verb("plots.unjudged_share")
    volatility_map = Verb("plots.volatility_map")


class CubePlots(_Accessor):
    """Figures of cubes and of what the studies of cubes return."""

    agreement_bars = Verb("plots.agreement_bars")
    agreement_triangle = Verb("plots.agreement_triangle")
    archetypes = Verb("plots.archetypes")
    crp_and_gain = Verb("plots.crp_and_gain")
    crp_curves = Verb("plots.crp_curves")
    effort_gain = Verb("plots.effort_gain")
    hasse = Verb("plots.hasse")
    orderings = Verb("plots.orderings")
    p_value_curves = Verb("plots.p_value_curves")
    pool_curves = Verb("plots.pool_curves")
    ranking_grid = Verb("plots.ranking_grid")


def _known(frame: pd.DataFrame) -> bool:
    """Return whether a frame holds scores, or what a verb made of them."""
    from irframe.cube.tables import is_scores  # noqa: PLC0415 - only when asked
    from irframe.inference.styling import is_comparison  # noqa: PLC0415
    from irframe.studies.results import is_result  # noqa: PLC0415

    return is_scores(frame) or is_comparison(frame) or is_result(frame)


@pd.api.extensions.register_dataframe_accessor("ireval")
class FrameAccessor(_Accessor):
    """Verbs of run frames, score frames and comparison frames."""

    def __init__(self, subject: pd.DataFrame) -> None:
        if not ({TOPIC, DOC} <= set(roles(subject.columns)) or _known(subject)):
            wanted = "; ".join(f"{role}: {', '.join(names)}" for role, names in ALIASES.items())
            message = (
                "ireval needs a run frame (columns topic, doc and score or rank), scores (index "
                "system, topic; or columns topic, measure, value) or a comparison of systems "
                f"(columns system_a, system_b, p). Names per role: {wanted}"
            )
            raise AttributeError(message)
        super().__init__(subject)

    agreement = Verb("inference.agreement")
    best_systems = Verb("studies.headroom")
    compare = Verb("inference.compare")
    coverage = Verb("inference.coverage")
    cube = Verb("cube.building")
    delta_sort = Verb("studies.reordering")
    diagnose = Verb("studies.diagnosing")
    difference_histogram = Verb("studies.histograms")
    discrimination = Verb("inference.discrimination")
    discriminative_power = Verb("inference.power")
    effective_top = Verb("studies.weighting")
    effort_gain = Verb("studies.effort")
    evaluate = Verb("cube.evaluating")
    inversions = Verb("inference.coverage")
    judge = Verb("frames.judging")
    length_histogram = Verb("studies.histograms")
    median_p = Verb("inference.discrimination")
    outcomes = Verb("studies.outcomes", "run_outcomes")
    pool = Verb("frames.pooling")
    rank = Verb("frames.ranking")
    reordering = Verb("studies.reordering")
    restrict = Verb("frames.pooling")
    rrie = Verb("studies.headroom")
    sample = Verb("frames.sampling")
    styled = Verb("inference.styling")
    summary = Verb("inference.summary")
    tie_agreement = Verb("studies.ties")

    @property
    def plot(self) -> FramePlots:
        """Figures of these scores or comparisons."""
        return FramePlots(self.subject)


@xr.register_dataset_accessor("ireval")  # type: ignore[no-untyped-call]
class CubeAccessor(_Accessor):
    """Verbs of cubes."""

    ablation = Verb("studies.reordering")
    archetypes = Verb("studies.archetypes")
    bounds = Verb("cube.bounds")
    condense = Verb("cube.condensing")
    corroborate = Verb("studies.hedging")
    cross_check = Verb("studies.cross_checking")
    display_order = Verb("studies.orderings")
    downsample = Verb("cube.sampling")
    leave_out = Verb("studies.reusability")
    line_up = Verb("studies.lining_up")
    misplacement = Verb("studies.misplacement")
    orderings = Verb("studies.orderings")
    outcomes = Verb("studies.outcomes")
    pool_growth = Verb("studies.pools")
    pool_statistics = Verb("studies.pools")
    pooled = Verb("cube.judgments")
    robustness = Verb("studies.robustness")
    score = Verb("cube.scoring")
    search_lengths = Verb("studies.search_lengths")
    select_top = Verb("studies.selection")
    separability = Verb("studies.orderings")
    tie_ranges = Verb("studies.ties")
    tie_rates = Verb("studies.ties")

    @property
    def plot(self) -> CubePlots:
        """Figures of this cube or study."""
        return CubePlots(self.subject)


@xr.register_dataarray_accessor("ireval")  # type: ignore[no-untyped-call]
class ScoresAccessor(_Accessor):
    """Verbs of arrays of scores."""

    agreement = Verb("inference.agreement")
    best_systems = Verb("studies.headroom")
    compare = Verb("inference.compare")
    coverage = Verb("inference.coverage")
    decide = Verb("inference.deciding")
    delta_sort = Verb("studies.reordering")
    discrimination = Verb("inference.discrimination")
    discriminative_power = Verb("inference.power")
    effort_gain = Verb("studies.effort")
    inversions = Verb("inference.coverage")
    median_p = Verb("inference.discrimination")
    reordering = Verb("studies.reordering")
    rrie = Verb("studies.headroom")
    select_top = Verb("studies.selection")
    stability = Verb("studies.volatility")
    summary = Verb("inference.summary")
    volatility = Verb("studies.volatility")

    @property
    def plot(self) -> ScoresPlots:
        """Figures of these scores."""
        return ScoresPlots(self.subject)
