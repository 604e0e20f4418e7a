"""Findings: their type, their display, and checks of frames."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import astuple, dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.score import score
from irframe.cubes.view import OURS, of_spans
from irframe.diagnostics.odd_ids import like_spelled, with_other_texts
from irframe.errors import IrframeError, during
from irframe.escaping import visible
from irframe.experiments.coded_tables import QrelsTable, RunTable, Side, code_documents
from irframe.experiments.joining import COLLAPSE, like_chunks
from irframe.experiments.rank_table import listed_again
from irframe.experiments.topic_design import names_declared
from irframe.files.ids import Codes, beginnings, repeated, shown
from irframe.metrics import Metric
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import DEPTH, DOC, METRIC, SYSTEM, TOPIC
from irframe.printed import FIRST, WIDTH, Kept, fitted

SEVERITIES = ("error", "warning", "note")
"""Severities: nothing can be scored, numbers may mislead, or worth reporting with the numbers."""
IN_CODE = ", in code: "
"""Text in advice before the code that follows it."""
SHOWN = 5
"""Number of locations that a finding lists."""

_EVERY: ContextVar[bool] = ContextVar("every", default=False)

LU = "Lu, Moffat, Culpepper 2016, doi:10.1007/s10791-016-9282-6"
ALEX = "Alex, Hall, Metzler 2022, doi:10.48550/arXiv.2201.01745"
YILMAZ = "Yilmaz, Aslam 2006, doi:10.1145/1183614.1183633"
SAKAI = "Sakai, Dou 2013, doi:10.1145/2484028.2484031"
TREC_EVAL = "trec_eval, https://github.com/usnistgov/trec_eval"


@dataclass(frozen=True)
class Finding:
    """A finding about runs or judgments.

    Attributes
    ----------
    severity
        ``"error"``, ``"warning"`` or ``"note"``.
    what
        What was found.
        where
            The first locations.
        how_many
            The number of locations.
        advice
            What to do.
        reference
            A publication or page that explains it.
    """

    severity: str
    what: str
    where: str
    how_many: int
    advice: str
    reference: str


def listed_findings(positions: Iterable[object], total: int | None = None) -> str:
    """Return the first locations as text.

    Examples
    --------
    >>> listed_findings(range(9))
    '0, 1, 2, 3, 4, ...'
    """
    names = [str(cell) for cell in positions]
    more = (len(names) if total is None else total) > SHOWN
    if _EVERY.get() or not more:
        return ", ".join(names)
    return ", ".join(names[:SHOWN]) + ", ..."


def findings_at(
    severity: str,
    what: str,
    positions: Any,
    advice: str,
    reference: str = TREC_EVAL,
    how_many: int | None = None,
    describe: Callable[[Any], Iterable[object]] | None = None,
) -> Iterator[Finding]:
    """Yield a finding with its locations, if there are any.

    Locations may be rows. Then `describe` returns the text of those that are listed.
    """
    if number := len(positions):
        if describe is not None:
            positions = describe(positions if _EVERY.get() else positions[: SHOWN + 1])
        where = listed_findings(positions, number)
        yield Finding(severity, what, where, how_many or number, advice, reference)


def findings_of(
    severity: str,
    what: str,
    systems: pd.Index,
    lists: NDArray[np.bool_],
    advice: str,
    reference: str = TREC_EVAL,
) -> Iterator[Finding]:
    """Yield a finding about lists, ordered by number per system.

    The mask of lists has the shape (system, topic).
    """
    counts = lists.sum(axis=1)
    order = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    positions = [f"{systems[row]} ({counts[row]})" for row in order]
    yield from findings_at(severity, what, positions, advice, reference, int(counts.sum()))


def every_place() -> AbstractContextManager[None]:
    """Let findings list every location within this context.

    Examples
    --------
    >>> with every_place():
    ...     listed_findings(range(9))
    '0, 1, 2, 3, 4, 5, 6, 7, 8'
    """
    return during(_EVERY, value=True)


def finding_of(error: IrframeError) -> Finding:
    """Return an error as a finding."""
    what = f"expected {error.expected}, but found {error.found}"
    where = listed_findings(error.offenders)
    number = max(1, len(error.offenders))
    return Finding("error", what, where, number, error.advice, TREC_EVAL)


def until_error(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings, with an error that ends them last."""
    try:
        yield from findings
    except IrframeError as error:
        yield finding_of(error)


