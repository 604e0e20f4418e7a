"""What a check reports, what is odd about lists, and what is found in frames."""

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
"""Nothing can be scored; numbers may mislead; worth saying beside the numbers."""
IN_CODE = ", in code: "
"""What stands in advice before the code that follows it."""
SHOWN = 5
"""How many places a finding lists."""

_EVERY: ContextVar[bool] = ContextVar("every", default=False)

LU = "Lu, Moffat, Culpepper 2016, doi:10.1007/s10791-016-9282-6"
ALEX = "Alex, Hall, Metzler 2022, doi:10.48550/arXiv.2201.01745"
YILMAZ = "Yilmaz, Aslam 2006, doi:10.1145/1183614.1183633"
SAKAI = "Sakai, Dou 2013, doi:10.1145/2484028.2484031"
TREC_EVAL = "trec_eval, https://github.com/usnistgov/trec_eval"


@dataclass(frozen=True)
class Finding:
    """One thing to know before trusting a number.

    Attributes
    ----------
    severity
        ``"error"``, ``"warning"`` or ``"note"``.
    what
        What was found.
    where
        The first places.
    how_many
        How many there are.
    advice
        What to do.
    reference
        Where this is explained.
    """

    severity: str
    what: str
    where: str
    how_many: int
    advice: str
    reference: str


def listed_findings(places: Iterable[object], total: int | None = None) -> str:
    """Return the first places as text.

    Examples
    --------
    >>> listed_findings(range(9))
    '0, 1, 2, 3, 4, ...'
    """
    names = [str(place) for place in places]
    more = (len(names) if total is None else total) > SHOWN
    if _EVERY.get() or not more:
        return ", ".join(names)
    return ", ".join(names[:SHOWN]) + ", ..."


def findings_at(
    severity: str,
    what: str,
    places: Any,
    advice: str,
    reference: str = TREC_EVAL,
    how_many: int | None = None,
    describe: Callable[[Any], Iterable[object]] | None = None,
) -> Iterator[Finding]:
    """Yield a finding of some places, nothing where there are none.

    Places may be rows, of which a table describes those that are listed.
    """
    if number := len(places):
        if describe is not None:
            places = describe(places if _EVERY.get() else places[: SHOWN + 1])
        where = listed_findings(places, number)
        yield Finding(severity, what, where, how_many or number, advice, reference)


def findings_of(
    severity: str,
    what: str,
    systems: pd.Index,
    lists: NDArray[np.bool_],
    advice: str,
    reference: str = TREC_EVAL,
) -> Iterator[Finding]:
    """Yield a finding of lists, shape (system, topic), the systems that have the most first."""
    counts = lists.sum(axis=1)
    order = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    places = [f"{systems[row]} ({counts[row]})" for row in order]
    yield from findings_at(severity, what, places, advice, reference, int(counts.sum()))


def every_place() -> AbstractContextManager[None]:
    """List every place of a finding for as long as this lasts.

    Examples
    --------
    >>> with every_place():
    ...     listed_findings(range(9))
    '0, 1, 2, 3, 4, 5, 6, 7, 8'
    """
    return during(_EVERY, value=True)


def finding_of(error: IrframeError) -> Finding:
    """Return an error as a finding."""
    what, where = f"wanted {error.wanted}; found {error.found}", listed_findings(error.offenders)
    number = max(1, len(error.offenders))
    return Finding("error", what, where, number, error.advice, TREC_EVAL)


