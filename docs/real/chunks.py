"""Table and facts of the page "Chunks, spans and context" from real questions.

Usage: python docs/real/chunks.py DATA, where DATA holds the folder ``chunking``: corpora, questions
and evidence of chunking_evaluation.
"""

import sys
from pathlib import Path

import pandas as pd
from shown import Page, data_folder

import irframe as ir

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))

from test_chunking import bm25, cut, read

PAGE = Page("chunks")
SIZES = (200, 400, 800, 1600)
BUDGET = 4000


def ndcg(texts, spans, run, size):
    """Return nDCG@5 where every chunk that overlaps evidence is a relevant document."""
    chunks = cut(texts, size).merge(spans, on="doc", suffixes=("", "_of_evidence"))
    overlapping = chunks.query("start < end_of_evidence and end > start_of_evidence")
    name = {"chunk": lambda frame: frame["doc"] + "#" + frame["start"].astype(str)}
    qrels = overlapping.assign(**name)[["topic", "chunk", "grade"]].drop_duplicates()
    listed = run.assign(**name)[["topic", "chunk", "rank"]]
    return listed.ireval.evaluate(qrels, "nDCG@5")["nDCG@5"].mean()


def corpora(spans):
    """Return the corpus that each question is about."""
    return spans.drop_duplicates("topic").set_index("topic")["doc"].rename("corpus")


def main():
    """Write the table and what turns round."""
    questions, texts, spans = read(data_folder(__doc__) / "chunking")
    lists = {str(n): bm25(questions, texts, cut(texts, n), depth=100) for n in SIZES}
    runs = pd.concat([run.assign(system=name) for name, run in lists.items()])
    runs = runs.assign(characters=runs["end"] - runs["start"])
    cube = runs.ireval.cube(spans, units=ir.Units(length="characters"), ties="rank")
    at_five = cube.ireval.score("SpanR", "All", at=5)
    at_text = cube.ireval.score(
        "SpanR", "All", stop=ir.Budget([500, 1000, 2000, BUDGET, 8000, 16000])
    )
    means = [side_scores.mean("topic") for side_scores in (at_five, at_text.sel(budget=BUDGET))]
    rows = [
        {
            "characters": name,
            "nDCG@5 of chunks": f"{ndcg(texts, spans, run, int(name)):.4f}",
            "SpanR@5": f"{means[0].sel(metric='SpanR', system=name).item():.4f}",
            "All@5": f"{means[0].sel(metric='All', system=name).item():.4f}",
            "SpanR in 4,000 characters": f"{means[1].sel(metric='SpanR', system=name).item():.4f}",
            "All in 4,000 characters": f"{means[1].sel(metric='All', system=name).item():.4f}",
        }
        for name, run in lists.items()
    ]
    PAGE.table(rows, "sizes")
    two = ["1600", "800"]
    sides = [
        scores.sel(metric=["SpanR"], system=two)
        for scores in (at_five, at_text.sel(budget=[BUDGET]))
    ]
    comparisons = [scores.ireval.compare().iloc[0] for scores in sides]
    corpus = corpora(spans)
    clustered = [
        side_scores.ireval.design(cluster=corpus).ireval.compare().iloc[0] for side_scores in sides
    ]
    PAGE.facts(
        questions=len(questions),
        spans=len(spans),
        more=f"{comparisons[0]['difference']:.3f}",
        less=f"{-comparisons[1]['difference']:.3f}",
        p_more=f"{comparisons[0]['p']:.0e}",
        p_less=f"{comparisons[1]['p']:.0e}",
        p_more_clustered=f"{clustered[0]['p']:.3f}",
        p_less_clustered=f"{clustered[1]['p']:.3f}",
        df_clustered=f"{clustered[0]['df']:.1f}",
    )
    ax = at_text.ireval.plot.depth_curves(metric="SpanR")
    PAGE.figure(ax, "budgets")


if __name__ == "__main__":
    main()