class Findings(Kept):
    """Frame of findings, displayed in full without empty columns.

    Lists are displayed by their first locations. Selections of rows or columns are plain frames.
    """

    def _shown(self) -> pd.DataFrame:
        texts = pd.DataFrame(self).map(
            lambda value: listed_findings(value) if isinstance(value, tuple) else value
        )
        return texts.loc[:, ~(texts.map(lambda value: isinstance(value, str) and not value)).all()]

    def __repr__(self) -> str:
        if {"severity", "what", "how_many", "advice"} <= {*self.columns}:
            return visible("\n".join(map(_as_lines, self.to_dict("records")))) or "nothing found"
        shown, note = fitted(self._shown(), FIRST["check"])
        return visible("\n\n".join(filter(None, [repr(shown), textwrap.fill(note, WIDTH)])))

    def _repr_html_(self) -> str | None:
        with pd.option_context("display.max_colwidth", None):
            shown: str | None = self._shown()._repr_html_()  # type: ignore[operator]
        return shown


def _as_lines(finding: Mapping[Any, Any]) -> str:
    """Return the printed text of a finding, with its advice."""
    where = finding.get("where") or ""
    positions = where if isinstance(where, str) else listed_findings(where)
    text = f"{finding['severity']:8}{finding['how_many']:>6}  {finding['what']}"
    text += f": {positions}" if positions else ""
    indent = " " * 16
    lines = textwrap.fill(text, WIDTH, subsequent_indent=indent)
    advice = textwrap.fill(
        str(finding["advice"]), WIDTH, initial_indent=indent, subsequent_indent=indent
    )
    return f"{lines}\n{advice}" if finding["advice"] else lines


def findings_frame(findings: Sequence[Finding]) -> Findings:
    """Return findings as a frame, the most severe first."""
    columns = [spec.name for spec in fields(Finding)]
    ordered = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    return Findings([astuple(finding) for finding in ordered], columns=columns)


def without_score(table: RunTable) -> Codes:
    """Return the rows without a score."""
    return np.arange(0) if table.score is None else np.flatnonzero(np.isnan(table.score))


def odd_lists(table: RunTable) -> dict[str, Codes]:
    """Return lists with odd ranks or scores, by kind.

    Lists are numbered as in `RunTable.group`. ``ranks_repeated``: a rank is repeated or missing.
    ``ranks_skipped``: ranks have gaps, or begin beyond 2. ``ranks_contradict``: a document at a
    lower rank has a higher score. ``scores_constant``: all documents have the same score, in every
    list of the system.
    """
    names = ("ranks_repeated", "ranks_skipped", "ranks_contradict", "scores_constant")
    odd: dict[str, Codes] = dict.fromkeys(names, np.arange(0))
    if table.rank is not None:
        order = np.lexsort((table.rank, table.group))
        group = table.group[order]
        rank = table.rank[order]
        first = beginnings(group)
        inside = np.diff(group) == 0
        step = np.diff(rank)
        unranked = group[np.isnan(rank)]
        late = group[first[rank[first] > 2]]
        odd["ranks_repeated"] = np.unique(np.append(group[1:][inside & (step == 0)], unranked))
        odd["ranks_skipped"] = np.unique(np.append(group[1:][inside & (step > 1)], late))
        if table.score is not None:
            score = table.score[order]
            odd["ranks_contradict"] = np.unique(group[1:][inside & (score[1:] > score[:-1])])
    if table.score is not None:
        order = np.lexsort((table.score, table.group))
        group = table.group[order]
        score = table.score[order]
        first = beginnings(group)
        last = np.append(first[1:], len(group)) - 1
        several = last > first
        systems = group[first] // len(table.topics)
        decided = np.unique(systems[several & (score[first] != score[last])])
        odd["scores_constant"] = group[first[several & ~np.isin(systems, decided)]]
    return odd


