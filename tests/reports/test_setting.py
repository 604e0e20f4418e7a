"""Tests that recompute every sentence of a page."""

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
"""Keys of sentences that occur only on larger pages, in other tests."""
PASSES = {"seed", "pass"}
"""Names of repeats whose variance intervals and tests can include."""


class Prose(HTMLParser):
    """Parser for the sentences and other texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.open, self.says, self.between, self.rows = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag in VOID:
            return
        attributes = dict(attrs)
        key = attributes.get("data-says")
        kind = attributes.get("class", "").split()[0] if tag == "table" else tag
        self.open.append((kind, key))
        self.rows += [-1] if kind == "data" else []
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
    """Runs and judgments, with options and page of a report."""

    def __init__(self, name, folder):
        make, changed = TRACKS[name]
        self.runs, self.qrels, *texts = make()
        self.texts = texts[0] if texts else None
        options = BASE | changed | ({"texts": self.texts} if texts else {})
        with unsaid(), patch.object(figures, "svg", wraps=figures.svg) as drawing:
            path = write_report(self.runs, self.qrels, folder / "page.html", options)
            self.full_cube = self.cube = cube_of(self.runs, self.qrels, changed)
        self.figures = [call.args[0] for call in drawing.call_args_list]
        self.html = path.read_text(encoding="utf-8")
        self.page, self.prose = Page(self.html), Prose(self.html)
        defaults = {"baseline": None, "alpha": 0.05, "adjust": "auto", "test": "t"}
        self.options = defaults | options
        self.alpha, self.unit = self.options["alpha"], options.get("length", "")
        self.metrics = [*np.atleast_1d(options["metrics"]).tolist()]
        self.at, *_ = depths = options["budget" if self.unit else "at"]
        self.depths, self.rank = sorted(depths), 10 if self.unit else self.at
        self.repeat = next((w for w in (*PASSES, "variation") if w in self.runs), "")
        if self.repeat:
            self.owners = self.full_cube["repeat_of"].to_series().drop_duplicates()
            first = self.full_cube.sel(system=self.owners.index.tolist())
            first = first.assign_coords(system=self.owners.tolist())
            self.cube = first.drop_vars(["repeat", "repeat_of"])
        tested = {"test", "adjust", "alpha", "over"} & {*self.options}
        self.significance = ir.Significance(**{key: self.options[key] for key in tested})
        baseline = self.options["baseline"] or []
        self.baselines = baseline if isinstance(baseline, list) else [baseline]

    @cached_property
    def views(self):
        return [View(self, number) for number in range(len(self.page.facts["views"]))]


class View:
    """Results for all topics or one collection."""

    def __init__(self, track, number):
        span = track.page.facts["views"][number]
        self.track, self.name = track, span["name"]
        self.cube = track.cube.isel(system=span["systems"], topic=span["topics"])
        self.full_cube = track.full_cube if track.repeat else self.cube
        self.crossing = track.repeat in PASSES and track.options.get("over") != "topic"
        self.systems = self.cube["system"].to_numpy().tolist()
        self.topics = self.cube["topic"].to_numpy().tolist()
        self.is_single = len(self.systems) == 1
        self.ladder, self.n_topics = cache(self.ladder), cache(self.n_topics)
        with unsaid():
            self.every = self.score(*track.metrics)
            self.scores = self.every.mean("repeat") if track.repeat else self.every
            self.means = self.every.ireval.summary(alpha=track.alpha)
            self.judged = self._judged()
            if self.is_single:
                return
            self.pairs = self.every.ireval.compare(track.significance)
            self.means = self.every.ireval.rank_intervals(test=track.significance)
            uncorrected = ir.Significance(adjust=None, alpha=track.alpha)
            self.ranks = self.scores.ireval.rank_intervals(
                "bootstrap", resamples=100, test=uncorrected
            )
            self.tau = self.scores.ireval.volatility()

    def score(self, *metrics):
        if not self.track.unit:
            return self.full_cube.ireval.score(*metrics, at=self.track.depths)
        scores = self.full_cube.ireval.score(*metrics, stop=ir.Budget(self.track.depths))
        return scores.rename(budget="depth")

    def _judged(self):
        try:
            judged, retrieved = self.score("Judged", "NumRet")
        except IrframeError:
            return None
        over = ["topic", "repeat"] if self.track.repeat else ["topic"]
        return (1 - (judged * retrieved).sum(over) / retrieved.sum(over)).round(12)

    def of(self, name, metric, depth):
        """Return one statistic of each system at a depth."""
        column = self.ranks[name] if name == "first" else self.means[name]
        return column.sel(metric=metric, depth=depth).to_series().reindex(self.systems)

    def scores_at(self, metric, depth):
        """Return scores by topic and system."""
        scores = self.scores.sel(metric=metric, depth=depth)
        return scores.transpose("topic", "system").to_pandas()

    def tested(self, metric, depth, systems=None):
        """Return the comparisons of all pairs of the given systems."""
        pairs = self.pairs[(self.pairs["metric"] == metric) & (self.pairs["depth"] == depth)]
        among = systems or self.systems
        return pairs[pairs["system_a"].isin(among) & pairs["system_b"].isin(among)]

    def ladder(self, metric, depth):
        """Return the systems, the best first, with intervals of ranks."""
        if self.is_single:
            only = {"rank": 1, "low": 1, "high": 1, "could_be_first": True}
            return pd.DataFrame(only, index=self.systems)
        sign = facts(metric).sign
        mean = self.of("mean", metric, depth) * sign
        ladder = pd.DataFrame({"rank": mean.round(12).rank(method="min", ascending=False)})
        significant = self.tested(metric, depth).query("significant")
        lead = significant["difference"] * sign > 0
        beats = Counter(np.where(lead, significant["system_a"], significant["system_b"]))
        beaten = Counter(np.where(lead, significant["system_b"], significant["system_a"]))
        ladder["low"] = [1 + beaten[name] for name in self.systems]
        ladder["high"] = [len(self.systems) - beats[name] for name in self.systems]
        ladder["could_be_first"] = ladder["low"] == 1
        if "could_be_first" in self.means:
            ladder["could_be_first"] = self.of("could_be_first", metric, depth).astype(bool)
        ladder = ladder.assign(mean=-mean.round(12), place=range(len(mean)))
        return ladder.sort_values(["rank", "mean", "place"])

    def tied(self, metric, depth):
        return (self.ladder(metric, depth)["rank"] == 1).all()

    def n_topics(self, metric, depth):
        return int(self.scores.sel(metric=metric, depth=depth).notnull().all("system").sum())

    def has_enough(self, metric, depth):
        return self.n_topics(metric, depth) >= max(8, facts(metric).least_topics)

    @cached_property
    def relevant(self):
        qrels = self.track.qrels
        return (qrels.loc[qrels["topic"].isin(self.topics), "grade"] > 0).any()

    @cached_property
    def pair(self):
        """Return the two opening systems, the better first."""
        metric, at = self.track.metrics[0], self.track.at
        ladder = self.ladder(metric, at).index.tolist()
        if self.is_single:
            return ladder * 2
        scores, choices = self.scores_at(metric, at), []
        for row in self.tested(metric, at).itertuples():
            best, worst = sorted([row.system_a, row.system_b], key=ladder.index)
            alike = (scores[best] - scores[worst]).fillna(0).eq(0).all()
            based = {best, worst} & {*self.track.baselines[:1]}
            choices.append((alike, not based, ladder.index(best), ladder.index(worst)))
        *_, best, worst = min(choices)
        return [ladder[best], ladder[worst]]


def mean_of(array):
    """Return the mean over topics and repeats."""
    return array.mean([dim for dim in ("topic", "repeat") if dim in array.dims])


def low_to_high(low, high, to):
    return low if low == high else f"{low}{to}{high}"


def first_of_incomparable(view, metric, depth):
    if not view.relevant:
        return "first.nothing", {}
    if not (view.track.full_cube["retrieved"] > view.track.full_cube["unjudged"]).any():
        return "first.unjudged", {}
    if view.is_single:
        return "first.alone", {"name": view.systems[0]}
    return ("first.tied", {"n": len(view.systems)}) if view.tied(metric, depth) else None


def first(view, metric, depth):
    ladder = view.ladder(metric, depth)
    best = ladder.index[ladder["could_be_first"]].tolist()
    alpha = {"alpha": view.track.alpha}
    values = alpha | {"n": len(best), "of": len(ladder)}
    if incomparable := first_of_incomparable(view, metric, depth):
        return incomparable
    if view.judged is not None and (share := float(view.judged.sel(depth=depth).mean())) > 0.5:
        return "first.mostly", values | {"share": share, "depth": depth}
    if len(best) > 10 and view.has_enough(metric, depth) and not view.crossing:
        return "first.many", values | {"names": likely(view, ladder, metric, depth)}
    if len(best) > 1:
        return "first.several", values | {"names": best}
    key = "sole" if view.has_enough(metric, depth) else "few"
    return f"first.{key}", alpha | {"name": best[0], "topics": view.n_topics(metric, depth)}


def likely(view, ladder, metric, depth):
    """Return the systems that are first in most resamples."""
    names = ladder.sort_values(["rank", "place"]).reset_index(names="system")
    names["share"] = names["system"].map(view.of("first", metric, depth))
    columns = {"share": ("share", "sum"), "name": ("system", "first"), "n": ("system", "size")}
    shares = names.groupby("rank").agg(**columns).round(12).query("share > 0")
    shares = shares.sort_values("share", ascending=False, kind="stable")
    ends = [f" and {n - 1} of the same mean" * (n > 1) for n in shares["n"]]
    rows = zip(shares["name"], ends, shares["share"], strict=True)
    return [f"{name}{end} ({percent(share)})" for name, end, share in rows][:3]


def sure(view, metric, depth):
    if not view.relevant or view.tied(metric, depth) or view.crossing:
        return None
    if not view.has_enough(metric, depth):
        return "sure.few", {"topics": view.n_topics(metric, depth)}
    share = view.of("first", metric, depth).round(12)
    often = share.index[share.map(percent) == percent(share.max())].tolist()
    best = view.ladder(metric, depth).query("rank == 1").sort_values("place").index
    key = "tied" if len(best) > 1 else "usual" if best[0] in often else "other"
    with unsaid():
        selected = view.scores.sel(metric=[metric], depth=[depth]).ireval
        board = selected.leaderboard(test=ir.Significance(alpha=view.track.alpha), resamples=100)
    values = {"others": often, "most": share.max(), "names": best.tolist(), "name": best[0]}
    values["excess"] = f"{board.attrs['optimism']:.2g}"
    return f"sure.{key}", values | {"share": share[best].sum()}


def repeats(view, *_):
    repeat = view.track.repeat
    if not repeat:
        return None
    counts = view.track.full_cube["repeat_of"].to_series().value_counts()
    number = low_to_high(counts.min(), counts.max(), " to ")
    kinds = {"seed": "seeds of each system", "pass": "passes for all systems"}
    use = f", averaged: intervals and tests are of these {repeat}s"
    if repeat == "variation":
        use = ", averaged in each topic"
    elif view.crossing:
        use = ", which intervals and tests count beside topics"
    text = f"{number} {kinds.get(repeat, 'variations of each topic')}{use}"
    single = [name for name in view.systems if counts[name] == 1]
    key = "single" if single else "says"
    return f"repeats.{key}", {"text": text, "word": repeat, "names": single}


def significant_pairs(view, metric, depth):
    if view.is_single:
        return None
    significant, options = view.tested(metric, depth)["significant"], view.track.options
    n, number = len(significant), int(significant.sum())
    correction = {"auto": "Holm", "max-t": "max-T"}.get(options["adjust"])
    correction_text = f"{correction} over {'one pair' if n == 1 else f'all {n} pairs'}"
    if options["test"] == "tukey":
        correction_text = "the test allows for all pairs"
    elif not correction:
        correction_text = "uncorrected"
    key = {0: "none", n: "every"}.get(number, "some")
    return f"apart.{key}", {
        "apart": number,
        "pairs": n,
        "how": correction_text,
        "alpha": view.track.alpha,
    }


def judged(view, _, depth):
    if view.judged is None:
        return "judged.unknown", {}
    share = view.judged.sel(depth=depth).to_series().reindex(view.systems)
    values = {"depth": depth, "mean": share.mean(), "median": share.median(), "most": share.max()}
    values["names"] = share.index[share == share.max()].tolist()
    key = "every" if not share.any() else "alike" if share.min() == share.max() else "some"
    return f"judged.{key}", values


def order(view, metric, depth):
    cutoff, last = facts(metric).depth, view.track.depths[-1]
    if view.is_single:
        return "order.alone", {}
    if cutoff and depth >= cutoff:
        deeper = view.scores.sel(metric=metric, depth=slice(cutoff, None))
        assert (deeper == deeper.isel(depth=[0]).to_numpy()).all()
        return "order.cut", {"metric": metric, "depth": cutoff}
    if view.tied(metric, depth):
        return "order.tied", {"depth": depth}
    if depth == last:
        return "order.deepest", {"what": "budget" if view.track.unit else "depth"}
    tau = float(view.tau.sel(metric=metric, depth=depth, depth_other=last))
    if np.isnan(tau):
        assert view.tied(metric, last)
        return "order.tied", {"depth": last}
    key = "same" if round(tau, 12) == 1 else "like" if tau >= 0.9 else "unlike"
    return f"order.{key}", {"depth": cutoff or last, "tau": tau}


def tiers(view, metric, depth):
    if view.is_single:
        mean = view.of("mean", metric, depth).iloc[0]
        return "tiers.alone", {"name": view.systems[0], "mean": mean}
    n_tiers = int(view.of("tier", metric, depth).fillna(0).max())
    return f"tiers.{'some' if n_tiers > 1 else 'one'}", {"n": len(view.systems), "tiers": n_tiers}


def hard(view, metric, depth):
    scores, sign = view.scores_at(metric, depth).dropna(how="all"), facts(metric).sign
    best = (sign * scores).max(axis=1)
    marks = pd.DataFrame({"median": sign * scores.median(axis=1), "best": best}).round(12)
    zeros = marks.index[(scores.fillna(0) == 0).all(axis=1) & (sign > 0)].tolist()
    if zeros:
        return "hard.zeros", {"zeros": len(zeros), "n": len(marks), "names": zeros}
    if len(marks) > 1 == len(marks.drop_duplicates()):
        return "hard.every", {"n": len(marks)}
    ranked = marks.sort_values(["median", "best"], kind="stable").apply(tuple, axis=1)
    names = ranked.index[ranked <= ranked.iloc[:3].iloc[-1]].tolist()
    return f"hard.{'some' if len(names) > 1 else 'one'}", {"names": names}


MOVING = {
    "first": first, "sure": sure, "apart": significant_pairs, "judged": judged, "order": order,
    "tiers": tiers, "hard": hard, "repeats": repeats,
}  # fmt: skip
"""Mapping from the name of a sentence to a function that recomputes it.

