"""A comparison with a baseline as Markdown: for a pull request, or whoever decides."""

from collections.abc import Hashable, Iterator, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.comparing.compare import compare
from irframe.comparing.document_texts import SNIPPET, Texts, read_texts
from irframe.comparing.explain import explain
from irframe.cubes.score import score
from irframe.cubes.unjudged import bounds
from irframe.errors import MetricError
from irframe.experiments.policy import at_depth
from irframe.metrics import Metric
from irframe.metrics.facts import facts
from irframe.names import DEPTH, DOC, METRIC, SYSTEM, TOPIC
from irframe.tables.captions import told

FALLEN, BEHIND = 10, 3
"""How many topics are shown, and how many documents of each."""
GRAVEST = ("worse", "undecided", "not worse", "equivalent", "better")
"""The verdicts from the one to look at first."""
HEAD = ("metric", "verdict", "difference", "interval", "topics", "detectable", "unjudged", "bounds")


def markdown(
    comparison: pd.DataFrame,
    cube: xr.Dataset,
    metrics: Sequence[Metric],
    *,
    runs: pd.DataFrame,
    texts: Texts | None = None,
) -> str:
    """Return a summary of a comparison with a baseline.

    Parameters
    ----------
    comparison
        What `irframe.verbs.compare` gives of the metrics, with a baseline, a verdict and what is
        detectable.
    cube
        The cube of the runs.
    metrics
        The metrics, the first of which says on which topics systems fell.
    runs
        The runs, which know what unjudged documents are called.
    texts
        Texts of documents and queries, as for `irframe.verbs.explain`.

    Returns
    -------
    str
        A section per system: a line per metric, and the topics on which it lost most, with the
        documents behind that.
    """
    baseline = comparison["system_b"].iloc[0]
    parts = []
    for system, rows in comparison.groupby("system_a", sort=False):
        pair = cube.sel({SYSTEM: [system, baseline]})
        parts.append(f"## {_cell(system)} against {_cell(baseline)}: {_verdict(rows['verdict'])}\n")
        parts.append("\n".join(_metrics(rows, pair, metrics, comparison.attrs)) + "\n")
        parts.append("\n".join(_fallen(pair, system, baseline, metrics[0], runs, texts)) + "\n")
    return "\n".join([*parts, _notes(comparison)])


def _verdict(verdicts: pd.Series) -> str:
    """Return what the verdicts of all metrics come to, each once, the gravest first."""
    return ", ".join(word for word in GRAVEST if (verdicts == word).any())


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    """Return text as it stands in a cell, cut where it is long."""
    words = " ".join(str(value).split())
    short = words if len(words) <= SNIPPET else f"{words[: SNIPPET - 1]}…"
    plain = escape(short, quote=False).replace("\\", "\\\\")
    for mark in "|`*_[]":
        plain = plain.replace(mark, f"\\{mark}")
    return plain


def _metrics(
    rows: pd.DataFrame, pair: xr.Dataset, metrics: Sequence[Metric], told: Any
) -> Iterator[str]:
    """Yield a line per metric."""
    yield _row(HEAD)
    yield _row(["---"] * len(HEAD))
    for metric, row in zip(metrics, rows.itertuples(), strict=True):
        shown = [row.difference, row.ci_low, row.ci_high, row.detectable]
        difference, low, high, least = (f"{value:+.4f}" for value in shown)
        cells = [_cell(row.metric), f"**{row.verdict}**", difference, f"[{low}, {high}]"]
        cells += [str(row.n_topics), least.lstrip("+"), _unjudged(pair, metric)]
        yield _row([*cells, _within_bounds(pair, metric, told)])


def _depth(pair: xr.Dataset, metric: Metric) -> int:
    return min(metric.depth or pair.sizes[DEPTH], pair.sizes[DEPTH])


def _unjudged(pair: xr.Dataset, metric: Metric) -> str:
    """Return the share of documents without a judgment, of the system and of the baseline."""
    judged = score(pair, "Judged", at=_depth(pair, metric)).mean(TOPIC).to_numpy().ravel()
    return ", ".join(f"{100 * (1 - share):.1f}%" for share in judged)


