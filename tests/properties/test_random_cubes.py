"""Verbs on random cubes raise errors of irframe only."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties.experiments import few, seeds
from properties.verbs import VERBS, outcome
from variants import VARIANTS

import irframe as ir
from irframe.errors import IrframeError

pytestmark = [
    pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning"),
    pytest.mark.filterwarnings("ignore:Mean of empty slice"),
]
SELECTED = {
    "whole": lambda cube: cube,
    "every other topic": lambda cube: cube.isel(topic=slice(None, None, 2)),
    "one topic": lambda cube: cube.isel(topic=0),
    "one system": lambda cube: cube.isel(system=[0]),
    "no topic": lambda cube: cube.isel(topic=slice(0)),
    "masked": lambda cube: cube.where(cube["topic"] != "q0"),
    "transposed": lambda cube: cube.transpose(),
    "chunked": lambda cube: cube.chunk(topic=2, system=1),
    "turned": lambda cube: cube.chunk(depth=2).isel(system=slice(None, None, -1)),
}
KINDS = ("grade", "subtopic", "stratum", "mark")
SCORING = ("score", "bounds", "tie_ranges")


def cube_of(seed):
    """Return a random small cube with any kind of judgments."""
    random = np.random.default_rng(seed)
    kind = str(random.choice(KINDS))
    docs = int(random.integers(2, 24))
    runs, qrels = [], []
    for topic in range(random.integers(1, 6)):
        for system in range(random.integers(1, 5)):
            retrieved = random.permutation(docs)[: random.integers(0, docs // 2 + 1)]
            scores = random.normal(size=len(retrieved)).round(int(random.integers(0, 2)))
            pairs = zip(retrieved, scores, strict=True)
            runs += [(f"s{system}", f"q{topic}", f"d{doc}", score) for doc, score in pairs]
        for doc in random.permutation(docs)[: random.integers(0, docs)]:
            grade = int(random.integers(-1 if kind == "mark" else 0, 3))
            qrels += [
                (f"q{topic}", f"d{doc}", grade, str(subtopic)) for subtopic in range(1 + doc % 2)
            ]
    run = pd.DataFrame(runs, columns=["system", "topic", "doc", "score"])
    judged = pd.DataFrame(qrels, columns=["topic", "doc", "grade", "subtopic"])
    if kind != "subtopic":
        judged = judged.drop_duplicates(["topic", "doc"]).drop(columns="subtopic")
    if kind == "stratum":
        judged["stratum"] = "0"
    for frame in (run, judged):
        frame["track"] = np.where(frame["topic"] < "q2", "news", "web")
    options = {"ties": str(random.choice(["trec", "mean", "doc", "order"]))}
    options |= {"pool_depth": int(random.integers(1, 5))} if random.random() < 0.5 else {}
    return ir.cube(run, judged, **options)


@pytest.mark.thorough
@pytest.mark.property
@pytest.mark.parametrize("selected", SELECTED)
@few
@given(seed=seeds, metrics=st.lists(st.sampled_from(VARIANTS), max_size=8))
def test_verbs_only_raise_errors_of_irframe(selected, seed, metrics):
    try:
        cube = SELECTED[selected](cube_of(seed))
    except IrframeError:
        return
    for name in sorted(VERBS)[seed % 2 :: 2]:
        outcome(name, cube)
        outcome(name, cube, by="track")
    for name in SCORING:
        for variant in metrics:
            try:
                getattr(cube.ireval, name)(variant.metric).compute()
            except IrframeError:
                continue
