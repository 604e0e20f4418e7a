"""Who is where: the ladder as the page opens, topics by how hard they are, the sheet of one."""

import base64
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.paired import all_pairs
from irframe.ranks.leaderboard import sheet
from irframe.reports.setting import MISSING, NAMED, fixed, percent, say, text
from irframe.reports.view import View

BETTER, WORSE = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)
"""Colours of a row that is better, and worse, than a column."""
FULL = 255
SIGNED = 40
"""Up to so many systems each cell has its sign."""
CELL, ARM = 15, 3
"""Pixels of such a cell, and half the length of a sign's lines."""
INKED = (0x10, 0x16, 0x1E, FULL)
"""Colour of the signs."""


def matrix(view: View, metric: int, depth: int) -> NDArray[np.int8]:
    """Return who differs significantly from whom: positive where the row is better.

    Parameters
    ----------
    view
        The numbers.
    metric, depth
        Positions of a metric and a depth.

    Returns
    -------
    numpy.ndarray
        In the order of the ladder; how many levels the p-value is below, negative where the row
        is worse; (system, system).
    """
    order = view.order(metric, depth)
    first, second = all_pairs(len(order)).T
    found = np.zeros((len(order), len(order)), np.int8)
    found[first, second] = view.signed[metric, depth]
    whole: NDArray[np.int8] = (found - found.T)[np.ix_(order, order)]
    return whole


def picture(marks: NDArray[np.int8], levels: int) -> str:
    """Return a matrix as the address of a PNG image, a pixel for every pair of many systems.

    Pairs of up to `SIGNED` systems have a cell of `CELL` pixels each way, with a plus or a minus.

    Examples
    --------
    >>> picture(np.array([[0, 1], [-1, 0]], np.int8), 1)[:30]
    'data:image/png;base64,iVBORw0K'
    """
    pixels = np.zeros((*marks.shape, 4), np.uint8)
    pixels[marks > 0, :3], pixels[marks < 0, :3] = BETTER, WORSE
    pixels[..., 3] = np.abs(marks.astype(int)) * FULL // levels
    if len(marks) <= SIGNED:
        pixels = _signed(pixels, marks)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    height, width = pixels.shape[:2]
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = (b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")
    image = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)
    return f"data:image/png;base64,{base64.b64encode(image).decode('ascii')}"


