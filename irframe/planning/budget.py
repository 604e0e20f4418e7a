"""How deep and how many: what a number of judgments buys."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.checks import level, listed, number, whole
from irframe.comparing import significance
from irframe.cubes.score import score
from irframe.cubes.unjudged import pool_depth_of, pooled
from irframe.cubes.verb import attended, verb
from irframe.cubes.view import experiment_of
from irframe.depths.pool_growth import count_pools, rising_pool_depths
from irframe.errors import ParameterError
from irframe.experiments.group_columns import GroupBy
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.names import DEPTH, METRIC, TOPIC
from irframe.paired import PairedTest, Test, all_pairs, parse_test
from irframe.paired.pairs import fitting, groups
from irframe.planning.components import population
from irframe.scores.read_scores import scores_to_compare
from irframe.scores.scores import BLOCK_BYTES, Scores
from irframe.scores.summary import guess, noted

JUDGMENTS = "judgments"
"""Dimension of the numbers of judgments."""
FEWEST = 2
"""Topics on which systems can be compared."""
MOST = 100_000
"""Topics that are drawn at most."""
TRIED = 10
"""How many pool depths are tried, at most."""
MIDDLE = (0.025, 0.975)
"""The quantiles between which most resamples lie."""


@verb
def budget(
    cube: xr.Dataset,
    *metrics: Metrics,
    test: Test = "t",
    adjust: significance.Adjust = "auto",
    alpha: float = 0.05,
    judgments: int | Sequence[int] | None = None,
    overhead: float = 0,
    at: int | Sequence[int] | None = None,
    samples: int = 100,
    seed: int = 0,
    by: GroupBy | None = None,
) -> xr.Dataset:
    """Guess which metric, pool depth and topics give the most significant pairs for a cost.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, whose topics stand for those that might be had.
    metrics
        Metrics or their names.
    test
        A paired test or its name, as for `compare`.
    adjust
        Correction of the p-values over the pairs, as for `compare`, but for ``"max-t"``: by
        default Holm's.
    alpha
        Significance level, above 0 and below 1.
    judgments
        How many documents can be judged, one number or several, each at least 1; by default as
        many as the pool of the cube holds, half of them and a quarter.
    overhead
        What a topic costs besides, in judgments, at least 0.
    at
        Pool depths to try, rising, at most the cube's; by default about ten from 1.
    samples
        How many collections to draw for each, at least 1.
    seed
        Of the generator of the draws, at least 0; the same draws serve every metric.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group, labelled with the group.

    Returns
    -------
    xarray.Dataset
        ``significant``, the share of pairs that differ significantly by the test, 0 to 1, on
        average over the draws, over (metric, judgments, depth), with ``significant_low`` and
        ``significant_high``, between which it lies in 95 of 100 draws from this pilot, which is no
        confidence interval; ``topics``, how many topics the judgments pay for, over (judgments,
        depth); and ``cost``, judgments per topic with the overhead, over depth. NaN where they pay
        for fewer than 2 topics, or the cube has fewer. The attribute ``caution`` says of how many
        topics the pilot is.

    Raises
    ------
    DepthError
        For pool depths outside the pool, or beyond the cube.
    ParameterError
        For depths that do not rise, judgments below 1, fewer than two systems, and as `compare`.
    InputError
        If the cube does not say which documents it holds.
    GradeError
        If grade -1 marks unjudged documents.

    Notes
    -----
    The cube is judged as if pools were d deep, and scored at depth d, a metric with a smaller
    depth of its own there. A topic costs as many judgments as the pool of the contributing runs
    holds on average. That many topics are drawn with replacement from those of the cube, more
    than there are if need be. On few topics systems differ by chance too, which many draws of
    the same topics would take for real; so the means of systems are first drawn together, by the
    root of Erho^2 of `components`, and what is left of scores apart, by the root of T / (T - 1),
    T the topics of the cube, so that both vary as they are estimated to do on all topics.

    All of it is a guess from a pilot. The ends are about the draws alone: that the cube's topics
    are a sample too is not in them, and a new collection was outside them in a third of the trials.

    References
    ----------
    .. [1] Sakai. Topic set size design. Information Retrieval Journal 19, 2016.
       doi:10.1007/s10791-015-9273-z
    .. [2] Carterette, Pavlu, Kanoulas, Aslam, Allan. Evaluation over thousands of queries. SIGIR
       2008. doi:10.1145/1390334.1390445

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> found = cube.ireval.budget("AP", "RBP(p=0.8)", judgments=400, at=[1, 3, 10])
    >>> found[["cost", "topics"]].sel(judgments=400, drop=True).to_dataframe().round(1)
           cost  topics
    depth
    1       4.4    91.0
    3      11.4    35.0
    10     32.7    12.0
    >>> found["significant"].sel(judgments=400, drop=True).to_pandas().round(2)
    depth         1     3     10
    metric
    AP          0.62  0.61  0.25
    RBP(p=0.8)  0.60  0.65  0.24
    """
    level(alpha)
    whole("samples", samples, low=1)
    cube = attended(cube)
    chosen = parse_metrics(metrics)
    tried = np.unique(np.geomspace(1, pool_depth_of(cube), TRIED).round().astype(np.int64))
    depths = rising_pool_depths(cube, tried.tolist() if at is None else listed(at))
    judged = count_pools(experiment_of(cube), 1, depths)[0]
    cost = judged.mean(axis=0) + number("overhead", overhead, low=0)
    amounts = _amounts(judgments, judged[:, -1].sum())
    topics = _paid(amounts, cost)
    chosen_test = parse_test(test)
    correction = significance.parse_stepwise(adjust, chosen_test)
    draws = Draws(chosen_test, correction, alpha, samples, whole("seed", seed, low=0))
    scored = (score(pooled(cube, depth), *chosen, at=depth) for depth in depths.tolist())
    sides = [scores_to_compare(scores, quiet=place > 0) for place, scores in enumerate(scored)]
    shares = np.stack([*map(draws.shares, sides, topics.T)], axis=-1)
    parts = dict(zip(("significant", "significant_low", "significant_high"), shares, strict=True))
    paid = np.where(topics < FEWEST, np.nan, topics)
    result = xr.Dataset(
        {name: ((METRIC, JUDGMENTS, DEPTH), part) for name, part in parts.items()}
        | {"topics": ((JUDGMENTS, DEPTH), paid), "cost": (DEPTH, cost)},
        {METRIC: [str(metric) for metric in chosen], JUDGMENTS: amounts, DEPTH: depths},
    )
    result = result.assign_attrs(significance.correction_told(chosen_test, correction, alpha=alpha))
    return noted(result, [guess(cube.sizes[TOPIC])])


class Draws(NamedTuple):
    """How collections are drawn, and what decides which differences are significant."""

    test: PairedTest
    adjust: significance.Correction | None
    alpha: float
    samples: int
    seed: int

    def shares(self, paired: Scores, topics: Array) -> Array:
        """Return the share of significant pairs and its ends, shape (3, metric, judgments)."""
        result = np.full((3, len(paired.metrics), len(topics)), np.nan)
        for row, column in np.ndindex(result.shape[1:]):
            number = int(topics[column])
            if number >= FEWEST and paired.scored[row].sum() >= FEWEST:
                (scores,) = paired.over(row, slice(None), lambda values: (values,))
                shares = self._share_significant(paired, scores[..., 0], number)
                result[:, row, column] = shares.mean(), *np.quantile(shares, MIDDLE)
        return result

    def _share_significant(self, paired: Scores, scores: Array, topics: int) -> Array:
        systems, pilot = scores.shape
        scores = population(scores[..., np.newaxis])[..., 0]
        scores, pairs = paired.by_name(scores, all_pairs(systems))
        generator = np.random.default_rng(self.seed)
        drawn = generator.integers(pilot, size=(self.samples, topics))
        parts = []
        for block in groups(self.samples, fitting(max(systems * topics, len(pairs)), BLOCK_BYTES)):
            values = np.moveaxis(scores[:, drawn[block]], 1, 2)
            if self.adjust is None:
                differ = self.test.significant(values, pairs, alpha=self.alpha)
            else:
                p = self.test.kernel(values, pairs).decided().p.T[np.newaxis]
                (adjusted,) = significance.adjust_p(
                    [p], self.adjust, family="depth", alpha=self.alpha
                )
                differ = self.alpha > adjusted[0].T
            parts.append(differ.mean(axis=0))
        return np.concatenate(parts)


def _paid(amounts: Array, cost: Array) -> Array:
    """Return how many topics judgments pay for, shape (judgments, depth)."""
    with np.errstate(divide="ignore"):
        topics = np.floor(np.round(amounts[:, np.newaxis] / cost, 9))
    if topics.max() > MOST:
        found = f"up to {topics.max():.6g}"
        raise ParameterError(f"judgments for at most {MOST} topics", found, "ask for fewer")
    return topics


def _amounts(judgments: int | Sequence[int] | None, whole_pool: int) -> Array:
    if judgments is None:
        return np.unique(np.maximum([whole_pool // 4, whole_pool // 2, whole_pool], 1))
    amounts = [whole("judgments", amount, low=1) for amount in listed(judgments)]
    if not amounts or len(set(amounts)) < len(amounts):
        raise ParameterError("numbers of judgments, each once", repr(amounts))
    return np.array(amounts)
