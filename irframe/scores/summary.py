"""Mean scores of systems, with confidence intervals.

Verbs: summary.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array, low_to_high
from irframe.checks import choice, level
from irframe.cubes.parse_scores import parse_scores
from irframe.cubes.scores import Scores
from irframe.cubes.verb import table_verb
from irframe.errors import listing, warn
from irframe.experiments.topic_design import WEIGHT, names_declared
from irframe.frames.ids import every_row
from irframe.metrics.facts import TIE, Facts, facts
from irframe.names import SYSTEM
from irframe.scores import repeats
from irframe.scores.averages import moments
from irframe.scores.read_scores import read_scores, refuse_huge
from irframe.scores.repeats import beware_of_design

UNEVEN = "systems have means over different topics"
"""The first words of the caution about systems with scores on different topics."""
INTERVALS = ("logit", "t")
"""Names of the methods for confidence intervals of means."""
ROUNDING = 8 * np.finfo(np.float64).eps
"""The largest ratio of standard deviation to mean that is treated as a rounding error."""


def ends_about(mean: Array, half: Array, curved: Array) -> Array:
    """Return the limits of confidence intervals.

    Limits of the metrics in the mask `curved` are computed on the log-odds scale.

    Examples
    --------
    >>> ends_about(np.full((2, 1, 1), 0.9), 0.2, np.array([True, False])).squeeze().round(2)
    array([[0.49, 0.7 ],
           [0.99, 1.1 ]])
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = np.where((mean > 0) & (mean < 1), mean, np.nan)
        reach = half / (inside * (1 - inside))
        odds = scipy.special.expit(scipy.special.logit(inside) + np.stack([-reach, reach]))
    return np.where(curved[:, np.newaxis, np.newaxis], odds, np.stack([mean - half, mean + half]))


def on_log_odds(metrics: Sequence[str], *values: Array) -> Array:
    """Return which metrics allow intervals on the log-odds scale.

    Scores of these metrics are between 0 and 1 and have more than a few distinct values. RR is
    excluded, because it has few distinct values.

    Examples
    --------
    >>> on_log_odds(["AP", "RR", "DCG"], np.full((3, 1, 1, 1), 0.5)).tolist()
    [True, False, False]
    """
    rows = [facts(name) for name in metrics]
    # metrics that need more topics than the default, such as RR, have few distinct values
    allowed = np.array([row.share and row.least_topics <= Facts.least_topics for row in rows])
    return np.asarray(allowed & ~np.any([_beyond(array) for array in values], axis=0))


def _beyond(values: Array) -> Array:
    """Return which metrics have scores outside [0, 1]."""
    outside = (values < -(10.0**-TIE)) | (values > 1 + 10.0**-TIE)
    return np.asarray(outside.any(axis=(1, 2, 3)))


Interval = Literal["logit", "t"]
"""The method for the confidence interval of a mean."""