def usual_length(lengths: NDArray[np.integer]) -> int:
    """Return the most frequent length, the largest if tied.

    Examples
    --------
    >>> usual_length(np.array([50, 1000, 1000, 2000]))
    1000
    """
    values, counts = np.unique(lengths, return_counts=True)
    return int(values[counts == counts.max()].max(initial=0))


def list_lengths(table: RunTable, judgments: QrelsTable) -> NDArray[np.integer]:
    """Return numbers of rows per system and judged topic."""
    topics = judgments.topics.get_indexer(table.topics)
    shape = (len(table.systems), len(judgments.topics))
    values = topics[table.topic] >= 0
    cell = table.system[values].astype(np.int64) * shape[1] + topics[table.topic][values]
    return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)


def topics_of_both(table: RunTable, judgments: QrelsTable) -> Codes:
    """Return every row's topic code in the qrels.

    Topics without judgments have codes beyond those of the qrels.
    """
    placed = judgments.topics.get_indexer(table.topics)
    beyond = len(judgments.topics) + np.arange(len(placed))
    return np.where(placed < 0, beyond, placed)[table.topic]


def check_frames(table: RunTable, judgments: QrelsTable, depth: int | None) -> Iterator[Finding]:
    """Yield findings about a run frame and a qrels frame.

    Parameters
    ----------
    table, judgments
        The frames with columns identified by role.
    depth
        Evaluation depth, by default the length of the longest list.
    """
    yield from _topic_findings(table, judgments)
    if judgments.spans is None:
        yield from _document_findings(table, judgments)
    yield from _scores(table)
    yield from _lists(table, judgments, depth)
    topics = judgments.topics
    relevant = np.bincount(judgments.topic[judgments.grade >= 1], minlength=len(topics))
    advice = f"they score 0 whatever is retrieved, or are excluded{IN_CODE}no_rel='nan'"
    yield from findings_at(
        "warning", "topics without relevant documents", topics[relevant == 0], advice
    )
    marked = judgments.grade == POOLED_UNJUDGED
    advice = "drop these rows if they mark unjudged documents, else give them grade 0"
    what = "judgments of grade -1, which may mark pooled but unjudged documents"
    where = topics[np.unique(judgments.topic[marked])]
    for finding in findings_at("warning", what, where, advice, YILMAZ, int(marked.sum())):
        yield replace(finding, where=f"topics {finding.where}")


def _topic_findings(table: RunTable, judgments: QrelsTable) -> Iterator[Finding]:
    sides = table.topics, judgments.topics
    types = [pa.array(side).type for side in sides]
    if types[0] != types[1] and not all("string" in str(kind) for kind in types):
        kinds = f"{table.topics.dtype} in the runs, {judgments.topics.dtype} in the qrels"
        n_common = int(table.topics.astype(str).isin(judgments.topics.astype(str)).sum())
        yield Finding("error", "topics of two types", kinds, n_common, CONVERT, TREC_EVAL)
        return
    unknown = table.topics[~table.topics.isin(judgments.topics)]
    if len(unknown) == len(table.topics):
        where = f"runs: {shown(table.topics)}; qrels: {shown(judgments.topics)}"
        advice = "compare leading zeros, prefixes and types"
        yield Finding("error", "no topic in common", where, len(unknown), advice, TREC_EVAL)
        return
    advice = "nothing to do if the track dropped them; they are ignored"
    yield from findings_at("warning", "topics of the runs without judgments", unknown, advice, LU)


CONVERT = "convert one side with astype(str)"
SPLIT = "use a different id for each text if they are different documents"


