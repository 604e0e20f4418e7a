"""Tests of metrics for chunks of different lengths."""

import re
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest

import irframe as ir

WORD = re.compile("[a-z0-9]+")
K1, B = 0.9, 0.4


def read(folder):
    """Return the questions, texts and evidence of chunking_evaluation."""
    questions = pd.read_csv(folder / "questions_df.csv")["question"]
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    return questions, texts, ir.read_spans(folder / "questions_df.csv")


def cut(texts, size):
    """Return the chunks of all texts, `size` characters each."""
    rows = [
        (doc, start, min(start + size, len(text)))
        for doc, text in texts.items()
        for start in range(0, len(text), size)
    ]
    return pd.DataFrame(rows, columns=["doc", "start", "end"])


def bm25(questions, texts, chunks, depth):
    """Rank chunks by BM25, and return a run frame."""
    rows = zip(chunks["doc"], chunks["start"], chunks["end"], strict=True)
    words_of_chunks = [WORD.findall(texts[doc][start:end].lower()) for doc, start, end in rows]
    length = np.array([len(chunk) for chunk in words_of_chunks])
    norm = K1 * (1 - B + B * length / length.mean())
    postings = defaultdict(list)
    for pos, chunk in enumerate(words_of_chunks):
        for term, count in Counter(chunk).items():
            postings[term].append((pos, count))
    arrays = {term: np.array(pairs).T for term, pairs in postings.items()}
    ranked = []
    for number, question in enumerate(questions):
        scores = np.zeros(len(chunks))
        for term in dict.fromkeys(WORD.findall(question.lower())):
            if term in arrays:
                pos, count = arrays[term]
                idf = np.log1p((len(chunks) - len(pos) + 0.5) / (len(pos) + 0.5))
                scores[pos] += idf * count * (K1 + 1) / (count + norm[pos])
        best = np.argsort(-scores, kind="stable")[:depth]
        ranks = np.arange(1, len(best) + 1)
        ranked += [(f"q{number}", *hit) for hit in zip(ranks, best, scores[best], strict=True)]
    frame = pd.DataFrame(ranked, columns=["topic", "rank", "chunk", "score"])
    return chunks.iloc[frame.pop("chunk")].reset_index(drop=True).join(frame)


pytestmark = pytest.mark.thorough

SIZES = (200, 400, 800, 1600)
WANTED = {
    200: (0.4458, 0.4968, 0.1949, 0.6706, 0.3517),
    400: (0.6110, 0.7164, 0.5191, 0.7944, 0.6165),
    800: (0.7248, 0.8423, 0.7394, 0.8423, 0.7394),
    1600: (0.7916, 0.9053, 0.8771, 0.7471, 0.6568),
}
"""Mapping from lengths of chunks in characters to five mean scores: nDCG@5 of chunks, SpanR@5,
All@5, SpanR at 4,000 characters, and All at 4,000 characters."""


@pytest.fixture(scope="module")
def track(shared):
    questions, texts, spans = read(shared / "data" / "chunking")
    runs = pd.concat(
        bm25(questions, texts, cut(texts, size), depth=20).assign(system=f"{size} characters")
        for size in SIZES
    )
    return texts, spans, runs.assign(characters=runs["end"] - runs["start"])


def mean(scores, size):
    return scores.sel(system=f"{size} characters").mean("topic").to_numpy().ravel().tolist()


def test_scores_of_chunks_equal_recorded_scores(track):
    texts, spans, runs = track
    assert (spans["topic"].nunique(), len(spans)) == (472, 790)
    cube = runs.ireval.cube(spans, units=ir.Units(length="characters"), ties="rank")
    at_five = cube.ireval.score("SpanR", "All", at=5)
    at_text = cube.ireval.score("SpanR", "All", stop=ir.Budget(4000))
    for size in SIZES:
        chunks = cut(texts, size).merge(spans, on="doc", suffixes=("", "_of_evidence"))
        overlapping = chunks.query("start < end_of_evidence and end > start_of_evidence")
        name = {"chunk": lambda frame: frame["doc"] + "#" + frame["start"].astype(str)}
        qrels = overlapping.assign(**name)[["topic", "chunk", "grade"]].drop_duplicates()
        run = runs[runs["system"] == f"{size} characters"].assign(**name)
        ndcg = run[["topic", "chunk", "rank"]].ireval.evaluate(qrels, "nDCG@5")["nDCG@5"].mean()
        result = [ndcg, *mean(at_five, size), *mean(at_text, size)]
        np.testing.assert_allclose(result, WANTED[size], atol=5e-5)


def test_the_better_chunk_length_differs_between_depth_and_budget(track):
    _, spans, runs = track
    two = runs[runs["system"].isin(["800 characters", "1600 characters"])]
    cube = two.ireval.cube(spans, units=ir.Units(length="characters"), ties="rank")
    at_five = cube.ireval.score("SpanR", at=5).ireval.compare().iloc[0]
    at_text = cube.ireval.score("SpanR", stop=ir.Budget(4000)).ireval.compare().iloc[0]
    assert (at_five["difference"], at_text["difference"]) == pytest.approx(
        (-0.063, 0.095), abs=5e-4
    )
    assert at_five["p"] < 1e-8
    assert at_text["p"] < 2e-8