def until_error(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings, and the error that ends them, if one does, as the last."""
    try:
        yield from findings
    except IrframeError as error:
        yield finding_of(error)


class Findings(Kept):
    """A frame of findings, shown with all their words, without columns of empty lists.

    Lists are shown by their first places. Parts of it are plain.
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


def _as_lines(found: Mapping[Any, Any]) -> str:
    """Return a finding as it is printed: how grave, how many, what, and what to do about it."""
    where = found.get("where") or ""
    places = where if isinstance(where, str) else listed_findings(where)
    text = f"{found['severity']:8}{found['how_many']:>6}  {found['what']}"
    text += f": {places}" if places else ""
    indent = " " * 16
    lines = textwrap.fill(text, WIDTH, subsequent_indent=indent)
    advice = textwrap.fill(
        str(found["advice"]), WIDTH, initial_indent=indent, subsequent_indent=indent
    )
    return f"{lines}\n{advice}" if found["advice"] else lines


def findings_frame(findings: Sequence[Finding]) -> Findings:
    """Return findings as a frame, the gravest first."""
    columns = [spec.name for spec in fields(Finding)]
    ordered = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    return Findings([astuple(finding) for finding in ordered], columns=columns)


def without_score(table: RunTable) -> Codes:
    """Return the rows without a score; none, where no row is to have one."""
    return np.arange(0) if table.score is None else np.flatnonzero(np.isnan(table.score))


def odd_lists(table: RunTable) -> dict[str, Codes]:
    """Return the lists, numbered as in `RunTable.group`, that are odd, by what they are.

    ``ranks_repeated``: with a rank twice, or rows without one. ``ranks_skipped``: with ranks that
    leave some out, or begin beyond 2. ``ranks_contradict``: where a lower rank has a higher score.
    ``scores_constant``: of several documents of systems all of whose lists have one score.
    """
    names = ("ranks_repeated", "ranks_skipped", "ranks_contradict", "scores_constant")
    odd: dict[str, Codes] = dict.fromkeys(names, np.arange(0))
    if table.rank is not None:
        order = np.lexsort((table.rank, table.group))
        group, rank = table.group[order], table.rank[order]
        first, inside, step = beginnings(group), np.diff(group) == 0, np.diff(rank)
        unranked, late = group[np.isnan(rank)], group[first[rank[first] > 2]]
        odd["ranks_repeated"] = np.unique(np.append(group[1:][inside & (step == 0)], unranked))
        odd["ranks_skipped"] = np.unique(np.append(group[1:][inside & (step > 1)], late))
        if table.score is not None:
            score = table.score[order]
            odd["ranks_contradict"] = np.unique(group[1:][inside & (score[1:] > score[:-1])])
    if table.score is not None:
        order = np.lexsort((table.score, table.group))
        group, score = table.group[order], table.score[order]
        first = beginnings(group)
        last = np.append(first[1:], len(group)) - 1
        several, systems = last > first, group[first] // len(table.topics)
        decided = np.unique(systems[several & (score[first] != score[last])])
        odd["scores_constant"] = group[first[several & ~np.isin(systems, decided)]]
    return odd


def usual_length(lengths: NDArray[np.integer]) -> int:
    """Return the most frequent of some lengths, the greatest where several are.

    Examples
    --------
    >>> usual_length(np.array([50, 1000, 1000, 2000]))
    1000
    """
    known, counts = np.unique(lengths, return_counts=True)
    return int(known[counts == counts.max()].max(initial=0))


def list_lengths(table: RunTable, judgments: QrelsTable) -> NDArray[np.integer]:
    """Return how many rows every system has for every judged topic, shape (system, topic)."""
    topics = judgments.topics.get_indexer(table.topics)
    shape = (len(table.systems), len(judgments.topics))
    known = topics[table.topic] >= 0
    place = table.system[known].astype(np.int64) * shape[1] + topics[table.topic][known]
    return np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)


def topics_of_both(table: RunTable, judgments: QrelsTable) -> Codes:
    """Return the code of every row's topic in the qrels, one beyond those where it is unknown."""
    placed = judgments.topics.get_indexer(table.topics)
    beyond = len(judgments.topics) + np.arange(len(placed))
    return np.where(placed < 0, beyond, placed)[table.topic]


def check_frames(table: RunTable, judgments: QrelsTable, depth: int | None) -> Iterator[Finding]:
    """Yield what is found in a run frame and a qrels frame, each read by role.

    Parameters
    ----------
    table, judgments
        The frames.
    depth
        Evaluation depth, by default the longest list.
    """
    yield from _topic_findings(table, judgments)
    if judgments.spans is None:
        yield from _document_findings(table, judgments)
    yield from _scores(table)
    yield from _lists(table, judgments, depth)
    topics = judgments.topics
    relevant = np.bincount(judgments.topic[judgments.grade >= 1], minlength=len(topics))
    advice = "they score 0 whatever is retrieved; no_rel='nan' leaves them out"
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
        shared = int(table.topics.astype(str).isin(judgments.topics.astype(str)).sum())
        yield Finding("error", "topics of two types", kinds, shared, CONVERT, TREC_EVAL)
        return
    unknown = table.topics[~table.topics.isin(judgments.topics)]
    if len(unknown) == len(table.topics):
        where = f"runs: {shown(table.topics)}; qrels: {shown(judgments.topics)}"
        advice = "compare leading zeros, prefixes and types"
        yield Finding("error", "no topic in common", where, len(unknown), advice, TREC_EVAL)
        return
    advice = "nothing to do if the track dropped them; they are left out"
    yield from findings_at("warning", "topics of the runs without judgments", unknown, advice, LU)


