"""Comparisons of systems by a metric and by innate orderings.

Verbs: compare_orderings, significance_agreement.
"""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements.innate import LABELS, compare_rankings, count_labels
from irframe.arrays import Array
from irframe.checks import each_once, listed
from irframe.comparing.compare import compare
from irframe.comparing.corrections import (
    Correction,
    Significance,
    TestedMeansByMetric,
    TestsByMetric,
    adjust_rows,
    parse_stepwise,
)
from irframe.comparing.significance import describe_test, p_values
from irframe.cubes.groups import joined_attributes
from irframe.cubes.score import score
from irframe.cubes.scores import Scores
from irframe.cubes.verb import against, common_topics, drop_absent, read_depth, verb
from irframe.errors import DepthError
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, ORDERINGS, PAIR, SIDES, SYSTEM
from irframe.orderings import orderings
from irframe.orderings.orderings import GainLike, competition_ranks, gains_of
from irframe.paired import PairedTest, Sign, all_pairs, parse_test, sign_p
from irframe.scores.read_scores import scores_to_compare

DAGGER, DOUBLE_DAGGER = "†", "‡"


@verb
def compare_orderings(
    cube: xr.Dataset,
    *,
    metric: Metric | MetricType | str,
    test: TestedMeansByMetric = "t",
    baseline: Hashable,
    systems: Hashable | Sequence[Hashable] | None = None,
    depth: int | None = None,
    gain: GainLike | None = None,
    rel: int | None = None,
) -> pd.DataFrame:
    """Compare systems with a baseline by metric and orderings.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    metric
        The metric that suits the task, or the name of the metric.
    test
        The significance test of the metric's differences, as for `compare`: an
        `irframe.Significance`, or the name of a test. The correction for the number of systems and
        the level also apply to the test of orderings. max-T is not available. The literature uses
        ``adjust=None``.
    baseline
        The baseline system.
    systems
        One or several systems to compare with the baseline, by default all others.
    depth
        Evaluation depth of metric and orderings, at most that of the cube; by default the depth of
        the metric or, without one, of the cube.
    gain, rel
        Gain map and lowest relevant grade of the orderings; by default those of the metric. For a
        metric without them, the defaults are binary gain and grade 1.

    Returns
    -------
    pandas.DataFrame
        One row per system with the columns

        - ``metric``, ``depth``, ``system_a``, ``system_b`` (the baseline);
        - ``mean_a``, ``mean_b``, ``difference`` = ``mean_a - mean_b``, ``statistic`` and ``p`` of
          the test;
        - ``dagger``, whether the corrected p is below alpha;
        - ``**ns``, ``ns``, ``=``, ``ni``, ``**ni``, the number of topics in each group, for
          ``system_a`` against ``system_b``;
        - ``p_orderings`` of the sign test and the system that it ``favours``, missing if there is
          no dagger;
        - ``double_dagger``, whether the sign test is also significant and favours the same system;
        - ``mark``, one of the two daggers or an empty text.

    Raises
    ------
    DepthError
        If the metric has a fixed depth that differs from `depth`.
    IrframeError
        For the same reasons as `score`, `compare` and `orderings`.

    Notes
    -----
    The second test has the null hypothesis that ni topics are as frequent as ns topics. A double
    dagger makes it likely that other metrics order the systems in the same way, but it is no proof.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Section 3. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> options = {"baseline": "bm25", "metric": "RBP(p=0.8)@10"}
    >>> report = compare_orderings(cube, test=ir.Significance(adjust=None), **options)
    >>> report = report.set_index("system_a")
    >>> report.loc[["ance", "doct5query", "duot5"], ["difference", "p", "p_orderings", "mark"]]
                difference      p p_orderings mark
    system_a
    ance             0.070  0.197         NaN
    doct5query       0.119  0.048       0.267    †
    duot5            0.266  <.001       0.002    ‡
    """
    decided = Significance.read(test)
    tested, alpha = decided.only_test, decided.alpha
    corrected = parse_stepwise(decided.adjust, tested)
    (chosen,) = parse_metrics(metric)
    deepest = read_depth(cube, chosen.depth if depth is None else depth)
    if chosen.depth not in {None, deepest}:
        raise DepthError(f"one depth for metric and orderings, depth={deepest}", str(chosen))
    cube = drop_absent(cube)
    base, others = against(cube.indexes[SYSTEM].tolist(), baseline, systems)
    compared = common_topics(cube.isel({SYSTEM: [base, *others]}))
    gain, rel = gains_of(chosen, gain, rel)
    ordered = orderings.order_pairs(
        compared,
        np.array([(other, 0) for other in range(1, 1 + len(others))]),
        depth=deepest,
        gain=gain,
        rel=rel,
        labels=False,
    ).sel({DEPTH: deepest})
    scores = score(compared, chosen, at=[deepest])
    report = compare(scores, decided, baseline=baseline)
    signs = parse_stepwise(decided.adjust)
    frame = _mark(report, ordered, adjust=signs, alpha=alpha, sign=facts(chosen).sign)
    frame.attrs.update(describe_test(tested, corrected, alpha=alpha))
    return frame


