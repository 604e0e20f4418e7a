"""Tests that recompute every sentence of a page from verbs."""

import re
from collections import Counter
from contextlib import suppress
from functools import cache, cached_property, partial
from html import unescape
from html.parser import HTMLParser
from io import StringIO
from itertools import groupby, product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from odd_tracks import BASE, BUILT, TRACKS, cube_of, write_report
from paged import Page
from turns import few_of

import irframe as ir
from irframe.diagnostics.findings import every_place
from irframe.errors import IrframeError, MetricError, cautions_of, united, unsaid
from irframe.metrics.facts import facts
from irframe.printed import fixed_text
from irframe.reports import figures
from irframe.reports.words import ALONG, TEMPLATES, correlation, fixed, percent, say, short
from irframe.stops import axis_from_attrs
from irframe.tables.captions import significance_text

CHOSEN = few_of(TRACKS, len(TRACKS), 1)
HOME = Path(ir.__file__).parent / "reports" / "page"
BLOCKS = {"h2", "h3", "p", "figcaption", "summary", "legend"}
SKIPPED = {"script", "style", "data", "ladder", "svg", "select", "code", "ul"}
VOID = {"br", "img", "input", "meta", "link"}
ELSEWHERE = {"texts.some"}
"""Sentences of larger pages, which other tests make."""


class Prose(HTMLParser):
    """Texts of a page: sentences with keys, and other texts."""

    def __init__(self, text):
        super().__init__()
        self.open, self.says, self.between, self.rows = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag in VOID:
            return
        key = dict(attrs).get("data-says")
        kind = dict(attrs).get("class", "").split()[0] if tag == "table" else tag
        self.open.append((kind, key))
        self.rows += [-1] if self.open[-1][0] == "data" else []
        if tag == "tr" and ("data", None) in self.open:
            self.rows[-1] += 1
        self.says += [[key, ""]] if key else []
        self.between += [""]

    def handle_endtag(self, _):
        self.open.pop()
        self.between += [""]

    def handle_data(self, data):
        tags = {tag for tag, _ in self.open}
        if any(key for _, key in self.open):
            self.says[-1][1] += data
        elif tags & BLOCKS and not tags & SKIPPED:
            self.between[-1] += data


class Track:
    """Track with its page, and options of its report."""

    def __init__(self, name, folder):
        make, options = TRACKS[name]
        self.options = BASE | {"baseline": None, "alpha": 0.05, "adjust": "auto", "test": "t"}
        self.options |= options
        self.runs, self.qrels, *texts = make()
        self.texts = texts[0] if texts else None
        asked = BASE | options | ({"texts": self.texts} if texts else {})
        with unsaid(), patch.object(figures, "svg", wraps=figures.svg) as drawing:
            path = write_report(self.runs, self.qrels, folder / "page.html", asked)
        self.figures = [call.args[0] for call in drawing.call_args_list]
        self.html = path.read_text(encoding="utf-8")
        self.page, self.prose = Page(self.html), Prose(self.html)
        with unsaid():
            self.full_cube = self.cube = cube_of(self.runs, self.qrels, options)
        metrics, self.unit = self.options["metrics"], self.options.get("length", "")
        self.at, *_ = given = self.options["budget" if self.unit else "at"]
        self.word = next((w for w in ("seed", "pass", "variation") if w in self.runs), "")
        if self.word:
            self.owners = self.full_cube["repeat_of"].to_series().drop_duplicates()
            self.cube = self.full_cube.sel(system=self.owners.index.tolist()).assign_coords(
                system=self.owners.tolist()
            )
            self.cube = self.cube.drop_vars(["repeat", "repeat_of"])
        self.metrics = [metrics] if isinstance(metrics, str) else metrics
        self.depths = sorted(given)
        self.rank = 10 if self.unit else self.at
        words = ("test", "adjust", "alpha", "over")
        self.how = {key: self.options[key] for key in words if key in self.options}
        self.based = [self.options["baseline"]] if self.options["baseline"] else []
        self.based = self.based[0] if self.based and isinstance(self.based[0], list) else self.based

    @cached_property
    def views(self):
        return [View(self, number) for number in range(len(self.page.facts["views"]))]


