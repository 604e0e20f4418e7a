"""One metric and a hedge: a result on the metric of choice, checked without any metric."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from irframe.agreements.innate import LABELS
from irframe.checks import level
from irframe.comparing.compare import compare
from irframe.comparing.corrections import (
    Adjust,
    Correction,
    adjust_p,
    correction_told,
    parse_stepwise,
)
from irframe.cubes.score import score
from irframe.cubes.verb import against, attended, read_depth, shared, verb
from irframe.errors import DepthError
from irframe.experiments.policy import parse_metrics
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.paired import Test, parse_test
from irframe.studies.orderings.binding import gains_of
from irframe.studies.orderings.orderings import GainLike, order_pairs

DAGGER, DOUBLE_DAGGER = "†", "‡"


@verb
def compare_orderings(
    cube: xr.Dataset,
    *,
    metric: Metric | MetricType | str,
    test: Test = "t",
    adjust: Adjust = "auto",
    alpha: float = 0.05,
    baseline: Hashable,
    systems: Hashable | Sequence[Hashable] | None = None,
    depth: int | None = None,
    gain: GainLike | None = None,
    rel: int | None = None,
    by: str | None = None,
) -> pd.DataFrame:
    """Hold systems against a baseline on one metric, and say whether other metrics may agree.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    metric
        The one metric that suits the task, or its name.
    test
        The paired test of the metric's scores, or its name, as for `compare`.
    adjust
        Correction of the p-values of both tests for the number of systems, as for `compare`, but
        for ``"max-t"``: by default Holm's. None, as in the literature.
    alpha
        Significance level of both tests, above 0 and below 1.
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
    by
        A coordinate of systems or topics such as ``"track"``: one result per group, labelled with
        the group.

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
    >>> asked = {"baseline": "bm25", "metric": "RBP(p=0.8)@10", "adjust": None}
    >>> report = compare_orderings(cube, **asked)
    >>> report = report.set_index("system_a")
    >>> report.loc[["ance", "doct5query", "duot5"], ["difference", "p", "p_orderings", "mark"]]
                difference         p  p_orderings mark
    system_a
    ance          0.069859  0.197371          NaN
    doct5query    0.118956  0.048435     0.266846    †
    duot5         0.265892  0.000120     0.001831    ‡
    """
    level(alpha)
    tested = parse_test(test)
    corrected = parse_stepwise(adjust, tested)
    (chosen,) = parse_metrics(metric)
    deepest = read_depth(cube, chosen.depth if depth is None else depth)
    if chosen.depth not in {None, deepest}:
        raise DepthError(f"one depth for metric and orderings, depth={deepest}", str(chosen))
    cube = attended(cube)
    yardstick, others = against(cube.indexes[SYSTEM].tolist(), baseline, systems)
    compared = shared(cube.isel({SYSTEM: [yardstick, *others]}))
    own_gain, own_rel = gains_of(chosen)
    hedge = order_pairs(
        compared,
        np.array([(other, 0) for other in range(1, 1 + len(others))]),
        depth=deepest,
        gain=own_gain if gain is None else gain,
        rel=own_rel if rel is None else rel,
        labels=False,
    ).sel({DEPTH: deepest})
    scores = score(compared, chosen, at=deepest)
    report = compare(scores, tested, adjust=corrected, alpha=alpha, baseline=baseline)
    signs = parse_stepwise(adjust)
    found = _mark(report, hedge, adjust=signs, alpha=alpha, cost=chosen.cost)
    found.attrs.update(correction_told(tested, corrected, alpha=alpha))
    return found


def _mark(
    report: pd.DataFrame,
    hedge: xr.Dataset,
    *,
    adjust: Correction | None,
    alpha: float,
    cost: bool,
) -> pd.DataFrame:
    """Put the metric's test and that of the orderings side by side."""
    counts = hedge["count"].to_numpy()
    behind, ahead = counts[:, 1], counts[:, 3]
    better = np.sign(ahead.astype(np.int64) - behind)
    difference = report["difference"].to_numpy() * (-1 if cost else 1)
    dagger = report["significant"].to_numpy()
    favours = np.where(better > 0, report["system_a"], report["system_b"]).astype(object)
    favours[~dagger | (better == 0)] = None
    p = hedge["p"].to_numpy()
    (adjusted,) = adjust_p([p[np.newaxis, np.newaxis]], adjust, family="depth", alpha=alpha)
    double = dagger & (adjusted[0, 0] < alpha) & (better == np.sign(difference))
    shared = [METRIC, DEPTH, "system_a", "system_b", "mean_a", "mean_b", "difference"]
    return report[[*shared, "statistic", "p"]].assign(
        dagger=dagger,
        **dict(zip(LABELS.values(), counts.T, strict=True)),
        p_orderings=np.where(dagger, p, np.nan),
        favours=favours,
        double_dagger=double,
        mark=np.where(double, DOUBLE_DAGGER, np.where(dagger, DAGGER, "")),
    )