def _mark(
    report: pd.DataFrame, ordered: xr.Dataset, *, adjust: Correction | None, alpha: float, sign: int
) -> pd.DataFrame:
    """Return the report with the tests of metric and orderings."""
    counts = ordered["count"].to_numpy()
    behind, ahead = counts[:, 1], counts[:, 3]
    better = np.sign(ahead.astype(np.int64) - behind)
    difference = sign * report["difference"].to_numpy()
    dagger = report["significant"].to_numpy()
    favours = np.where(better > 0, report["system_a"], report["system_b"]).astype(object)
    favours[~dagger | (better == 0)] = None
    p = ordered["p"].to_numpy()
    clear = adjust_rows(p, adjust, alpha) < alpha
    double = dagger & clear & (better == np.sign(difference))
    columns = [METRIC, DEPTH, "system_a", "system_b", "mean_a", "mean_b", "difference"]
    return report[[*columns, "statistic", "p"]].assign(
        dagger=dagger,
        **dict(zip(LABELS.values(), counts.T, strict=True)),
        p_orderings=np.where(dagger, p, np.nan),
        favours=favours,
        double_dagger=double,
        mark=np.where(double, DOUBLE_DAGGER, np.where(dagger, DAGGER, "")),
    )


TEST = "test"
CATEGORY = "category"
CATEGORIES = ("Both: Yes", "Both: No", "Metric: Yes", "Metric: No", "Both: Opposed")
"""Significance by metric and by orderings: both, for the same system; neither; the metric only; the
orderings only; both, but for different systems."""
CELL = (METRIC, TEST, DEPTH, PAIR)


@verb
def significance_agreement(
    cube: xr.Dataset,
    *metrics: Metrics,
    test: TestsByMetric = "t",
    at: int | Sequence[int] | None = None,
    gain: GainLike | None = None,
    rel: int | None = None,
) -> xr.Dataset:
    """Cross-tabulate significance by metric and by orderings over pairs.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, with at least two systems.
    metrics
        Metrics or their names.
    test
        The significance tests of differences, as for `compare`: an `irframe.Significance` with one
        or several tests, or the names of tests. The correction over the pairs and the level also
        apply to the test of orderings. max-T is not available. The literature uses ``adjust=None``.
    at
        Evaluation depths of metrics and orderings, at most the depth of the cube, which is the
        default.
    gain, rel
        Gain map and lowest relevant grade of the orderings; by default those of each metric. For a
        metric without them, the defaults are binary gain and grade 1.

    Returns
    -------
    xarray.Dataset
        - ``verdict`` (metric, test, depth, pair), the category of the pair as a position in the
          coordinate ``category``;
        - ``share`` (metric, test, depth, category), the share of pairs in each category;
        - the p-values ``p`` (metric, test, depth, pair) and ``p_orderings`` (metric, depth, pair);
        - ``rank`` (metric, depth, system), 1 for the best mean.

        The coordinates ``system_a`` and ``system_b`` name the pairs. The categories are ``"Both:
        Yes"``, ``"Both: No"``, ``"Metric: Yes"`` (only the metric finds the difference
        significant), ``"Metric: No"`` (only the orderings do) and ``"Both: Opposed"`` (both do, but
        for different systems).

    Raises
    ------
    IrframeError
        For the same reasons as `score`, `compare` and `orderings`.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 7 and 8. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> unadjusted = ir.Significance(adjust=None)
    >>> result = significance_agreement(ir.cube(*ir.example_track()), "P", test=unadjusted, at=10)
    >>> share = result["share"].isel(metric=0, test=0, depth=0).to_series().round(3)
    >>> share[share > 0].to_dict()
    {'Both: Yes': 0.429, 'Both: No': 0.393, 'Metric: Yes': 0.179}
    """
    decided = Significance.read(test)
    adjust, alpha = decided.adjust, decided.alpha
    tests = [parse_test(kind) for kind in listed(decided.test)]
    chosen = parse_metrics(metrics)
    each_once("tests", [kind.name for kind in tests])
    *corrections, signs = [parse_stepwise(adjust, kind) for kind in (*tests, None)]
    deepest = read_depth(cube, None)
    cube = common_topics(drop_absent(cube))
    scores = score(cube, *chosen, at=listed(deepest if at is None else at))
    paired = scores_to_compare(scores.compute())
    pairs = all_pairs(scores.sizes[SYSTEM])
    depths = scores[DEPTH].to_numpy()
    p = _p_metrics(paired, tests, pairs)
    p_orderings, favoured = _orderings(cube, chosen, gain, rel, pairs, depths)
    means = np.round(paired.means, TIE)
    leads = np.sign(means[..., pairs[:, 0]] - means[..., pairs[:, 1]])
    alike = (leads == favoured)[:, np.newaxis]
    of_tests = zip(p.swapaxes(0, 1), corrections, strict=True)
    adjusted = np.stack(
        [adjust_rows(one, correction, alpha) for one, correction in of_tests], axis=1
    )
    of_signs = adjust_rows(p_orderings, signs, alpha)[:, np.newaxis]
    verdict = categorise(adjusted, of_signs, alpha, alike=alike)
    shares = [(verdict == place).mean(axis=-1) for place in range(len(CATEGORIES))]
    variables = {
        "verdict": (CELL, verdict),
        "share": ((*CELL[:-1], CATEGORY), np.stack(shares, axis=-1)),
        "p": (CELL, p),
        "p_orderings": ((METRIC, DEPTH, PAIR), p_orderings),
        "rank": ((METRIC, DEPTH, SYSTEM), competition_ranks(means)),
    }
    systems = scores[SYSTEM].to_numpy()
    labels: dict[str, Any] = {METRIC: paired.metrics, TEST: [kind.name for kind in tests]}
    labels |= {DEPTH: depths, CATEGORY: list(CATEGORIES), SYSTEM: systems}
    labels |= {name: (PAIR, systems[side]) for name, side in zip(SIDES, pairs.T, strict=True)}
    attrs = joined_attributes(map(partial(describe_test, alpha=alpha), tests, corrections))
    return xr.Dataset(variables, labels, attrs | {ORDERINGS: Sign.name})