These sentences change with metric and depth.
"""


def cautions(track, view):
    """Return the cautions, and the number of further cautions."""
    names = track.runs["system"].unique()
    matched = track.runs.merge(track.qrels, on=["topic", "doc"])["system"].unique()
    strange = [name for name in names if name not in matched]
    claims = [("caution.void", {"names": strange})] * bool(
        strange and len(matched) and view.relevant
    )
    texts = cautions_of(united(*(view_of_track.means.attrs for view_of_track in track.views)))
    claims += [("caution.text", {"text": text[0].upper() + text[1:]}) for text in texts]
    return claims + [("caution.more", {"n": len(claims) - 1})] * (len(claims) > 1)


def top_of_page(track, view):
    """Yield the sentences at the top of the page."""
    yield "sizes.page", sizes(track) | {"version": ir.__version__}
    yield "now.metric", {"metric": track.metrics[0]}
    yield "now.sizes", {"topics": len(view.topics), "systems": len(view.systems)}
    for subset in track.views if len(track.views) > 1 else []:
        yield "sizes.track", {"view": subset.name} | sizes(subset)
        yield first(subset, track.metrics[0], track.at)
        yield now(subset)
    yield now(view)
    yield from opened(track, view)


def sizes(data):
    cube = data.cube
    deepest = int(cube["retrieved"].max())
    return {"systems": len(cube.system), "topics": len(cube.topic), "depth": deepest}


def now(view):
    values = {"metric": view.track.metrics[0], "depth": view.track.at, "view": view.name}
    return ("now.track" if len(view.track.views) > 1 else "now.page"), values


def methods(track, view):
    """Yield the sentences on methods outside all sections."""
    test, adjust, alpha = track.options["test"], track.options["adjust"], track.alpha
    if not track.baselines and not view.is_single:
        yield "duel.opening", {}
    yield "ladder.how", {"alpha": alpha}
    if "team" in track.runs:
        yield "ladder.known", {"names": ["team"]}
    if len(track.baselines) > 1:
        numbered = ", ".join(f"{n} {name}" for n, name in enumerate(track.baselines, start=1))
        yield "ladder.numbered", {"names": numbered}
    drawn = "(samples=10000, seed=0)"
    names = {"wilcoxon": "Wilcoxon's signed-rank test", "tukey": f"Randomised Tukey HSD {drawn}"}
    correction = {"auto": ", Holm", "max-t": f", max-T {drawn}"}.get(adjust)
    stop = "budget" if track.unit else "depth"
    corrected = f"{correction} per metric and {stop}" if correction else ", uncorrected"
    text = f"{names.get(test, 'Paired t-test')}{corrected * (test != 'tukey')}, alpha = {alpha:g}"
    yield "matrix.how", {"alpha": alpha, "test": text}
    levels = [alpha, *(level for level in (0.01, 0.001) if level < alpha)]
    yield "matrix.levels", {"levels": ", ".join(f"{level:g}" for level in levels)}
    yield "trust.how", {"view": view.name, "depth": track.rank}
    if track.repeat:
        yield "ladder.dots", {"word": track.repeat}
        yield "trust.first", {"word": track.repeat}
        yield "beside.several", {"words": track.repeat + ("es" if track.repeat == "pass" else "s")}
    else:
        yield f"beside.{'against' if track.baselines else 'none'}", {"names": track.baselines}
    yield from (("origins.says", {"version": ir.__version__}), ("origins.inputs", {"n": 2}))
    yield from ((f"origins.{key}", {}) for key in ("how", "papers", "cited"))
    yield "origins.footer", {"version": ir.__version__}


def sheet(track, view):
    metric, at = track.metrics[0], track.at
    ladder = view.ladder(metric, at)
    name, row = ladder.index[0], ladder.iloc[0]
    topics = view.scores.ireval.sheet(name).sel(metric=metric, depth=at).to_dataframe()
    topics = topics.query("n > 0")
    lead = ((topics["score"] - topics["median"]) * facts(metric).sign).round(12)
    n = {"n": len(topics)}
    values = n | {"name": name, "better": (lead > 0).sum(), "worse": (lead < 0).sum()}
    values |= {"low": topics["score"].min(), "high": topics["score"].max()}
    yield "sheet.alone" if view.is_single else "sheet.says", values
    columns = ("ci_low", "mean", "ci_high")
    low, mean, high = (f"{view.of(column, metric, at)[name]:.3f}" for column in columns)
    key = "sheet.bare" if low == "nan" else "sheet.mean"
    yield key, {"mean": mean, "interval": f"{low} to {high}"}
    if view.judged is not None:
        share = float(view.judged.sel(depth=at, system=name))
        yield "sheet.unjudged", {"unjudged": f"{100 * share:.0f}\xa0%"}
    if view.is_single:
        return
    interval = low_to_high(row["low"], row["high"], "\u2013")
    tier = int(view.of("tier", metric, at)[name])
    yield "sheet.rank", {"rank": f"{row['rank']:.0f}", "ranks": interval, "tier": tier}
    yield "sheet.best", n | {"best": (topics["rank"] == 1).sum()}
    if view.has_enough(metric, at) and not view.crossing and not view.tied(metric, at):
        yield "sheet.first", {"first": percent(float(view.of("first", metric, at)[name]))}


def duel(track, view):
    metric, at = track.metrics[0], track.at
    a, b = view.pair
    scores = view.scores_at(metric, at)
    differences = (scores[a] - scores[b]).dropna().round(12)
    lead, values = differences * facts(metric).sign, {"a": a, "b": b, "n": len(differences)}
    values |= {"ahead": (lead > 0).sum(), "behind": (lead < 0).sum()}
    yield "duel.says" if differences.any() else "duel.same", values
    yield from [] if view.is_single else further(track, view, metric, at)
    topic = track.page.facts["topics"][track.page.facts["duel"][2]]
    assert abs(differences[topic]) == abs(differences).max()
    ranks = [len({*docs}) > 1 for docs in zip(*(top(track, s, topic) for s in (a, b)), strict=True)]
    rank = ranks.index(True) + 1 if any(ranks) else len(ranks)
    yield f"lists.{'parting' if any(ranks) else 'same'}", {"topic": topic, "rank": rank}
    queries = track.texts["topic"] if track.texts else {}
    about = [queries[topic]] if topic in queries else []
    if "track" in track.qrels:
        about.append(f"track {track.qrels.set_index('topic')['track'][topic].iloc[0]}")
    if about:
        yield "lists.query", {"topic": topic, "query": ", ".join(about)}


def further(track, view, metric, at):
    """Yield further sentences on the two compared systems."""
    pair, unit = view.pair, "budgets" if track.unit else "depths"
    significant = {d: view.tested(metric, d, pair)["significant"].item() for d in track.depths}
    lines = [[*depths] for is_one, depths in groupby(track.depths, significant.get) if is_one]
    spans = ", ".join(str(low_to_high(depths[0], depths[-1], " to ")) for depths in lines)
    counts = {"n": sum(significant.values()), "of": len(significant), "what": unit}
    key = {0: "no", len(significant): "all"}.get(counts["n"], "some")
    yield f"duel.{key}_depths", counts | {"spans": spans}
    ladder, means = view.ladder(metric, at).index, view.of("mean", metric, at)
    median = ladder[(len(ladder) - 1) // 2]
    against = []
    for name in [name for name in pair if len(ladder) > 2 and name != median]:
        p = view.tested(metric, at, [name, median])["p_adjusted"].item()
        below = [level for level in (track.alpha, 0.01, 0.001) if p < level]
        significance = f"p < {min(below):g}" if below else "not significant"
        difference = fixed_text(float(means[name] - means[median]), 3, "+")
        against.append(f"{short(name)} {difference} ({significance})")
    if against:
        yield "duel.median", {"median": median, "differences": ", ".join(against)}
    if ends := ends_of_difference(track, view, pair):
        low, high = ends
        yield f"duel.{'holds' if low * high > 0 else 'open'}", {"low": low, "high": high}


def ends_of_difference(track, view, pair):
    """Return the bounds of two systems' difference, if known."""
    with suppress(IrframeError):
        if track.unit:
            return None
        ends = view.full_cube.ireval.bounds(track.metrics[0], at=track.rank)
        rows = (ends.mean("repeat") if track.repeat else ends).ireval.decide()
        row = rows[rows["system_a"].isin(pair) & rows["system_b"].isin(pair)].iloc[0]
        low, high = row["lowest"], row["highest"]
        assert row["decided"] == (low * high > 0)
        return (low, high) if row["system_a"] == pair[0] else (-high, -low)
    return None