class View:
    """Results of verbs for all topics or one track."""

    def __init__(self, track, number):
        span = track.page.facts["views"][number]
        self.track, self.name = track, span["name"]
        self.cube = track.cube.isel(system=span["systems"], topic=span["topics"])
        self.full_cube = track.full_cube if track.word else self.cube
        self.crossing = track.word in {"seed", "pass"} and track.options.get("over") != "topic"
        self.systems = self.cube["system"].to_numpy().tolist()
        self.topics = self.cube["topic"].to_numpy().tolist()
        self.is_single = len(self.systems) == 1
        self.ladder, self.topics_of = cache(self.ladder), cache(self.topics_of)
        asked = track.options
        with unsaid():
            self.every = self.score(*track.metrics)
            self.scores = self.every.mean("repeat") if track.word else self.every
            self.means = self.every.ireval.summary(alpha=asked["alpha"])
            self.judged = self._judged()
            if self.is_single:
                return
            decided = ir.Significance(**track.how)
            self.pairs = self.every.ireval.compare(decided)
            self.means = self.every.ireval.rank_intervals(test=decided)
            self.ranks = self.scores.ireval.rank_intervals(
                "bootstrap", resamples=100, test=ir.Significance(adjust=None, alpha=asked["alpha"])
            )
            self.tau = self.scores.ireval.volatility()

    def score(self, *metrics):
        if not self.track.unit:
            return self.full_cube.ireval.score(*metrics, at=self.track.depths)
        return self.full_cube.ireval.score(*metrics, stop=ir.Budget(self.track.depths)).rename(
            budget="depth"
        )

    def _judged(self):
        try:
            judged, retrieved = self.score("Judged", "NumRet")
        except IrframeError:
            return None
        over = ["topic", "repeat"] if self.track.word else ["topic"]
        return (1 - (judged * retrieved).sum(over) / retrieved.sum(over)).round(12)

    def at(self, what, metric, depth):
        """Return a series over the systems."""
        return what.sel(metric=metric, depth=depth).to_series().reindex(self.systems)

    def tested(self, metric, depth):
        return self.pairs[(self.pairs["metric"] == metric) & (self.pairs["depth"] == depth)]

    def ladder(self, metric, depth):
        """Return the systems, the best first, with intervals of ranks."""
        mean = self.at(self.means["mean"], metric, depth) * facts(metric).sign
        if self.is_single:
            only = {"rank": 1, "low": 1, "high": 1, "could_be_first": True}
            return pd.DataFrame(only, index=self.systems)
        found = pd.DataFrame({"rank": mean.round(12).rank(method="min", ascending=False)})
        sure = self.tested(metric, depth).query("significant")
        lead = sure["difference"] * facts(metric).sign > 0
        first = np.where(lead, sure["system_a"], sure["system_b"])
        last = np.where(lead, sure["system_b"], sure["system_a"])
        beaten, beats = Counter(last), Counter(first)
        found["low"] = [1 + beaten[name] for name in self.systems]
        found["high"] = [len(self.systems) - beats[name] for name in self.systems]
        found["could_be_first"] = found["low"] == 1
        if "could_be_first" in self.means:
            found["could_be_first"] = self.at(self.means["could_be_first"], metric, depth)
        return found.assign(mean=-mean, place=range(len(mean))).sort_values(
            ["rank", "mean", "place"]
        )

    def topics_of(self, metric, depth):
        is_scored = self.scores.sel(metric=metric, depth=depth).notnull()
        return int(is_scored.all("system").sum())

    @cached_property
    def relevant(self):
        grades = self.track.qrels
        return (grades.loc[grades["topic"].isin(self.topics), "grade"] > 0).any()

    @cached_property
    def pair(self):
        """Return the two opening systems, the better first."""
        metric, at = self.track.metrics[0], self.track.at
        ladder = self.ladder(metric, at).index.tolist()
        if self.is_single:
            return ladder * 2
        scores = self.scores.sel(metric=metric, depth=at).transpose("system", "topic").to_series()
        choices = []
        for row in self.tested(metric, at).itertuples():
            best, worst = sorted([row.system_a, row.system_b], key=ladder.index)
            alike = (scores[best] - scores[worst]).fillna(0).eq(0).all()
            based = {best, worst} & {*self.track.based[:1]}
            order = alike, not based, ladder.index(best), ladder.index(worst)
            choices.append((order, best, worst))
        return list(min(choices)[1:])


def enough(metric):
    return max(8, facts(metric).least_topics)


def first(view, metric, depth):
    ladder, topics = view.ladder(metric, depth), view.topics_of(metric, depth)
    if not view.relevant:
        return "first.nothing", {}
    if not (view.track.full_cube["retrieved"] > view.track.full_cube["unjudged"]).any():
        return "first.unjudged", {}
    if view.is_single:
        return "first.alone", {"name": view.systems[0]}
    if (ladder["rank"] == 1).all():
        return "first.tied", {"n": len(ladder)}
    return could_be_first(view, ladder, topics, metric, depth)


def could_be_first(view, ladder, topics, metric, depth):
    best = ladder.index[ladder["could_be_first"]].tolist()
    if view.judged is not None and (share := float(view.judged.sel(depth=depth).mean())) > 0.5:
        values = {"share": share, "depth": depth, "alpha": view.track.options["alpha"]}
        return "first.mostly", values | {"n": len(best), "of": len(ladder)}
    if len(best) > 1:
        values, key = {"n": len(best), "of": len(ladder), "names": best}, "several"
        values["alpha"] = view.track.options["alpha"]
        if len(best) > 10 and topics >= enough(metric) and not view.crossing:
            values["names"], key = likely(view, ladder, metric, depth), "many"
        return f"first.{key}", values
    values = {"name": best[0], "topics": topics, "alpha": view.track.options["alpha"]}
    return ("first.few" if topics < enough(metric) else "first.sole"), values


def likely(view, ladder, metric, depth):
    """Return the systems most often first, equal means together."""
    names = ladder.sort_values(["rank", "place"]).reset_index(names="system")
    names["share"] = names["system"].map(view.at(view.ranks["first"], metric, depth))
    of_mean = names.groupby("rank").agg(
        share=("share", "sum"), name=("system", "first"), n=("system", "size")
    )
    most = of_mean.round(12).query("share > 0").sort_values("share", ascending=False, kind="stable")
    more = [f" and {n - 1} of the same mean" * (n > 1) for n in most["n"]]
    rows = zip(most["name"], more, most["share"], strict=True)
    return [f"{name}{end} ({percent(share)})" for name, end, share in rows][:3]


def sure(view, metric, depth):
    ladder, topics = view.ladder(metric, depth), view.topics_of(metric, depth)
    if not view.relevant or (ladder["rank"] == 1).all() or view.crossing:
        return None
    if topics < enough(metric):
        return "sure.few", {"topics": topics}
    share = view.at(view.ranks["first"], metric, depth).round(12)
    often = share.index[share.map(percent) == percent(share.max())].tolist()
    now = ladder.query("rank == 1")["place"]
    now = [view.systems[place] for place in sorted(now)]
    values = {"others": often, "most": share.max(), "names": now, "name": now[0]}
    key = "tied" if len(now) > 1 else "usual" if now[0] in often else "other"
    one = view.scores.sel(metric=[metric], depth=[depth])
    alpha = ir.Significance(alpha=view.track.options["alpha"])
    with unsaid():
        board = one.ireval.leaderboard(test=alpha, resamples=100)
    values["excess"] = f"{board.attrs['optimism']:.2g}"
    return f"sure.{key}", values | {"share": share[now].sum()}


def repeats(view, *_):
    word = view.track.word
    if not word:
        return None
    counts = view.track.full_cube["repeat_of"].to_series().value_counts()
    low, high = counts.min(), counts.max()
    named = f"{high}" if low == high else f"{low} to {high}"
    of = {"seed": "seeds of each system", "pass": "passes for all systems"}
    text = f"{named} {of.get(word, 'variations of each topic')}"
    counted = ", which intervals and tests count beside topics"
    if word == "variation":
        counted = ", averaged in each topic"
    elif not view.crossing:
        counted = f", averaged: intervals and tests are of these {word}s"
    single = [name for name in view.systems if counts[name] == 1]
    values = {"text": text + counted, "word": word, "names": single}
    return f"repeats.{'single' if single else 'says'}", values


