"""Sections that compare systems by lists, outcomes, orderings and costs."""

import gzip
import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import Array, low_to_high, on_front
from irframe.comparing.compare import compare
from irframe.comparing.explain import SNIPPET, TextsById, document_names
from irframe.cubes.groups import REPEAT_OF
from irframe.cubes.score import score
from irframe.cubes.view import experiment_of, of_spans
from irframe.effort.outcomes import outcomes
from irframe.errors import InputError, MetricError, unsaid
from irframe.experiments.spans import PAIR
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.orderings.orderings import orderings
from irframe.reports import figures
from irframe.reports.ladder import worst_and_best
from irframe.reports.setting import PagePart, computed_sections
from irframe.reports.stages import stage_losses, stages_of
from irframe.reports.view import View
from irframe.reports.words import NAMED, Claim, Values, say, short, signed, spoken, text, texts
from irframe.scores.summary import summary

SHOWN = 20
"""The number of ranks of each list that the page shows."""


@dataclass(frozen=True, eq=False)
class TopLists:
    """Documents and grades at the top of every ranking.

    Parameters
    ----------
    ids
        Names of the documents in the lists.
    doc
        Position of each document in `ids`, indexed (system, topic, rank). The position is -1 if
        there is no document at the rank, or the name of the document is unknown.
    grade
        Grade of each document, indexed (system, topic, rank). The grade is `UNJUDGED` for unjudged
        documents, and `EMPTY` after the end of a list.
    """

    ids: list[str]
    doc: NDArray[np.int32]
    grade: NDArray[np.int16]

    @cached_property
    def names(self) -> list[str]:
        """Names of the documents as the page shows them."""
        return texts(self.ids)


def top_lists(cube: xr.Dataset, runs: pd.DataFrame | None) -> TopLists:
    """Return the first documents of every ranking of a cube.

    Parameters
    ----------
    cube
        The cube.
    runs
        Runs of the cube, which contain the names of unjudged documents. Without runs,
        unjudged documents of saved cubes have no name.
    """
    grade = cube["grade"].to_numpy()[..., :SHOWN].astype(np.int16)
    shown = grade.shape[-1]
    try:
        named = document_names(cube, shown, None if of_spans(cube) else runs)
    except InputError:  # the runs are not those from which the cube was made
        named = document_names(cube, shown)
    if of_spans(cube):
        _name_spans(cube, grade, named)
    is_listed = grade != words.EMPTY
    codes, names = pd.factorize(named[is_listed])
    doc = np.full(grade.shape, -1, np.int32)
    doc[is_listed] = codes
    return TopLists([*map(str, names)], doc, grade)


def _name_spans(cube: xr.Dataset, grade: NDArray[np.int16], named: Array) -> None:
    """Name spans that contain evidence by document, start and end.

    A retrieved span without evidence is not unjudged, so its grade is set to 0.
    """
    experiment = experiment_of(cube)
    spans: Any = experiment.judgments.table.spans
    hits: Any = experiment.hits
    has_evidence = grade >= 0
    at = hits.first.reshape(*hits.length.shape, 1) + np.arange(grade.shape[-1])
    rows = at[has_evidence]
    pos, start, end = (hits.along[column][rows] for column in (PAIR, words.START, words.END))
    borders = zip(spans.docs[pos % (len(spans.docs) + 1)], start, end, strict=True)
    named[has_evidence] = [f"{doc} [{first}, {last})" for doc, first, last in borders]
    grade[grade == words.UNJUDGED] = 0


