"""Frames and cubes from lists of grades."""

import pandas as pd
from incomplete import though_incomplete

import irframe as ir


def frames_of(systems, judged=None):
    """Return frames of systems from lists of grades.

    `systems` maps a name to its rankings, one per topic, best rank first, None unjudged. Every
    grade stands for a document of its own; `judged` lists, per topic, the grades of all judged
    documents, of which each system's are taken to be the same, the first of a grade first.
    """
    runs, qrels = [], {}
    for system, serps in systems.items():
        for topic, serp in enumerate(serps):
            base = list(serp) if judged is None else list(judged[topic])
            left = [(grade, f"{n:03}") for n, grade in enumerate(base) if grade is not None]
            prefix = f"{system}-" if judged is None else ""
            for grade, doc in left:
                qrels[str(topic), prefix + doc] = grade
            for rank, grade in enumerate(serp, start=1):
                found = next((pair for pair in left if pair[0] == grade), None)
                if found:
                    left.remove(found)
                doc = prefix + found[1] if found else f"{system}-unjudged-{rank}"
                runs.append((system, str(topic), doc, rank))
    judgments = [(topic, doc, grade) for (topic, doc), grade in qrels.items()]
    return (
        pd.DataFrame(runs, columns=["system", "topic", "doc", "rank"]),
        pd.DataFrame(judgments, columns=["topic", "doc", "grade"]),
    )


def cube_of(systems, judged=None, depth=None):
    """Return the cube of systems from lists of grades."""
    with though_incomplete():
        return ir.cube(*frames_of(systems, judged), depth=depth, ties="rank")
