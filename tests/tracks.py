"""Frames and cubes from lists of grades."""

import pandas as pd
from incomplete import though_incomplete

import irframe as ir


def frames_of(systems, judged=None):
    """Return frames of systems from lists of grades.

    `systems` maps the name of a system to a list of grades for each topic. The grade of an unjudged
    document is None. `judged` contains the grades of all judged documents of each topic, and a
    system retrieves the first remaining document with a grade. Without `judged`, each system
    retrieves different documents.
    """
    runs, qrels = [], {}
    for system, serps in systems.items():
        for topic, serp in enumerate(serps):
            base = list(serp) if judged is None else list(judged[topic])
            remaining = [(grade, f"{n:03}") for n, grade in enumerate(base) if grade is not None]
            prefix = f"{system}-" if judged is None else ""
            for grade, doc in remaining:
                qrels[str(topic), prefix + doc] = grade
            for rank, grade in enumerate(serp, start=1):
                judgment = next((pair for pair in remaining if pair[0] == grade), None)
                if judgment:
                    remaining.remove(judgment)
                doc = prefix + judgment[1] if judgment else f"{system}-unjudged-{rank}"
                runs.append((system, str(topic), doc, rank))
    judgments = [(topic, doc, grade) for (topic, doc), grade in qrels.items()]
    return (
        pd.DataFrame(runs, columns=["system", "topic", "doc", "rank"]),
        pd.DataFrame(judgments, columns=["topic", "doc", "grade"]),
    )


def cube_of(systems, judged=None, depth=None):
    """Return a cube of systems from lists of grades."""
    with though_incomplete():
        return ir.cube(*frames_of(systems, judged), depth=depth, ties="rank")