def opened(track, view):
    """Yield the sentence on systems that judgments could put first."""
    metric, at = track.metrics[0], track.at
    if first_of_incomparable(view, metric, at):
        return
    ladder, sign = view.ladder(metric, at), facts(metric).sign
    best, names = ladder.index[0], []
    for name in ladder.index[~ladder["could_be_first"]]:
        ends = ends_of_difference(track, view, [name, best])
        names += [name] * bool(ends and max(sign * end for end in ends) > 1e-12)
    if names:
        key, values = now(view)
        values = {"now": say(key, **values), "n": len(names), "name": best, "names": names}
        yield "first.open", values


def top(track, system, topic):
    """Return the documents of a list that the page shows."""
    shown, runs = min(20, track.cube.sizes["depth"]), track.runs
    if track.repeat:
        labels = track.full_cube["repeat"].to_series()
        label = labels[track.owners.index[track.owners == system][0]]
        runs = runs[runs[track.repeat] == label].drop(columns=track.repeat)
    runs = runs[(runs["system"] == system) & (runs["topic"] == topic)]
    return [*runs.ireval.rank()["doc"], *[None] * shown][:shown]


def findings(track, _):
    stop = ir.Budget(track.options["budget"]) if track.unit else None
    from_frames = {*BUILT, "repeats"}.isdisjoint(track.options)
    data = (track.runs, track.qrels) if from_frames else (track.full_cube,)
    with unsaid(), every_place():
        rows = ir.verbs.diagnose(*data, metrics=track.metrics, errors="report", stop=stop)
    rows = rows[rows["what"] != "policies that affect the scores"]
    if len(track.views) > 1:  # the page shows the first track, which diagnose cannot select
        rows = pd.read_csv(StringIO(track.page.texts["csv"]["findings"])).fillna("")
    counts = rows["severity"].value_counts(sort=False)
    if "note" in counts:
        yield "findings.notes", {"n": counts["note"]}
    texts = [f"{count} {name}{'s' * (count > 1)}" for name, count in counts.items()]
    yield f"findings.{'says' if texts else 'none'}", {"counts": texts}
    for row in rows.itertuples():
        advice, _, code = row.advice.partition(", in code: ")
        assert f"{row.what}; {advice}. " in track.page.text
        assert not re.search(r"\w+=|\(\.\.\.|_\w+\(", advice), advice
        assert code in unescape(track.html)
        n_named = row.where.count(", ") + 1
        if row.how_many not in {1, n_named}:
            yield "findings.all", {"n": row.how_many}
        if len(row.where) > 200:
            yield "findings.places", {"n": n_named}


