"""Corpora cut into chunks of so many characters, and BM25 over them: tests on real questions."""

import re
from collections import Counter, defaultdict

import numpy as np
import pandas as pd

import irframe as ir

WORD = re.compile("[a-z0-9]+")
K1, B = 0.9, 0.4


def read(folder):
    """Return questions, texts and evidence of the data of chunking_evaluation."""
    questions = pd.read_csv(folder / "questions_df.csv")["question"]
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    return questions, texts, ir.read_spans(folder / "questions_df.csv")


def cut(texts, size):
    """Return chunks of so many characters."""
    rows = [
        (doc, start, min(start + size, len(text)))
        for doc, text in texts.items()
        for start in range(0, len(text), size)
    ]
    return pd.DataFrame(rows, columns=["doc", "start", "end"])


def bm25(questions, texts, chunks, depth):
    """Return the best chunks for every question, as a run frame."""
    rows = zip(chunks["doc"], chunks["start"], chunks["end"], strict=True)
    words = [WORD.findall(texts[doc][start:end].lower()) for doc, start, end in rows]
    length = np.array([len(each) for each in words])
    norm = K1 * (1 - B + B * length / length.mean())
    postings = defaultdict(list)
    for place, each in enumerate(words):
        for word, count in Counter(each).items():
            postings[word].append((place, count))
    held = {word: np.array(each).T for word, each in postings.items()}
    found = []
    for number, question in enumerate(questions):
        scores = np.zeros(len(chunks))
        for word in dict.fromkeys(WORD.findall(question.lower())):
            if word in held:
                place, count = held[word]
                idf = np.log1p((len(chunks) - len(place) + 0.5) / (len(place) + 0.5))
                scores[place] += idf * count * (K1 + 1) / (count + norm[place])
        best = np.argsort(-scores, kind="stable")[:depth]
        ranks = np.arange(1, len(best) + 1)
        found += [(f"q{number}", *each) for each in zip(ranks, best, scores[best], strict=True)]
    frame = pd.DataFrame(found, columns=["topic", "rank", "chunk", "score"])
    return chunks.iloc[frame.pop("chunk")].reset_index(drop=True).join(frame)
