"""Write `values.json`, scores computed by ndeval for rankings with subtopics.

pyndeval is not a dependency. Run this script in a separate environment:

    python -m venv ndeval && ndeval/bin/pip install pyndeval==0.0.8
    ndeval/bin/python tests/metrics/_pyndeval/make_values.py
"""

import json
import random
from pathlib import Path

import pyndeval

CUTOFFS = (1, 2, 5, 10, 20)
SETTINGS = ((0.5, 0.5), (0.25, 0.8), (1.0, 0.3), (0.0, 0.5))
"""Pairs of values of alpha and beta."""


def draw():
    """Return varied qrels with subtopics, and a run."""
    rng = random.Random(3)  # noqa: S311 - no secret
    qrels, run = [], []
    for topic in range(12):
        docs = [f"d{number:02}" for number in range(rng.choice([6, 15, 40]))]
        for subtopic in range(1 + topic % 6):
            share = rng.choice([0.0, 0.05, 0.2, 0.5]) if topic else 0.0
            qrels += [
                (f"q{topic}", f"s{subtopic}", doc, int(rng.random() < share))
                for doc in rng.sample(docs, max(1, len(docs) * 2 // 3))
            ]
        listed = [*docs, *(f"x{number}" for number in range(8))]
        rng.shuffle(listed)
        listed = listed[: rng.choice([3, 12, 48])]
        run += [(f"q{topic}", doc, float(-rank)) for rank, doc in enumerate(listed)]
    return qrels, run


def main():
    """Write `values.json`."""
    qrels, run = draw()
    names = [
        *(
            name if name in pyndeval.NOCUTOFF_MEASURES else f"{name}@{k}"
            for name in pyndeval.SUPPORTED_MEASURES
            for k in (CUTOFFS if name not in pyndeval.NOCUTOFF_MEASURES else [0])
        )
    ]
    values = [
        {
            "alpha": alpha,
            "beta": beta,
            "scores": pyndeval.ndeval(qrels, run, names, alpha=alpha, beta=beta),
        }
        for alpha, beta in SETTINGS
    ]
    path = Path(__file__).with_name("values.json")
    path.write_text(json.dumps({"qrels": qrels, "run": run, "values": values}) + "\n")


if __name__ == "__main__":
    main()
