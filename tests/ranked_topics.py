"""Frames of runs and judgments from worked cases."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class RankedTopic:
    """A topic in a worked case: ranked and judged grades."""

    serp: tuple[int | None, ...]
    judged: tuple[int, ...]

    @classmethod
    def read(cls, case):
        return cls(tuple(case["serp"]), tuple(case["judged"]))


def frames_of_topics(topics, systems=("s",)):
    """Return frames in which all systems have equal rankings."""
    runs, qrels = [], []
    for number, topic in enumerate(topics):
        missed = list(topic.judged)
        for pos, grade in enumerate(topic.serp):
            doc = f"d{pos}"
            runs += [(system, f"t{number}", doc, -pos) for system in systems]
            if grade is not None:
                qrels.append((f"t{number}", doc, grade))
            if grade in missed:
                missed.remove(grade)
        qrels += [(f"t{number}", f"x{pos}", grade) for pos, grade in enumerate(missed)]
    return (
        pd.DataFrame(runs, columns=["system", "topic", "doc", "score"]),
        pd.DataFrame(qrels, columns=["topic", "doc", "grade"]),
    )