def _document_findings(table: RunTable, judgments: QrelsTable) -> Iterator[Finding]:
    if pa.types.is_integer(table.doc.type) != pa.types.is_integer(judgments.doc.type):
        where = f"{table.doc.type} in the runs, {judgments.doc.type} in the qrels"
        yield Finding("error", "documents of two types", where, len(table.doc), CONVERT, TREC_EVAL)
        return
    topic = topics_of_both(table, judgments)
    listed_, judged = code_documents(Side(topic, table.doc), Side(judgments.topic, judgments.doc))
    seen = np.isin(listed_, judged)
    keep = "keep one of them"
    twice = listed_again(table.system, listed_)
    again = repeated(judged)
    unseen = np.flatnonzero(~seen)
    chunks, spelled = (like(table, judgments, unseen) for like in (like_chunks, like_spelled))
    for severity, what, rows, describe, advice in (
        ("error", "documents listed twice in a ranking", twice, table.describe, keep),
        ("error", "documents judged twice", again, judgments.describe, keep),
        ("warning", CHUNKS, chunks, table.describe, COLLAPSE),
        (
            "warning",
            SPELLED,
            spelled,
            table.describe,
            "use the same spelling of ids in both frames",
        ),
        ("warning", "documents with several texts", with_other_texts(table), table.describe, SPLIT),
    ):
        yield from findings_at(severity, what, rows, advice, describe=describe)
    if (topic < len(judgments.topics)).any() and not seen.any():
        docs = [shown(value.as_py() for value in side.doc[:3]) for side in (table, judgments)]
        where = f"runs: {docs[0]}; qrels: {docs[1]}"
        advice = "compare the identifiers; every score is 0"
        what = "no judged document is retrieved"
        yield Finding("warning", what, where, len(judged), advice, TREC_EVAL)


CHUNKS = "documents whose ids look like chunks of judged documents"
SPELLED = "documents whose ids differ from judged ids only by case, Unicode form or './'"


