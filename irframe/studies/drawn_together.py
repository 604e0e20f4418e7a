"""Whether topics may have been drawn together, which only the caller knows."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
import scipy
import xarray as xr

from irframe.cubes.score import score
from irframe.cubes.view import OURS, of_spans
from irframe.experiments.coded_tables import QrelsTable
from irframe.experiments.topic_design import names_said
from irframe.metrics import Metric
from irframe.names import DEPTH, DOC, METRIC, SYSTEM, TOPIC
from irframe.studies.findings import Finding, findings_at

MILLER = "Miller 2024, arXiv:2411.00640"


def drawn_together(judgments: QrelsTable) -> Iterator[Finding]:
    """Yield which topics may have been drawn together: only the caller knows.

    They share a name before a number, which some, but not all, have in common, or the evidence of
    most of them is in documents that hold that of others.
    """
    topics = judgments.topics.astype(str).to_series()
    counts = topics.str.extract(r"^(.*?\w)[_.:/#-]+\d+$", expand=False).value_counts()
    if 1 < len(counts) < counts.sum() and counts.sum() > len(topics) / 2:
        what = "topics that may have been drawn together, by their ids"
        yield from findings_at("note", what, _counted(counts), ASKED, MILLER)
    if judgments.spans is None:
        return
    pairs = judgments.frame[[judgments.columns[role] for role in (TOPIC, DOC)]]
    pairs = pairs[judgments.grade >= 1].drop_duplicates()
    shared = pairs[pairs.duplicated(pairs.columns[1], keep=False)]
    number = shared.iloc[:, 0].nunique()
    if number > len(topics) / 2:
        what = "topics whose evidence is in documents that hold evidence of others"
        where = _counted(shared.iloc[:, 1].value_counts())
        yield from findings_at("note", what, where, ASKED, MILLER, number)


ASKED = (
    "if they are turns of a conversation, or questions of one document, score with "
    "cluster=: tests and intervals then count these"
)
"""What is asked about topics that have something in common."""


def _counted(counts: pd.Series) -> list[str]:
    return [f"{label} ({n})" for label, n in counts[counts > 1].items()]


EXPLAINED, FEWEST, RARE = 0.05, 5, 0.05
"""The share of variance from which on a column is asked about, how many topics there are to each of
its values on average, at least, and how rarely chance alone explains so much, at most."""


def explaining(cube: xr.Dataset, metrics: Sequence[Metric], depth: int) -> Iterator[Finding]:
    """Yield columns of topics of few values that explain how these differ in their mean scores.

    The share is adjusted for how many values there are, as adjusted R squared is.
    """
    columns = [cube[name] for name in cube.coords if name not in OURS]
    few = [c for c in columns if c.dims == (TOPIC,) and c.size >= FEWEST * len(pd.unique(c.values))]
    if not few or names_said(cube.attrs):
        return
    scores = scored_at(cube, metrics[:1], depth).isel({METRIC: 0})
    values = scores.mean(SYSTEM).to_series()
    where = [f"{c.name} ({share:.0%})" for c in few if (share := explained(values, c.values))]
    what = f"columns that explain variance of {scores[METRIC].item()} over topics"
    advice = "if topics that share a value were drawn together, score with cluster=; if these are "
    advice += "tasks that are to count alike, with tasks="
    yield from findings_at("note", what, where, advice, MILLER)


def scored_at(cube: xr.Dataset, metrics: Sequence[Metric], depth: int) -> xr.DataArray:
    """Return scores at a depth, or the greatest; by a usual metric where none is named."""
    chosen: list[Any] = [*metrics] or ["SpanR" if of_spans(cube) else "nDCG"]
    return score(cube, chosen, at=[min(depth, cube.sizes[DEPTH])]).isel({DEPTH: 0}, drop=True)


def explained(values: pd.Series, labels: Any) -> float:
    """Return the adjusted share of variance that labels explain, 0 for what chance might.

    Examples
    --------
    >>> values = pd.Series([0.1, 0.2, 0.1, 0.2, 0.8, 0.9, 0.8, 0.9])
    >>> round(explained(values, list("aaaabbbb")), 2), explained(values, list("abababab"))
    (0.98, 0.0)
    """
    codes = pd.factorize(pd.Series(labels), use_na_sentinel=False)[0]
    groups = values.groupby(codes)
    inside, total = (values - groups.transform("mean")).var(ddof=0), values.var(ddof=0)
    freedom, others = values.count() - groups.ngroups, groups.ngroups - 1
    if not (total > 0 and others and freedom > 0):
        return 0.0
    chance = scipy.special.betainc(freedom / 2, others / 2, inside / total)
    share = 1 - inside / total * (freedom + others) / freedom
    return float(share) if share > EXPLAINED and chance < RARE else 0.0