def unjudged(track, view):
    yield judged(view, None, track.at)
    if view.judged is not None:
        yield "unjudged.how", {}


def growth_of(view):
    lists = view.full_cube.drop_vars(["repeat", "repeat_of"], errors="ignore")
    return lists.ireval.pool_growth().to_dataframe()


def pool(_, view):
    rates = growth_of(view)["rate"].dropna()
    yield "pool.says", {"rate": rates.iloc[-1], "depth": rates.index[-1]}
    yield "pool.how", {}
    if rates.iloc[-1] >= 0.05:
        yield "pool.shallow", {}


def bounds_of(view, metric):
    """Return the bounds of each system's mean."""
    ends = mean_of(view.full_cube.ireval.bounds(metric, at=view.track.rank))
    return ends.isel(metric=0, depth=0).transpose("system", "bound").to_pandas()


def bounds(track, view):
    by_metric, kinds = {}, {"bounds.divided": [], "bounds.added": []}
    for metric in track.metrics:
        with suppress(MetricError):
            by_metric[metric] = bounds_of(view, metric)
    if not by_metric:
        bounds_of(view, track.metrics[-1])  # raises
    for metric, ends in by_metric.items():
        mean = mean_of(view.full_cube.ireval.score(metric, at=track.rank)).to_numpy().ravel()
        assert ((ends["lower"] <= mean + 1e-9) & (mean <= ends["upper"] + 1e-9)).all()
        added = not facts(metric).pooled and facts(metric).extremes == "ceiling"
        added &= np.allclose(ends["lower"], mean)
        kinds["bounds.added" if added else "bounds.divided"].append(metric)
    metric, ends = next(iter(by_metric.items()))
    wide = (ends["upper"] - ends["lower"]).median()
    yield "bounds.alone" if view.is_single else "bounds.says", {"open": wide, "metric": metric}
    yield from ((key, {"metrics": m, "depth": track.rank}) for key, m in kinds.items() if m)


