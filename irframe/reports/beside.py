"""What there is besides means: lists and their texts, two systems topic by topic, outcomes."""

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe import names as words
from irframe.comparing.compare import compare
from irframe.comparing.explain import SNIPPET, Told, names_of
from irframe.cubes.groups import REPEAT_OF
from irframe.cubes.score import score
from irframe.cubes.view import experiment_of, of_spans
from irframe.effort.outcomes import outcomes
from irframe.errors import InputError, unsaid
from irframe.experiments.spans import PLACE
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.orderings.orderings import orderings
from irframe.plots.ladder import on_front
from irframe.reports import figures
from irframe.reports.ladder import worst_and_best
from irframe.reports.setting import NAMED, PagePart, parts, say, short, signed, spoken, text, texts
from irframe.reports.stages import stage_losses, stages_of
from irframe.reports.view import View
from irframe.scores.summary import summary

SHOWN = 20
"""Ranks that are shown."""


@dataclass(frozen=True, eq=False)
class TopLists:
    """Documents and grades at the top of every ranking.

    Parameters
    ----------
    ids
        The documents that occur.
    doc
        Their positions there, -1 where a name is not known or nothing is listed;
        (system, topic, rank).
    grade
        Their grades, with the marks `UNJUDGED` and `EMPTY`; (system, topic, rank).
    """

    ids: list[str]
    doc: NDArray[np.int32]
    grade: NDArray[np.int16]

    @cached_property
    def names(self) -> list[str]:
        """What the page calls the documents."""
        return texts(self.ids)


def top_lists(cube: xr.Dataset, runs: pd.DataFrame | None) -> TopLists:
    """Return the top of every ranking of a cube.

    Parameters
    ----------
    cube
        The cube.
    runs
        The run frame it was built from, which alone knows what unjudged documents are called;
        without one they have no name.
    """
    grade = cube["grade"].to_numpy()[..., :SHOWN].astype(np.int16)
    shown = grade.shape[-1]
    try:
        named = names_of(cube, shown, None if of_spans(cube) else runs)
    except InputError:
        named = names_of(cube, shown)
    if of_spans(cube):
        _name_spans(cube, grade, named)
    there = grade != words.EMPTY
    codes, names = pd.factorize(named[there])
    doc = np.full(grade.shape, -1, np.int32)
    doc[there] = codes
    return TopLists([*map(str, names)], doc, grade)


def _name_spans(cube: xr.Dataset, grade: NDArray[np.int16], named: Any) -> None:
    """Call what holds evidence by its own borders; all else holds none, and so has grade 0."""
    experiment = experiment_of(cube)
    spans: Any = experiment.judgments.table.spans
    hits: Any = experiment.hits
    held = grade >= 0
    at = hits.first.reshape(*hits.length.shape, 1) + np.arange(grade.shape[-1])
    place, start, end = (hits.along[column][at[held]] for column in (PLACE, words.START, words.END))
    borders = zip(spans.docs[place % (len(spans.docs) + 1)], start, end, strict=True)
    named[held] = [f"{doc} [{first}, {last})" for doc, first, last in borders]
    grade[grade == words.UNJUDGED] = 0


