"""Leaderboard, matrix of significant differences, hard topics, and system sheet."""

import base64
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.comparing.corrections import Significance
from irframe.errors import IrframeError, unsaid
from irframe.escaping import markdown
from irframe.metrics.facts import TIE
from irframe.names import BOUND, DEPTH, METRIC, SYSTEM, TOPIC
from irframe.paired import all_pairs
from irframe.ranks.first import FIRST
from irframe.ranks.rank_intervals import rank_intervals
from irframe.reports.view import QUARTERS, View
from irframe.reports.words import MISSING, NAMED, Values, fixed, percent, say, short, signed, texts

BETTER = (0x00, 0x72, 0xB2)
WORSE = (0xD5, 0x5E, 0x00)
"""`BETTER` and `WORSE` colour a cell if its row's system is better or worse than its column's."""
FULL = 255
SIGNED = 40
"""The maximum number of systems for which the cells of the matrix have signs."""
CELL = 15
"""The width and height of a cell with a sign, in pixels."""
ARM = 3
"""Half the length of the lines that form a plus or minus sign, in pixels."""
INKED = (0x10, 0x16, 0x1E, FULL)
"""The colour of the signs: red, green, blue and opacity."""


def matrix(view: View, metric: int, depth: int) -> NDArray[np.int8]:
    """Return the matrix of significant differences between systems.

    Parameters
    ----------
    view
        Results for all topics, or for one collection.
    metric, depth
        Positions of a metric and a depth.

    Returns
    -------
    numpy.ndarray
        Number of significance levels above the p-value, indexed (system, system) in the order of
        the leaderboard. The number is negative if the system of the row is worse.
    """
    order = view.ranked["order"][metric, depth]
    first, second = all_pairs(len(order)).T
    levels = np.zeros((len(order), len(order)), np.int8)
    levels[first, second] = view.signed[metric, depth]
    return (levels - levels.T)[np.ix_(order, order)]


def picture(marks: NDArray[np.int8], levels: int) -> str:
    """Return a matrix as the data URL of a PNG.

    With more than `SIGNED` systems, each pair is one pixel. With fewer systems, each pair is a cell
    of `CELL` by `CELL` pixels with a plus or minus sign.

    Examples
    --------
    >>> picture(np.array([[0, 1], [-1, 0]], np.int8), 1)[:30]
    'data:image/png;base64,iVBORw0K'
    """
    pixels = np.zeros((*marks.shape, 4), np.uint8)
    pixels[marks > 0, :3] = BETTER
    pixels[marks < 0, :3] = WORSE
    # 255 is too large for the int8 of `marks`
    pixels[..., 3] = np.abs(marks.astype(int)) * FULL // levels
    if len(marks) <= SIGNED:
        pixels = pixels.repeat(CELL, axis=0).repeat(CELL, axis=1)
        # `cells` is a view of `pixels`, so the signs are written into `pixels`
        cells = pixels.reshape(len(marks), CELL, len(marks), CELL, 4).swapaxes(1, 2)
        middle = CELL // 2
        arms = slice(middle - ARM, middle + ARM + 1)
        cells[marks != 0, middle, arms] = INKED
        cells[marks > 0, arms, middle] = INKED
    # each row of a PNG begins with the number of its filter; 0 means no filter
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    height, width = pixels.shape[:2]
    # 8 bits per channel; colour type 6 stands for red, green, blue and opacity
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    image = b"\x89PNG\r\n\x1a\n"
    for kind, data in (b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""):
        image += struct.pack(">I", len(data)) + kind + data
        image += struct.pack(">I", zlib.crc32(kind + data))
    return f"data:image/png;base64,{base64.b64encode(image).decode('ascii')}"


SHOWN_COORDS = ("team", "group", "type", "runtype", "run_type", "run type")
"""User coordinates that the leaderboard shows as columns, at most two at a time."""


def user_coords(view: View) -> dict[str, list[str]]:
    """Return the user coordinates of systems that the leaderboard shows."""
    coords = (view.cube[name] for name in SHOWN_COORDS if name in view.cube.coords)
    columns = [column for column in coords if column.dims == (SYSTEM,)][:2]
    return {str(column.name): texts(column.to_numpy()) for column in columns}