def next_(track, view):
    a, b = view.pair
    depth = min(track.rank, 20)
    rows = [
        (topic, doc, rank)
        for topic, system in product(view.topics, (a, b))
        for rank, doc in enumerate(top(track, system, topic)[:depth])
        if doc
    ]
    ranked = pd.DataFrame(rows, columns=["topic", "doc", "rank"]).merge(track.qrels, how="left")
    ranks_of = ranked[ranked["grade"].isna()].groupby(["topic", "doc"])["rank"]
    n_unjudged = ranks_of.ngroups
    helpful = min(10, sum(len(ranks) < 2 or len({*ranks}) > 1 for _, ranks in ranks_of))
    if n_unjudged or track.options.get("ties") == "mean":
        view.cube.ireval.judge_next(1, depth=depth)  # raises if the documents have no names
    values = {"a": a, "b": b, "depth": depth, "left": n_unjudged, "n": helpful}
    key = "every" if helpful == n_unjudged else "says"
    if not helpful:
        key = "alike" if n_unjudged else "none"
    elif ends := ends_of_difference(track, view, view.pair):
        key = "size" if ends[0] * ends[1] > 0 else key
    yield f"next.{key}", values
    if helpful:
        yield "next.how", values


def tie_ranges(track, view):
    """Return each system's range of means over orders of ties."""
    ends = view.cube.ireval.tie_ranges(*track.metrics, at=track.rank).isel(metric=0, depth=0)
    wide = (ends.sel(bound="upper") - ends.sel(bound="lower")).mean("topic")
    return wide.to_series().reindex(view.systems).round(12)