def _within_bounds(pair: xr.Dataset, metric: Metric, asked_of: Any) -> str:
    """Return the verdicts between which the truth is, whatever the unjudged documents are."""
    if "weights" in asked_of:
        return "not known"
    try:
        within = bounds(pair, at_depth(metric, None), at=_depth(pair, metric))
        asked = {name: asked_of[name] for name in ("margin", "power") if name in asked_of}
        asked = asked or {"power": 0.8}
        found = compare(
            within,
            adjust=None,
            baseline=pair[SYSTEM].to_numpy()[1],
            alpha=asked_of.get("alpha", 0.05),
            **asked,
        )
    except MetricError:
        return "not known"
    ends = [found[f"verdict_{end}"].iloc[0] for end in ("lowest", "highest")]
    return " to ".join(dict.fromkeys(ends))


def _fallen(
    pair: xr.Dataset,
    system: Hashable,
    baseline: Hashable,
    metric: Metric,
    runs: pd.DataFrame,
    texts: Texts | None,
) -> Iterator[str]:
    """Yield the topics on which a system lost most by a metric, with documents behind it."""
    depth = _depth(pair, metric)
    scores = score(pair, at_depth(metric, None), at=depth).isel({METRIC: 0, DEPTH: 0})
    apart = facts(metric).sign * (scores[0] - scores[1]).to_series().round(12)
    fallen = apart[apart < 0].sort_values(kind="stable").head(FALLEN)
    count = f"{int((apart < 0).sum())} of {int(apart.notna().sum())}"
    yield f"Worse by {_cell(metric)} on {count} topics" + (":" if len(fallen) else ".")
    if not len(fallen):
        return
    yield ""
    yield _row([TOPIC, _cell(baseline), _cell(system), "documents behind it"])
    yield _row(["---"] * 4)
    behind, told = _behind(pair, metric, fallen.index.tolist(), runs, texts)
    for topic in fallen.index:
        before, after = (f"{scores[row].sel({TOPIC: topic}).item():.4f}" for row in (1, 0))
        query = told.queries.get(str(topic))
        name = _cell(topic) + (f": {_cell(query)}" if query else "")
        yield _row(
            [name, before, after, "<br>".join(behind.get(topic, ["not a sum over documents"]))]
        )


def _behind(
    pair: xr.Dataset, metric: Metric, topics: list[Any], runs: pd.DataFrame, texts: Texts | None
) -> tuple[dict[Any, list[str]], Any]:
    """Return what is said of the documents of each topic, and all texts."""
    a, b = pair[SYSTEM].to_numpy()
    asked = at_depth(metric, None)
    if asked.terms is None:
        return {}, read_texts(texts, [], topics)
    found = explain(pair, a, b, asked, at=_depth(pair, metric), topics=topics, runs=runs)
    sign = facts(metric).sign
    lost = found[sign * found["difference"] < 0].groupby(TOPIC, sort=False).head(BEHIND)
    told = read_texts(texts, lost[DOC].dropna(), topics)
    said: dict[Any, list[str]] = {topic: [] for topic in topics}
    for row in lost.itertuples():
        said[row.topic].append(_document(row, told.documents.get(str(row.doc))))
    return said, told


def _document(row: Any, snippet: str | None) -> str:
    """Return a document, its grade, its ranks before and after, and what it took away."""
    ranks = " to ".join("none" if pd.isna(rank) else str(rank) for rank in (row.rank_b, row.rank_a))
    grade = "unjudged" if pd.isna(row.grade) else f"grade {row.grade}"
    text = f"{_cell(row.doc)} ({grade}), rank {ranks}: {row.difference:+.4f}"
    return text + (f" <i>{_cell(snippet)}</i>" if snippet else "")


def _notes(comparison: pd.DataFrame) -> str:
    """Return what decided the numbers."""
    power = comparison.attrs.get("power", 0.8)
    return (
        f"{told(comparison.attrs)}. Differences are the system's mean less that of the baseline. "
        "Detectable: the smallest true difference "
        f"that these topics show with power {np.round(power, 3):g}. Unjudged: the share in the "
        "system, and in the baseline. Bounds: the verdict, uncorrected, between the worst and the "
        "best that unjudged documents may be.\n"
    )
