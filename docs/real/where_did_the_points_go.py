"""Tables and the figure of the page "Where did the points go?" from real runs.

Usage: python docs/real/where_did_the_points_go.py DATA, where DATA holds dl-hard, and chunking,
the corpora, questions and evidence of chunking_evaluation.
"""

import sys
from pathlib import Path

import pandas as pd
from shown import Page, data_folder

import irframe as ir

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))

from test_chunking import WORD, bm25, cut, read

PAGE = Page("where-did-the-points-go")
FIRST, SECOND = "bm25", "bm25+t5(zs)"
STAGES = [
    [first, f"{first}+{model}(zs)"] for first in (FIRST, "bm25+rm3") for model in ("bert", "t5")
]
SIZE = 800
"""Characters of a chunk."""
CUTS = [10, 20, 50, 100, 1000]
"""How many documents of the first stage are reranked."""


def read_passages(data):
    """Return the runs and the judgments of DL-HARD passages."""
    folder = data / "dl-hard"
    files = sorted((folder / "baselines" / "passage").glob("*.gz"))
    return ir.read_runs(files, system="file"), ir.read_qrels(folder / "dl_hard-passage.qrels")


def causes(runs, qrels):
    """Write and draw what each run loses to each cause, and compare one pair."""
    losses = runs.ireval.losses(qrels, "nDCG@10", stages=STAGES)
    means = losses.groupby("system").mean().sort_values("score", ascending=False)
    PAGE.table(shown(means.drop(columns="cut_by_stage_2")), "causes")
    PAGE.figure(losses.loc[means.index].ireval.plot.loss_bars(), "bars")
    compared = losses[["score", "ordered"]]
    compared = compared.loc[[FIRST, SECOND]].ireval.compare(baseline=FIRST).set_index("metric")
    row = compared.loc["ordered"]
    PAGE.facts(
        missed=f"{means.loc[FIRST, 'not_retrieved']:.3f}",
        ordered=f"{means.loc[SECOND, 'ordered']:.3f}",
        less=f"{-row['difference']:.3f}",
        low=f"{-row['ci_high']:.3f}",
        high=f"{-row['ci_low']:.3f}",
    )


def cuts(runs, qrels):
    """Write what is lost if fewer documents are reranked."""
    ranked = runs.ireval.rank()
    first, second = (ranked[ranked["system"].eq(name)] for name in (FIRST, SECOND))
    rows = []
    for most in CUTS:
        reranked = first.loc[first["rank"] <= most, ["topic", "doc"]]
        reordered = second.drop(columns="rank").merge(reranked, on=["topic", "doc"])
        both = pd.concat([first.drop(columns="rank"), reordered])
        losses = both.ireval.losses(qrels, "nDCG@10", stages=[FIRST, SECOND])
        means = losses.loc[SECOND].mean().rename({f"cut_by_{SECOND}": "cut"})
        rows.append({"reranked": most} | means.drop("unjudged").to_dict())
    PAGE.table(shown(pd.DataFrame(rows).set_index("reranked")), "cuts")


def chunks(data):
    """Write what a reranker of chunks loses that keeps half of them."""
    questions, texts, spans = read(data / "chunking")
    every = cut(texts, SIZE)
    pairs = every.merge(spans, on="doc", suffixes=("", "_of_evidence"))
    overlapping = pairs.query("start < end_of_evidence and end > start_of_evidence")
    first = bm25(questions, texts, every, depth=20)
    question_words = {f"q{n}": {*WORD.findall(text.lower())} for n, text in enumerate(questions)}
    scores = [
        len(
            question_words[row.topic] & {*WORD.findall(texts[row.doc][row.start : row.end].lower())}
        )
        for row in first.itertuples()
    ]
    second = first.assign(score=scores - first["rank"] / 1000).sort_values("score")
    second = second.groupby("topic").tail(10)
    both = pd.concat([first.assign(system="bm25"), second.assign(system="overlap")])
    runs, qrels = (
        frame.assign(doc=frame["doc"] + "#" + frame["start"].astype(str))
        for frame in (both, overlapping)
    )
    runs = runs[["system", "topic", "doc", "score"]]
    qrels = qrels[["topic", "doc", "grade"]].drop_duplicates()
    losses = runs.ireval.losses(qrels, "nDCG@5", stages=["bm25", "overlap"])
    means = losses.drop(columns="unjudged").groupby("system").mean()
    PAGE.table(shown(means), "chunks")
    row = losses[["cut_by_overlap"]].ireval.compare(baseline="bm25").iloc[0]
    PAGE.facts(
        dropped=f"{row['difference']:.3f}",
        dropped_low=f"{row['ci_low']:.3f}",
        dropped_high=f"{row['ci_high']:.3f}",
        questions=f"{row['n_topics']}",
    )


def shown(means):
    """Return means as text, without underscores in the names of columns."""
    text = means.map("{:.3f}".format).reset_index()
    return text.rename(columns=lambda name: str(name).replace("_", " "))


def main():
    """Write everything."""
    runs, qrels = read_passages(data_folder(__doc__))
    causes(runs, qrels)
    cuts(runs, qrels)
    chunks(data_folder(__doc__))


if __name__ == "__main__":
    main()