def _signed(pixels: NDArray[np.uint8], marks: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Return the picture with larger cells that have signs."""
    large = pixels.repeat(CELL, axis=0).repeat(CELL, axis=1)
    cells = large.reshape(len(marks), CELL, len(marks), CELL, 4).swapaxes(1, 2)
    middle, arms = CELL // 2, slice(CELL // 2 - ARM, CELL // 2 + ARM + 1)
    cells[marks != 0, middle, arms] = INKED
    cells[marks > 0, arms, middle] = INKED
    return cells.swapaxes(1, 2).reshape(large.shape)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check: Any = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


KNOWN = ("team", "group", "type", "runtype", "run_type", "run type")
"""Columns of systems that a ladder has, the first two of those that there are."""


def known(view: View) -> dict[str, list[str]]:
    """Return what a ladder tells of the systems besides numbers, by name."""
    there = [
        name for name in KNOWN if name in view.cube.coords and view.cube[name].dims == (SYSTEM,)
    ]
    return {name: [text(each) for each in view.cube[name].to_numpy()] for name in there[:2]}


class Rung(NamedTuple):
    """A row of the ladder, as it is spelled.

    Attributes
    ----------
    place
        Position of the system in the cube.
    system
        Its name.
    known
        What is known of it, such as its team.
    rank
        Its place.
    ranks
        The interval of its rank.
    tier, opens
        Its tier, and whether the row above is of another.
    mean, interval, share
        Its mean, with its interval, and where these stand in the bar, in percent.
    change, unjudged
        Against the first baseline, and the share of its documents.
    marks
        Of several baselines, the numbers of those from which it differs significantly.
    first
        How often it comes first.
    repeats
        What its repeats are called, their means, and where these stand in the bar.
    """

    place: int
    system: str
    known: tuple[str, ...]
    rank: str
    ranks: str
    tier: int
    opens: bool
    mean: str
    interval: str
    share: tuple[float, float, float]
    change: str
    marks: str
    unjudged: str
    first: str
    repeats: list[tuple[str, str, float]]


def rungs(view: View, systems: list[str]) -> Iterator[Rung]:
    """Yield the rows of the ladder at the depth and metric that the page opens with."""
    at = view.setting.place
    values = {name: each[0, at] for name, each in view.ranked.items()}
    open_share = view.unjudged.isel({DEPTH: at}).to_numpy()
    names, told = view.systems, known(view)
    base, apart = _against(view, values["mean"])
    several = len(apart) > 1
    every = view.by_repeat[0, at]
    low, high = span(values | {"repeats": every})
    cuts = np.cumsum([len(each) for each in view.repeats_of])[:-1]
    lists = [*zip(view.repeats_of, np.split(every, cuts), strict=True)]
    above = None
    for row in view.order(0, at):
        ends = [float(values[name][row]) for name in ("ci_low", "mean", "ci_high")]
        tier = int(np.nan_to_num(values["tier"][row]))
        yield Rung(
            systems.index(names[row]),
            names[row],
            tuple(each[row] for each in told.values()),
            f"{values['rank'][row]:.0f}",
            ranks(values["rank_low"][row], values["rank_high"][row]),
            tier,
            above is not None and tier != above,
            fixed(ends[1]),
            MISSING if np.isnan(ends[0]) else f"{fixed(ends[0])} to {fixed(ends[2])}",
            tuple(share(end, low, high) for end in ends),  # type: ignore[arg-type]
            "" if np.isnan(base) else f"{ends[1] - base:+.3f}{' *' * _alone(apart[:, row])}",
            ",".join(str(place + 1) for place in np.flatnonzero(apart[:, row]) if several),
            MISSING
            if np.isnan(open_share[row])
            else f"{100 * open_share[row]:.0f}\N{NO-BREAK SPACE}%",
            MISSING if np.isnan(values["first"][row]) else percent(float(values["first"][row])),
            [(n, fixed(each), share(each, low, high)) for n, each in zip(*lists[row], strict=True)],
        )
        above = tier


def _against(view: View, mean: NDArray[Any]) -> tuple[float, NDArray[np.bool_]]:
    """Return the mean of the first baseline, NaN without, and who differs from which of them."""
    index, order = view.cube.indexes[SYSTEM], view.order(0, view.setting.place)
    differ = matrix(view, 0, view.setting.place) != 0
    rows = index.get_indexer(pd.Index(view.setting.baselines))
    apart = np.zeros((len(rows), len(mean)), bool)
    for place, row in enumerate(rows):
        if row >= 0:
            apart[place, order] = differ[:, order == row][:, 0]
    return float(mean[rows[0]]) if len(rows) and rows[0] >= 0 else np.nan, apart


def _alone(apart: NDArray[np.bool_]) -> bool:
    """Tell whether a system differs from the one baseline that there is."""
    return len(apart) == 1 and bool(apart[0])


SPANNED = ("ci_low", "ci_high", "mean", "repeats")
"""What a bar has room for."""


def span(values: dict[str, Any]) -> tuple[float, float]:
    """Return where the bars of a ladder begin and end."""
    ends = np.concatenate([*(values[name] for name in SPANNED if name in values), [0.0]])
    return float(np.nanmin(ends)), float(np.nanmax(ends))


def share(value: float, low: float, high: float) -> float:
    """Return where a value stands between two others, in percent.

    Examples
    --------
    >>> share(0.25, 0, 1)
    25.0
    """
    return 0.0 if np.isnan(value) or high == low else round(100 * (value - low) / (high - low), 2)


def ranks(low: float, high: float) -> str:
    """Return an interval of ranks as it is spelled.

    Examples
    --------
    >>> ranks(1, 9), ranks(3, 3)
    ('1\u20139', '3')
    """
    if np.isnan(low):
        return MISSING
    return f"{low:.0f}" if low == high else f"{low:.0f}\u2013{high:.0f}"


QUARTERS = {"low": 0, "q1": 0.25, "median": 0.5, "q3": 0.75, "high": 1}
"""What is told of the scores of the systems on a topic."""


@dataclass(frozen=True, eq=False)
class HardTopics:
    """The topics of a view at a metric and a depth.

    Parameters
    ----------
    view
        The numbers.
    metric, depth
        Positions of the metric and the depth.
    """

    view: View
    metric: int
    depth: int

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per topic, the hardest first: `QUARTERS`, the best system, who finds nothing."""
        there = self.view.scores.isel({METRIC: self.metric, DEPTH: self.depth})
        values = there.transpose(SYSTEM, TOPIC).to_numpy()
        kept = np.isfinite(values).any(axis=0)
        values, sign = values[:, kept], facts(self.view.setting.metrics[self.metric]).sign
        found = dict(
            zip(QUARTERS, np.nanquantile(values, [*QUARTERS.values()], axis=0), strict=True)
        )
        ahead = np.where(np.isnan(values), -np.inf, sign * values).round(TIE)
        best, ties = ahead.argmax(axis=0), (ahead == ahead.max(axis=0)).sum(axis=0)
        frame = pd.DataFrame({TOPIC: self.view.topics, "place": range(len(kept))})[kept].assign(
            **found,
            best=self.view.names(best),
            ties=ties,
            top=values[best, np.arange(values.shape[1])],
            without=(values == 0).sum(axis=0) if sign > 0 else 0,
            n=np.isfinite(values).sum(axis=0),
        )
        order = np.lexsort(
            [frame["place"], (sign * frame["top"]).round(TIE), (sign * frame["median"]).round(TIE)]
        )
        ordered: pd.DataFrame = frame.iloc[order].reset_index(drop=True)
        return ordered

    @property
    def says(self) -> str:
        """Which topics are the hardest, or on which nobody finds anything."""
        table = self.table
        names, zeros = table[TOPIC], table["without"] == table["n"]
        if zeros.any():
            found = names[zeros].tolist()
            return say("hard.zeros", zeros=len(found), n=len(names), names=found)
        marks = table[["median", "top"]].to_numpy().round(TIE)
        last = np.flatnonzero((marks == marks[:NAMED][-1]).all(axis=1))[-1]
        if last == len(names) - 1 and (marks[0] == marks[-1]).all() and last:
            return say("hard.every", n=len(names))
        return say("hard.some" if last else "hard.one", names=names[: last + 1].tolist())

    @property
    def rows(self) -> list[tuple[dict[str, str], dict[str, float]]]:
        """The topics as they are spelled, and where their marks stand, in percent."""
        table = self.table
        low, high = min(0.0, float(table["low"].min())), float(table["high"].max())
        marks = [
            {name: share(row[name], low, high) for name in QUARTERS}
            for row in table.to_dict("records")
        ]
        return list(zip(map(_spelled, table.to_dict("records")), marks, strict=True))


def _spelled(row: dict[Any, Any]) -> dict[str, str]:
    """Return a topic as the page has it."""
    spread = f"{fixed(row['q1'])} to {fixed(row['q3'])}"
    return {
        "topic": text(row[TOPIC]),
        "median": fixed(row["median"]),
        "spread": spread,
        "best": row["best"],
        "more": f" and {row['ties'] - 1} more" if row["ties"] > 1 else "",
        "top": fixed(row["top"]),
        "without": f"{row['without']} of {row['n']}",
    }


def hardest(view: View, metric: int, depth: int) -> str:
    """Say which topics are the hardest."""
    return HardTopics(view, metric, depth).says


@dataclass(frozen=True, eq=False)
class Sheet:
    """A system as the page opens with it.

    Parameters
    ----------
    view
        The numbers.
    rung
        Its row of the ladder.
    """

    view: View
    rung: Rung

    @cached_property
    def topics(self) -> pd.DataFrame:
        """What `sheet` says, with ``better``, than the median by how much; the least first."""
        there = {METRIC: [0], DEPTH: [self.view.setting.place]}
        label = self.view.cube[SYSTEM].to_numpy()[self.view.systems.index(self.rung.system)]
        found = sheet(self.view.scores.isel(there), label)
        frame = found.isel({METRIC: 0, DEPTH: 0}, drop=True).to_dataframe().query("n > 0")
        apart = (frame["score"] - frame["median"]).round(TIE)
        frame["better"] = apart * facts(self.view.setting.metrics[0]).sign
        return frame.sort_values("better", kind="stable")

    @property
    def says(self) -> str:
        """On how many topics it is better and worse than the median."""
        name, n = self.rung.system, len(self.topics)
        if self.view.alone:
            low, high = self.topics["score"].min(), self.topics["score"].max()
            return say("sheet.alone", name=name, low=low, high=high, n=n)
        side = np.sign(self.topics["better"])
        better, worse = int((side > 0).sum()), int((side < 0).sum())
        return say("sheet.says", name=name, better=better, worse=worse, n=n)

    @property
    def known(self) -> list[str]:
        """What the ladder says of it, and on how many topics no system is better."""
        rung, best = self.rung._asdict(), int((self.topics["rank"] == 1).sum())
        told = {
            "sheet.rank": not self.view.alone,
            "sheet.bare": rung["interval"] == MISSING,
            "sheet.mean": rung["interval"] != MISSING,
            "sheet.first": rung["first"] != MISSING,
            "sheet.unjudged": rung["unjudged"] != MISSING,
            "sheet.best": not self.view.alone,
        }
        rung |= {"best": best, "n": len(self.topics)}
        return [say(key, **rung) for key, there in told.items() if there]

    @cached_property
    def rows(self) -> list[tuple[dict[str, str], dict[str, float]]]:
        """Its topics as they are spelled, and where the marks of a topic stand, in percent."""
        ends = self.topics[["best", "worst"]].to_numpy()
        low, high = min(0.0, float(ends.min())), float(ends.max())
        records: list[dict[Any, Any]] = self.topics.reset_index().to_dict("records")
        return [(_sheet_spelled(row), _marks(row, low, high)) for row in records]


def _marks(row: dict[Any, Any], low: float, high: float) -> dict[str, float]:
    """Return where the marks of a topic stand between two scores, in percent."""
    ends = sorted([row["best"], row["worst"]])
    marks = {"median": row["median"], "score": row["score"], "low": ends[0], "high": ends[1]}
    return {name: share(value, low, high) for name, value in marks.items()}


def _sheet_spelled(row: dict[Any, Any]) -> dict[str, str]:
    """Return a topic as the page has it."""
    apart = row["score"] - row["median"]
    there = not np.isnan(row["rank"])
    return {
        **{name: fixed(row[name]) for name in ("score", "median", "best", "worst")},
        "topic": text(row[TOPIC]),
        "apart": f"{'' if apart < 0 else '+'}{fixed(apart)}" if there else MISSING,
        "rank": f"{row['rank']:.0f} of {row['n']:.0f}" if there else MISSING,
    }
