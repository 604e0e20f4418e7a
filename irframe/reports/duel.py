"""Two systems, topic by topic, and their lists on one topic."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from irframe.metrics.facts import facts
from irframe.names import DEPTH, EMPTY, METRIC, SYSTEM, TOPIC
from irframe.reports.lists import Lists, mark
from irframe.reports.setting import text
from irframe.reports.view import View
from irframe.reports.words import say

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
    lists: Lists
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
        topics = [text(name) for name in there[TOPIC].to_numpy()]
        frame = pd.DataFrame({TOPIC: topics, "difference": a - b}).dropna()
        better = np.sign(frame["difference"]) * facts(self.view.setting.metrics[0]).sign
        frame["ahead"] = better.map({1: "a", -1: "b", 0: "neither"})
        return frame.sort_values("difference", ascending=False, ignore_index=True, kind="stable")

    @property
    def says(self) -> str:
        """Who is ahead how often."""
        counts = self.bars["ahead"].value_counts()
        ahead, behind = int(counts.get("a", 0)), int(counts.get("b", 0))
        a, b = self.names
        told = {"a": a, "b": b, "n": len(self.bars)}
        if ahead + behind == 0:
            return say("duel.same", **told)
        return say("duel.says", ahead=ahead, behind=behind, **told)

    @property
    def lists_say(self) -> str:
        """Where the two lists part."""
        told = {"topic": self.topic, "rank": self.parting or len(self.rows)}
        return say("lists.parting" if self.parting else "lists.same", **told)

    @cached_property
    def topic(self) -> str:
        """The topic on which they differ most."""
        most = int(self.bars["difference"].abs().to_numpy().argmax())
        return str(self.bars[TOPIC].iloc[most])

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Their two lists on that topic, rank by rank."""
        topics = [text(name) for name in self.view.setting.cube[TOPIC].to_numpy()]
        place = topics.index(self.topic)
        sides = [self._entries(system, place) for system in (self.a, self.b)]
        return [
            {"rank": number, "sides": pair}
            for number, pair in enumerate(zip(*sides, strict=True), start=1)
        ]

    def _entries(self, system: int, topic: int) -> list[tuple[str, str]]:
        """Return the documents of a list with the marks of their grades."""
        doc, grade = self.lists.doc[system, topic], self.lists.grade[system, topic]
        return [
            ("" if mark_ == EMPTY else self._name(place), mark(int(mark_)))
            for place, mark_ in zip(doc, grade, strict=True)
        ]

    def _name(self, place: int) -> str:
        return self.lists.names[place] if place >= 0 else NAMELESS

    @property
    def parting(self) -> int | None:
        """The first rank at which the two lists hold different documents."""
        return next((row["rank"] for row in self.rows if row["sides"][0] != row["sides"][1]), None)
