"""Topics by how the systems do on them: the hardest first, and those on which nobody finds."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.reports.ladder import share
from irframe.reports.setting import text
from irframe.reports.view import View
from irframe.reports.words import NAMED, fixed, say

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
