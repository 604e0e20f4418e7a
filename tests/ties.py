"""Runs with tied scores, for tests."""

import pandas as pd

import irframe as ir


def worked(golden):
    """Return the run, the judgments and what is expected of the worked case."""
    case = golden["002-ties"]
    run = pd.DataFrame(case["input"]["run"], columns=["doc", "score"]).assign(topic="t")
    qrels = pd.DataFrame(case["input"]["qrels"].items(), columns=["doc", "grade"])
    return run, qrels.assign(topic="t"), case["expected"]


def coarse():
    """Return the example track with scores rounded until most of them tie."""
    runs, qrels = ir.example_track()
    return runs.assign(score=runs["score"].round()), qrels