def _scores(table: RunTable) -> Iterator[Finding]:
    missing = without_score(table)
    advice = "add the scores, or drop these rows"
    yield from findings_at("error", "missing scores", missing, advice, describe=table.describe)
    odd = odd_lists(table)
    for name, problem, advice, source in (
        (
            "ranks_contradict",
            "contradict their scores",
            f"check which of the two is right, and rank by it{IN_CODE}ties='rank'",
            LU,
        ),
        (
            "ranks_skipped",
            "have gaps",
            "check whether documents were lost; the documents below count at better ranks",
            TREC_EVAL,
        ),
    ):
        systems = table.systems[np.unique(odd[name] // len(table.topics))]
        what = f"rankings whose ranks {problem}"
        yield from findings_at("warning", what, systems, advice, source, len(odd[name]))


def _lists(table: RunTable, judgments: QrelsTable, depth: int | None) -> Iterator[Finding]:
    lengths = list_lengths(table, judgments)
    systems = table.systems
    empty = lengths == 0
    stray = empty.all(axis=1)
    if not stray.all():
        advice = "compare the topic ids; these systems score 0 on every topic"
        what = "systems without a list for any judged topic"
        yield from findings_at("warning", what, systems[stray], advice)
    missing = empty & ~stray[:, np.newaxis]
    advice = f"a missing list scores 0, which ASL rewards{IN_CODE}ASL(unretrieved='irrel+1')"
    what = "judged topics missing from a run"
    yield from findings_of("warning", what, systems, missing, advice, ALEX)
    longest = int(lengths.max()) if depth is None else depth
    short = (lengths > 0) & (lengths < longest)
    what = f"rankings shorter than {longest}"
    advice = "metrics treat missing ranks as not relevant; compare runs of equal length"
    yield from findings_of("note", what, systems, short, advice, LU)


MILLER = "Miller 2024, arXiv:2411.00640"


def drawn_together(judgments: QrelsTable) -> Iterator[Finding]:
    """Yield findings about topics that may form clusters.

    Either most topics share a prefix before a number with some, but not all, other topics. Or the
    evidence of most topics is in documents that also contain evidence of other topics. Only the
    user knows how topics were sampled.
    """
    topics = judgments.topics.astype(str).to_series()
    counts = topics.str.extract(r"^(.*?\w)[_.:/#-]+\d+$", expand=False).value_counts()
    if 1 < len(counts) < counts.sum() and counts.sum() > len(topics) / 2:
        what = "topics that may have been sampled in clusters, by their ids"
        yield from findings_at("note", what, _counted(counts), ASKED, MILLER)
    if judgments.spans is None:
        return
    pairs = judgments.frame[[judgments.columns[role] for role in (TOPIC, DOC)]]
    pairs = pairs[judgments.grade >= 1].drop_duplicates()
    n_common = pairs[pairs.duplicated(pairs.columns[1], keep=False)]
    number = n_common.iloc[:, 0].nunique()
    if number > len(topics) / 2:
        what = "topics whose evidence is in documents with evidence of other topics"
        where = _counted(n_common.iloc[:, 1].value_counts())
        yield from findings_at("note", what, where, ASKED, MILLER, number)


ASKED = (
    "if they are turns of a conversation, or questions about one document, declare the clusters by "
    "cube.ireval.design(cluster=...); tests and intervals then use them"
)
"""Advice about topics that may be clustered."""


def _counted(counts: pd.Series) -> list[str]:
    return [f"{label} ({n})" for label, n in counts[counts > 1].items()]


EXPLAINED = 0.05
"""Share of explained variance above which a column is reported."""
FEWEST = 5
"""Smallest mean number of topics per value of such a column."""
RARE = 0.05
"""Largest p-value of the explained variance."""


def explaining(cube: xr.Dataset, metrics: Sequence[Metric], depth: int) -> Iterator[Finding]:
    """Yield a finding about topic columns that explain score variance.

    Columns with few values are tested. The share of variance is the adjusted R squared.
    """
    columns = [cube[name] for name in cube.coords if name not in OURS]
    few = [c for c in columns if c.dims == (TOPIC,) and c.size >= FEWEST * len(pd.unique(c.values))]
    if not few or names_declared(cube.attrs):
        return
    scores = scored_at(cube, metrics[:1], depth).isel({METRIC: 0})
    values = scores.mean(SYSTEM).to_series()
    where = [f"{c.name} ({share:.0%})" for c in few if (share := explained(values, c.values))]
    what = f"columns that explain variance of {scores[METRIC].item()} over topics"
    advice = "declare topics with equal values as clusters if they were sampled together, or as "
    advice += f"tasks of equal weight{IN_CODE}design(cluster=...), design(task=...)"
    yield from findings_at("note", what, where, advice, MILLER)


def scored_at(cube: xr.Dataset, metrics: Sequence[Metric], depth: int) -> xr.DataArray:
    """Return scores at a depth, by default nDCG or SpanR."""
    chosen: list[Any] = [*metrics] or ["SpanR" if of_spans(cube) else "nDCG"]
    return score(cube, chosen, at=[min(depth, cube.sizes[DEPTH])]).isel({DEPTH: 0}, drop=True)


def explained(values: pd.Series, labels: Any) -> float:
    """Return the adjusted share of explained variance, if significant.

    Examples
    --------
    >>> values = pd.Series([0.1, 0.2, 0.1, 0.2, 0.8, 0.9, 0.8, 0.9])
    >>> round(explained(values, list("aaaabbbb")), 2), explained(values, list("abababab"))
    (0.98, 0.0)
    """
    codes = pd.factorize(pd.Series(labels), use_na_sentinel=False)[0]
    groups = values.groupby(codes)
    inside = (values - groups.transform("mean")).var(ddof=0)
    total = values.var(ddof=0)
    freedom = values.count() - groups.ngroups
    others = groups.ngroups - 1
    if not (total > 0 and others and freedom > 0):
        return 0.0
    chance = scipy.special.betainc(freedom / 2, others / 2, inside / total)
    share = 1 - inside / total * (freedom + others) / freedom
    return float(share) if share > EXPLAINED and chance < RARE else 0.0
