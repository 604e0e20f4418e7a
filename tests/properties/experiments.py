"""Small experiments for property tests.

The experiments have two tracks, graded and unjudged documents, ties, and missing lists.
"""

import numpy as np
import pandas as pd
from hypothesis import Phase, settings
from hypothesis import strategies as st

import irframe as ir

SYSTEMS = ["s0", "s1", "s2", "s3"]
"""Names of systems. The last system does not contribute to the pool, so that removing it does not
change the judgments."""
TRACKS = {"news": ["n1", "n2", "n3", "n4"], "web": ["w1", "w2", "w3", "w4"]}
DEPTH = 6


def experiment(seed, *, ties=False, missing=True):
    """Return run and qrels frames of two unrelated tracks.

    All systems take part in the first track, and all except the first system in the second track.
    If `missing` is True, one system lacks the list of one topic per track. The first two documents
    of contributing lists are judged, so that the pool has a depth.
    """
    random = np.random.default_rng(seed)
    runs, qrels = [], []
    for track, topics in TRACKS.items():
        for topic in topics:
            docs = [f"{topic}d{number}" for number in range(12)]
            grades = random.choice([0, 0, 0, 1, 2, 3 if track == "web" else 2], size=len(docs))
            grades[:2] = 1, 0
            judged = random.random(len(docs)) < 0.8
            judged[:2] = True
            judged[-2:] = True
            for system in SYSTEMS:
                if track == "web" and system == SYSTEMS[0]:
                    continue
                if missing and topic == topics[-1] and system == SYSTEMS[1]:
                    continue
                length = int(random.integers(2, DEPTH + 1)) if topic != topics[0] else DEPTH
                drawn = random.permutation(len(docs))[:length]
                if system != SYSTEMS[-1]:
                    judged[drawn[:2]] = True
                listed = [docs[index] for index in drawn]
                scores = np.arange(length, 0, -1.0)
                scores = np.ceil(scores / 2) if ties else scores
                runs += [
                    (system, topic, d, s, system != SYSTEMS[-1], f"team {system in SYSTEMS[:2]}")
                    for d, s in zip(listed, scores, strict=True)
                ]
            qrels += [(topic, d, int(g)) for d, g, j in zip(docs, grades, judged, strict=True) if j]
    names = ["system", "topic", "doc", "score", "contributing", "team"]
    frame = pd.DataFrame(runs, columns=names)
    tracks = {topic: track for track, topics in TRACKS.items() for topic in topics}
    frame["track"] = frame["topic"].map(tracks)
    judgments = pd.DataFrame(qrels, columns=["topic", "doc", "grade"])
    return frame, judgments.assign(track=judgments["topic"].map(tracks))


def larger(seeds=1):
    """Return the example track as two tracks with costs.

    The two tracks have different systems. Some retrieved documents are unjudged, and one topic has
    no relevant documents. Some scores differ in double precision, but are equal in single
    precision.
    """
    runs, qrels = ir.example_track()
    topics = sorted(qrels["topic"].unique())
    names = {name: f"{'nw'[number % 2]}{number // 2 + 1}" for number, name in enumerate(topics)}
    tracks = {name: "news" if name[0] == "n" else "web" for name in names.values()}
    systems = {name: f"s{number}" for number, name in enumerate(runs["system"].unique())}
    random = np.random.default_rng(0)
    frames = []
    for seed in range(seeds):
        repeat = runs.assign(system=runs["system"].map(systems), topic=runs["topic"].map(names))
        repeat["score"] += 1e-9 * random.random(len(repeat)) + (seed > 0) * random.normal(
            0, 0.2, len(repeat)
        )
        frames.append(repeat.assign(seed=seed) if seeds > 1 else repeat)
    frame = pd.concat(frames, ignore_index=True)
    frame["team"] = "team " + frame["system"].isin(SYSTEMS[:2]).astype(str)
    frame["track"] = frame["topic"].map(tracks)
    frame["tokens"] = 90 + 7 * (frame["rank"] % 5)
    frame["round"] = 2 - frame["rank"] % 2
    frame["contributing"] = frame["system"] != "s7"
    frame["half"] = frame["topic"].str[1].astype(int) // 5
    best = frame[frame["contributing"]].groupby(["topic", "doc"])["rank"].min().rename("best")
    qrels = qrels.assign(topic=qrels["topic"].map(names)).join(best, on=["topic", "doc"])
    judged = qrels[(qrels["best"] <= 3) | (random.random(len(qrels)) < 0.7)].drop(columns="best")
    judged.loc[judged["topic"] == "w8", "grade"] = 0
    judged = judged.reset_index(drop=True)
    return frame, judged.assign(track=judged["topic"].map(tracks))


seeds = st.integers(0, 10_000)
few = settings(max_examples=1, phases=[Phase.explicit, Phase.generate])
"""Hypothesis settings for tests that call every verb for each random input. The settings disable
shrinking, because a smaller seed does not make a smaller experiment."""
THOROUGH = settings.default.max_examples > 2
"""Whether Hypothesis draws many random inputs. If so, tests that call all verbs try every
combination.
"""
