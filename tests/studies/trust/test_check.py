"""One row per run, with all that may be wrong with it at once."""

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import DepthError, IdError
from irframe.studies.trust.check import SEVERITY

QRELS = pd.DataFrame(
    {"topic": ["1", "1", "2", "3"], "doc": ["x", "y", "x", "z"], "grade": [1, 0, 2, -1]}
)


def rows(system, *lists):
    """Return the rows of a system: (topic, documents, scores, ranks)."""
    return pd.concat(
        pd.DataFrame(
            {"system": system, "topic": t, "doc": list(docs), "score": scores, "rank": ranks}
        )
        for t, docs, scores, ranks in lists
    )


def odd_runs():
    """Return runs of which each is wrong in several ways, and nothing can score all of them."""
    return pd.concat(
        [
            rows("sound", ("1", "xy", [2, 1], [1, 2]), ("2", "xy", [2, 1], [1, 2])),
            rows(
                "wrong",
                ("1", "xxq", [2, 1, np.nan], [1, 2, 3]),
                ("9", "ab", [1, 2], [1, 2]),
                ("3", "z", [1.0], [1]),
            ),
            rows("same", ("2", "xy", [9, 8], [0, 1]), ("1", "xy", [5, 4], [0, 1])),
            rows("tied", ("1", "xyz", [1, 1, 1], [1, 1, 2]), ("2", "xyz", [3, 2, 1], [1, 2, 3])),
        ],
        ignore_index=True,
    )


def test_everything_about_each_run_at_once():
    found = odd_runs().ireval.check(QRELS, length=2)
    assert found.index.tolist() == ["sound", "wrong", "same", "tied"]
    listed = {
        system: {name: row[name] for name in SEVERITY if row[name]}
        for system, row in found.to_dict("index").items()
    }
    assert listed == {
        "sound": {"topics_missing": ("3",), "identical_to": ("same",)},
        "wrong": {
            "scores_missing": ("1 q",),
            "duplicates": ("1 x",),
            "topics_missing": ("2",),
            "topics_unknown": ("9",),
            "ranks_contradict": ("9",),
            "lists_short": ("3",),
        },
        "same": {"topics_missing": ("3",), "identical_to": ("sound",)},
        "tied": {"topics_missing": ("3",), "ranks_repeated": ("1",), "lists_tied": ("1",)},
    }
    assert found["severity"].tolist() == ["warning", "error", "warning", "warning"]
    assert found.loc["wrong", "found"] == tuple(listed["wrong"])
    numbers = found[["topics", "documents", "longest", "ties", "first_unjudged"]]
    assert numbers.loc["wrong"].tolist() == [3, 6, 3, 0, 1]
    assert numbers.loc["tied"].tolist() == [2, 6, 3, 2, 1]
    assert found.loc["wrong", "unjudged_at_10"] == 2 / 4  # q, and z of grade -1
    assert found.loc["tied", "unjudged_at_10"] == 3 / 6  # y of topic 2, z of both


def test_the_tops_are_those_of_the_cube():
    runs, qrels = ir.example_track()
    found = runs.ireval.check(qrels, depth=5)
    cube = runs.ireval.cube(qrels)
    top = cube["grade"].isel(depth=slice(5)) == ir.names.UNJUDGED
    np.testing.assert_allclose(found["unjudged_at_5"], top.mean(["topic", "depth"]))
    unjudged = (cube["grade"] == ir.names.UNJUDGED).any("topic").argmax("depth") + 1
    assert found["first_unjudged"].tolist() == unjudged.to_numpy().tolist()
    assert found["ties"].tolist() == cube["tied"].sum(["topic", "depth"]).to_numpy().tolist()


def test_lists_are_complete_and_lengths_those_of_the_longest():
    runs, qrels = ir.example_track()
    short = runs[(runs["system"] != "ance") | (runs["rank"] < 9)]
    found = short.ireval.check(qrels)
    assert found["lists_short"].map(len).to_dict() == dict.fromkeys(found.index, 0) | {"ance": 16}
    assert found.loc["ance", "lists_short"] == tuple(qrels["topic"].unique())


def test_rows_without_ids_are_told_by_their_position():
    runs = odd_runs()
    runs.loc[[1, 8], "doc"] = None
    runs.loc[9, "topic"] = None
    lone = pd.DataFrame({"system": ["lone"], "topic": [None], "doc": ["x"], "score": 1.0})
    found = pd.concat([runs, lone], ignore_index=True).ireval.check(QRELS)
    assert found["ids_missing"].to_dict() == {
        "sound": (1,), "wrong": (8, 9), "same": (), "tied": (), "lone": (20,),
    }  # fmt: skip
    assert found.loc["lone", "severity"] == "error"
    assert pd.isna(found.loc["lone", "topics"])
    with pytest.raises(IdError, match="a system in every row"):
        runs.assign(system=None).ireval.check(QRELS)


def test_runs_without_scores_are_read_by_rank():
    ranked = odd_runs().drop(columns="score")
    found = ranked.ireval.check(QRELS)
    assert found.loc["tied", ["ranks_repeated", "severity"]].tolist() == [("1",), "error"]
    assert not found["ranks_contradict"].any()
    assert not found["scores_missing"].any()
    ranked.loc[0, "rank"] = None
    assert ranked.ireval.check(QRELS).loc["sound", "ranks_repeated"] == ("1",)


def test_documents_that_are_in_no_collection():
    found = odd_runs().ireval.check(QRELS, documents=["x", "y", "z", "a"])
    assert found["documents_unknown"].tolist() == [(), ("1 q", "9 b"), (), ()]


def test_ids_of_two_types_have_nothing_in_common():
    found = odd_runs().astype({"topic": int}).ireval.check(QRELS)
    assert found.loc["sound", ["topics_missing", "topics_unknown"]].tolist() == [
        ("1", "2", "3"), (1, 2),
    ]  # fmt: skip
    numbered = QRELS.assign(doc=range(4))
    assert odd_runs().ireval.check(numbered)["unjudged_at_10"].tolist() == [1, 1, 1, 1]


def test_files_that_could_not_be_read_have_a_row(tmp_path):
    ir.write_run(rows("sound", ("1", "xy", [2, 1], [1, 2])), tmp_path / "a.run")
    (tmp_path / "b.run").write_text("1 Q0 x 1 2.0 b\n1 Q0\n1 Q0 y z 1.0 b\n")
    (tmp_path / "c.run").write_bytes((tmp_path / "a.run").read_bytes())
    runs, problems = ir.read_runs(f"{tmp_path}/*", on_error="skip")
    found = runs.ireval.check(QRELS, problems=problems)
    assert found.index.tolist() == ["sound", f"{tmp_path}/b.run", f"{tmp_path}/c.run"]
    assert found["severity"].tolist() == ["warning", "error", "error"]
    broken, again = found["unreadable"].iloc[1:]
    assert [text.rpartition("found ")[2] for text in broken] == [
        "line 2 has 2 columns, not 6", "line 3 has the rank 'z'",
    ]  # fmt: skip
    assert "each system in one file" in again[0]


def test_limits_of_depths():
    for words in ({"depth": 0}, {"length": 0}):
        with pytest.raises(DepthError):
            odd_runs().ireval.check(QRELS, **words)