def ties(track, view):
    most = tie_ranges(track, view).max()
    values = {"most": most, "metric": track.metrics[0], "depth": track.rank}
    yield "ties.says" if most else "ties.none", values
    yield "ties.how", values


def left_out(track, view):
    metric, at = track.metrics[0], track.rank
    rows = view.cube.ireval.leave_out(*track.metrics, at=at)
    of_metric = rows[rows["metric"] == metric].set_index("system")
    moved = (of_metric["rank"] - of_metric["rank_without"]).abs()
    yield "left.says" if moved.any() else "left.still", {"moved": moved.mean()}
    yield "left.how", {"metric": metric, "depth": at}
    if moved.any():
        names = moved.index[moved == moved.max()].tolist()
        yield "left.most", {"most": moved.max(), "names": names}
    values = {"aside": rows.attrs["set_aside"], "judged": rows.attrs["judgments"]}
    if values["aside"]:
        yield "left.aside", values | {"depth": int(view.cube.experiment.known_pool.depth.max())}
    else:
        means = view.cube.ireval.score(metric, at=at).isel(metric=0).mean("topic").to_series()
        np.testing.assert_allclose(of_metric["mean"], means[of_metric.index])


def verdicts(track, view):
    options, metric, at = track.options, track.metrics[0], track.at
    if "margin" not in options:
        return
    arguments = {"margin": options["margin"], "baseline": options["baseline"]}
    rows = view.every.sel(depth=[at]).ireval.compare("t", **arguments)
    test = significance_text(rows.attrs)
    rows = rows[rows["metric"] == metric]
    counts = rows["verdict"].value_counts()
    names = ["better", "worse", "equivalent", "not worse", "undecided"]
    text = ", ".join(f"{counts[name]} {name}" for name in names if name in counts)
    values = {"metric": metric, "depth": at, "against": arguments["baseline"], "counts": text}
    yield "verdicts.says", values | {"margin": options["margin"]}
    yield "verdicts.how", {"alpha": track.alpha, "test": test}
    yield "verdicts.detect", {"n": rows["n_topics"].max(), "least": rows["detectable"].median()}


def outcomes(_, view, baseline):
    depth = {"depth": min(100, view.cube.sizes["depth"])}
    summary = view.cube.ireval.outcomes(baseline=baseline, **depth).summary
    better = int(summary["significantly_better"].sum())
    yield "outcomes.says", {"better": better, "n": len(view.systems) - 1, "baseline": baseline}
    yield "outcomes.how", depth


def orderings(track, view, baseline):
    groups = view.cube.ireval.orderings(baseline, depth=track.rank, labels=False).isel(depth=-1)
    counts = groups["count"].to_pandas()
    lead = (counts["ns"] > counts["ni"]) & (groups["p"].to_numpy() < track.alpha)
    yield "orderings.says", {"ahead": int(lead.sum()), "n": len(lead), "baseline": baseline}
    yield "orderings.how", {"depth": track.rank, "alpha": track.alpha}


def summary_of(track, view, metric):
    """Return the depth and the summary of a metric."""
    depth = track.rank if metric == "ASL" else view.cube.sizes["depth"]
    summary = view.full_cube.ireval.score(metric, at=depth).ireval.summary()
    return depth, summary.isel(metric=0).to_dataframe()


def lengths(track, view, metric):
    depth, summary = summary_of(track, view, metric)
    means = summary["mean"].round(12) * facts(metric).sign
    best = means.index[means == means.max()].tolist()
    yield f"lengths.{metric if best else 'unscored'}", {"metric": metric, "names": best}
    counted = {"seed": " and seeds", "pass": " and passes"}.get(track.repeat, "")
    values = {"metric": metric, "depth": depth, "counted": counted}
    yield f"lengths.{'cost' if metric == 'ASL' else 'gain'}", values
    effect = track.metrics[0]
    if metric == "ASL" and not view.is_single and "ASL" not in effect:
        gain = view.of("mean", effect, track.at) * facts(effect).sign
        pay = pd.DataFrame({"cost": -means, "gain": gain}).dropna()
        pay = pay.sort_values(["cost", "gain"], ascending=[True, False], kind="stable")
        front = pay.index[pay["gain"] > pay["gain"].cummax().shift(fill_value=-np.inf)]
        if len(front):
            yield "lengths.front", {"effect": effect, "metric": metric, "names": front}


def stages(track, view):
    name, at = track.metrics[0], track.rank
    metric = name if "@" in name else f"{name}@{at}"
    losses = track.runs.ireval.losses(track.qrels, metric, stages=[["bm25", "ten", "five"]])
    last = next(system for system in view.ladder(name, at).index if system in {"ten", "five"})
    values = losses.groupby("system").mean().loc[last].to_dict()
    assert values["score"] + values["not_retrieved"] + values["ordered"] < 1
    cut = values["cut_by_ten"] + values["cut_by_five"]
    yield "losses.says", values | {"name": last, "metric": metric, "cut": cut}
    yield "losses.how", {"metric": metric}