def significant_pairs(view, metric, depth):
    if view.is_single:
        return None
    tested, asked = view.tested(metric, depth), view.track.options
    n, number = len(tested), int(tested["significant"].sum())
    correction = {"auto": "Holm", "max-t": "max-T"}.get(asked["adjust"])
    over = "one pair" if n == 1 else f"all {n} pairs"
    how = f"{correction} over {over}" if correction else "uncorrected"
    how = "the test allows for all pairs" if asked["test"] == "tukey" else how
    key = {0: "none", n: "every"}.get(number, "some")
    return f"apart.{key}", {"apart": number, "pairs": n, "how": how, "alpha": asked["alpha"]}


def judged(view, _, depth):
    if view.judged is None:
        return "judged.unknown", {}
    share = view.judged.sel(depth=depth).to_series().reindex(view.systems)
    values = {"depth": depth, "mean": share.mean(), "median": share.median(), "most": share.max()}
    values["names"] = share.index[share == share.max()].tolist()
    key = "every" if not share.any() else "alike" if share.min() == share.max() else "some"
    return f"judged.{key}", values


def order(view, metric, depth):
    own, last = facts(metric).depth, view.track.depths[-1]
    if view.is_single:
        return "order.alone", {}
    if own and depth >= own:
        deeper = view.scores.sel(metric=metric).sel(
            depth=[k for k in view.track.depths if k >= own]
        )
        assert (deeper == deeper.isel(depth=[0]).to_numpy()).all()
        return "order.cut", {"metric": metric, "depth": own}
    if (view.ladder(metric, depth)["rank"] == 1).all():
        return "order.tied", {"depth": depth}
    if depth == last:
        return "order.deepest", {"what": "budget" if view.track.unit else "depth"}
    tau = float(view.tau.sel(metric=metric, depth=depth, depth_other=last))
    if np.isnan(tau):
        assert (view.ladder(metric, last)["rank"] == 1).all()
        return "order.tied", {"depth": last}
    key = "same" if round(tau, 12) == 1 else "like" if tau >= 0.9 else "unlike"
    return f"order.{key}", {"depth": own or last, "tau": tau}


def tiers(view, metric, depth):
    if view.is_single:
        mean = view.at(view.means["mean"], metric, depth).iloc[0]
        return "tiers.alone", {"name": view.systems[0], "mean": mean}
    tier = view.at(view.means["tier"], metric, depth).fillna(0)
    values = {"n": len(tier), "tiers": int(tier.max())}
    return f"tiers.{'some' if values['tiers'] > 1 else 'one'}", values


def cautions(track, view):
    """Yield the cautions and the number of further ones."""
    found = view.track.runs.merge(view.track.qrels, on=["topic", "doc"])["system"].unique()
    strange = [name for name in view.track.runs["system"].unique() if name not in found]
    values = [("caution.void", {"names": strange})] * bool(strange and len(found) and view.relevant)
    every = united(*(each.means.attrs for each in track.views))
    values += [
        ("caution.text", {"text": words[0].upper() + words[1:]}) for words in cautions_of(every)
    ]
    return values + [("caution.more", {"n": len(values) - 1})] * (len(values) > 1)


def hard(view, metric, depth):
    scores = view.scores.sel(metric=metric, depth=depth).transpose("topic", "system").to_pandas()
    scores, sign = scores.dropna(how="all"), facts(metric).sign
    best = scores.max(axis=1) if sign > 0 else scores.min(axis=1)
    marks = pd.DataFrame({"median": sign * scores.median(axis=1), "best": sign * best}).round(12)
    zeros = marks.index[(scores.fillna(0) == 0).all(axis=1) & (sign > 0)].tolist()
    if zeros:
        return "hard.zeros", {"zeros": len(zeros), "n": len(marks), "names": zeros}
    if len(marks) > 1 == len(marks.drop_duplicates()):
        return "hard.every", {"n": len(marks)}
    ranked = marks.sort_values(["median", "best"], kind="stable")
    kept = [*map(tuple, ranked.to_numpy())]
    names = [name for name, mark in zip(ranked.index, kept, strict=True) if mark <= kept[:3][-1]]
    return f"hard.{'some' if len(names) > 1 else 'one'}", {"names": names}


MOVING = {
    "first": first, "sure": sure, "apart": significant_pairs, "judged": judged, "order": order,
    "tiers": tiers, "hard": hard, "repeats": repeats,
}  # fmt: skip
"""Functions that make the sentences that change with metric and depth."""


def page(track, view):
    """Yield the static sentences outside the sections."""
    asked, metric, at = track.options, track.metrics[0], track.at
    sizes = {"systems": len(track.cube.system), "topics": len(track.cube.topic)}
    sizes |= {"depth": int(track.cube["retrieved"].max()), "version": ir.__version__}
    yield "sizes.page", sizes
    shown = {"metric": metric, "depth": at, "view": view.name, "alpha": asked["alpha"]}
    several = len(track.views) > 1
    for each in track.views if several else []:
        deep = int(each.cube["retrieved"].max())
        size = {"systems": len(each.systems), "topics": len(each.topics), "depth": deep}
        yield "sizes.track", {"view": each.name} | size
        yield "now.track", shown | {"view": each.name}
        yield first(each, metric, at)
    yield "now.track" if several else "now.page", shown
    yield from opened(track, view)
    yield "now.metric", shown
    yield "now.sizes", {"topics": len(view.topics), "systems": len(view.systems)}
    if not track.based and not view.is_single:
        yield "duel.opening", {}
    yield "ladder.how", shown
    if "team" in track.runs:
        yield "ladder.known", {"names": ["team"]}
    if len(track.based) > 1:
        yield (
            "ladder.numbered",
            {"names": ", ".join(f"{n + 1} {s}" for n, s in enumerate(track.based))},
        )
    if track.word:
        yield "ladder.dots", {"word": track.word}
        yield "trust.first", {"word": track.word}
    test = (
        "Wilcoxon's signed-rank test"
        if asked["test"] == "wilcoxon"
        else "Randomised Tukey HSD (samples=10000, seed=0)"
        if asked["test"] == "tukey"
        else "Paired t-test"
    )
    correction = {"auto": "Holm", "max-t": "max-T (samples=10000, seed=0)"}.get(asked["adjust"])
    each = "budget" if track.unit else "depth"
    corrected = f", {correction} per metric and {each}" if correction else ", uncorrected"
    corrected = corrected if test[0] in "PW" else ""
    yield "matrix.how", shown | {"test": f"{test}{corrected}, alpha = {asked['alpha']:g}"}
    levels = [level for level in (0.01, 0.001) if level < asked["alpha"]]
    yield (
        "matrix.levels",
        {"levels": ", ".join(f"{level:g}" for level in [asked["alpha"], *levels])},
    )
    yield "trust.how", {"view": view.name, "depth": track.rank}
    if track.word:
        words = track.word + ("es" if track.word == "pass" else "s")
        yield "beside.several", {"words": words}
    else:
        yield ("beside.against", {"names": track.based}) if track.based else ("beside.none", {})
    yield "origins.says", {"version": ir.__version__}
    yield "origins.inputs", {"n": 2}
    yield "origins.how", {}
    yield "origins.papers", {}
    yield "origins.cited", {}
    yield "origins.footer", {"version": ir.__version__}