def rungs(view: View, systems: list[str]) -> Iterator[Values]:
    """Yield the rows of the leaderboard as texts.

    The rows show the metric and depth that the page opens with. ``place`` is the position of the
    system in the cube, and ``known`` contains the user coordinates. ``ranks`` is the interval of
    ranks. ``opens`` says whether the row begins a new tier, and ``leads`` whether the system could
    be first. ``share`` contains the positions of the interval and the mean in the bar, in percent.
    ``change`` is the difference from the first baseline. ``marks`` lists the numbers of the
    baselines from which the system differs significantly. ``first`` is the share of resamples in
    which the system is first. ``repeats`` contains the name, mean and position of each repeat.
    """
    at = view.setting.pos
    values = {name: array[0, at] for name, array in view.ranked.items()}
    unjudged = view.unjudged.isel({DEPTH: at}).to_numpy()
    base, differs = _baseline_and_differing(view, values["mean"])
    every = view.by_repeat[0, at]
    # the script computes the same limits when the metric or the depth changes
    low, high = span(values | {"repeats": every})
    # `every` has no axis for systems, because they may have different numbers of repeats
    repeated = np.split(every, np.cumsum([len(labels) for labels in view.repeats_of])[:-1])
    texts = _rung_texts(view, values, base)
    above = None
    for row in values["order"]:
        marks = np.flatnonzero(differs[:, row])
        star = " *" if len(differs) == 1 and len(marks) else ""
        tier = int(np.nan_to_num(values["tier"][row]))
        yield {name: column[row] for name, column in texts.items()} | {
            "place": systems.index(view.systems[row]),
            "system": view.systems[row],
            "rank": f"{values['rank'][row]:.0f}",
            "ranks": ranks(values["rank_low"][row], values["rank_high"][row]),
            "tier": tier,
            "opens": above is not None and tier != above,
            "leads": bool(values[FIRST][row]),
            "share": [share(float(values[key][row]), low, high) for key in ENDS],
            "change": texts["change"][row] + star,
            "marks": ",".join(str(n + 1) for n in marks) if len(differs) > 1 else "",
            "unjudged": MISSING
            if np.isnan(unjudged[row])
            else f"{100 * unjudged[row]:.0f}\N{NO-BREAK SPACE}%",
            "repeats": [
                (label, fixed(value), share(value, low, high))
                for label, value in zip(view.repeats_of[row], repeated[row], strict=True)
            ],
        }
        above = tier


def _rung_texts(view: View, values: Mapping[str, Array], base: float) -> dict[str, list[str]]:
    """Return the texts of each column of the leaderboard."""
    low, mean, high = ([*map(fixed, values[name])] for name in ENDS)
    shares = values["first"]
    columns = [*user_coords(view).values()] or [[""] * len(mean)]
    return {
        "short": [*map(short, view.systems)],
        "known": [*map(", ".join, zip(*columns, strict=True))],
        "mean": mean,
        "interval": [
            MISSING if ends[0] == MISSING else " to ".join(ends)
            for ends in zip(low, high, strict=True)
        ],
        "change": [*map(signed, values["mean"] - base)],
        "first": [MISSING if np.isnan(share) else percent(share) for share in shares],
    }


def _baseline_and_differing(view: View, mean: Array) -> tuple[float, NDArray[np.bool_]]:
    """Return the first baseline's mean and significant differences from baselines.

    The mean is NaN if there is no baseline.
    """
    order = view.ranked["order"][0, view.setting.pos]
    differ = np.zeros((len(mean), len(mean)), bool)
    # the order of systems is that of the leaderboard in `matrix`, and that of the cube in `differ`
    differ[np.ix_(order, order)] = matrix(view, 0, view.setting.pos) != 0
    rows = view.cube.indexes[SYSTEM].get_indexer(pd.Index(view.setting.baselines))
    # if the view of a collection lacks a baseline, the position of the baseline is -1
    from_baselines = differ[rows] & (rows >= 0)[:, np.newaxis]
    return float(mean[rows[0]]) if len(rows) and rows[0] >= 0 else np.nan, from_baselines


def limits_of(view: View) -> dict[str, list[list[float]]]:
    """Return the bounds of each system's mean by metric.

    The bounds hold for all possible grades of the unjudged documents. The result is empty if the
    bounds cannot be computed, or if the page shows budgets.
    """
    if view.setting.axis.unit:
        return {}
    try:
        ends = view.bounded
    except IrframeError:
        return {}
    # means are comparable only over those topics on which all systems have bounds
    means = ends.where(ends.notnull().all([SYSTEM, BOUND])).mean(TOPIC).round(9)
    values = means.transpose(METRIC, BOUND, SYSTEM).to_numpy().tolist()
    return dict(zip(texts(means[METRIC].to_numpy()), values, strict=True))


def worst_and_best(view: View, a: int, b: int) -> tuple[float, float] | None:
    """Return the bounds of a difference of two means.

    The bounds hold for all possible grades of the unjudged documents. Return None if the bounds
    cannot be computed.
    """
    if (limits := limits_of(view).get(view.setting.metrics[0])) is None:
        return None
    (low_a, low_b), (high_a, high_b) = np.array(limits)[:, [a, b]]
    return low_a - high_b, high_a - low_b