def _p_metrics(paired: Scores, tests: list[PairedTest], pairs: Array) -> Array:
    """Return p-values of metrics, shape (metric, test, depth, pair)."""
    every = slice(None)
    rows = range(len(paired.metrics))
    return np.stack(
        [[p_values(paired, row, every, test=test, pairs=pairs).T for test in tests] for row in rows]
    )


def _orderings(
    cube: xr.Dataset,
    metrics: list[Metric],
    gain: GainLike | None,
    rel: int | None,
    pairs: Array,
    depths: Array,
) -> tuple[Array, Array]:
    """Return p-values and directions of sign tests, (metric, depth, pair)."""
    options = [gains_of(metric, gain, rel) for metric in metrics]
    results: dict[str, tuple[Array, Array]] = {}
    for worth, lowest in options:
        if (key := repr((worth, lowest))) not in results:
            gains = orderings.ranking_gains(cube, int(depths.max()), gain=worth, rel=lowest)
            counts = count_labels(compare_rankings(gains, pairs), gains.shape[-1])
            behind, ahead = counts[:, depths - 1][..., [1, 3]].astype(np.int64).T
            results[key] = sign_p(ahead, behind), np.sign(ahead - behind)
    p, favoured = zip(*(results[repr(key)] for key in options), strict=True)
    return np.stack(p), np.stack(favoured)


def categorise(
    p: Array, p_orderings: Array, alpha: float, *, alike: Any = True
) -> NDArray[np.int8]:
    """Return the categories of significance by metric and orderings.

    Parameters
    ----------
    p, p_orderings
        p-values of a metric and of the orderings, any shapes that broadcast.
    alpha
        Significance level; p must be below it.
    alike
        Whether both favour the same system.

    Returns
    -------
    numpy.ndarray
        Positions in `CATEGORIES`.

    Examples
    --------
    >>> categorise(np.array([0.01, 0.2, 0.01]), np.array([0.01, 0.2, 0.2]), 0.05).tolist()
    [0, 1, 2]
    """
    metric = np.less(p, alpha)
    orderings = np.less(p_orderings, alpha)
    cases = [metric & orderings & alike, metric & orderings, metric, orderings]
    return np.asarray(np.select(cases, [0, 4, 2, 3], 1), np.int8)