@table_verb(repeats=True)
def summary(
    scores: xr.DataArray | pd.DataFrame,
    *,
    alpha: float = 0.05,
    interval: Interval = "logit",
    best_of: int | Sequence[int] | None = None,
    worst_of: int | Sequence[int] | None = None,
) -> xr.Dataset | pd.DataFrame:
    """Return the mean score of every system with confidence intervals.

    Parameters
    ----------
    scores
        Scores per system and topic, in an array, a wide frame or a long frame.
    alpha
        One minus the confidence level of the intervals, between 0 and 1.
    interval
        ``"logit"`` computes intervals on the log-odds scale. ``"t"`` computes Student's intervals,
        which have lower coverage with few topics. A metric with scores below 0 or above 1 always
        has Student's interval. The attribute ``interval`` names the kind of interval of each
        metric.
    best_of, worst_of
        A number k of repeats, at least 1, or a list of numbers. For each k a column contains
        the expected score of the best, or worst, of k randomly drawn repeats of a system.

    Returns
    -------
    pandas.DataFrame or xarray.Dataset
        Columns ``mean``, ``ci_low``, ``ci_high`` and ``n``, the number of topics with a score. If
        topics have weights, ``n_eff`` is the effective number of topics. For a frame of scores, the
        result is a frame indexed by metric and system. For an array, the result is a dataset over
        (metric, system, depth). After `groupby`, the group is the first index level or dimension.
        For count metrics (`NumRet`, `NumRel`, `NumRelRet`, `NumNonrelJudgedRet`, `NumQ`) the column
        ``mean`` contains the total over topics, without an interval. The mean of `InverseASL` is
        harmonic, and the means of `GMAP` and `GMBpref` are geometric. These means have no interval
        either.

        If systems have repeats, such as seeds, ``mean`` is over topics and repeats, and the
        interval includes the variance of both. ``n_repeats`` is the number of repeats.
        ``repeat_sd`` is the standard deviation of the means of repeats, or NaN for a single repeat.
        ``best_of_3`` is the expected best mean of 3 repeats, or NaN for systems with fewer repeats.
        If repeats are drawn inside topics, ``best_of_3`` is the mean over topics of the expected
        best score. If all scores are 0 or 1, ``best_of_3`` is then pass@3, and ``worst_of_3`` is
        pass^3.

    Raises
    ------
    ParameterError
        If alpha is outside (0, 1), or the interval or group is unknown. If weights are missing,
        negative, not finite or all 0; the message names the topics.
    MetricError
        If topics have weights and a metric is summed over topics.

    Warns
    -----
    IrframeWarning
        If means have no interval, because all scores are equal or some are infinite. If RR is
        averaged over fewer than 8 topics. If topics of weight 0 are left out. If the effective
        number of topics is below 5, or one topic has more than half of the weight. If systems have
        scores on different topics. The attribute ``caution`` repeats the warnings, and tables print
        them.

    Notes
    -----
    Student's interval is ``mean -+ t(1 - alpha/2, n - 1) se``, ``se = s / sqrt(n)``. The logit
    interval is Student's interval of ``logit(mean)``, whose standard error is ``se / (mean (1 -
    mean))``, transformed back. The logit interval stays within 0 and 1, and is longer on the side
    of 1/2. In simulations that draw topics from real tracks, 95% logit intervals had a coverage of
    95% with 5 to 50 topics. Student's intervals had a coverage of 91% with 5 topics and 94% with
    20. Topics without a score (NaN) are left out, and are not counted in ``n``.

    Let w be the weights of topics, ``a = w / sum w`` and ``A = sum a^2``. Then ``se^2`` is ``sum c
    (x - mean)^2`` with ``c = a^2 / (1 - 2 a + A)`` [3]_. The degrees of freedom follow Bell and
    McCaffrey [4]_, and ``n_eff`` is 1 / A. With repeats the variance of a mean is computed like the
    variance of a difference in `compare`. The expected best of k of n repeats is ``sum y_(i) C(i -
    1, k - 1) / C(n, k)``, with values y in ascending order [5]_.

    References
    ----------
    .. [1] Sakai. Laboratory experiments in information retrieval. Springer, 2018.
       doi:10.1007/978-981-13-1199-4
    .. [2] Hesterberg. What teachers should know about the bootstrap: resampling in the
       undergraduate statistics curriculum. American Statistician 69, 2015.
       doi:10.1080/00031305.2015.1089789
    .. [3] MacKinnon, White. Some heteroskedasticity-consistent covariance matrix estimators with
       improved finite sample properties. Journal of Econometrics 29, 1985.
       doi:10.1016/0304-4076(85)90158-7
    .. [4] Imbens, Kolesar. Robust standard errors in small samples: some practical advice. Review
       of Economics and Statistics 98, 2016. doi:10.1162/REST_a_00552
    .. [5] Chen et al. Evaluating large language models trained on code. 2021. arXiv:2107.03374

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {"system": "s", "topic": ["1", "2", "3"], "measure": "AP", "value": [0.25, 0.5, 0.75]}
    ... )
    >>> summary(scores)
                   mean  ci_low  ci_high  n
    metric system
    AP     s        0.5   0.077    0.923  3
    >>> summary(scores, interval="t")
                   mean  ci_low  ci_high  n
    metric system
    AP     s        0.5  -0.121    1.121  3
    """
    level(alpha)
    choice("interval", interval, INTERVALS)
    source = read_scores(scores).load()
    refuse_huge(source.metrics, source.values)
    figures, attributes = summarise(source, alpha, interval)
    messages = uneven(source)
    if len(single := source.systems[(figures["n"] == 1).any(axis=(0, 2))]):
        messages.append(f"no interval for systems with a single score: {listing(single)}")
    warn(*messages)
    figures |= repeats.drawn_repeats(source, {"best_of": best_of, "worst_of": worst_of})
    return like_scores(figures, attributes, source, scores)