def sheet(track, view):
    metric, at = track.metrics[0], track.at
    ladder = view.ladder(metric, at)
    name, row = ladder.index[0], ladder.iloc[0]
    found = (
        view.scores.ireval.sheet(name).sel(metric=metric, depth=at).to_dataframe().query("n > 0")
    )
    lead = ((found["score"] - found["median"]) * facts(metric).sign).round(12)
    values = {"name": name, "better": (lead > 0).sum(), "worse": (lead < 0).sum(), "n": len(found)}
    values |= {"low": found["score"].min(), "high": found["score"].max()}
    yield "sheet.alone" if view.is_single else "sheet.says", values
    low, mean, high = (
        view.at(view.means[key], metric, at)[name] for key in ("ci_low", "mean", "ci_high")
    )
    if np.isnan(low):
        yield "sheet.bare", {"mean": f"{mean:.3f}"}
    else:
        yield "sheet.mean", {"mean": f"{mean:.3f}", "interval": f"{low:.3f} to {high:.3f}"}
    if view.judged is not None:
        share = float(view.judged.sel(depth=at, system=name))
        yield "sheet.unjudged", {"unjudged": f"{100 * share:.0f}\xa0%"}
    if view.is_single:
        return
    ends = (
        f"{row['low']:.0f}"
        if row["low"] == row["high"]
        else f"{row['low']:.0f}\u2013{row['high']:.0f}"
    )
    tier = int(view.at(view.means["tier"], metric, at)[name])
    yield "sheet.rank", {"rank": f"{row['rank']:.0f}", "ranks": ends, "tier": tier}
    yield "sheet.best", {"best": (found["rank"] == 1).sum(), "n": len(found)}
    sure_of = view.topics_of(metric, at) >= enough(metric) and not view.crossing
    if sure_of and not (ladder["rank"] == 1).all():
        yield (
            "sheet.first",
            {"first": percent(float(view.at(view.ranks["first"], metric, at)[name]))},
        )


def duel(track, view):
    metric, at = track.metrics[0], track.at
    a, b = view.pair
    scores = view.scores.sel(metric=metric, depth=at).transpose("topic", "system").to_pandas()
    differences = (scores[a] - scores[b]).dropna().round(12)
    lead, values = differences * facts(metric).sign, {"a": a, "b": b, "n": len(differences)}
    values |= {"ahead": (lead > 0).sum(), "behind": (lead < 0).sum()}
    yield "duel.says" if differences.any() else "duel.same", values
    yield from [] if view.is_single else asked_next(track, view, metric, at)
    topic = track.page.facts["topics"][track.page.facts["duel"][2]]
    assert abs(differences[topic]) == abs(differences).max()
    lists = [_top(track, name, topic) for name in (a, b)]
    parting = next(
        (n for n, pair in enumerate(zip(*lists, strict=True), 1) if len({*pair}) > 1), None
    )
    rank = parting or len(lists[0])
    yield "lists.parting" if parting else "lists.same", {"topic": topic, "rank": rank}
    known = [track.texts["topic"][topic]] if track.texts and topic in track.texts["topic"] else []
    if "track" in track.qrels:
        known.append(f"track {track.qrels.set_index('topic')['track'][topic].iloc[0]}")
    if known:
        yield "lists.query", {"topic": topic, "query": ", ".join(known)}


