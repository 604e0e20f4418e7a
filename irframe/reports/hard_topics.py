"""Topics by how the systems do on them: the hardest first, and those on which nobody finds."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.reports.ladder import fixed, share
from irframe.reports.setting import text
from irframe.reports.view import View
from irframe.reports.words import listed

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
        best = np.nanargmax(np.where(np.isnan(values), -np.inf, sign * values), axis=0)
        frame = pd.DataFrame({TOPIC: self.view.topics, "place": range(len(kept))})[kept].assign(
            **found,
            best=[self.view.systems[place] for place in best],
            top=values[best, np.arange(values.shape[1])],
            without=(values == 0).sum(axis=0) if sign > 0 else 0,
            n=np.isfinite(values).sum(axis=0),
        )
        order = np.lexsort(
            [frame["place"], (sign * frame["top"]).round(12), sign * frame["median"]]
        )
        ordered: pd.DataFrame = frame.iloc[order].reset_index(drop=True)
        return ordered

    @property
    def says(self) -> str:
        """Which topics are the hardest, and on how many nobody finds anything."""
        table = self.table
        names, nobody = table[TOPIC].tolist()[:3], int((table["without"] == table["n"]).sum())
        which = f"topics are {listed(names)}" if len(names) > 1 else f"topic is {names[0]}"
        if nobody:
            return f"Nobody finds anything on {nobody} of {len(table)} topics; the hardest {which}"
        return f"The hardest {which}, by the median system"

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
        "best": text(row["best"]),
        "top": fixed(row["top"]),
        "without": f"{row['without']} of {row['n']}",
    }


def hardest(view: View) -> list[list[str]]:
    """Return what is said of the topics, by metric and depth."""
    metrics, depths = range(len(view.setting.metrics)), range(len(view.setting.depths))
    return [[HardTopics(view, metric, depth).says for depth in depths] for metric in metrics]
