"""Results on a metric, checked without any metric.

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
    TestedByMetric,
    TestsByMetric,
    adjust_rows,
    parse_stepwise,
)
from irframe.comparing.significance import correction_told, p_values
from irframe.cubes.groups import joined_attributes
from irframe.cubes.score import score
from irframe.cubes.scores import Scores
from irframe.cubes.verb import against, attended, read_depth, shared, verb
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
    test: TestedByMetric = "t",
    baseline: Hashable,
    systems: Hashable | Sequence[Hashable] | None = None,
    depth: int | None = None,
    gain: GainLike | None = None,
    rel: int | None = None,
) -> pd.DataFrame:
    """Hold systems against a baseline on one metric, and say whether other metrics may agree.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    metric
        The one metric that suits the task, or its name.
    test
        How a difference of the metric's scores is called significant, as for `compare`: an
        `irframe.Significance`, or the name of a test. The correction, for the number of systems,
        and the level are those of the orderings' test, too; max-T is none of them. The literature
        has ``adjust=None``.
    baseline
        The system to beat.
    systems
        One system or several that try; by default every other one.
    depth
        Evaluation depth of metric and orderings, at most that of the cube; by default the
        metric's own, or else the cube's.
    gain, rel
        Gain map and lowest relevant grade of the orderings; by default those of the metric, and
        binary gain and 1 if it has none.

    Returns
    -------
    pandas.DataFrame
        One row per system: ``metric``, ``depth``, ``system_a``, ``system_b`` (the baseline),
        ``mean_a``, ``mean_b``, ``difference`` = ``mean_a - mean_b``, ``statistic`` and ``p`` of
        the test; ``dagger``, where p, corrected, is below alpha; the number of topics
        in the groups ``**ns``, ``ns``, ``=``, ``ni``, ``**ni``, of a against b; only where
        there is a dagger, ``p_orderings`` of the sign test and the system it ``favours``, else
        missing; ``double_dagger``, where that test is significant too and favours the same
        system; ``mark``, one of the two daggers or
        nothing.

    Raises
    ------
    DepthError
        If the metric has another depth of its own than `depth`.
    IrframeError
        As `score`, `compare` and `orderings`.

    Notes
    -----
    The second test asks whether ni topics are as frequent as ns topics. A double dagger makes
    it likely that other metrics would order the systems alike; it proves that for none.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Section 3. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> asked = {"baseline": "bm25", "metric": "RBP(p=0.8)@10"}
    >>> report = compare_orderings(cube, test=ir.Significance(adjust=None), **asked)
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
    cube = attended(cube)
    yardstick, others = against(cube.indexes[SYSTEM].tolist(), baseline, systems)
    compared = shared(cube.isel({SYSTEM: [yardstick, *others]}))
    gain, rel = gains_of(chosen, gain, rel)
    hedge = orderings.order_pairs(
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
    frame = _mark(report, hedge, adjust=signs, alpha=alpha, sign=facts(chosen).sign)
    frame.attrs.update(correction_told(tested, corrected, alpha=alpha))
    return frame


def _mark(
    report: pd.DataFrame, hedge: xr.Dataset, *, adjust: Correction | None, alpha: float, sign: int
) -> pd.DataFrame:
    """Put the metric's test and that of the orderings side by side."""
    counts = hedge["count"].to_numpy()
    behind, ahead = counts[:, 1], counts[:, 3]
    better = np.sign(ahead.astype(np.int64) - behind)
    difference = sign * report["difference"].to_numpy()
    dagger = report["significant"].to_numpy()
    favours = np.where(better > 0, report["system_a"], report["system_b"]).astype(object)
    favours[~dagger | (better == 0)] = None
    p = hedge["p"].to_numpy()
    clear = adjust_rows(p, adjust, alpha) < alpha
    double = dagger & clear & (better == np.sign(difference))
    shared = [METRIC, DEPTH, "system_a", "system_b", "mean_a", "mean_b", "difference"]
    return report[[*shared, "statistic", "p"]].assign(
        dagger=dagger,
        **dict(zip(LABELS.values(), counts.T, strict=True)),
        p_orderings=np.where(dagger, p, np.nan),
        favours=favours,
        double_dagger=double,
        mark=np.where(double, DOUBLE_DAGGER, np.where(dagger, DAGGER, "")),
    )


TEST, CATEGORY = "test", "category"
CATEGORIES = ("Both: Yes", "Both: No", "Metric: Yes", "Metric: No", "Both: Opposed")
"""Who finds a difference significant: both metric and orderings, and in favour of the same system;
neither; only the metric; only the orderings; both, but not in favour of the same system."""
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
    """Say how often a difference is significant on a metric, and without one, over all pairs.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, of at least two systems.
    metrics
        Metrics or their names.
    test
        How a difference of the metrics' scores is called significant, as for `compare`: an
        `irframe.Significance`, by one test or several, or the names of tests. The correction, of
        each test over the pairs, and the level are those of the orderings' test, too; max-T is none
        of them. The literature has ``adjust=None``.
    at
        Evaluation depths of metrics and orderings, within the cube; by default its greatest.
    gain, rel
        Gain map and lowest relevant grade of the orderings; by default those of every metric,
        and binary gain and 1 if it has none.

    Returns
    -------
    xarray.Dataset
        ``verdict`` (metric, test, depth, pair): position in the coordinate ``category``;
        ``share`` (metric, test, depth, category): the pairs in each; the p-values ``p``
        (metric, test, depth, pair) and ``p_orderings`` (metric, depth, pair); ``rank`` (metric,
        depth, system), 1 for the best mean. The coordinates ``system_a`` and ``system_b`` name
        the pairs. Categories are ``"Both: Yes"``, ``"Both: No"``, ``"Metric: Yes"`` (only the
        metric finds the difference significant), ``"Metric: No"`` (only the orderings do) and
        ``"Both: Opposed"`` (both do, but do not favour the same system: no agreement).

    Raises
    ------
    IrframeError
        As `score`, `compare` and `orderings`.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 7 and 8. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> unadjusted = ir.Significance(adjust=None)
    >>> found = significance_agreement(ir.cube(*ir.example_track()), "P", test=unadjusted, at=10)
    >>> share = found["share"].isel(metric=0, test=0, depth=0).to_series().round(3)
    >>> share[share > 0].to_dict()
    {'Both: Yes': 0.429, 'Both: No': 0.393, 'Metric: Yes': 0.179}
    """
    decided = Significance.read(test)
    adjust, alpha = decided.adjust, decided.alpha
    tests, chosen = [*map(parse_test, listed(decided.test))], parse_metrics(metrics)
    each_once("tests", [kind.name for kind in tests])
    *ways, signs = [parse_stepwise(adjust, kind) for kind in (*tests, None)]
    deepest, cube = read_depth(cube, None), shared(attended(cube))
    scores = score(cube, *chosen, at=listed(deepest if at is None else at))
    paired = scores_to_compare(scores.compute())
    pairs = all_pairs(scores.sizes[SYSTEM])
    depths = scores[DEPTH].to_numpy()
    p = _p_metrics(paired, tests, pairs)
    p_orderings, favoured = _orderings(cube, chosen, gain, rel, pairs, depths)
    means = np.round(paired.means, TIE)
    leads = np.sign(means[..., pairs[:, 0]] - means[..., pairs[:, 1]])
    alike = (leads == favoured)[:, np.newaxis]
    of_tests = zip(p.swapaxes(0, 1), ways, strict=True)
    adjusted = np.stack([adjust_rows(one, way, alpha) for one, way in of_tests], axis=1)
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
    attrs = joined_attributes(map(partial(correction_told, alpha=alpha), tests, ways))
    return xr.Dataset(variables, labels, attrs | {ORDERINGS: Sign.name})


def _p_metrics(paired: Scores, tests: list[PairedTest], pairs: Array) -> Array:
    """Return the p-values of the metrics' scores, shape (metric, test, depth, pair)."""
    whole, rows = slice(None), range(len(paired.metrics))
    return np.stack(
        [[p_values(paired, row, whole, test=test, pairs=pairs).T for test in tests] for row in rows]
    )


def _orderings(
    cube: xr.Dataset,
    metrics: list[Metric],
    gain: GainLike | None,
    rel: int | None,
    pairs: Array,
    depths: Array,
) -> tuple[Array, Array]:
    """Return p-values of sign tests on orderings and whom they favour, (metric, depth, pair)."""
    options = [gains_of(metric, gain, rel) for metric in metrics]
    results: dict[str, tuple[Array, Array]] = {}
    for worth, least in options:
        if (key := repr((worth, least))) not in results:
            gains = orderings.ranking_gains(cube, int(depths.max()), gain=worth, rel=least)
            counts = count_labels(compare_rankings(gains, pairs), gains.shape[-1])
            behind, ahead = counts[:, depths - 1][..., [1, 3]].astype(np.int64).T
            results[key] = sign_p(ahead, behind), np.sign(ahead - behind)
    p, favoured = zip(*(results[repr(key)] for key in options), strict=True)
    return np.stack(p), np.stack(favoured)


def categorise(
    p: Array, p_orderings: Array, alpha: float, *, alike: Any = True
) -> NDArray[np.int8]:
    """Say who finds a difference significant.

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
    metric, orderings = np.less(p, alpha), np.less(p_orderings, alpha)
    cases = [metric & orderings & alike, metric & orderings, metric, orderings]
    return np.asarray(np.select(cases, [0, 4, 2, 3], 1), np.int8)