def first_runs(whole: xr.Dataset, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of the first repeat of every system, called like the systems.

    Parameters
    ----------
    whole
        A cube; those without repeats change nothing.
    runs
        Its runs, in which every repeat is a system.
    """
    if REPEAT_OF not in whole.coords:
        return runs
    owners = whole[REPEAT_OF].to_series().drop_duplicates()
    role = words.roles(runs.columns)[SYSTEM]
    kept = runs[runs[role].isin(owners.index)]
    return kept.assign(**{str(role): kept[role].map(owners)})


MARKS = {words.UNJUDGED: "?", words.EMPTY: ""}
"""What is written beside a document that has no grade."""
PAGE_BYTES = 3_000_000
"""Size of a page with texts, at most, where it is smaller without them."""
OPENING_BYTES = 2 * SHOWN * 2 * SNIPPET
"""What the two lists that a page opens with take, which stand there uncompressed, at most."""
SPELLED = 4 / 3
"""Bytes of text that spell a compressed byte."""


@dataclass(frozen=True, eq=False)
class Snippets:
    """What is shown of texts.

    Parameters
    ----------
    documents
        Position of a document in the lists' names -> the beginning of its text.
    queries
        Position of a topic -> its query.
    topics
        How many topics have the texts of their documents.
    """

    documents: dict[int, str] = field(default_factory=dict)
    queries: dict[int, str] = field(default_factory=dict)
    topics: int = 0


def cut(text: str) -> str:
    r"""Return the beginning of a text, on one line.

    Examples
    --------
    >>> cut("two\n lines"), len(cut("x" * 400))
    ('two lines', 300)
    """
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET else f"{line[: SNIPPET - 1]}…"


def choose(
    texts: Told, lists: TopLists, topics: Sequence[str], order: NDArray[np.intp], room: int
) -> Snippets:
    """Return the texts for which a page has room, topic after topic.

    Parameters
    ----------
    texts
        The texts that are known.
    lists
        The top of every ranking.
    topics
        The topics.
    order
        Their positions, the one on which systems differ most first.
    room
        Bytes that the page may grow by.
    """
    queries, known = _placed(texts.queries, topics), _placed(texts.documents, lists.ids)
    kept: dict[int, str] = {}
    room -= OPENING_BYTES + _size(queries)
    for number, topic in enumerate(order):
        places = np.unique(lists.doc[:, topic]).tolist()
        new = {place: known[place] for place in places if place in known and place not in kept}
        room -= _size(new)
        if room < 0:
            return Snippets(kept, queries, number)
        kept |= new
    return Snippets(kept, queries, len(order))


def _placed(texts: dict[str, str], names: Sequence[str]) -> dict[int, str]:
    """Return the beginnings of texts by the positions of what they are about."""
    return {place: cut(texts[name]) for place, name in enumerate(names) if name in texts}


def _size(texts: dict[int, str]) -> int:
    """Return about how many bytes texts take on a page, rather more than less."""
    return int(SPELLED * len(gzip.compress(json.dumps(texts).encode(), 9))) if texts else 0


def by_spread(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return topics by how much the scores of systems on them, (system, topic), differ."""
    there = np.isfinite(scores).sum(axis=0) > 1
    spread = np.where(there, np.nanstd(np.where(there, scores, 0.0), axis=0), -1.0)
    return np.argsort(-spread, kind="stable")


Claim = tuple[str, dict[str, Any]] | None
"""A template and what it says, or nothing."""


def pair_at(a: int, b: int, systems: int) -> int:
    """Return the position of two systems among all pairs.

    Examples
    --------
    >>> pair_at(0, 1, 3), pair_at(2, 1, 3)
    (0, 2)
    """
    low, high = sorted([a, b])
    return low * systems - low * (low + 1) // 2 + high - low - 1


NAMELESS = "(unjudged)"
"""What stands for a document whose name only the run frame would know."""


@dataclass(frozen=True, eq=False)
class Duel:
    """Two systems as the page opens with them.

    Parameters
    ----------
    view
        The numbers.
    lists
        The top of every ranking.
    a, b
        Positions of the systems in the whole cube.
    """

    view: View
    lists: TopLists
    a: int
    b: int

    @cached_property
    def names(self) -> tuple[str, str]:
        """The names of the two."""
        systems = self.view.setting.cube[SYSTEM].to_numpy()
        return text(systems[self.a]), text(systems[self.b])

    @cached_property
    def bars(self) -> pd.DataFrame:
        """By how much a scores more than b on every topic, the most first."""
        systems = self.view.setting.cube[SYSTEM].to_numpy()
        there = self.view.scores.isel({METRIC: 0, DEPTH: self.view.setting.place})
        a, b = (there.sel({SYSTEM: systems[place]}).to_numpy() for place in (self.a, self.b))
        topics = texts(there[TOPIC].to_numpy())
        frame = pd.DataFrame({TOPIC: topics, "difference": a - b}).dropna()
        better = np.sign(frame["difference"]) * self.view.setting.facts[0].sign
        frame["ahead"] = better.map({1: "a", -1: "b", 0: "neither"})
        return frame.sort_values("difference", ascending=False, ignore_index=True, kind="stable")

    @property
    def says(self) -> str:
        """Who is ahead how often."""
        counts = self.bars["ahead"].value_counts()
        ahead, behind = int(counts.get("a", 0)), int(counts.get("b", 0))
        a, b = self.names
        key = "duel.says" if ahead + behind else "duel.same"
        return say(key, a=a, b=b, n=len(self.bars), ahead=ahead, behind=behind)

    @property
    def further(self) -> list[str]:
        """What is asked next of the two: other depths, the median run, what is unjudged."""
        if self.view.alone:
            return []
        claims = [self._by_depth(), self._against_median(), self._at_worst()]
        return [*filter(None, spoken(claims))]

    @cached_property
    def _places(self) -> list[int]:
        return [self.view.systems.index(name) for name in self.names]

    def _by_depth(self) -> Claim:
        """Say at which depths the two differ significantly."""
        setting = self.view.setting
        a, b = self._places
        apart = np.asarray(self.view.strength)[0, :, pair_at(a, b, len(self.view.systems))] > 0
        cuts = np.flatnonzero(np.diff(np.r_[False, apart, False])).reshape(-1, 2)
        ends = [(setting.depths[first], setting.depths[last - 1]) for first, last in cuts]
        spans = [f"{low}" if low == high else f"{low} to {high}" for low, high in ends]
        more = [f"and {len(spans) - NAMED} more"] if len(spans) > NAMED else []
        values: dict[str, Any] = {"spans": ", ".join([*spans[:NAMED], *more])}
        values |= {"n": int(apart.sum()), "of": len(apart)}
        values["what"] = words.plural(setting.axis.dim)
        key = "all" if apart.all() else "some" if apart.any() else "no"
        return (f"duel.{key}_depths", values) if len(apart) > 1 else None

    def _against_median(self) -> Claim:
        """Say how the two stand to the system in the middle of the ladder."""
        view, at = self.view, self.view.setting.place
        order, mean = view.ranked["order"][0, at], view.means[0, at]
        median, told = int(order[(len(order) - 1) // 2]), []
        for place in self._places:
            level = place != median and view.strength[0, at, pair_at(place, median, len(order))]
            how = f"p < {view.levels[level - 1]:g}" if level else "not significant"
            if place != median and len(order) > 2:
                apart = signed(mean[place] - mean[median])
                told.append(f"{short(view.systems[place])} {apart} ({how})")
        values = {"median": view.systems[median], "told": ", ".join(told)}
        return ("duel.median", values) if told else None

    def _at_worst(self) -> Claim:
        """Say whether the sign holds whatever is unjudged."""
        if (ends := worst_and_best(self.view, *self._places)) is None:
            return None
        low, high = ends
        return f"duel.{'holds' if low * high > 0 else 'open'}", {"low": low, "high": high}

    @property
    def lists_say(self) -> str:
        """Where the two lists part."""
        key, rank = "lists.parting" if self.parting else "lists.same", len(self.rows)
        return say(key, topic=self.topic, rank=self.parting or rank)

    @cached_property
    def topic(self) -> str:
        """The topic on which they differ most."""
        most = int(self.bars["difference"].abs().to_numpy().argmax())
        return str(self.bars[TOPIC].iloc[most])

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Their two lists on that topic, rank by rank."""
        topics = texts(self.view.setting.cube[TOPIC].to_numpy())
        place, names = topics.index(self.topic), [*self.lists.names, NAMELESS]
        sides = [
            [
                ("" if grade == words.EMPTY else names[doc], MARKS.get(grade, str(grade)))
                for doc, grade in zip(self.lists.doc[own], self.lists.grade[own], strict=True)
            ]
            for own in ((self.a, place), (self.b, place))
        ]
        pairs = enumerate(zip(*sides, strict=True), start=1)
        return [{"rank": number, "sides": pair} for number, pair in pairs]

    @cached_property
    def parting(self) -> int | None:
        """The first rank at which the two lists hold different documents."""
        return next((row["rank"] for row in self.rows if row["sides"][0] != row["sides"][1]), None)


NAMES = {
    "**ns": "first ahead, then undecided",
    "ns": "ahead",
    "=": "equal",
    "ni": "behind",
    "**ni": "first behind, then undecided",
}
"""What an innate ordering of the baseline against a system says of the system."""
OUTCOMES = (
    *("neither", "a_only", "b_only", "both", "p_answered", "esl_a", "esl_b"),
    *("p_esl_wilcoxon", "better", "significantly_better", "no_harm"),
)


def beside(view: View) -> list[PagePart]:
    """Return what holds each system against the baselines without a mean score."""
    if of_spans(view.cube):
        return []
    makers: list[tuple[str, str, Callable[[View], PagePart]]] = []
    single = view.setting.baselines if view.repeats is None else ()
    known = (
        ("outcomes", "who answers more, and who ranks answers higher", _outcomes),
        ("orderings", "who is ahead whatever the metric", _orderings),
    )
    for (number, name), (key, subject, make) in product(enumerate(single, start=1), known):
        own = key if number == 1 else f"{key}-{number}"
        makers.append((own, subject, partial(make, baseline=name, key=own)))
    if stages_of(view.cube):
        makers.append(("losses", "where the points went", stage_losses))
    makers += [
        ("lengths", "how many documents users read", partial(_lengths, metric="ASL")),
        ("effort", "how much effort rankings cost", partial(_lengths, metric="Twist")),
    ]
    return parts(view, makers)


def _outcomes(view: View, baseline: Any, key: str) -> PagePart:
    depth = min(100, view.cube.sizes[DEPTH])
    pairs = outcomes(view.cube, baseline=baseline, depth=depth).summary
    better = int(pairs["significantly_better"].sum())
    says = say("outcomes.says", better=better, n=len(pairs), baseline=text(baseline))
    how = [say("outcomes.how", depth=depth)]
    kept = pairs[["system_b", *OUTCOMES]].rename(columns={"system_b": SYSTEM})
    return PagePart(
        key, says, how, "10.1145/3404835.3463034", kept, guide="questions/state-of-the-art"
    )


def _orderings(view: View, baseline: Any, key: str) -> PagePart:
    depth = view.setting.rank
    grouped = orderings(view.cube, baseline, depth=depth, labels=False).isel({DEPTH: -1})
    names = [NAMES[group] for group in grouped["group"].to_numpy().tolist()]
    counts = pd.DataFrame(grouped["count"].to_numpy(), columns=names)
    counts.insert(0, SYSTEM, grouped["system_b"].to_numpy())
    counts["p"] = grouped["p"].to_numpy()
    counts = counts.sort_values("ahead", ascending=False, ignore_index=True)
    ahead = int(((counts["ahead"] > counts["behind"]) & (counts["p"] < view.setting.alpha)).sum())
    says = say("orderings.says", ahead=ahead, n=len(counts), baseline=text(baseline))
    how = [say("orderings.how", depth=depth, alpha=view.setting.alpha)]
    return PagePart(key, says, how, "10.1002/asi.24874", counts, guide="questions/hedge")


def _changes_from_baselines(view: View, scored: xr.DataArray) -> pd.DataFrame:
    """Return the change of every system against each baseline, nothing where there is none."""
    setting, systems = view.setting, view.cube.indexes[SYSTEM]
    there = [name for name in setting.baselines if name in systems]
    columns = pd.DataFrame(index=systems)
    if not there or view.alone:
        return columns
    with unsaid():  # the ladder has told
        held = compare(scored, setting.pairing.decided, baseline=there, over=setting.over)
    turned = {"system_a": "system_b", "system_b": "system_a"}
    both = pd.concat([held, held.rename(columns=turned).assign(difference=-held["difference"])])
    for name in there:
        rows = both[both["system_b"] == name].drop_duplicates("system_a").set_index("system_a")
        which = f" from {text(name)}" if len(there) > 1 else ""
        columns[f"change{which}"] = rows["difference"]
        how_made = " (corrected)" if setting.pairing.corrected else ""
        columns[f"p{which}{how_made}"] = rows["p_adjusted"]
    return columns


SUBJECTS = {
    "ASL": ("lengths", "10.48550/arXiv.2201.01745", "questions/beyond-the-top"),
    "Twist": ("effort", "10.1002/asi.23416", "questions/effort"),
}
"""Metric -> key, source, page of the documentation."""


def _lengths(view: View, metric: str) -> PagePart:
    key, source, guide = SUBJECTS[metric]
    cost = facts(metric).sign < 0
    depth = view.setting.rank if cost else view.cube.sizes[DEPTH]
    scored = score(view.whole, metric, at=[depth])
    summed = summary(scored)
    frame = summed.isel({METRIC: 0, DEPTH: 0}, drop=True).to_dataframe().reset_index()
    frame = frame.sort_values("mean", ascending=cost, ignore_index=True, kind="stable")
    columns = frame[[SYSTEM, "mean", "ci_low", "ci_high", "n"]].join(
        _changes_from_baselines(view, scored), SYSTEM
    )
    topics_alone = summed.attrs.get("over", "topic") == "topic"
    counted = "" if topics_alone else f" and {words.plural(summed.attrs[words.REPEATED])}"
    how = say(f"lengths.{'cost' if cost else 'gain'}", metric=metric, depth=depth, counted=counted)
    told = [how, *_front(view, metric, frame)]
    means = frame["mean"].round(TIE)
    best = frame[SYSTEM][means == means.iloc[0]].map(text).tolist()
    says = say(f"lengths.{metric}" if best else "lengths.unscored", metric=metric, names=best)
    drawn = frame.rename(columns={"ci_low": "lower", "ci_high": "upper"})
    figure = figures.ranges(drawn, f"mean {metric}")
    return PagePart(key, says, told, source, columns, figure, guide)


def _front(view: View, cost: str, frame: pd.DataFrame) -> list[str]:
    """Say which systems achieve most for what they cost, by the metric the page opens with."""
    effect, setting = view.setting.facts[0], view.setting
    if view.alone or facts(cost).sign > 0 or cost in setting.metrics[0]:
        return []
    means = view.ranks["mean"].isel({METRIC: 0, DEPTH: setting.place}).to_series()
    paid = frame.set_index(SYSTEM)[["mean"]].assign(effect=effect.sign * means).dropna()
    front = paid.index[on_front(*paid.to_numpy().T)]
    told = {"effect": setting.metrics[0], "metric": cost, "names": texts(front)}
    return [say("lengths.front", **told)] if len(front) else []