def sections(view):
    """Yield the subject and the function of each section."""
    several = not view.is_single
    yield "the findings", findings
    yield "the share of unjudged documents", unjudged
    yield "the growth of the pool", pool
    yield "the bounds of means", bounds
    yield from [("the documents to judge next", next_)] * several
    yield "the effect of tied scores", ties
    if several and not view.track.repeat:
        yield "the effect of leaving a run out of the pool", left_out
    yield "the verdicts", verdicts
    answers = "the systems that answer more topics and rank answers higher"
    for name in [] if view.track.repeat else view.track.baselines:
        yield answers, partial(outcomes, baseline=name)
        yield "the systems that are ahead by every metric", partial(orderings, baseline=name)
    if "reranks" in view.track.runs:
        yield "the losses by stage", stages
    yield "the search lengths", partial(lengths, metric="ASL")
    yield "the effort of users", partial(lengths, metric="Twist")


def opening_sentences(track):
    """Return all sentences of a page when it opens."""
    view = track.views[0]
    claims = [make(view, track.metrics[0], track.at) for make in MOVING.values()]
    for make in (top_of_page, methods, cautions, sheet, duel):
        claims += make(track, view)
    for subject, make in sections(view):
        try:
            claims += make(track, view)
        except IrframeError as error:
            claims.append(("part.unknown", {"subject": subject}))
            claims.append(("part.needs", {"expected": error.expected, "found": error.found}))
    return {(key, str(say(key, **values))) for key, values in filter(None, claims)}


def ranges(track, view):
    """Yield key, quantity and values of each figure with intervals."""
    metric, at = track.metrics[0], track.at
    for name in track.metrics:
        with suppress(MetricError):
            ends = bounds_of(view, name)
            mean = ends.mean(axis=1) if track.unit else view.of("mean", name, at)
            yield "bounds", name, pd.DataFrame({"mean": mean}).join(ends[["lower", "upper"]])
            break
    wide = tie_ranges(track, view)
    if wide.any():
        yield "ties", f"range of {metric}", pd.DataFrame({"mean": wide, "low": 0.0, "high": wide})
    with suppress(IrframeError):
        if not track.repeat and not view.is_single:
            rows = view.cube.ireval.leave_out(metric, at=track.rank).set_index("system")
            ranks = rows[["rank_without", "rank"]].assign(last=rows["rank_without"])
            if (rows["rank_without"] != rows["rank"]).any():
                yield "left-out", "rank if left out", ranks
    if "margin" in track.options:
        every = view.every.sel(depth=[at], metric=[metric]).ireval
        arguments = {"baseline": track.options["baseline"]}
        verdict = every.compare("t", margin=track.options["margin"], **arguments)["verdict"]
        sided = every.compare("t", adjust=None, alpha=2 * track.alpha, **arguments)
        for title, rows in sided.set_index("system_a").groupby((verdict + ", ").to_numpy()):
            columns = rows[["difference", "ci_low", "ci_high"]]
            yield "verdicts", f"{title}difference in {metric}", columns
    for key, name in ("lengths", "ASL"), ("effort", "Twist"):
        with suppress(IrframeError):
            _, summary = summary_of(track, view, name)
            yield key, f"mean {name}", summary[["mean", "ci_low", "ci_high"]]


def lines(track, view):
    """Yield the quantity and values of each figure with lines."""
    metric, at = track.metrics[0], track.at
    yield "mean", view.means["mean"].sel(metric=metric).transpose("depth", "system").to_series()
    if not view.is_single:
        yield "significant pairs", view.pairs.groupby(["depth", "metric"])["significant"].mean()
        yield "Kendall's tau", view.tau.sel(depth=at).transpose("depth_other", "metric").to_series()
    scores = view.scores_at(metric, at)
    yield "difference", scores[view.pair[0]] - scores[view.pair[1]]
    if view.judged is not None:
        yield "unjudged", view.judged.median("system").to_series()
    with suppress(IrframeError):
        long = growth_of(view)[["judged", "relevant"]].melt(ignore_index=False)
        yield "documents per topic", long.set_index("variable", append=True)["value"]


MARKS = {
    "mean": ("lines", ["depth", "system"], "mean"),
    "significant pairs": ("lines", ["depth", "metric"], "value"),
    "Kendall's tau": ("lines", ["depth", "metric"], "value"),
    "difference": ("bars", ["topic"], "difference"),
    "unjudged": ("shares", ["depth"], "median"),
    "documents per topic": ("long", ["depth", "documents"], "number"),
}
"""Mapping from the title of a vertical axis to the data set of the marks, and to the columns with
their index and value.
"""


@pytest.fixture(scope="module")
def track_of(tmp_path_factory):
    return cache(lambda name: Track(name, tmp_path_factory.mktemp("page")))


@pytest.fixture(autouse=True)
def unit(request):
    """Set the unit of a page's depths or budgets."""
    name = request.node.callspec.params.get("name") if hasattr(request.node, "callspec") else None
    axis = {"budgets": TRACKS[name][1]["length"]} if name == "budgets" else {}
    token = ALONG.set(axis_from_attrs(axis))
    yield
    ALONG.reset(token)


@pytest.mark.parametrize("name", CHOSEN)
def test_sentences_are_correct_at_every_metric_and_depth(track_of, name):
    track = track_of(name)
    for number, view in enumerate(track.views):
        texts = track.page.texts["said"][number]
        assert {*texts} == {*MOVING}
        means = view.means["mean"].transpose("metric", "depth", ...)
        shown = track.page.numbers[f"{number}/mean"]
        np.testing.assert_allclose(shown, means, rtol=2e-5, atol=1e-7)
        cells = product(enumerate(track.metrics), enumerate(track.depths), MOVING.items())
        for (m, metric), (d, depth), (slot, make) in cells:
            with unsaid():
                claim = make(view, metric, depth)
            sentence = texts[slot][0 if slot in {"judged", "repeats"} else m][d]
            assert sentence == (say(claim[0], **claim[1]) if claim else ""), (slot, metric, depth)