def asked_next(track, view, metric, at):
    """Yield sentences on other depths, median run and sign."""
    pair, lines = view.pair, []
    tested = view.pairs[(view.pairs["metric"] == metric)]
    own = tested[tested["system_a"].isin(pair) & tested["system_b"].isin(pair)]
    sure = dict(zip(own["depth"], own["significant"], strict=True))
    for sides, depths in groupby(track.depths, sure.get):
        lines += [[*depths]] * bool(sides)
    values = {
        "n": sum(sure.values()),
        "of": len(sure),
        "what": "budgets" if track.unit else "depths",
    }
    spans = [f"{d[0]} to {d[-1]}" if len(d) > 1 else f"{d[0]}" for d in lines]
    key = "all" if all(sure.values()) else "some" if any(sure.values()) else "no"
    yield f"duel.{key}_depths", values | {"spans": ", ".join(spans)}
    ladder, means = view.ladder(metric, at).index, view.at(view.means["mean"], metric, at)
    median = ladder[(len(ladder) - 1) // 2]
    against = []
    for name in pair if len(ladder) > 2 else []:
        rows = view.tested(metric, at)
        p = rows.loc[
            rows["system_a"].isin([name, median]) & rows["system_b"].isin([name, median]),
            "p_adjusted",
        ]
        below = [level for level in (track.options["alpha"], 0.01, 0.001) if (p < level).any()]
        how = f"p < {min(below):g}" if below else "not significant"
        difference = fixed_text(float(means[name] - means[median]), 3, "+")
        against += [f"{short(name)} {difference} ({how})"] * (name != median)
    if against:
        yield "duel.median", {"median": median, "differences": ", ".join(against)}
    if ends := sign_of(track, view):
        low, high = ends
        yield f"duel.{'holds' if low * high > 0 else 'open'}", {"low": low, "high": high}


def sign_of(track, view, pair=None):
    """Return the bounds of a difference, if they are known."""
    pair = pair or view.pair
    with suppress(IrframeError):
        if track.unit:
            return None
        ends = view.full_cube.ireval.bounds(track.metrics[0], at=track.rank)
        rows = (ends.mean("repeat") if track.word else ends).ireval.decide()
        row = rows[rows["system_a"].isin(pair) & rows["system_b"].isin(pair)].iloc[0]
        low, high = row["lowest"], row["highest"]
        assert row["decided"] == (low * high > 0)
        return (low, high) if row["system_a"] == pair[0] else (-high, -low)
    return None


def opened(track, view):
    """Yield the systems that judgments could put first."""
    metric, at = track.metrics[0], track.at
    if view.is_single or first(view, metric, at)[0] in {
        "first.nothing",
        "first.unjudged",
        "first.tied",
    }:
        return
    ladder, sign = view.ladder(metric, at), facts(metric).sign
    names = []
    for name in ladder.index[~ladder["could_be_first"].astype(bool)]:
        ends = sign_of(track, view, [name, ladder.index[0]])
        names += [name] * bool(ends and max(sign * end for end in ends) > 1e-12)
    if names:
        key = "now.track" if len(track.views) > 1 else "now.page"
        now = say(key, metric=metric, depth=at, view=view.name)
        yield "first.open", {"now": now, "n": len(names), "name": ladder.index[0], "names": names}


def _top(track, system, topic):
    """Return the documents of a list that the page shows."""
    ties = track.options.get("ties", "trec")
    shown = min(20, track.cube.sizes["depth"])
    if track.word:
        first = track.full_cube["repeat"].to_series()[track.owners.index[track.owners == system][0]]
        runs = track.runs[track.runs[track.word] == first].drop(columns=track.word)
    else:
        runs = track.runs
    runs = runs[(runs["system"] == system) & (runs["topic"] == topic)]
    if ties == "mean":
        ties = "trec"
    docs = runs.ireval.rank(ties=ties)["doc"].tolist()[:shown]
    return docs + [None] * (shown - len(docs))


def findings(track, _):
    stop = ir.Budget(track.options["budget"]) if track.unit else None
    frames = {*BUILT, "repeats"}.isdisjoint(track.options)
    data = (track.runs, track.qrels) if frames else (track.full_cube,)
    with unsaid(), every_place():
        found = ir.verbs.diagnose(*data, metrics=track.metrics, errors="report", stop=stop)
    found = found[found["what"] != "what decides the numbers"]
    if "repeats" in track.options:  # the console has no such option
        found = found[~found["what"].str.contains("under the same label")]
    if len(track.views) > 1:
        csv = pd.read_csv(StringIO(track.page.texts["csv"]["findings"]))
        found = csv.fillna("")  # of the first track, which diagnose cannot select
    counts = found["severity"].value_counts(sort=False)
    if "note" in counts:
        yield "findings.notes", {"n": counts["note"]}
    words = [f"{count} {name}{'s' * (count > 1)}" for name, count in counts.items()]
    yield ("findings.says", {"counts": words}) if words else ("findings.none", {})
    for row in found.itertuples():
        advice, _, code = row.advice.partition(", in code: ")
        assert f"{row.what}; {advice}. " in track.page.text
        assert not re.search(r"\w+=|\(\.\.\.|_\w+\(", advice), advice
        assert code in unescape(track.html)
        if row.how_many not in {1, row.where.count(", ") + 1}:
            yield "findings.all", {"n": row.how_many}
        if len(row.where) > 200:
            yield "findings.places", {"n": row.where.count(", ") + 1}


def unjudged(track, view):
    yield judged(view, None, track.at)
    if view.judged is not None:
        yield "unjudged.how", {}


def pool(_, view):
    lists = view.full_cube.drop_vars(["repeat", "repeat_of"], errors="ignore")
    growth = lists.ireval.pool_growth().to_dataframe()
    last = growth["rate"].dropna()
    yield "pool.says", {"rate": last.iloc[-1], "depth": last.index[-1]}
    yield "pool.how", {}
    if last.iloc[-1] >= 0.05:
        yield "pool.shallow", {}


def bounds(track, view):
    found, kinds = {}, {"bounds.divided": [], "bounds.added": []}
    for metric in track.metrics:
        with suppress(MetricError):
            ends = view.full_cube.ireval.bounds(metric, at=track.rank).mean("topic")
            found[metric] = ends.mean("repeat") if track.word else ends
    if not found:
        view.cube.ireval.bounds(track.metrics[-1], at=track.at)
    for metric, ends in found.items():
        low, high = ends.isel(metric=0, depth=0).transpose("bound", "system").to_numpy()
        mean = view.full_cube.ireval.score(metric, at=track.rank).mean("topic")
        mean = (mean.mean("repeat") if track.word else mean).to_numpy().ravel()
        assert ((low <= mean + 1e-9) & (mean <= high + 1e-9)).all()
        kinds[
            "bounds.added"
            if np.allclose(low, mean)
            and not facts(metric).pooled
            and facts(metric).extremes == "ceiling"
            else "bounds.divided"
        ].append(metric)
    metric, ends = next(iter(found.items()))
    wide = float((ends.sel(bound="upper") - ends.sel(bound="lower")).median())
    yield "bounds.alone" if view.is_single else "bounds.says", {"open": wide, "metric": metric}
    yield from (
        (key, {"metrics": each, "depth": track.rank}) for key, each in kinds.items() if each
    )


def next_(track, view):
    a, b = view.pair
    depth = min(track.rank, 20)
    ranked = pd.DataFrame(
        [
            (t, doc, rank)
            for t in view.topics
            for s in (a, b)
            for rank, doc in enumerate(_top(track, s, t)[:depth])
            if doc
        ],
        columns=["topic", "doc", "rank"],
    ).merge(track.qrels, how="left")
    unjudged = ranked[ranked["grade"].isna()].groupby(["topic", "doc"])["rank"]
    left = unjudged.ngroups
    ranked_differently = sum(len(ranks) < 2 or len({*ranks}) > 1 for _, ranks in unjudged)
    if left or track.options.get("ties") == "mean":
        view.cube.ireval.judge_next(1, depth=depth)  # raises if the documents have no names
    values = {"a": a, "b": b, "depth": depth, "left": left, "n": min(ranked_differently, 10)}
    key = (
        "none"
        if not left
        else "alike"
        if not ranked_differently
        else "every"
        if values["n"] == left
        else "says"
    )
    if ranked_differently and (asked := [*filter(None, [sign_of(track, view)])]):
        key = "size" if asked[0][0] * asked[0][1] > 0 else key
    yield f"next.{key}", values
    if ranked_differently:
        yield "next.how", values


def ties(track, view):
    metric = track.metrics[0]
    ends = view.cube.ireval.tie_ranges(*track.metrics, at=track.rank)
    ends = ends.sel(metric=metric).mean("topic")
    most = float((ends.sel(bound="upper") - ends.sel(bound="lower")).max().round(12))
    values = {"most": most, "metric": metric, "depth": track.rank}
    yield "ties.says" if most else "ties.none", values
    yield "ties.how", values


def left(track, view):
    metric, at = track.metrics[0], track.rank
    found = view.cube.ireval.leave_out(*track.metrics, at=at)
    own = found[found["metric"] == metric].set_index("system")
    moved = (own["rank"] - own["rank_without"]).abs()
    yield "left.says" if moved.any() else "left.still", {"moved": moved.mean()}
    yield "left.how", {"metric": metric, "depth": at}
    if moved.any():
        yield (
            "left.most",
            {"most": moved.max(), "names": moved.index[moved == moved.max()].tolist()},
        )
    means = view.cube.ireval.score(metric, at=at).isel(metric=0).mean("topic")
    means = means.to_series()[own.index]
    values = {"aside": found.attrs["set_aside"], "judged": found.attrs["judgments"]}
    if values["aside"]:
        yield "left.aside", values | {"depth": int(view.cube.experiment.known_pool.depth.max())}
    else:
        np.testing.assert_allclose(own["mean"], means)


def verdicts(track, view):
    asked, metric, at = track.options, track.metrics[0], track.at
    if "margin" not in asked:
        return
    how = {"margin": asked["margin"], "baseline": asked["baseline"]}
    found = view.every.sel(depth=[at]).ireval.compare("t", **how)
    own = found[found["metric"] == metric]
    counts = own["verdict"].value_counts()
    words = ["better", "worse", "equivalent", "not worse", "undecided"]
    values = {
        "metric": metric,
        "depth": at,
        "against": asked["baseline"],
        "margin": asked["margin"],
    }
    values["counts"] = ", ".join(f"{counts[word]} {word}" for word in words if word in counts)
    yield "verdicts.says", values
    test = significance_text(found.attrs)
    yield "verdicts.how", {"alpha": asked["alpha"], "test": test}
    yield "verdicts.detect", {"n": own["n_topics"].max(), "least": own["detectable"].median()}


def outcomes(_, view, baseline):
    found = view.cube.ireval.outcomes(baseline=baseline, depth=min(100, view.cube.sizes["depth"]))
    better = int(found.summary["significantly_better"].sum())
    yield "outcomes.says", {"better": better, "n": len(view.systems) - 1, "baseline": baseline}
    yield "outcomes.how", {"depth": min(100, view.cube.sizes["depth"])}


def orderings(track, view, baseline):
    found = view.cube.ireval.orderings(baseline, depth=track.rank, labels=False).isel(depth=-1)
    counts = found["count"].to_pandas()
    lead = (counts["ns"] > counts["ni"]) & (found["p"].to_numpy() < track.options["alpha"])
    yield "orderings.says", {"ahead": int(lead.sum()), "n": len(lead), "baseline": baseline}
    yield "orderings.how", {"depth": track.rank, "alpha": track.options["alpha"]}


def lengths(track, view, metric):
    depth = track.rank if metric == "ASL" else view.cube.sizes["depth"]
    means = view.full_cube.ireval.score(metric, at=depth).ireval.summary()["mean"].to_series()
    means = means.droplevel("metric").round(12) * facts(metric).sign
    best = means.index[means == means.max()].tolist()
    yield f"lengths.{metric if best else 'unscored'}", {"metric": metric, "names": best}
    counted = {"seed": " and seeds", "pass": " and passes"}.get(track.word, "")
    values = {"metric": metric, "depth": depth, "counted": counted}
    yield f"lengths.{'cost' if metric == 'ASL' else 'gain'}", values
    effect = track.metrics[0]
    if metric == "ASL" and not view.is_single and "ASL" not in effect:
        gain = view.at(view.means["mean"], effect, track.at) * facts(effect).sign
        pay = pd.DataFrame({"cost": -means, "gain": gain}).dropna()
        pay = pay.sort_values(["cost", "gain"], ascending=[True, False], kind="stable")
        front = pay.index[pay["gain"] > pay["gain"].cummax().shift(fill_value=-np.inf)]
        if len(front):
            yield "lengths.front", {"effect": effect, "metric": metric, "names": front}


def stages(track, view):
    name, at = track.metrics[0], track.rank
    metric = name if "@" in name else f"{name}@{at}"
    paths = [["bm25", "ten", "five"]]
    found = track.runs.ireval.losses(track.qrels, metric, stages=paths).groupby("system").mean()
    last = next(each for each in view.ladder(name, at).index if each in {"ten", "five"})
    values = found.loc[last].to_dict() | {"name": last, "metric": metric}
    assert values["score"] + values["not_retrieved"] + values["ordered"] < 1
    yield "losses.says", values | {"cut": values["cut_by_ten"] + values["cut_by_five"]}
    yield "losses.how", {"metric": metric}


def ranges(track, view):
    """Yield key, quantity and values of each interval figure."""
    metric, at, asked = track.metrics[0], track.at, track.options
    cube = view.cube.ireval

    def of_bounds(key, ends, quantity, mean=None):
        frame = ends.mean([dim for dim in ("topic", "repeat") if dim in ends.dims]).isel(
            metric=0, depth=0
        )
        frame = frame.transpose("system", "bound").to_pandas()
        middle = frame.mean(axis=1) if mean is None else mean
        return (
            key,
            quantity,
            pd.DataFrame({"mean": middle, "lower": frame["lower"], "upper": frame["upper"]}),
        )

    for name in track.metrics:
        with suppress(MetricError):
            mean = None if track.unit else view.at(view.means["mean"], name, at)
            yield of_bounds("bounds", view.full_cube.ireval.bounds(name, at=track.rank), name, mean)
            break
    ends = cube.tie_ranges(metric, at=track.rank)
    _, _, frame = of_bounds("", ends, "")
    wide = (frame["upper"] - frame["lower"]).round(12)
    if wide.any():
        yield (
            "ties",
            f"range of {metric}",
            pd.DataFrame({"mean": wide, "lower": 0.0, "upper": wide}),
        )
    with suppress(IrframeError):
        if not track.word and not view.is_single:
            found = cube.leave_out(metric, at=track.rank).set_index("system")
            rank = found["rank_without"]
            if (rank != found["rank"]).any():
                yield (
                    "left-out",
                    "rank if left out",
                    pd.DataFrame({"mean": rank, "lower": found["rank"], "upper": rank}),
                )
    if "margin" in asked:
        every, how = (
            view.every.sel(depth=[at], metric=[metric]).ireval,
            {"baseline": asked["baseline"]},
        )
        verdict = every.compare("t", margin=asked["margin"], **how)["verdict"]
        sided = every.compare("t", adjust=None, alpha=2 * asked["alpha"], **how).set_index(
            "system_a"
        )
        sided = sided.set_axis(verdict + ", difference in " + metric, axis=0)[
            ["difference", "ci_low", "ci_high"]
        ].assign(system=sided.index)
        for title, rows in sided.groupby(level=0):
            yield "verdicts", title, rows.set_index("system")
    for key, name in ("lengths", "ASL"), ("effort", "Twist"):
        depth = track.rank if name == "ASL" else view.cube.sizes["depth"]
        with suppress(IrframeError):
            means = view.full_cube.ireval.score(name, at=depth).ireval.summary().isel(metric=0)
            frame = means.to_dataframe()[["mean", "ci_low", "ci_high"]]
            yield key, f"mean {name}", frame


def parts(view):
    """Yield the subject and the function of each section."""
    several = not view.is_single
    yield "the findings", findings
    yield "the share of unjudged documents", unjudged
    yield "the growth of the pool", pool
    yield "the bounds of means", bounds
    yield from [("the documents to judge next", next_)] * several
    yield "the effect of tied scores", ties
    if not view.track.word:
        yield from [("the effect of leaving a run out of the pool", left)] * several
    yield "the verdicts", verdicts
    for name in [] if view.track.word else view.track.based:
        yield (
            "the systems that answer more topics and rank answers higher",
            partial(outcomes, baseline=name),
        )
        yield "the systems that are ahead by every metric", partial(orderings, baseline=name)
    if "reranks" in view.track.runs:
        yield "the losses by stage", stages
    yield "the search lengths", partial(lengths, metric="ASL")
    yield "the effort of users", partial(lengths, metric="Twist")


def still(track):
    """Return all sentences of a page when it opens."""
    view = track.views[0]
    found = [made(view, track.metrics[0], track.at) for made in MOVING.values()]
    found += [*page(track, view), *cautions(track, view), *sheet(track, view), *duel(track, view)]
    for subject, make in parts(view):
        try:
            found += make(track, view)
        except IrframeError as error:
            found.append(("part.unknown", {"subject": subject}))
            found.append(("part.needs", {"expected": error.expected, "found": error.found}))
    return {(key, str(say(key, **values))) for key, values in filter(None, found)}


@pytest.fixture(scope="module")
def track_of(tmp_path_factory):
    made = {}

    def make(name):
        if name not in made:
            made[name] = Track(name, tmp_path_factory.mktemp("page"))
        return made[name]

    return make


def spoken(found):
    return say(found[0], **found[1]) if found else ""


@pytest.fixture(autouse=True)
def unit(request):
    """Set the axis of a track's page."""
    name = request.node.callspec.params.get("name") if hasattr(request.node, "callspec") else None
    axis = {"budgets": TRACKS[name][1]["length"]} if name == "budgets" else {}
    token = ALONG.set(axis_from_attrs(axis))
    yield
    ALONG.reset(token)


@pytest.mark.parametrize("name", CHOSEN)
def test_changing_sentences_are_true_at_every_metric_and_depth(track_of, name):
    track = track_of(name)
    for number, view in enumerate(track.views):
        texts = track.page.texts["said"][number]
        assert {*texts} == {*MOVING}
        means = view.means["mean"].transpose("metric", "depth", ...)
        np.testing.assert_allclose(
            track.page.numbers[f"{number}/mean"], means, rtol=2e-5, atol=1e-7
        )
        for (m, metric), (d, depth) in product(enumerate(track.metrics), enumerate(track.depths)):
            for slot, made in MOVING.items():
                sentences = texts[slot][m if slot not in {"judged", "repeats"} else 0]
                with unsaid():
                    assert sentences[d] == spoken(made(view, metric, depth)), (slot, metric, depth)


@pytest.mark.parametrize("name", CHOSEN)
def test_a_page_has_the_sentences_of_the_verbs_and_no_others(track_of, name):
    track = track_of(name)
    with unsaid():
        expected = still(track)
    rows = {("part.rows", str(say("part.rows", n=n))) for n in track.prose.rows}
    assert {(key, text) for key, text in track.prose.says} == expected | rows
    files = [*HOME.glob("*.html"), HOME.parent / "report.py"]
    source = " ".join(" ".join(path.read_text().split()) for path in files)
    for words in filter(None, (" ".join(each.split()) for each in track.prose.between)):
        assert words in source, words


@pytest.mark.parametrize("name", CHOSEN)
def test_interval_figures_draw_the_quantity_that_they_name(track_of, name):
    track = track_of(name)
    with unsaid():
        drawn = {}
        for key, quantity, frame in ranges(track, track.views[0]):
            drawn.setdefault(key, set()).update(
                f"{row[0]}: {quantity} {fixed(row[1])} ({fixed(row[2])} to {fixed(row[3])})"
                for row in frame.itertuples(name=None)
            )
    articles = re.findall(r'<article id="([\w-]+)"(.*?)</article>', track.html, re.DOTALL)
    shown = {
        key: {unescape(each) for each in re.findall(r' aria-label="([^"]*\))"', body)}
        for key, body in articles
    }
    assert {key: labels for key, labels in shown.items() if labels} == drawn


def lines(track, view):
    """Yield the quantity and values of each line figure."""
    metric, at = track.metrics[0], track.at
    means = view.means["mean"].sel(metric=metric).transpose("depth", "system")
    yield "mean", means.to_series()
    if not view.is_single:
        yield "significant pairs", view.pairs.groupby(["depth", "metric"])["significant"].mean()
        yield "Kendall's tau", view.tau.sel(depth=at).transpose("depth_other", "metric").to_series()
    scores = view.scores.sel(metric=metric, depth=at).transpose("system", "topic").to_pandas()
    yield "difference", scores.loc[view.pair[0]] - scores.loc[view.pair[1]]
    if view.judged is not None:
        yield "unjudged", view.judged.median("system").to_series()
    with suppress(IrframeError):
        lists = view.full_cube.drop_vars(["repeat", "repeat_of"], errors="ignore")
        growth = lists.ireval.pool_growth()[["judged", "relevant"]].to_dataframe()
        long = growth.melt(ignore_index=False).set_index("variable", append=True)
        yield "documents per topic", long["value"]


MARKS = {
    "mean": ("lines", ["depth", "system"], "mean"),
    "significant pairs": ("lines", ["depth", "metric"], "value"),
    "Kendall's tau": ("lines", ["depth", "metric"], "value"),
    "difference": ("bars", ["topic"], "difference"),
    "unjudged": ("shares", ["depth"], "median"),
    "documents per topic": ("long", ["depth", "documents"], "number"),
}
"""Title of the vertical axis -> data set, index and value of its marks."""


@pytest.mark.parametrize("name", CHOSEN)
def test_line_figures_draw_the_quantity_that_they_name(track_of, name):
    track, drawn = track_of(name), {}
    for figure in track.figures:
        layers = figure.get("layer", [figure])
        axes = [layer["encoding"].get("y", {}).get("title") for layer in layers]
        title = next(filter(None, axes), None)
        if title in MARKS:
            rows, of, value = MARKS[title]
            frame = pd.DataFrame(figure["datasets"][rows]).set_index(of)[value]
            drawn[title] = frame.astype(float).dropna()
    with unsaid():
        expected = dict(lines(track, track.views[0]))
    for title, values in drawn.items():
        known = pd.Series(expected.get(title, {}), dtype=float).dropna()
        known = known[known.index.isin(values.index)] if title == "mean" else known
        assert values.to_dict() == pytest.approx(known.to_dict(), abs=1e-5)
    assert {*drawn} >= {*expected}


@pytest.mark.thorough
@pytest.mark.further
@pytest.mark.parametrize("name", ["seeds", "passes", "variations"])
def test_repeats_have_their_means_and_pairs_the_intervals_of_compare(track_of, name):
    track, (view,) = track_of(name), track_of(name).views
    page, every = track.page, view.every.transpose("metric", "depth", "system", "repeat", "topic")
    means = every.mean("topic").to_numpy().reshape(*every.shape[:2], -1)
    means = means[:, :, ~np.isnan(means).all(axis=(0, 1))]
    np.testing.assert_allclose(page.numbers["0/repeats"], means, rtol=2e-5, atol=1e-7)
    counts = track.full_cube["repeat_of"].to_series().value_counts()[view.systems]
    assert [len(each) for each in page.facts["views"][0]["repeats"]] == counts.tolist()
    labels = [text for line in page.facts["views"][0]["repeats"] for text in line]
    assert (
        labels
        == track.full_cube["repeat"].astype(str).to_series()[track.full_cube["system"]].tolist()
    )
    assert page.facts["repeated"][0] == track.word
    assert page.count("details") > len(view.systems)
    if view.crossing:
        half = view.pairs.set_index(["metric", "depth"]).eval("(ci_high - ci_low) / 2")
        shown = pd.Series(page.numbers["0/half"].ravel(), half.index)
        np.testing.assert_allclose(shown, half, rtol=2e-5)
    else:
        assert "0/half" not in page.numbers


@pytest.mark.parametrize("name", CHOSEN)
def test_sentences_do_not_contradict_each_other(track_of, name):
    track = track_of(name)
    for number, texts in enumerate(track.page.texts["said"]):
        cells = product(enumerate(track.metrics), enumerate(track.depths))
        for (m, metric), (d, _) in cells:
            leads = int(track.page.numbers[f"{number}/could_be_first"][m, d].sum())
            text, sure_of = texts["first"][m][d], texts["sure"][m][d]
            counts = re.findall(r"(\d+) of \d+ systems? could be first", text)
            assert counts in ([], [str(leads)]), (metric, text)
            assert leads == 1 or "no other system could be" not in text
            often = re.search(
                r"is first in (.+?) of resamples.*More often first: .*, in (.+?)\.", sure_of
            )
            assert often is None or often[1] != often[2], sure_of
            shares = re.findall(r"([\w ]*\d+\xa0%) of the documents", text + texts["judged"][0][d])
            assert len({share.split()[-2] for share in shares}) <= 1, shares
            assert "in the first" not in texts["tiers"][m][d]
    sentences = {key for key, _ in track.prose.says}
    assert not sentences >= {"duel.holds", "next.says"}
    assert not sentences >= {"duel.holds", "next.every"}


@given(value=st.floats(-1, 1))
def test_numbers_are_rounded_to_the_nearest(value):
    assert abs(float(correlation(value)) - value) <= 0.005 + 1e-12
    assert abs(float(fixed(value)) - value) <= 0.0005 + 1e-12
    share = re.fullmatch(r"(\d+)\xa0%", percent(abs(value)))
    assert share is None or abs(int(share[1]) - 100 * abs(value)) <= 0.5


@pytest.mark.thorough
@pytest.mark.further
def test_every_template_is_used_on_some_page(track_of):
    used = set()
    for name in TRACKS:
        used |= {key for key, _ in track_of(name).prose.says}
        used |= {
            made(view, metric, depth)[0]
            for view in track_of(name).views
            for metric in track_of(name).metrics
            for depth in track_of(name).depths
            for made in MOVING.values()
            if made(view, metric, depth)
        }
    assert {*TEMPLATES} - used == ELSEWHERE
