"""Comparisons of metrics with innate orderings.

Verbs: compare_orderings, significance_agreement.
"""

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements.base import competition_ranks
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
    parse_test,
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
from irframe.orderings.orderings import GainLike, gains_of
from irframe.paired import PairedTest, Sign, all_pairs, sign_p
from irframe.scores.read_scores import scores_to_compare

DAGGER = "†"
DOUBLE_DAGGER = "‡"


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
    """Compare systems with a baseline by metric and innate orderings.

    Parameters
    ----------
    cube
        A cube, as returned by `irframe.cube`.
    metric
        Metric, or name of a metric.
    test
        Significance test of the differences by metric: an `irframe.Significance`, or the name of a
        test, as for `compare`. The sign test of orderings uses the same correction for multiple
        comparisons and the same significance level. max-T is not supported. The literature on
        innate orderings uses ``adjust=None``.
    baseline
        The baseline system.
    systems
        One or several systems to compare with the baseline. The default is all other systems.
    depth
        Evaluation depth of metric and orderings. The default is the fixed depth of the metric, or
        the depth of the cube if the metric has none.
    gain, rel
        Gain map and lowest relevant grade of the orderings. By default, the orderings use the gain
        map and the lowest relevant grade of the metric. If the metric has no gain map and no lowest
        relevant grade, the orderings use binary gain and ``rel=1``.

    Returns
    -------
    pandas.DataFrame
        One row per system, with the columns

        - ``metric``, ``depth``, ``system_a``, ``system_b`` (the baseline);
        - ``mean_a``, ``mean_b``, ``difference`` (``mean_a - mean_b``), and ``statistic`` and ``p``
          of the test by metric;
        - ``dagger``, whether the corrected p-value is below alpha;
        - ``**ns``, ``ns``, ``=``, ``ni`` and ``**ni``, the numbers of topics with each innate
          ordering of ``system_a`` compared with ``system_b``;
        - ``p_orderings``, the p-value of the sign test, and ``favours``, the system that is not
          inferior on more topics. ``p_orderings`` and ``favours`` are missing if there is no
          dagger;
        - ``double_dagger``, whether the sign test is also significant and favours the system that
          the metric favours;
        - ``mark``, a dagger, a double dagger, or an empty string.

    Raises
    ------
    DepthError
        If the metric has a fixed depth that differs from `depth`.
    IrframeError
        As for `score`, `compare` and `orderings`.

    Notes
    -----
    The null hypothesis of the sign test is that ni topics are as frequent as ns topics. If a system
    has a double dagger, other metrics are likely, but not certain, to order the two systems in the
    same way.

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
    significance = Significance.read(test)
    tested = significance.only_test
    alpha = significance.alpha
    corrected = parse_stepwise(significance.adjust, tested)
    (chosen,) = parse_metrics(metric)
    deepest = read_depth(cube, chosen.depth if depth is None else depth)
    if chosen.depth not in {None, deepest}:
        raise DepthError(f"one depth for metric and orderings, depth={deepest}", str(chosen))
    cube = drop_absent(cube)
    base, compared_rows = against(cube.indexes[SYSTEM].tolist(), baseline, systems)
    # the baseline is now system 0, and only the selected systems restrict the topics
    compared = common_topics(cube.isel({SYSTEM: [base, *compared_rows]}))
    gain, rel = gains_of(chosen, gain, rel)
    ordered = orderings.order_pairs(
        compared,
        np.array([(row, 0) for row in range(1, 1 + len(compared_rows))]),
        depth=deepest,
        gain=gain,
        rel=rel,
        labels=False,
    ).sel({DEPTH: deepest})
    scores = score(compared, chosen, at=[deepest])
    report = compare(scores, significance, baseline=baseline)
    signs = parse_stepwise(significance.adjust)
    frame = _mark(report, ordered, adjust=signs, alpha=alpha, sign=facts(chosen).sign)
    frame.attrs.update(describe_test(tested, corrected, alpha=alpha))
    return frame


def _mark(
    report: pd.DataFrame, ordered: xr.Dataset, *, adjust: Correction | None, alpha: float, sign: int
) -> pd.DataFrame:
    """Return the comparison with the columns of the sign test."""
    counts = ordered["count"].to_numpy()
    # columns 1 and 3 of `LABELS` count the ns and the ni topics
    behind, ahead = counts[:, 1], counts[:, 3]
    better = np.sign(ahead.astype(np.int64) - behind)
    difference = sign * report["difference"].to_numpy()
    dagger = report["significant"].to_numpy()
    favours = np.where(better > 0, report["system_a"], report["system_b"]).astype(object)
    favours[~dagger | (better == 0)] = None
    p = ordered["p"].to_numpy()
    signs_differ = adjust_rows(p, adjust, alpha) < alpha
    double = dagger & signs_differ & (better == np.sign(difference))
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
"""Names of the categories of pairs of systems. The category depends on whether the metric and the
orderings find a significant difference. ``"Both: Opposed"`` means that the metric and the orderings
favour different systems."""
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
    """Cross-tabulate significance by metric and by innate orderings.

    Parameters
    ----------
    cube
        A cube with at least two systems, as returned by `irframe.cube`.
    metrics
        Metrics, or names of metrics.
    test
        Significance tests of the differences by metric: an `irframe.Significance` with one or
        several tests, or names of tests, as for `compare`. The sign test of orderings uses the same
        correction for multiple comparisons and the same significance level. max-T is not supported.
        The literature on innate orderings uses ``adjust=None``.
    at
        Evaluation depths of metrics and orderings. The default is the depth of the cube.
    gain, rel
        Gain map and lowest relevant grade of the orderings. By default, the orderings use the gain
        map and the lowest relevant grade of each metric. If a metric has no gain map and no lowest
        relevant grade, the orderings use binary gain and ``rel=1``.

    Returns
    -------
    xarray.Dataset
        - ``verdict`` (metric, test, depth, pair), the category of the pair, as an index of the
          coordinate ``category``;
        - ``share`` (metric, test, depth, category), the share of pairs in each category;
        - ``p`` (metric, test, depth, pair), the p-values by metric;
        - ``p_orderings`` (metric, depth, pair), the p-values of the sign test of orderings;
        - ``rank`` (metric, depth, system), the rank of the system by its mean, 1 for the best
          system.

        The coordinates ``system_a`` and ``system_b`` contain the systems of the pairs. The
        categories are ``"Both: Yes"``, ``"Both: No"``, ``"Metric: Yes"`` (the difference is
        significant only by metric), ``"Metric: No"`` (only by orderings) and ``"Both: Opposed"``
        (by both, but for different systems).

    Raises
    ------
    IrframeError
        As for `score`, `compare` and `orderings`.

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
    significance = Significance.read(test)
    alpha = significance.alpha
    tests = [parse_test(kind) for kind in listed(significance.test)]
    chosen = parse_metrics(metrics)
    each_once("tests", [kind.name for kind in tests])
    *corrections, signs = [parse_stepwise(significance.adjust, kind) for kind in (*tests, None)]
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
    # favoured systems do not depend on the test, so the axis of the tests has length 1
    alike = (leads == favoured)[:, np.newaxis]
    of_tests = zip(p.swapaxes(0, 1), corrections, strict=True)
    adjusted = np.stack(
        [adjust_rows(row, correction, alpha) for row, correction in of_tests], axis=1
    )
    of_signs = adjust_rows(p_orderings, signs, alpha)[:, np.newaxis]
    verdict = categorise(adjusted, of_signs, alpha, alike=alike)
    shares = [(verdict == code).mean(axis=-1) for code in range(len(CATEGORIES))]
    variables = {
        "verdict": (CELL, verdict),
        "share": ((*CELL[:-1], CATEGORY), np.stack(shares, axis=-1)),
        "p": (CELL, p),
        "p_orderings": ((METRIC, DEPTH, PAIR), p_orderings),
        "rank": ((METRIC, DEPTH, SYSTEM), competition_ranks(means)),
    }
    systems = scores[SYSTEM].to_numpy()
    labels: dict[str, object] = {METRIC: paired.metrics, TEST: [kind.name for kind in tests]}
    labels |= {DEPTH: depths, CATEGORY: list(CATEGORIES), SYSTEM: systems}
    labels |= {name: (PAIR, systems[side]) for name, side in zip(SIDES, pairs.T, strict=True)}
    attrs = joined_attributes(map(partial(describe_test, alpha=alpha), tests, corrections))
    return xr.Dataset(variables, labels, attrs | {ORDERINGS: Sign.name})