@pytest.mark.parametrize("name", CHOSEN)
def test_page_contains_exactly_the_recomputed_sentences(track_of, name):
    track = track_of(name)
    with unsaid():
        expected = opening_sentences(track)
    rows = {("part.rows", str(say("part.rows", n=n))) for n in track.prose.rows}
    assert {(key, text) for key, text in track.prose.says} == expected | rows
    files = [*HOME.glob("*.html"), HOME.parent / "report.py"]
    source = " ".join(" ".join(path.read_text().split()) for path in files)
    for fragment in (" ".join(text.split()) for text in track.prose.between):
        assert fragment in source, fragment


@pytest.mark.parametrize("name", CHOSEN)
def test_interval_figures_draw_the_named_quantity(track_of, name):
    track, drawn = track_of(name), {}
    with unsaid():
        for key, quantity, frame in ranges(track, track.views[0]):
            drawn.setdefault(key, set()).update(
                f"{system}: {quantity} {fixed(mean)} ({fixed(low)} to {fixed(high)})"
                for system, mean, low, high in frame.itertuples(name=None)
            )
    articles = re.findall(r'<article id="([\w-]+)"(.*?)</article>', track.html, re.DOTALL)
    labels = {key: re.findall(r' aria-label="([^"]*\))"', body) for key, body in articles}
    shown = {key: {*map(unescape, texts)} for key, texts in labels.items() if texts}
    assert shown == drawn


@pytest.mark.parametrize("name", CHOSEN)
def test_line_figures_draw_the_named_quantity(track_of, name):
    track, drawn = track_of(name), {}
    for figure in track.figures:
        layers = figure.get("layer", [figure])
        axes = [layer["encoding"].get("y", {}).get("title") for layer in layers]
        title = next(filter(None, axes), None)
        if title in MARKS:
            rows, index, value = MARKS[title]
            frame = pd.DataFrame(figure["datasets"][rows]).set_index(index)[value]
            drawn[title] = frame.astype(float).dropna()
    with unsaid():
        expected = dict(lines(track, track.views[0]))
    for title, values in drawn.items():
        computed = pd.Series(expected.get(title, {}), dtype=float).dropna()
        computed = computed[computed.index.isin(values.index)] if title == "mean" else computed
        assert values.to_dict() == pytest.approx(computed.to_dict(), abs=1e-5)
    assert {*drawn} >= {*expected}


@pytest.mark.thorough
@pytest.mark.further
@pytest.mark.parametrize("name", ["seeds", "passes", "variations"])
def test_means_and_intervals_of_repeats_equal_the_results_of_functions(track_of, name):
    track, (view,) = track_of(name), track_of(name).views
    page, every = track.page, view.every.transpose("metric", "depth", "system", "repeat", "topic")
    means = every.mean("topic").to_numpy().reshape(*every.shape[:2], -1)
    means = means[:, :, ~np.isnan(means).all(axis=(0, 1))]
    np.testing.assert_allclose(page.numbers["0/repeats"], means, rtol=2e-5, atol=1e-7)
    shown = page.facts["views"][0]["repeats"]
    counts = track.full_cube["repeat_of"].to_series().value_counts()[view.systems]
    assert [len(labels) for labels in shown] == counts.tolist()
    labels = track.full_cube["repeat"].astype(str).to_series()[track.full_cube["system"]]
    assert [label for system in shown for label in system] == labels.tolist()
    assert page.facts["repeated"][0] == track.repeat
    assert page.count("details") > len(view.systems)
    assert ("0/half" in page.numbers) == view.crossing
    if view.crossing:
        half = view.pairs.eval("(ci_high - ci_low) / 2")
        np.testing.assert_allclose(page.numbers["0/half"].ravel(), half, rtol=2e-5)


@pytest.mark.parametrize("name", CHOSEN)
def test_sentences_do_not_contradict_each_other(track_of, name):
    track = track_of(name)
    for number, texts in enumerate(track.page.texts["said"]):
        first_places = track.page.numbers[f"{number}/could_be_first"].sum(axis=2)
        for m, d in np.ndindex(first_places.shape):
            leads, text, resampled = first_places[m, d], texts["first"][m][d], texts["sure"][m][d]
            counts = re.findall(r"(\d+) of \d+ systems? could be first", text)
            assert counts in ([], [str(leads)]), text
            assert leads == 1 or "no other system could be" not in text
            often = r"is first in (.+?) of resamples.*More often first: .*, in (.+?)\."
            often = re.search(often, resampled)
            assert often is None or often[1] != often[2], resampled
            shares = re.findall(r"([\w ]*\d+\xa0%) of the documents", text + texts["judged"][0][d])
            assert len({share.split()[-2] for share in shares}) <= 1, shares
            assert "in the first" not in texts["tiers"][m][d]
    keys = {key for key, _ in track.prose.says}
    assert "duel.holds" not in keys or keys.isdisjoint({"next.says", "next.every"})


@given(value=st.floats(-1, 1))
def test_numbers_are_rounded_to_the_nearest_value(value):
    assert abs(float(correlation(value)) - value) <= 0.005 + 1e-12
    assert abs(float(fixed(value)) - value) <= 0.0005 + 1e-12
    share = re.fullmatch(r"(\d+)\xa0%", percent(abs(value)))
    assert share is None or abs(int(share[1]) - 100 * abs(value)) <= 0.5


@pytest.mark.thorough
@pytest.mark.further
def test_every_template_occurs_on_some_page(track_of):
    used = set()
    for track in map(track_of, TRACKS):
        used |= {key for key, _ in track.prose.says}
        cells = product(track.views, track.metrics, track.depths, MOVING.values())
        claims = (make(view, metric, depth) for view, metric, depth, make in cells)
        used |= {claim[0] for claim in claims if claim}
    assert {*TEMPLATES} - used == ELSEWHERE