def summarise(
    scores: Scores, alpha: float, interval: str, *, drawn: bool = False
) -> tuple[dict[str, Array], dict[str, object]]:
    """Return the columns of `summary` and its attributes.

    The columns are arrays of shape (metric, system, depth).
    """
    n, mean, squares, freedom, topics = moments(scores)
    # sums, harmonic means and geometric means have no interval
    plain = np.array([kind == "mean" for kind in scores.summaries])
    # means over repeats can be between 0 and 1 although scores of single repeats are not
    single = scores.values if scores.repeats is None else scores.repeats.values
    curved = ~_beyond(single) & (interval == "logit")
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(squares / np.where(n > 1, n - 1.0, np.nan) / n)
        # rounding errors may give equal scores a standard deviation above 0, which is treated as 0
        varies = (error * np.sqrt(n) > ROUNDING * abs(mean)) & plain[:, np.newaxis, np.newaxis]
        half = np.where(varies, scipy.special.stdtrit(freedom, 1 - alpha / 2) * error, np.nan)
    low, high = ends_about(mean, half, curved)
    figures = {"mean": mean, "ci_low": low, "ci_high": high, "n": n}
    lost = np.isnan(low) & ~np.isnan(mean) & (n > 1) & plain[:, np.newaxis, np.newaxis]
    lacking = {
        "all scores are the same": lost & np.isfinite(mean),
        "scores are infinite": lost & np.isinf(mean),
    }
    messages = _interval_cautions(scores, np.where(np.isnan(mean), 0, n), lacking)
    if topics is not None:
        figures |= {"n_eff": topics} if WEIGHT in names_declared(scores.attrs) else {}
        messages += beware_of_design(scores, topics, freedom, drawn=drawn)
    if scores.repeats is not None:
        figures |= repeats.spread_of_repeats(scores)
        messages += repeats.beware_of_repeats(scores)
    warn(*messages)
    student = [name for name, t in zip(scores.metrics, plain & ~curved, strict=True) if t]
    kind = "t" if student else "logit"
    if student and (plain & curved).any():
        kind = f"logit, but t of {', '.join(student)}"
    return figures, {"interval": kind} | repeats.draw_attributes([scores])


def uneven(scores: Scores) -> list[str]:
    """Return a caution if means are over different topics.

    Systems without scores are ignored.
    """
    scored = ~np.isnan(scores.values)
    missing = scored.any(axis=(1, 3), keepdims=True) & scored.any(axis=2, keepdims=True) & ~scored
    counts = scored.sum(axis=2)
    rows = zip(scores.metrics, missing.any(axis=(1, 2, 3)), counts, strict=True)
    described = [f"{label} ({low_to_high(n[n > 0])})" for label, some, n in rows if some]
    return [f"{UNEVEN}: {listing(described)}; leaderboard uses common topics"] if described else []


def _interval_cautions(scores: Scores, n: Array, lacking: dict[str, Array]) -> list[str]:
    """Return cautions about missing intervals and intervals of few scores."""
    messages = []
    for why, lost in lacking.items():
        cells = np.argwhere(lost.any(axis=2))
        offenders = [f"{scores.metrics[m]} of {scores.systems[s]}" for m, s in cells]
        if offenders:
            messages.append(f"no interval if {why}: {listing(offenders)}")
    for label, counts in zip(scores.metrics, n, strict=True):
        least = facts(label).least_topics
        few = counts[(counts > 1) & (counts < least)]
        if few.size:
            hold = f"intervals of a mean {label} are unreliable"
            messages.append(f"{hold} with fewer than {least} topics: {few.min()}")
    return messages


def like_scores(
    figures: dict[str, Array], attributes: dict[str, object], source: Scores, scores: object
) -> xr.Dataset | pd.DataFrame:
    """Return columns in the same form as the scores.

    The result is a frame if the scores are in a frame, and a dataset if the scores are in an array.

    Parameters
    ----------
    figures
        Mapping from name to values of shape (metric, system, depth).
    attributes
        Attributes of the result.
    source, scores
        The scores as read, and as passed to the verb.
    """
    labels = source.labels(SYSTEM)
    if parse_scores(scores).rows is None:
        dims = tuple(labels)
        shape = [*map(len, labels.values())]
        columns = {name: (dims, x.reshape(shape), source.attrs) for name, x in figures.items()}
        return xr.Dataset(columns, labels, attributes)
    names = {dim: dim for dim in labels} | {SYSTEM: source.systems.name}
    index = every_row([*map(pd.Index, labels.values())], [*names.values()])
    frame = pd.DataFrame({name: values.ravel() for name, values in figures.items()}, index)
    frame.attrs.update(attributes)
    return frame
