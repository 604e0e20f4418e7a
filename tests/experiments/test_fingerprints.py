"""Names as numbers: equal where names are, and never trusted where they are not."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import irframe as ir
from irframe.errors import IdError
from irframe.experiments import joining
from irframe.experiments.joining import LONGEST, fingerprints, with_number

NAMES = ["", "\0", "\0\0", "a", "b", "é", "x" * 7, "x" * 8, "x" * 9, "y" * 16, "y" * 200, "a" * 17]


def of(names, kind=None):
    return fingerprints(pa.chunked_array([pa.array(names, kind)]))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_numbers_are_equal_where_names_are(kind):
    alone = of(NAMES, kind)
    assert len(set(alone.tolist())) == len(NAMES)
    for shift in range(len(NAMES)):
        around = [*NAMES[shift:], *NAMES[:shift]]
        chunks = pa.chunked_array([pa.array(around, kind)[2:5], pa.array(around, kind)[5:]])
        assert fingerprints(chunks).tolist() == np.roll(alone, -shift)[2:].tolist()


def test_integers_numbers_and_what_is_too_long():
    rng = np.random.default_rng(0)
    whole = np.unique(rng.integers(-(2**62), 2**62, 1000))
    assert len(np.unique(of(whole))) == len(whole)
    assert of(["x" * (LONGEST + 1)]) is None
    assert len(of([], pa.string())) == 0
    topics = np.repeat(np.arange(100), 100)
    pairs = with_number(np.tile(of([f"d{number}" for number in range(100)]), 100), topics)
    assert len(np.unique(pairs)) == len(pairs)


def drawn(*, whole):
    """Return a run of two systems and judgments, some topics of which nobody judged."""
    rng = np.random.default_rng(4)
    rows = pd.MultiIndex.from_product(
        [["s", "t"], range(5), range(60)], names=["system", "topic", "doc"]
    )
    runs = rows.to_frame(index=False).sample(frac=0.5, random_state=1).assign(score=1.0)
    qrels = pd.MultiIndex.from_product([range(3), range(80)], names=["topic", "doc"]).to_frame(
        index=False
    )
    qrels = qrels.sample(frac=0.4, random_state=2).assign(
        grade=lambda q: rng.integers(0, 4, len(q))
    )
    if whole:
        return runs, qrels
    name = {"doc": lambda each: "d" + each["doc"].astype(str)}
    return runs.assign(**name), qrels.assign(**name)


@pytest.mark.parametrize("whole", [False, True], ids=["text", "integers"])
@pytest.mark.parametrize("prints", ["names", "their lengths", "none"])
def test_joins_do_not_depend_on_the_numbers(whole, prints, monkeypatch):
    runs, qrels = drawn(whole=whole)
    expected = runs.merge(qrels, how="left", on=["topic", "doc"])["grade"].to_numpy()
    if prints == "none":
        monkeypatch.setattr(joining, "fingerprints", lambda _: None)
    if prints == "their lengths":
        short = lambda doc: np.array([len(str(each)) for each in doc.to_pylist()], np.uint64)  # noqa: E731
        monkeypatch.setattr(joining, "fingerprints", short)
    with pytest.warns(match="2 topics"):
        ir.cube(runs, qrels)
    found = ir.verbs.judge(runs, qrels)["grade"].to_numpy(np.float64, na_value=np.nan)
    assert np.array_equal(found, expected, equal_nan=True)
    with pytest.raises(IdError, match="found 1 listed again: t 4 "):
        ir.verbs.judge(
            pd.concat([runs, runs[runs["system"] == "t"].sort_values("topic").tail(1)]), qrels
        )


def test_documents_taken_for_judged_ones_are_found_out(monkeypatch):
    run = pd.DataFrame({"topic": "1", "doc": ["bb", "a"], "score": 1.0})
    qrels = pd.DataFrame({"topic": ["1"], "doc": ["aa"], "grade": [1]})
    monkeypatch.setattr(
        joining, "fingerprints", lambda doc: np.array([len(d) for d in doc.to_pylist()], np.uint64)
    )
    with pytest.warns(match="no retrieved document is judged"):
        assert ir.verbs.judge(run, qrels)["grade"].isna().all()