def _p_metrics(paired: Scores, tests: list[PairedTest], pairs: Array) -> Array:
    """Return p-values by metric, shape (metric, test, depth, pair)."""
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
    """Return p-values and favoured systems, shape (metric, depth, pair)."""
    options = [gains_of(metric, gain, rel) for metric in metrics]
    results: dict[str, tuple[Array, Array]] = {}
    for worth, lowest in options:
        # metrics with equal gains have equal orderings; a gain may be a dict, which has no hash
        if (key := repr((worth, lowest))) not in results:
            gains = orderings.ranking_gains(cube, int(depths.max()), gain=worth, rel=lowest)
            counts = count_labels(compare_rankings(gains, pairs), gains.shape[-1])
            behind, ahead = counts[:, depths - 1][..., [1, 3]].astype(np.int64).T
            results[key] = sign_p(ahead, behind), np.sign(ahead - behind)
    p, favoured = zip(*(results[repr(key)] for key in options), strict=True)
    return np.stack(p), np.stack(favoured)


def categorise(
    p: Array, p_orderings: Array, alpha: float, *, alike: Array | bool = True
) -> NDArray[np.int8]:
    """Categorise pairs by the p-values of metric and orderings.

    Parameters
    ----------
    p
        p-values of the differences in the metric.
    p_orderings
        p-values of the sign test of orderings. The shapes of `p` and `p_orderings` must broadcast.
    alpha
        Significance level. Differences with smaller p-values are significant.
    alike
        Whether metric and orderings favour the same system.

    Returns
    -------
    numpy.ndarray
        Indices of `CATEGORIES`.

    Examples
    --------
    >>> categorise(np.array([0.01, 0.2, 0.01]), np.array([0.01, 0.2, 0.2]), 0.05).tolist()
    [0, 1, 2]
    """
    metric = np.less(p, alpha)
    orderings = np.less(p_orderings, alpha)
    # np.select takes the first true case, so the second case is significance in opposite directions
    cases = [metric & orderings & alike, metric & orderings, metric, orderings]
    return np.asarray(np.select(cases, [0, 4, 2, 3], 1), np.int8)
