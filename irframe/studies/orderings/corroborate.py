"""One metric and a hedge: a result on the metric of choice, checked without any metric."""

from collections.abc import Hashable

import numpy as np
import pandas as pd
import xarray as xr

from irframe.agreements.innate import LABELS
from irframe.cubes.score import parse_metrics, score
from irframe.inference.compare import compare
from irframe.inference.matching import refuse_alpha
from irframe.metrics import Metric, facts
from irframe.metrics.base import MetricType
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.paired import PairedTest
from irframe.studies.orderings.orderings import PAIR, GainLike, compared_depth, orderings

DAGGER, DOUBLE_DAGGER = "†", "‡"


def corroborate(
    cube: xr.Dataset,
    champion: Hashable,
    challenger: Hashable | None = None,
    *,
    metric: Metric | MetricType | str,
    test: str | PairedTest = "t",
    depth: int | None = None,
    alpha: float = 0.05,
    gain: GainLike | None = None,
    rel: int | None = None,
) -> pd.DataFrame:
    """Report a challenger against the champion on one metric, and whether other metrics may agree.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    champion
        The system to beat.
    challenger
        The system that tries; by default every other one.
    metric
        The one metric that suits the task, or its name.
    test
        The paired test of the metric's scores, or its name, as for `compare`.
    depth
        Evaluation depth of metric and orderings, at most that of the cube; by default the
        metric's own, or else the cube's.
    alpha
        Significance level of both tests, above 0 and below 1.
    gain, rel
        Gain map and lowest relevant grade of the orderings; by default those of the metric, and
        binary gain and 1 if it has none.

    Returns
    -------
    pandas.DataFrame
        One row per challenger: ``metric``, ``depth``, ``champion``, ``challenger``,
        ``mean_champion``, ``mean_challenger``, ``difference`` (challenger less champion),
        ``statistic`` and ``p`` of the test; ``dagger``, p below alpha; the number of topics in
        the groups ``**ns``, ``ns``, ``=``, ``ni``, ``**ni``, of the champion against the
        challenger; only where there is a dagger, ``p_orderings`` of the sign test and the
        system it ``favours``, else missing; ``double_dagger``, where that test is significant
        too and favours the same system; ``mark``, one of the two daggers or nothing.

    Raises
    ------
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
    >>> report = corroborate(cube, "bm25", metric="RBP(p=0.8)@10").set_index("challenger")
    >>> report.loc[["ance", "doct5query", "duot5"], ["difference", "p", "p_orderings", "mark"]]
                difference         p  p_orderings mark
    challenger
    ance          0.069859  0.197371          NaN
    doct5query    0.118956  0.048435     0.266846    †
    duot5         0.265892  0.000120     0.001831    ‡
    """
    refuse_alpha(alpha)
    (chosen,) = parse_metrics(metric)
    deepest = compared_depth(cube, chosen.depth if depth is None else depth)
    own = facts(chosen)
    hedge = orderings(
        cube,
        champion,
        challenger,
        depth=deepest,
        gain=gain or own.gain or "binary",
        rel=own.rel if rel is None else rel,
        labels=False,
    ).sel({DEPTH: deepest})
    hedge = hedge if PAIR in hedge.dims else hedge.expand_dims(PAIR)
    hedge = hedge.assign_coords(system_b=(PAIR, np.atleast_1d(hedge["system_b"].to_numpy())))
    systems = [champion, *hedge["system_b"].to_numpy()]
    inside = cube.isel({SYSTEM: cube.indexes[SYSTEM].get_indexer(pd.Index(systems))})
    scores = score(inside, chosen, at=deepest)
    report = compare(scores, test, baseline=champion, alpha=alpha)
    return _mark(report, hedge, champion, alpha=alpha, cost=chosen.cost)


def _mark(
    report: pd.DataFrame, hedge: xr.Dataset, champion: Hashable, *, alpha: float, cost: bool
) -> pd.DataFrame:
    """Put the metric's test and that of the orderings side by side."""
    counts = hedge["count"].to_numpy()
    difference = report["difference"].to_numpy() * (-1 if cost else 1)
    dagger = report["p"].to_numpy() < alpha
    ahead = np.sign(counts[:, 1] - counts[:, 3])
    challengers = report["system_a"].to_numpy()
    favours = np.full(len(report), None, dtype=object)
    favours[dagger & (ahead > 0)] = challengers[dagger & (ahead > 0)]
    favours[dagger & (ahead < 0)] = champion
    p = np.where(dagger, hedge["p"].to_numpy(), np.nan)
    double = dagger & (p < alpha) & (ahead == np.sign(difference))
    return pd.DataFrame(
        {
            METRIC: report[METRIC],
            DEPTH: report[DEPTH],
            "champion": champion,
            "challenger": challengers,
            "mean_champion": report["mean_b"],
            "mean_challenger": report["mean_a"],
            **{name: report[name] for name in ("difference", "statistic", "p")},
            "dagger": dagger,
            **dict(zip(LABELS.values(), counts.T, strict=True)),
            "p_orderings": p,
            "favours": favours,
            "double_dagger": double,
            "mark": np.where(double, DOUBLE_DAGGER, np.where(dagger, DAGGER, "")),
        }
    )