def first_places(scores: pd.DataFrame, metric: str, alpha: float) -> str:
    """Return a Markdown paragraph on systems that could be first.

    The paragraph is empty for a single system, and for systems with repeats, which the test does
    not support.
    """
    if scores.index.get_level_values(SYSTEM).nunique() < 2:
        return ""
    with unsaid():
        ranking = rank_intervals(scores[[metric]], test=Significance(adjust=None, alpha=alpha))
    if FIRST not in ranking:
        return ""
    leads = ranking[ranking[FIRST]].sort_values("rank", kind="stable")
    names = texts(leads.index.get_level_values(SYSTEM))
    values = {"n": len(names), "of": len(ranking), "alpha": alpha, "names": names}
    return f"\n{markdown(f'By {metric}, ' + say('first.several', **values))}.\n"


ENDS = ("ci_low", "mean", "ci_high")
"""Statistics that the bar of a system in the leaderboard shows."""
SPANNED = (*ENDS, "repeats")
"""Statistics whose range over all systems determines the scale of the bars."""


def span(values: Mapping[str, Array]) -> tuple[float, float]:
    """Return the lowest and highest value of the bars' scale."""
    ends = np.concatenate([*(values[name] for name in SPANNED if name in values), [0.0]])
    return float(np.nanmin(ends)), float(np.nanmax(ends))


def share(value: float, low: float, high: float) -> float:
    """Return a value's position between two limits, in percent.

    Examples
    --------
    >>> share(0.25, 0, 1)
    25.0
    """
    return 0.0 if np.isnan(value) or high == low else round(100 * (value - low) / (high - low), 2)


def ranks(low: float, high: float) -> str:
    """Return an interval of ranks as text.

    Examples
    --------
    >>> ranks(1, 9), ranks(3, 3)
    ('1\u20139', '3')
    """
    if np.isnan(low):
        return MISSING
    return f"{low:.0f}" if low == high else f"{low:.0f}\u2013{high:.0f}"


@dataclass(frozen=True, eq=False)
class HardTopics:
    """Topics sorted by difficulty, for one metric and depth.

    Parameters
    ----------
    view
        Results for all topics, or for one collection.
    metric, depth
        Positions of the metric and the depth.
    """

    view: View
    metric: int
    depth: int

    @cached_property
    def table(self) -> pd.DataFrame:
        """Table with a row per topic, the hardest first.

        The columns are `QUARTERS`, the best system, and the number of systems with a score of 0.
        """
        values = self.view.scores.to_numpy()[self.metric, :, :, self.depth]
        scored = np.isfinite(values).any(axis=0)
        values = values[:, scored]
        sign = int(self.view.setting.signs[self.metric, 0, 0])
        quarters = self.view.quarters[self.metric, :, scored, self.depth].T
        # argmax would select NaN, so missing scores are replaced by the worst possible value
        ahead = np.where(np.isnan(values), -np.inf, sign * values).round(TIE)
        best = ahead.argmax(axis=0)
        ties = (ahead == ahead.max(axis=0)).sum(axis=0)
        frame = pd.DataFrame({TOPIC: self.view.topics, "place": range(len(scored))})[scored].assign(
            **dict(zip(QUARTERS, quarters, strict=True)),
            best=self.view.labels[best],
            ties=ties,
            top=values[best, np.arange(values.shape[1])],
            without=(values == 0).sum(axis=0) if sign > 0 else 0,
            n=np.isfinite(values).sum(axis=0),
        )
        marks = (sign * frame[["median", "top"]]).round(TIE)
        # the last key decides first: the median, then the best score, then the position
        order = np.lexsort([frame["place"], marks["top"], marks["median"]])
        ordered: pd.DataFrame = frame.iloc[order].reset_index(drop=True)
        return ordered

    @property
    def rows(self) -> list[tuple[dict[str, str], dict[str, float]]]:
        """Texts and mark positions (in percent) of each row."""
        table = self.table
        low, high = min(0.0, float(table["low"].min())), float(table["high"].max())
        numbers = table[["median", "q1", "q3", "top"]].map(fixed)
        texts = numbers.assign(short=table["best"].map(short)).to_dict("records")
        return [
            (_topic_texts(row, of_row), {name: share(row[name], low, high) for name in QUARTERS})
            for row, of_row in zip(table.to_dict("records"), texts, strict=True)
        ]