CONVERT = "convert one side with astype(str)"
APART = "give each text an id of its own if they are several documents"


def _document_findings(table: RunTable, judgments: QrelsTable) -> Iterator[Finding]:
    if pa.types.is_integer(table.doc.type) != pa.types.is_integer(judgments.doc.type):
        where = f"{table.doc.type} in the runs, {judgments.doc.type} in the qrels"
        yield Finding("error", "documents of two types", where, len(table.doc), CONVERT, TREC_EVAL)
        return
    topic = topics_of_both(table, judgments)
    listed_, judged = code_documents(Side(topic, table.doc), Side(judgments.topic, judgments.doc))
    seen, keep = np.isin(listed_, judged), "keep one of them"
    twice, again = listed_again(table.system, listed_), repeated(judged)
    unseen = np.flatnonzero(~seen)
    chunks, spelled = (like(table, judgments, unseen) for like in (like_chunks, like_spelled))
    for severity, what, rows, describe, advice in (
        ("error", "documents listed twice in a ranking", twice, table.describe, keep),
        ("error", "documents judged twice", again, judgments.describe, keep),
        ("warning", CHUNKS, chunks, table.describe, COLLAPSE),
        ("warning", SPELLED, spelled, table.describe, "spell ids in both frames alike"),
        ("warning", "documents with several texts", with_other_texts(table), table.describe, APART),
    ):
        yield from findings_at(severity, what, rows, advice, describe=describe)
    if (topic < len(judgments.topics)).any() and not seen.any():
        docs = [shown(value.as_py() for value in side.doc[:3]) for side in (table, judgments)]
        where = f"runs: {docs[0]}; qrels: {docs[1]}"
        advice = "compare the identifiers; every score is 0"
        what = "no judged document is retrieved"
        yield Finding("warning", what, where, len(judged), advice, TREC_EVAL)


CHUNKS = "documents called like chunks of judged ones"
SPELLED = "documents called like judged ones but for case, Unicode form or './'"


def _scores(table: RunTable) -> Iterator[Finding]:
    missing, describe = without_score(table), table.describe
    yield from findings_at("error", "missing scores", missing, "mend the run", describe=describe)
    odd = odd_lists(table)
    for name, does, advice, source in (
        (
            "ranks_contradict",
            "contradict their scores",
            f"find out which one its authors meant, and rank by that{IN_CODE}ties='rank'",
            LU,
        ),
        (
            "ranks_skipped",
            "leave some out",
            "find out which documents were lost; the documents below count at better ranks",
            TREC_EVAL,
        ),
    ):
        systems = table.systems[np.unique(odd[name] // len(table.topics))]
        what = f"rankings whose ranks {does}"
        yield from findings_at("warning", what, systems, advice, source, len(odd[name]))


def _lists(table: RunTable, judgments: QrelsTable, depth: int | None) -> Iterator[Finding]:
    lengths, systems = list_lengths(table, judgments), table.systems
    empty = lengths == 0
    stray = empty.all(axis=1)
    if not stray.all():
        advice = "compare the topic ids; these systems score 0 on every topic"
        what = "systems without a list for any judged topic"
        yield from findings_at("warning", what, systems[stray], advice)
    missing = empty & ~stray[:, np.newaxis]
    advice = "a missing list scores 0; ASL rewards it, use ASL(unretrieved='irrel+1')"
    what = "judged topics missing from a run"
    yield from findings_of("warning", what, systems, missing, advice, ALEX)
    wanted = int(lengths.max()) if depth is None else depth
    short, what = (lengths > 0) & (lengths < wanted), f"rankings shorter than {wanted}"
    advice = "metrics treat missing ranks as not relevant; compare runs of one length"
    yield from findings_of("note", what, systems, short, advice, LU)


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
    "if they are turns of a conversation, or questions of one document, declare it: "
    "cube.ireval.design(cluster=...); tests and intervals then count these"
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
    if not few or names_declared(cube.attrs):
        return
    scores = scored_at(cube, metrics[:1], depth).isel({METRIC: 0})
    values = scores.mean(SYSTEM).to_series()
    where = [f"{c.name} ({share:.0%})" for c in few if (share := explained(values, c.values))]
    what = f"columns that explain variance of {scores[METRIC].item()} over topics"
    advice = "declare topics that share a value as clusters if they were drawn together, or as "
    advice += f"tasks if these count alike{IN_CODE}design(cluster=...), design(task=...)"
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
