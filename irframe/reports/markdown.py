"""Markdown summary of a comparison."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.comparing.compare import compare
from irframe.comparing.explain import Texts, TextsById, explain, read_texts
from irframe.comparing.freeze import CONDITIONS, FailOn, Frozen, failing
from irframe.cubes.cube import cube as build
from irframe.cubes.groups import REPEAT_OF, level_of, one_of_each, repeat_name
from irframe.cubes.score import score
from irframe.cubes.unjudged import SHARED, bounds, unjudged_shares
from irframe.cubes.view import experiment_of
from irframe.errors import MetricError, cautions_of, unsaid
from irframe.escaping import markdown as literal
from irframe.evaluation.repeats import fold
from irframe.experiments.policy import at_depth
from irframe.experiments.topic_design import without_levels
from irframe.metrics import Metric
from irframe.metrics.facts import facts
from irframe.names import DEPTH, DOC, GRADE, SCORE, SYSTEM, TOPIC
from irframe.printed import fixed_text, interval_text
from irframe.reports.beside import cut, first_runs
from irframe.reports.ladder import first_places
from irframe.tables.captions import caption_text

FALLEN = 10
"""The maximum number of topics in the section of a system."""
BEHIND = 3
"""The maximum number of documents listed for each topic."""
GRAVEST = (words.NO_VERDICT, "worse", "undecided", "not worse", "equivalent", "better")
"""Verdicts, the most serious first."""
Topics = list[Hashable]
Attributes = Mapping[Hashable, Any]
"""Attributes of a comparison."""
HEAD = ("metric", "verdict", "difference", "interval", "topics", "detectable", "unjudged", "bounds")


def markdown(
    comparison: pd.DataFrame,
    cube: xr.Dataset,
    metrics: Sequence[Metric],
    *,
    scores: pd.DataFrame,
    runs: pd.DataFrame,
    texts: Texts | None = None,
    link: str | None = None,
    fail_on: FailOn = "never",
) -> str:
    """Return a Markdown summary of comparisons with a baseline.

    The summary is short enough for a comment on a pull request.

    Parameters
    ----------
    comparison
        Result of `irframe.verbs.compare` with a baseline, for the metrics in `metrics`. The
        result must contain verdicts and detectable differences.
    cube
        Cube of the runs.
    metrics
        Metrics. The first metric determines which topics are shown.
    scores
        Scores that were compared, from `irframe.evaluate`.
    runs
        Runs, which contain the names of unjudged documents.
    texts
        Texts of documents and queries, in any form that `irframe.verbs.explain` accepts.
    link
        Address of the complete report.
    fail_on
        Condition that makes a run fail, one of `irframe.comparing.freeze.CONDITIONS`.

    Returns
    -------
    str
        The heading states whether the runs passed, and contains the condition, margin and baseline.
        Next come the systems that could be first, and a section per system. The section with the
        most serious verdict comes first. A section has a line per metric, and the topics with the
        largest losses. Each topic lists the documents that cause the loss. For systems with
        repeats, the documents are from lists of the first repeat. The text has at most `MOST`
        characters and counts omitted systems.
    """
    of_systems = dict(list(comparison.groupby("system_a", sort=False)))
    gravity = {name: min(map(GRAVEST.index, rows["verdict"])) for name, rows in of_systems.items()}
    failed = failing(comparison, fail_on, comparison.attrs.get("margin"))["system_a"]
    order = sorted(of_systems, key=lambda name: (name not in {*failed}, gravity[name]))
    changes = [Change.of(of_systems[system], cube, scores, runs) for system in order]
    more = f"\n[The whole report]({link}).\n" if link else ""
    end = _notes(comparison, cube.sizes[DEPTH]) + more
    first = outcome(comparison, failed, fail_on)
    first += first_places(scores, str(metrics[0]), comparison.attrs.get("alpha", 0.05))
    room = MOST - len(end[:NOTES]) - len(first) - ROOM
    gate = None if fail_on == "never" else {*failed}
    # the headings of all systems take precedence over the documents of any system
    heads = _fitting((change.head(metrics, comparison.attrs, gate) for change in changes), room)
    room -= sum(len(head) + 1 for head in heads)
    blocks = []
    for head, change in zip(heads, changes, strict=False):
        below = "\n".join(_fitting(change.fallen(metrics[0], texts), room)) if room > ROOM else ""
        room -= len(below) + 2
        blocks += [head, below + "\n"] if below else [head]
    if len(heads) < len(changes):
        blocks.append(f"{len(changes) - len(heads)} more systems are left out here.\n")
    return "\n".join([first, *blocks, end[:NOTES]])


def outcome(comparison: pd.DataFrame, failed: pd.Series, fail_on: FailOn) -> str:
    """Return the heading: result, rule, margin and baseline."""
    attributes = comparison.attrs
    margin = f"margin {attributes['margin']}" if "margin" in attributes else "no margin"
    against = attributes.get("frozen") or f"baseline {attributes['baselines'][0]}"
    systems = comparison["system_a"].nunique()
    many = f"{failed.nunique()} of {words.counted(systems, SYSTEM)}" if len(failed) else ""
    has_gate = fail_on != "never"
    summary = ", ".join(filter(None, [fail_on * has_gate, margin, literal(against), many]))
    cautions = "".join(f" Beware: {literal(caution)}." for caution in cautions_of(attributes))
    if not has_gate:
        return f"# Comparison: {summary}\n" + f"\n{cautions.strip()}\n" * bool(cautions)
    rule = f"What fails ({fail_on}): {CONDITIONS[fail_on]}."
    return f"# {'FAILED' if len(failed) else 'PASSED'}: {summary}\n\n{rule}{cautions}\n"


MOST = 10_000
"""Largest number of characters of the summary."""
NOTES = 3_000
"""Largest number of characters of the notes at the end of the summary."""
ROOM = 200
"""The number of characters reserved for the line that counts omitted systems."""


def _fitting(lines: Iterator[str], room: int) -> list[str]:
    """Return the lines that fit into a number of characters."""
    fitting: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        fitting.append(line)
    return fitting


class Change(NamedTuple):
    """Comparison of one system with a baseline system or file."""

    rows: pd.DataFrame
    """Rows of the system in the comparison."""
    pair: xr.Dataset
    """Cube of the system and the baseline, or of the system alone if the baseline is a file."""
    scores: pd.DataFrame
    """Scores of the system and the baseline, indexed (system, topic)."""
    runs: pd.DataFrame
    repeat: str = ""
    """Word for repeats, such as seed, or "" if there are none. Lists are from the first repeat."""
    lists: pd.DataFrame | None = None
    """First documents of each list of a baseline file, or None if the file has none."""

    @classmethod
    def of(
        cls, rows: pd.DataFrame, cube: xr.Dataset, scores: pd.DataFrame, runs: pd.DataFrame
    ) -> "Change":
        """Return the comparison of one system from its rows."""
        system = rows["system_a"].iloc[0]
        baseline = rows["system_b"].iloc[0]
        both = [system, baseline]
        repeat = ""
        if REPEAT_OF in cube.coords:
            repeat = repeat_name(scores)
            names = [name for name in scores.index.names if name != level_of(scores)]
            scores = scores.groupby(level=names, sort=False).mean()
            runs = first_runs(cube, fold(runs).runs)
            cube = one_of_each(cube)
        lists = None
        scores = without_levels(scores)
        if "frozen" in rows.attrs:
            both = [system]
            frozen = Frozen.read(rows.attrs["baseline"])
            lists = frozen.lists(baseline)
            scores = pd.concat([scores, pd.concat({baseline: frozen.table})])
        # without dtype=object, pandas cuts names at NUL characters
        positions = cube.indexes[SYSTEM].get_indexer(pd.Index(both, dtype=object))
        return cls(rows, cube.isel({SYSTEM: positions}), scores, runs, repeat, lists)

    @property
    def names(self) -> tuple[Any, Any]:
        """Names of the system and the baseline."""
        return self.rows["system_a"].iloc[0], self.rows["system_b"].iloc[0]

    def head(
        self, metrics: Sequence[Metric], attributes: Attributes, failed: set[Hashable] | None
    ) -> str:
        """Return the heading and table of the system.

        The heading contains the verdicts and, if `failed` is passed, whether the system failed.
        """
        system, baseline = map(_cell, self.names)
        verdicts = ", ".join(name for name in GRAVEST if (self.rows["verdict"] == name).any())
        gate = "" if failed is None else ("PASSED: ", "FAILED: ")[self.names[0] in failed]
        title = f"## {gate}{system} against {baseline}, {verdicts}\n"
        # the cube contains the first repeat alone, whose bounds do not apply to means over repeats
        decided = None if self.repeat else attributes
        return "\n".join([title, *self.lines(metrics, decided)]) + "\n"

    def lines(self, metrics: Sequence[Metric], attributes: Attributes | None) -> Iterator[str]:
        """Yield the lines of the table, one per metric."""
        yield _row(HEAD)
        yield _row(["---"] * len(HEAD))
        topics = self.pair[TOPIC].to_numpy().tolist()
        rows: Iterator[Any] = self.rows.itertuples()
        for metric, row in zip(metrics, rows, strict=True):
            pair = (self.both(metric, topics) or (self.pair,))[0]
            ends = interval_text(row.ci_low, row.ci_high, "+")
            detectable = "-" if pd.isna(row.detectable) else f"{row.detectable:.4f}"
            cells = [_cell(row.metric), f"**{row.verdict}**", fixed_text(row.difference, sign="+")]
            cells += [ends, str(row.n_topics), detectable, _unjudged_shares(pair, metric)]
            decided = None if row.verdict == words.NO_VERDICT else attributes
            yield _row([*cells, _within_bounds(pair, metric, decided)])

    def changes(self, metric: Metric) -> pd.DataFrame:
        """Return scores ``before`` and ``after`` per topic, and the gain.

        The column ``rose`` contains the gain, which is negative if the system is worse than the
        baseline.
        """
        system, baseline = self.names
        column = self.scores[str(metric)]
        columns = {"before": column.loc[baseline], "after": column.loc[system]}
        frame = pd.DataFrame(columns).dropna()
        rose = facts(metric).sign * (frame["after"] - frame["before"]).round(12)
        return frame.assign(rose=rose)

    def fallen(self, metric: Metric, texts: Texts | None) -> Iterator[str]:
        """Yield the topics with the largest losses and their documents."""
        changes = self.changes(metric)
        fallen = changes[changes["rose"] < 0].sort_values("rose", kind="stable").head(FALLEN)
        count = f"{int((changes['rose'] < 0).sum())} of {len(changes)}"
        yield f"Worse by {_cell(metric)} on {count} topics" + (", most on:" if len(fallen) else ".")
        if not len(fallen):
            return
        system, baseline = map(_cell, self.names)
        behind, all_texts = self.behind(metric, fallen.index.tolist(), texts)
        against = "" if self.both(metric, fallen.index.tolist()) else f", against {BEST}"
        against += f", in the first {self.repeat} of each" if self.repeat else ""
        yield "\n" + _row([TOPIC, baseline, system, f"documents behind it{against}"])
        yield _row(["---"] * 4)
        for topic, row in fallen.iterrows():
            query = all_texts.queries.get(str(topic))
            name = _cell(topic) + (f": {_cell(query)}" if query else "")
            documents = "<br>".join(behind.get(topic, ["not a sum over documents"]))
            yield _row([name, *map(fixed_text, (row["before"], row["after"])), documents])

    def lost(self, metric: Metric, topics: Topics) -> pd.DataFrame | None:
        """Return the documents that lowered the system's score.

        Each document contributes less to the score of the system than to that of the baseline. The
        best possible ranking replaces a baseline file without documents. Return None if the metric
        is not a sum over documents.
        """
        uncut = at_depth(metric, None)
        if uncut.terms is None:
            return None
        both = self.both(metric, topics)
        pair, runs = both or _cube_with(self.pair, self.runs, topics, None)
        if pair.sizes[SYSTEM] == 1:  # the system has no list on these topics
            return pd.DataFrame(columns=[TOPIC, DOC])
        a, b = pair[SYSTEM].to_numpy()
        documents = explain(pair, a, b, uncut, at=_depth(pair, metric), topics=topics, runs=runs)
        return documents[facts(metric).sign * documents["difference"] < 0]

    def both(self, metric: Metric, topics: Topics) -> tuple[xr.Dataset, pd.DataFrame] | None:
        """Return a cube and runs with the baseline, if known.

        A baseline file must contain as many documents per list as the metric reads.
        """
        if self.pair.sizes[SYSTEM] == 2:
            return self.pair, self.runs
        # in the lists of a baseline file, the score of a document is its negative rank
        n_documents = 0 if self.lists is None else int(-self.lists[SCORE].min())
        if self.lists is None or metric.depth is None or n_documents < metric.depth:
            return None
        lists = self.lists[self.lists[TOPIC].isin(topics)]
        return _cube_with(self.pair, self.runs, topics, lists)

    def behind(
        self, metric: Metric, topics: Topics, texts: Texts | None
    ) -> tuple[dict[Hashable, list[str]], TextsById]:
        """Describe documents from `lost` by topic; return texts too."""
        lost = self.lost(metric, topics)
        if lost is None:
            return {}, read_texts(texts, [], topics)
        lost = lost.groupby(TOPIC, sort=False).head(BEHIND)
        all_texts = read_texts(texts, lost[DOC].dropna(), topics)
        described: dict[Hashable, list[str]] = {topic: [] for topic in topics}
        for row in lost.itertuples():
            described[row.topic].append(_document(row, all_texts.documents.get(str(row.doc))))
        return described, all_texts


BEST = "the best ranking"
"""Name of the best possible ranking, which has the highest grades first."""


def _cube_with(
    single: xr.Dataset, runs: pd.DataFrame, topics: Topics, lists: pd.DataFrame | None
) -> tuple[xr.Dataset, pd.DataFrame]:
    """Return a cube and runs with other lists added.

    By default, the other lists are the best possible rankings. If the system has no list on any of
    the topics, the cube and the runs of the system alone are returned.
    """
    base = experiment_of(single).judgments
    named = words.roles(runs.columns)
    judged = pd.DataFrame({TOPIC: base.topics[base.topic], DOC: base.names, GRADE: base.grade})
    judged = judged[judged[TOPIC].isin(topics)]
    [system] = single[SYSTEM].to_numpy()
    hits = runs[(runs[named[SYSTEM]] == system) & runs[named[TOPIC]].isin(topics)]
    # both kinds of lists are ranked by score, so ranks are converted to negative scores
    score = hits[named[SCORE]] if SCORE in named else -hits[named[words.RANK]]
    columns = {
        SYSTEM: system,
        TOPIC: hits[named[TOPIC]],
        DOC: hits[named[DOC]],
        SCORE: score,
    }
    if lists is None:
        # with grades as scores, the ranking is the best possible one
        lists = judged[judged[GRADE] > 0].rename(columns={GRADE: SCORE}).assign(**{SYSTEM: BEST})
    if hits.empty:
        return single, runs
    both = pd.concat([pd.DataFrame(columns), lists.astype({SCORE: float})], ignore_index=True)
    with unsaid():
        return build(both, judged, depth=single.sizes[DEPTH]), both


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: object) -> str:
    """Return the text of a table cell, shortened if long."""
    return literal(cut(str(value)))


def _depth(pair: xr.Dataset, metric: Metric) -> int:
    return min(metric.depth or pair.sizes[DEPTH], pair.sizes[DEPTH])


def _unjudged_shares(pair: xr.Dataset, metric: Metric) -> str:
    """Return the shares of unjudged documents of both systems."""
    shares = unjudged_shares(score(pair, *SHARED, at=_depth(pair, metric))).to_numpy().ravel()
    return ", ".join("none" if np.isnan(share) else f"{100 * share:.1f}%" for share in shares)


def _within_bounds(pair: xr.Dataset, metric: Metric, attributes: Attributes | None) -> str:
    """Return the lowest and highest possible verdict.

    Each verdict assumes one extreme of the possible grades of the unjudged documents.
    """
    if attributes is None or words.DRAWN in attributes or pair.sizes[SYSTEM] == 1:
        return "not known"
    options = {name: attributes[name] for name in ("margin", "power") if name in attributes}
    options = (options or {"power": 0.8}) | {"alpha": attributes.get("alpha", 0.05)}
    baseline = pair[SYSTEM].to_numpy()[1]
    try:
        within = bounds(pair, at_depth(metric, None), at=_depth(pair, metric))
        comparison = compare(within, adjust=None, baseline=baseline, **options)
    except MetricError:
        return "not known"
    ends = [comparison[f"verdict_{end}"].iloc[0] for end in ("lowest", "highest")]
    return " to ".join(dict.fromkeys(ends))


def _document(row: Any, snippet: str | None) -> str:
    """Describe a document that lowered the score on a topic.

    The text contains the grade, the ranks before and after, and the difference.
    """
    ranks = " to ".join("none" if pd.isna(rank) else str(rank) for rank in (row.rank_b, row.rank_a))
    grade = "unjudged" if pd.isna(row.grade) else f"grade {row.grade}"
    text = f"{_cell(row.doc)} ({grade}), rank {ranks}: {fixed_text(row.difference, sign='+')}"
    return text + (f" <i>{_cell(snippet)}</i>" if snippet else "")


def _notes(comparison: pd.DataFrame, deepest: int) -> str:
    """Return the notes on test, metrics and bounds."""
    decided = {name: value for name, value in comparison.attrs.items() if name != words.CAUTION}
    power = comparison.attrs.get("power", 0.8)
    no_documents = ""
    if "frozen" in comparison.attrs and Frozen.read(comparison.attrs["baseline"]).documents is None:
        no_documents = (
            " The file of the baseline contains no documents. Bounds are therefore not known, and "
            f"the documents behind a loss are found by comparison with {BEST}."
        )
    return (
        f"{literal(caption_text(decided))}. "
        "Difference: the mean or total of the system minus that of the baseline. "
        "Detectable: the smallest true difference that an uncorrected two-sided t-test detects "
        f"with power {np.round(power, 3):g}. Unjudged: the mean shares in the system and "
        f"the baseline, down to the metric's depth or {deepest}. Bounds: the verdicts of "
        "uncorrected t-tests with the worst and the best possible grades of unjudged documents."
        f"{no_documents}\n"
    )