def hardest_topics(view: View, metric: int, depth: int) -> tuple[str, Values]:
    """Choose the sentence on the hardest topics."""
    table = HardTopics(view, metric, depth).table
    names = table[TOPIC]
    zeros = table["without"] == table["n"]
    if zeros.any():
        missed = names[zeros].tolist()
        return "hard.zeros", {"zeros": len(missed), "n": len(names), "names": missed}
    marks = table[["median", "top"]].to_numpy().round(TIE)
    # topics that are as hard as the last named topic are named too
    last = np.flatnonzero((marks == marks[:NAMED][-1]).all(axis=1))[-1]
    if last == len(names) - 1 and (marks[0] == marks[-1]).all() and last:
        return "hard.every", {"n": len(names)}
    return "hard.some" if last else "hard.one", {"names": names[: last + 1].tolist()}


def _topic_texts(row: Values, texts: Values) -> dict[str, str]:
    """Return the cells of a topic as texts."""
    return {
        "topic": str(row[TOPIC]),
        "median": texts["median"],
        "spread": f"{texts['q1']} to {texts['q3']}",
        "best": row["best"],
        "short": texts["short"] + (f" and {row['ties'] - 1} more" if row["ties"] > 1 else ""),
        "top": texts["top"],
        "without": f"{row['without']} of {row['n']}",
    }


@dataclass(frozen=True, eq=False)
class Sheet:
    """Scores of one system by topic in the opening view.

    Parameters
    ----------
    view
        Results for all topics, or for one collection.
    rung
        Row of the system in the leaderboard.
    """

    view: View
    rung: Values

    @cached_property
    def topics(self) -> pd.DataFrame:
        """Scores by topic, sorted by their difference from the median.

        The column ``better`` contains the difference, which is positive if the system is better
        than the median.
        """
        at = self.view.setting.pos
        sign = self.view.setting.facts[0].sign
        scores = self.view.scores.to_numpy()[0, :, :, at]
        score = scores[self.view.systems.index(self.rung["system"])]
        low, median, high = self.view.quarters[0, [0, 2, 4], :, at]
        ahead = ((sign * scores).round(TIE) > (sign * score).round(TIE)).sum(axis=0)
        columns = {
            "score": score,
            "best": high if sign > 0 else low,
            "median": median,
            "worst": low if sign > 0 else high,
            "rank": np.where(np.isnan(score), np.nan, 1 + ahead),
            "n": np.isfinite(scores).sum(axis=0),
            "better": sign * (score - median).round(TIE),
        }
        frame = pd.DataFrame(columns, self.view.topics).rename_axis(TOPIC).query("n > 0")
        return frame.sort_values("better", kind="stable")

    @property
    def says(self) -> str:
        """Sentence on the topics above and below the median system."""
        side = np.sign(self.topics["better"])
        low, high = self.topics["score"].min(), self.topics["score"].max()
        counts = {"better": int((side > 0).sum()), "worse": int((side < 0).sum())}
        key = "sheet.alone" if self.view.is_single else "sheet.says"
        return say(key, name=self.rung["system"], n=len(side), low=low, high=high, **counts)

    @property
    def details(self) -> list[str]:
        """Sentences on the system's rank, mean and best topics."""
        rung = self.rung
        best = int((self.topics["rank"] == 1).sum())
        shown = {f"sheet.{name}": rung[name] != MISSING for name in ("first", "unjudged")}
        several = not self.view.is_single
        keys = ["sheet.rank"] if several else []
        keys += ["sheet.bare" if rung["interval"] == MISSING else "sheet.mean"]
        keys += [key for key, is_shown in shown.items() if is_shown]
        keys += ["sheet.best"] if several else []
        return [say(key, **rung | {"best": best, "n": len(self.topics)}) for key in keys]

    @cached_property
    def rows(self) -> list[tuple[Values, dict[str, float]]]:
        """Texts and mark positions (in percent) of each row."""
        ends = self.topics[["best", "worst"]].to_numpy()
        low, high = min(0.0, float(ends.min())), float(ends.max())
        texts = self.topics[["score", "median", "best", "worst"]].map(fixed)
        texts["apart"] = (self.topics["score"] - self.topics["median"]).map(signed)
        texts.loc[self.topics["rank"].isna(), "apart"] = MISSING
        rows = []
        records = self.topics.reset_index().to_dict("records")
        for row, of_row in zip(records, texts.to_dict("records"), strict=True):
            # the best score of a cost metric is the lowest
            least, most = sorted([row["best"], row["worst"]])
            marks = {"median": row["median"], "score": row["score"], "low": least, "high": most}
            spread = {str(name): share(value, low, high) for name, value in marks.items()}
            rank = MISSING if np.isnan(row["rank"]) else f"{row['rank']:.0f} of {row['n']:.0f}"
            rows.append(({**of_row, "topic": str(row[TOPIC]), "rank": rank}, spread))
        return rows