def first_runs(cube: xr.Dataset, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of each system's first repeat.

    Parameters
    ----------
    cube
        Cube of the runs. If the cube has no repeats, the runs are returned unchanged.
    runs
        Runs in which every repeat is a system.
    """
    if REPEAT_OF not in cube.coords:
        return runs
    owners = cube[REPEAT_OF].to_series().drop_duplicates()
    role = words.roles(runs.columns)[SYSTEM]
    first = runs[runs[role].isin(owners.index)]
    return first.assign(**{str(role): first[role].map(owners)})


MARKS = {words.UNJUDGED: "?", words.EMPTY: ""}
"""Texts that replace the grades of unjudged documents and of ranks without a document."""
PAGE_BYTES = 3_000_000
"""The maximum size of a page with texts, in bytes. Texts that do not fit are left out."""
OPENING_BYTES = 2 * SHOWN * 2 * SNIPPET
"""The maximum size of the texts in the two lists of the opening page, in uncompressed bytes."""
SPELLED = 4 / 3
"""The number of characters that base64 needs for a byte."""


@dataclass(frozen=True, eq=False)
class Snippets:
    """Shortened texts of documents and queries.

    Parameters
    ----------
    documents
        Mapping from a position in `TopLists.names` to the beginning of the document's text.
    queries
        Mapping from the position of a topic to its query.
    topics
        Number of topics whose documents have texts.
    """

    documents: dict[int, str] = field(default_factory=dict)
    queries: dict[int, str] = field(default_factory=dict)
    topics: int = 0


def cut(text: str) -> str:
    r"""Shorten a text, and put it on one line.

    Examples
    --------
    >>> cut("two\n lines"), len(cut("x" * 400))
    ('two lines', 300)
    """
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET else f"{line[: SNIPPET - 1]}…"


def choose(
    texts: TextsById, lists: TopLists, topics: Sequence[str], order: NDArray[np.intp], room: int
) -> Snippets:
    """Return the texts that fit into a page.

    Texts are added topic by topic, until the next topic does not fit.

    Parameters
    ----------
    texts
        All texts.
    lists
        First documents of every ranking.
    topics
        The topics.
    order
        Positions of the topics, in the order in which their texts are added.
    room
        Number of bytes that the texts may add to the page.
    """
    queries = _by_position(texts.queries, topics)
    beginnings = _by_position(texts.documents, lists.ids)
    chosen: dict[int, str] = {}
    room -= OPENING_BYTES + _size(queries)
    for number, topic in enumerate(order):
        docs = np.unique(lists.doc[:, topic]).tolist()
        new = {doc: beginnings[doc] for doc in docs if doc in beginnings and doc not in chosen}
        room -= _size(new)
        if room < 0:
            return Snippets(chosen, queries, number)
        chosen |= new
    return Snippets(chosen, queries, len(order))


def _by_position(texts: dict[str, str], names: Sequence[str]) -> dict[int, str]:
    """Return shortened texts, by positions of documents or topics."""
    return {pos: cut(texts[name]) for pos, name in enumerate(names) if name in texts}


def _size(texts: dict[int, str]) -> int:
    """Return the size of compressed texts in base64."""
    return int(SPELLED * len(gzip.compress(json.dumps(texts).encode(), 9))) if texts else 0


def by_spread(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return topics sorted by the spread of their scores.

    The topic with the largest standard deviation over systems comes first.
    """
    scored = np.isfinite(scores).sum(axis=0) > 1
    spread = np.where(scored, np.nanstd(np.where(scored, scores, 0.0), axis=0), -1.0)
    return np.argsort(-spread, kind="stable")


def pair_at(a: int, b: int, systems: int) -> int:
    """Return the position of a pair among all pairs.

    Examples
    --------
    >>> pair_at(0, 1, 3), pair_at(2, 1, 3)
    (0, 2)
    """
    low, high = sorted([a, b])
    return low * systems - low * (low + 1) // 2 + high - low - 1


NAMELESS = "(unjudged)"
"""The text that replaces the unknown id of an unjudged document."""


@dataclass(frozen=True, eq=False)
class Duel:
    """Two systems that the page compares when it opens.

    Parameters
    ----------
    view
        Results for all topics, or for one collection.
    lists
        First documents of every ranking.
    a, b
        Positions of the two systems in the cube.
    """

    view: View
    lists: TopLists
    a: int
    b: int

    @cached_property
    def names(self) -> tuple[str, str]:
        """Names of the two systems."""
        systems = self.view.setting.cube[SYSTEM].to_numpy()
        return text(systems[self.a]), text(systems[self.b])

    @cached_property
    def bars(self) -> pd.DataFrame:
        """Score of `a` minus score of `b` per topic, descending."""
        systems = self.view.setting.cube[SYSTEM].to_numpy()
        scores = self.view.scores.isel({METRIC: 0, DEPTH: self.view.setting.pos})
        a, b = (scores.sel({SYSTEM: systems[pos]}).to_numpy() for pos in (self.a, self.b))
        topics = texts(scores[TOPIC].to_numpy())
        frame = pd.DataFrame({TOPIC: topics, "difference": (a - b).round(TIE)}).dropna()
        better = np.sign(frame["difference"]) * self.view.setting.facts[0].sign
        frame["ahead"] = better.map({1: "a", -1: "b", 0: "neither"})
        return frame.sort_values("difference", ascending=False, ignore_index=True, kind="stable")

    @property
    def says(self) -> str:
        """Sentence on the number of topics that each system wins."""
        ahead, behind = (int((self.bars["ahead"] == side).sum()) for side in "ab")
        a, b = self.names
        key = "duel.says" if ahead + behind else "duel.same"
        return say(key, a=a, b=b, n=len(self.bars), ahead=ahead, behind=behind)

    @property
    def further(self) -> list[str]:
        """Sentences on other depths, the median system and unjudged documents."""
        if self.view.is_single:
            return []
        return [*filter(None, spoken([self._by_depth(), self._against_median(), self._at_worst()]))]

    @cached_property
    def _positions(self) -> list[int]:
        return [self.view.systems.index(name) for name in self.names]

    def _by_depth(self) -> Claim:
        """Name the depths at which the two systems differ significantly."""
        setting = self.view.setting
        a, b = self._positions
        pair = pair_at(a, b, len(self.view.systems))
        significant = np.asarray(self.view.strength)[0, :, pair] > 0
        # False at both ends gives each run of significant depths a beginning and an end
        cuts = np.flatnonzero(np.diff(np.r_[False, significant, False])).reshape(-1, 2)
        ends = [(setting.depths[first], setting.depths[last - 1]) for first, last in cuts]
        spans = [low_to_high(depths) for depths in ends]
        more = [f"and {len(spans) - NAMED} more"] if len(spans) > NAMED else []
        values: Values = {"spans": ", ".join([*spans[:NAMED], *more])}
        values |= {"n": int(significant.sum()), "of": len(significant)}
        values["what"] = words.plural(setting.axis.dim)
        key = {0: "no", len(significant): "all"}.get(values["n"], "some")
        return (f"duel.{key}_depths", values) if len(significant) > 1 else None

    def _against_median(self) -> Claim:
        """Compare both systems with the median system of the leaderboard."""
        view = self.view
        at = view.setting.pos
        order = view.ranked["order"][0, at]
        mean = view.means[0, at]
        median = int(order[(len(order) - 1) // 2])
        differences = []
        for pos in self._positions:
            level = pos != median and view.strength[0, at, pair_at(pos, median, len(order))]
            significance = f"p < {view.levels[level - 1]:g}" if level else "not significant"
            if pos != median and len(order) > 2:
                difference = signed(mean[pos] - mean[median])
                differences.append(f"{short(view.systems[pos])} {difference} ({significance})")
        values = {"median": view.systems[median], "differences": ", ".join(differences)}
        return ("duel.median", values) if differences else None

    def _at_worst(self) -> Claim:
        """Check whether further judgments could change the difference's sign."""
        if (ends := worst_and_best(self.view, *self._positions)) is None:
            return None
        low, high = ends
        return f"duel.{'holds' if low * high > 0 else 'open'}", {"low": low, "high": high}

    @property
    def lists_say(self) -> str:
        """Sentence on the first rank at which the lists differ."""
        key = "lists.parting" if self.parting else "lists.same"
        return say(key, topic=self.topic, rank=self.parting or len(self.rows))

    @cached_property
    def topic(self) -> str:
        """Topic with the largest absolute difference."""
        most = int(self.bars["difference"].abs().to_numpy().argmax())
        return str(self.bars[TOPIC].iloc[most])

    @cached_property
    def rows(self) -> list[Values]:
        """Rows of the two lists, one per rank."""
        topics = texts(self.view.setting.cube[TOPIC].to_numpy())
        topic = topics.index(self.topic)
        names = [*self.lists.names, NAMELESS]
        sides = [
            [
                ("" if grade == words.EMPTY else names[doc], MARKS.get(grade, str(grade)))
                for doc, grade in zip(
                    self.lists.doc[system, topic], self.lists.grade[system, topic], strict=True
                )
            ]
            for system in (self.a, self.b)
        ]
        pairs = enumerate(zip(*sides, strict=True), start=1)
        return [{"rank": number, "sides": pair} for number, pair in pairs]

    @cached_property
    def parting(self) -> int | None:
        """First rank at which the lists differ, or None."""
        return next((row["rank"] for row in self.rows if row["sides"][0] != row["sides"][1]), None)


NAMES = {
    "**ns": "first ahead, then undecided",
    "ns": "ahead",
    "=": "equal",
    "ni": "behind",
    "**ni": "first behind, then undecided",
}
"""Mapping from a column of `orderings` to its heading, which compares system and baseline."""
OUTCOMES = (
    *("neither", "a_only", "b_only", "both", "p_answered", "esl_a", "esl_b"),
    *("p_esl_wilcoxon", "better", "significantly_better", "no_harm"),
)


def comparisons(view: View) -> list[PagePart]:
    """Return the sections on outcomes, orderings, losses and effort."""
    if of_spans(view.cube):
        return []
    makers: list[tuple[str, str, Callable[[View], PagePart]]] = []
    single = view.setting.baselines if view.repeats is None else ()
    against = (
        ("outcomes", "the systems that answer more topics and rank answers higher", _outcomes),
        ("orderings", "the systems that are ahead by every metric", _orderings),
    )
    for (number, name), (kind, subject, make) in product(enumerate(single, start=1), against):
        key = kind if number == 1 else f"{kind}-{number}"
        makers.append((key, subject, partial(make, baseline=name, key=key)))
    if stages_of(view.cube):
        makers.append(("losses", "the losses by stage", stage_losses))
    makers += [
        ("lengths", "the search lengths", partial(_lengths, metric="ASL")),
        ("effort", "the effort of users", partial(_lengths, metric="Twist")),
    ]
    return computed_sections(view, makers)


def _outcomes(view: View, baseline: Hashable, key: str) -> PagePart:
    depth = min(100, view.cube.sizes[DEPTH])
    pairs = outcomes(view.cube, baseline=baseline, depth=depth).summary
    better = int(pairs["significantly_better"].sum())
    says = say("outcomes.says", better=better, n=len(pairs), baseline=text(baseline))
    method = [say("outcomes.how", depth=depth)]
    table = pairs[["system_b", *OUTCOMES]].rename(columns={"system_b": SYSTEM})
    guide = "questions/state-of-the-art"
    return PagePart(key, says, method, "10.1145/3404835.3463034", table, guide=guide)


def _orderings(view: View, baseline: Hashable, key: str) -> PagePart:
    depth = view.setting.rank
    grouped = orderings(view.cube, baseline, depth=depth, labels=False).isel({DEPTH: -1})
    names = [NAMES[group] for group in grouped["group"].to_numpy().tolist()]
    counts = pd.DataFrame(grouped["count"].to_numpy(), columns=names)
    counts.insert(0, SYSTEM, grouped["system_b"].to_numpy())
    counts["p"] = grouped["p"].to_numpy()
    counts = counts.sort_values("ahead", ascending=False, ignore_index=True)
    ahead = int(((counts["ahead"] > counts["behind"]) & (counts["p"] < view.setting.alpha)).sum())
    says = say("orderings.says", ahead=ahead, n=len(counts), baseline=text(baseline))
    method = [say("orderings.how", depth=depth, alpha=view.setting.alpha)]
    return PagePart(key, says, method, "10.1002/asi.24874", counts, guide="questions/hedge")


def _changes_from_baselines(view: View, scored: xr.DataArray) -> pd.DataFrame:
    """Return each system's difference from each baseline, with p-values."""
    setting = view.setting
    systems = view.cube.indexes[SYSTEM]
    baselines = [name for name in setting.baselines if name in systems]
    columns = pd.DataFrame(index=systems)
    if not baselines or view.is_single:
        return columns
    with unsaid():  # the leaderboard already shows the cautions about comparisons with baselines
        pairs = compare(scored, setting.pairing.decided, baseline=baselines)
    turned = {"system_a": "system_b", "system_b": "system_a"}
    both = pd.concat([pairs, pairs.rename(columns=turned).assign(difference=-pairs["difference"])])
    for name in baselines:
        rows = both[both["system_b"] == name].drop_duplicates("system_a").set_index("system_a")
        of_baseline = f" from {text(name)}" if len(baselines) > 1 else ""
        columns[f"change{of_baseline}"] = rows["difference"]
        corrected = " (corrected)" if setting.pairing.corrected else ""
        columns[f"p{of_baseline}{corrected}"] = rows["p_adjusted"]
    return columns


SUBJECTS = {
    "ASL": ("lengths", "10.48550/arXiv.2201.01745", "questions/beyond-the-top"),
    "Twist": ("effort", "10.1002/asi.23416", "questions/effort"),
}
"""Mapping from a metric to the key, the DOI and the documentation page of its section."""


def _lengths(view: View, metric: str) -> PagePart:
    key, source, guide = SUBJECTS[metric]
    cost = facts(metric).sign < 0
    depth = view.setting.rank if cost else view.cube.sizes[DEPTH]
    try:
        scored = view.costs.sel({METRIC: [metric], DEPTH: [depth]})
    except MetricError:  # `costs` fails if ASL or Twist is undefined, even if `metric` is defined
        scored = score(view.full_cube, metric, at=[depth])
    summed = summary(scored)
    frame = summed.isel({METRIC: 0, DEPTH: 0}, drop=True).to_dataframe().reset_index()
    costs = frame["mean"].to_numpy().round(TIE) * (1 if cost else -1)
    frame = frame.iloc[np.argsort(costs, kind="stable")].reset_index(drop=True)
    columns = frame[[SYSTEM, "mean", "ci_low", "ci_high", "n"]]
    columns = columns.join(_changes_from_baselines(view, scored), SYSTEM)
    only_topics = summed.attrs.get("over", "topic") == "topic"
    counted = "" if only_topics else f" and {words.plural(summed.attrs[words.REPEATED])}"
    key_of_method = f"lengths.{'cost' if cost else 'gain'}"
    method: list[str] = [say(key_of_method, metric=metric, depth=depth, counted=counted)]
    method += _front(view, metric, frame)
    best = frame[SYSTEM][np.sort(costs) == np.sort(costs)[0]].map(text).tolist()
    says = say(f"lengths.{metric}" if best else "lengths.unscored", metric=metric, names=best)
    drawn = frame.rename(columns={"ci_low": "lower", "ci_high": "upper"})
    figure = figures.ranges(drawn, f"mean {metric}")
    return PagePart(key, says, method, source, columns, figure, guide)


def _front(view: View, cost: str, frame: pd.DataFrame) -> list[str]:
    """Return the sentence on the Pareto front, if any.

    The front compares each system's mean score on the first metric with its mean cost.
    """
    setting = view.setting
    effect = setting.facts[0]
    if view.is_single or facts(cost).sign > 0 or cost in setting.metrics[0]:
        return []
    means = view.ranks["mean"].isel({METRIC: 0, DEPTH: setting.pos}).to_series()
    paid = frame.set_index(SYSTEM)[["mean"]].assign(effect=effect.sign * means).dropna()
    front = paid.index[on_front(*paid.to_numpy().T)]
    values = {"effect": setting.metrics[0], "metric": cost, "names": texts(front)}
    return [say("lengths.front", **values)] if len(front) else []
