"""One system as who sent it in wants to see it: topic by topic, against all others."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.ranks.leaderboard import sheet
from irframe.reports.ladder import Rung, share
from irframe.reports.part import MISSING
from irframe.reports.setting import text
from irframe.reports.view import View
from irframe.reports.words import fixed, say


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
        return [(_spelled(row), _marks(row, low, high)) for row in records]


def _marks(row: dict[Any, Any], low: float, high: float) -> dict[str, float]:
    """Return where the marks of a topic stand between two scores, in percent."""
    ends = sorted([row["best"], row["worst"]])
    marks = {"median": row["median"], "score": row["score"], "low": ends[0], "high": ends[1]}
    return {name: share(value, low, high) for name, value in marks.items()}


def _spelled(row: dict[Any, Any]) -> dict[str, str]:
    """Return a topic as the page has it."""
    apart = row["score"] - row["median"]
    there = not np.isnan(row["rank"])
    return {
        **{name: fixed(row[name]) for name in ("score", "median", "best", "worst")},
        "topic": text(row[TOPIC]),
        "apart": f"{'' if apart < 0 else '+'}{fixed(apart)}" if there else MISSING,
        "rank": f"{row['rank']:.0f} of {row['n']:.0f}" if there else MISSING,
    }
