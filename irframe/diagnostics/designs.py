"""Findings about clusters of topics and repeats of systems."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import scipy
import xarray as xr
from numpy.typing import ArrayLike

from irframe.cubes.score import score
from irframe.cubes.view import OURS, of_spans
from irframe.diagnostics.findings import IN_CODE, Finding, findings_at
from irframe.evaluation.repeats import Folded
from irframe.experiments.coded_tables import QrelsTable
from irframe.experiments.topic_design import names_declared
from irframe.metrics import Metric
from irframe.names import DEPTH, DOC, METRIC, REPEATS, SYSTEM, TOPIC, plural
from irframe.scores.averages import averages

MILLER = "Miller 2024, arXiv:2411.00640"


def drawn_together(judgments: QrelsTable) -> Iterator[Finding]:
    """Yield findings about topics that may form clusters.

    The first finding is that most topic ids consist of a prefix and a number, and that several, but
    not all, topics share a prefix. The second finding is that the evidence for most topics is in
    documents that also contain evidence for other topics. Both findings are notes and not errors,
    because only the user knows how topics were sampled.
    """
    topics = judgments.topics.astype(str).to_series()
    counts = topics.str.extract(r"^(.*?\w)[_.:/#-]+\d+$", expand=False).value_counts()
    # prefixes do not indicate clusters if all topics share a prefix, or each topic has its own
    if 1 < len(counts) < counts.sum() and counts.sum() > len(topics) / 2:
        problem = "topics that may have been sampled in clusters, by their ids"
        yield from findings_at("note", problem, _counted(counts), ASKED, MILLER)
    if judgments.spans is None:
        return
    pairs = judgments.frame[[judgments.columns[role] for role in (TOPIC, DOC)]]
    pairs = pairs[judgments.grade >= 1].drop_duplicates()
    common = pairs[pairs.duplicated(pairs.columns[1], keep=False)]
    number = common.iloc[:, 0].nunique()
    if number > len(topics) / 2:
        problem = "topics whose evidence is in documents with evidence of other topics"
        where = _counted(common.iloc[:, 1].value_counts())
        yield from findings_at("note", problem, where, ASKED, MILLER, number)


ASKED = (
    "if these topics are turns of a conversation, or questions about one document, declare the "
    "clusters by cube.ireval.design(cluster=...), so that tests and intervals use them"
)
"""Advice in the two findings of `drawn_together`."""


def _counted(counts: pd.Series) -> list[str]:
    return [f"{label} ({n})" for label, n in counts[counts > 1].items()]


EXPLAINED = 0.05
"""A column is reported only if it explains more than this share of the variance of mean scores."""
FEWEST = 5
"""A column is tested only if each of its values occurs in at least this many topics on average."""
RARE = 0.05
"""Significance level of the F test. Columns that are not significant are not reported."""


def explaining(cube: xr.Dataset, metrics: Sequence[Metric], depth: int) -> Iterator[Finding]:
    """Yield a finding about columns that explain variance over topics.

    Only columns with one value per topic and few distinct values are tested. The share of explained
    variance of mean scores is the adjusted R squared.
    """
    columns = [cube[name] for name in cube.coords if name not in OURS]
    few = [c for c in columns if c.dims == (TOPIC,) and c.size >= FEWEST * len(pd.unique(c.values))]
    # a declared design already says how topics were sampled
    if not few or names_declared(cube.attrs):
        return
    scores = scored_at(cube, metrics[:1], depth).isel({METRIC: 0})
    values = scores.mean(SYSTEM).to_series()
    where = [f"{c.name} ({share:.0%})" for c in few if (share := explained(values, c.values))]
    problem = f"columns that explain the variance of {scores[METRIC].item()} over topics"
    advice = "if topics with equal values were sampled together, declare them as clusters, or as "
    advice += f"tasks of equal weight{IN_CODE}design(cluster=...), design(task=...)"
    yield from findings_at("note", problem, where, advice, MILLER)


def scored_at(cube: xr.Dataset, metrics: Sequence[Metric], depth: int) -> xr.DataArray:
    """Return scores of the metrics at a depth.

    Without metrics, the default is nDCG, or SpanR for judgments of spans.
    """
    chosen: list[Metric | str] = [*metrics] or ["SpanR" if of_spans(cube) else "nDCG"]
    return score(cube, chosen, at=[min(depth, cube.sizes[DEPTH])]).isel({DEPTH: 0}, drop=True)


def explained(values: pd.Series, labels: ArrayLike) -> float:
    """Return the share of variance that labels explain.

    The share is the adjusted R squared. If this share is at most 5% or not significant, the result
    is 0.

    Examples
    --------
    >>> values = pd.Series([0.1, 0.2, 0.1, 0.2, 0.8, 0.9, 0.8, 0.9])
    >>> round(explained(values, list("aaaabbbb")), 2), explained(values, list("abababab"))
    (0.98, 0.0)
    """
    # topics with a missing value form a group of their own
    codes = pd.factorize(pd.Series(np.asarray(labels)), use_na_sentinel=False)[0]
    groups = values.groupby(codes)
    inside = (values - groups.transform("mean")).var(ddof=0)
    total = values.var(ddof=0)
    freedom = values.count() - groups.ngroups
    between = groups.ngroups - 1
    if not (total > 0 and between and freedom > 0):
        return 0.0
    # p is the p-value of the F test that compares the mean scores of the groups of topics
    p = scipy.special.betainc(freedom / 2, between / 2, inside / total)
    # freedom + between is the number of topics minus 1, as in the adjusted R squared
    share = 1 - inside / total * (freedom + between) / freedom
    return float(share) if share > EXPLAINED and p < RARE else 0.0


FAR = 3.5
"""A repeat is an outlier if its mean is more than this number of median absolute deviations from
the median."""
LEAST = 5
"""Outliers are reported only for systems with at least this number of repeats."""
BOUTHILLIER = "Bouthillier et al. 2021, arXiv:2103.03098"
LEYS = "Leys et al. 2013, doi:10.1016/j.jesp.2013.03.013"


def check_repeats(
    cube: xr.Dataset, folded: Folded, metrics: Sequence[Metric], depth: int
) -> Iterator[Finding]:
    """Yield findings about repeats of systems, such as seeds.

    Parameters
    ----------
    cube
        A cube in which each repeat is a system of its own.
    folded
        A mapping from each repeat to its system and its label.
    metrics
        Metrics by which repeats are compared. If the list is empty, `scored_at` selects a metric.
    depth
        Evaluation depth.
    """
    if folded.repeat is None:
        return
    owners = pd.DataFrame(list(folded.owners.values()), columns=["system", "repeat"])
    owners["name"] = list(folded.owners)
    yield from _far_off(cube, owners, folded.repeat, metrics, depth)
    counts = owners.groupby("system", sort=False).size()
    if counts.max() > 1:
        problem = f"systems with one {folded.repeat}, while others have up to {counts.max()}"
        advice = (
            f"run these systems with more {plural(folded.repeat)}, unless their results do not "
            f"vary by {folded.repeat}; their intervals ignore this variance"
        )
        single = counts.index[counts == 1]
        yield from findings_at("warning", problem, single, advice, BOUTHILLIER)
    n_systems = owners.groupby("repeat", sort=False)["system"].nunique()
    if REPEATS not in cube.attrs:
        problem = f"{plural(folded.repeat)} with the same label in several systems"
        advice = (
            "if all systems share a repeat, such as a pass of a judge, declare shared repeats; by "
            f"default, each system has its own repeats{IN_CODE}design(repeats='shared')"
        )
        yield from findings_at("note", problem, n_systems.index[n_systems > 1], advice, BOUTHILLIER)


def _far_off(
    cube: xr.Dataset, owners: pd.DataFrame, repeat_name: str, metrics: Sequence[Metric], depth: int
) -> Iterator[Finding]:
    means = averages(scored_at(cube, metrics, depth))
    codes = pd.factorize(owners["system"])[0]
    owned = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    for metric in means["metric"].to_numpy():
        values = means.sel(metric=metric).sel(system=owners["name"].tolist()).to_numpy()
        far = [
            f"{owners['name'][row]} ({values[row]:.3g})"
            for rows in owned
            for row in rows[far_off(values[rows])]
        ]
        problem = f"{plural(repeat_name)} whose mean {metric} is an outlier within their system"
        advice = (
            f"check these runs, and leave out failed trainings, because an invalid {repeat_name} "
            "widens all intervals of its system"
        )
        yield from findings_at("warning", problem, far, advice, LEYS)


def far_off(values: np.ndarray) -> np.ndarray:
    """Return whether each value is an outlier.

    An outlier is more than 3.5 median absolute deviations from the median. No value is an outlier
    if there are fewer than five values.

    Examples
    --------
    >>> far_off(np.array([0.50, 0.51, 0.49, 0.52, 0.50, 0.31])).nonzero()[0]
    array([5])
    """
    if len(values) < LEAST:
        return np.zeros(len(values), bool)
    deviation = abs(values - np.median(values))
    # without the tolerance, rounding errors would be outliers among equal values
    return np.asarray(deviation > FAR * np.median(deviation) + 1e-12)
