"""Tests of `check` on runs with one or several problems."""

import numpy as np
import pandas as pd
import pytest
from dense import dense
from refusals import refused

import irframe as ir
from irframe.__main__ import main
from irframe.diagnostics.check import SEVERITY
from irframe.errors import IdError, InputError, IrframeWarning

QRELS = pd.DataFrame(
    {"topic": ["1", "1", "2", "3"], "doc": ["x", "y", "x", "z"], "grade": [1, 0, 2, -1]}
)


def rows(system, *lists):
    """Return a run frame of one system from its lists."""
    return pd.concat(
        pd.DataFrame(
            {"system": system, "topic": t, "doc": list(docs), "score": scores, "rank": ranks}
        )
        for t, docs, scores, ranks in lists
    )


def odd_runs():
    """Return four runs with several problems each."""
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


def test_all_problems_of_a_run_are_listed():
    result = odd_runs().ireval.check(QRELS, list_length=2)
    assert result.index.tolist() == ["sound", "wrong", "same", "tied"]
    listed = {
        system: {name: row[name] for name in SEVERITY if row[name]}
        for system, row in result.to_dict("index").items()
    }
    assert listed == {
        "sound": {"topics_missing": ("3",), "identical_to": ("same",)},
        "wrong": {
            "scores_missing": ("1 q",),
            "duplicates": ("1 x",),
            "topics_missing": ("2",),
            "topics_unknown": ("9",),
            "ranks_contradict": ("9",),
            "lists_long": ("1",),
            "lists_short": ("3",),
        },
        "same": {"topics_missing": ("3",), "identical_to": ("sound",)},
        "tied": {
            "topics_missing": ("3",),
            "lists_long": ("1", "2"),
            "ranks_repeated": ("1",),
            "lists_tied": ("1",),
        },
    }
    assert result["severity"].tolist() == ["warning", "error", "warning", "warning"]
    assert result.loc["wrong", "found"] == tuple(listed["wrong"])
    numbers = result[["topics", "documents", "longest", "ties", "first_unjudged"]]
    assert numbers.loc["wrong"].tolist() == [3, 6, 3, 0, 1]
    assert numbers.loc["tied"].tolist() == [2, 6, 3, 2, 1]
    # document q has no judgment, and z has the grade -1, which counts as unjudged
    assert result.loc["wrong", "unjudged_at_10"] == 2 / 4
    # document y is unjudged for topic 2, and z is unjudged for both topics
    assert result.loc["tied", "unjudged_at_10"] == 3 / 6


def test_numbers_of_unjudged_and_tied_documents_equal_those_of_a_cube():
    runs, qrels = ir.example_track()
    result = runs.ireval.check(qrels, depth=5)
    cube = runs.ireval.cube(qrels)
    top = cube["grade"].isel(depth=slice(5)) == ir.names.UNJUDGED
    np.testing.assert_allclose(result["unjudged_at_5"], top.mean(["topic", "depth"]))
    unjudged = (cube["grade"] == ir.names.UNJUDGED).any("topic").argmax("depth") + 1
    assert result["first_unjudged"].tolist() == unjudged.to_numpy().tolist()
    assert result["ties"].tolist() == dense(cube).tied.sum(axis=(1, 2)).tolist()


def test_short_and_long_lists_are_listed_by_topic():
    runs, qrels = ir.example_track()
    deep = runs[runs["system"] == "bm25"].assign(
        doc=lambda f: "x" + f["doc"], rank=lambda f: f["rank"] + 50, score=lambda f: f["score"] - 99
    )
    short = runs[(runs["system"] != "ance") | (runs["rank"] < 9)]
    some = pd.concat([short, deep[deep["topic"] == "101"]])
    result = some.ireval.check(qrels)
    assert result["lists_short"].map(len).to_dict() == dict.fromkeys(result.index, 0) | {"ance": 16}
    assert result.loc["ance", "lists_short"] == tuple(qrels["topic"].unique())
    # longer lists are only reported with list_length=
    assert not result["lists_long"].any()
    long = some.ireval.check(qrels, list_length=50)["lists_long"]
    assert long[long.astype(bool)].to_dict() == {"bm25": ("101",)}


def changed(**changes):
    """Return the severity and the problems of a changed run."""
    runs, qrels = ir.example_track()
    run = runs[runs["system"] == "bm25"].assign(**changes)
    result = run[run["doc"] != ""].ireval.check(qrels).loc["bm25"]
    return result["severity"], {
        name: result[name] for name in result["found"] if name != "lists_tied"
    }


def keep_column(name, deepest, value):
    """Return a function that replaces the values below a rank."""
    return lambda frame: frame[name].where(frame["rank"] <= deepest, value)


@pytest.mark.parametrize(
    ("change", "severity", "name", "size"),
    [
        ({"doc": lambda f: "x" + f["doc"]}, "error", "documents_unjudged", 3),
        ({"topic": lambda f: "0" + f["topic"]}, "error", "topics_unmatched", 16),
        ({"score": 1.0}, "error", "scores_constant", 16),
        ({"score": lambda f: f["topic"].astype(float)}, "error", "scores_constant", 16),
        ({"score": lambda f: 2.0 ** (2000 / f["rank"])}, "warning", "scores_infinite", 16),
        ({"score": keep_column("score", 49, -np.inf)}, "warning", "scores_infinite", 16),
        ({"doc": lambda f: f["doc"].where(f["rank"] != 7, "")}, "warning", "ranks_skipped", 16),
        ({"rank": keep_column("rank", 49, 77)}, "warning", "ranks_skipped", 16),
        ({"rank": lambda f: f["rank"] + 2}, "warning", "ranks_skipped", 16),
        ({"rank": lambda f: f["rank"] + 3 * (f["topic"] == "103")}, "warning", "ranks_skipped", 1),
    ],
)  # fmt: skip
def test_common_mistakes_in_runs_have_the_expected_severity(change, severity, name, size):
    grave, result = changed(**change)
    assert (grave, len(result.pop(name))) == (severity, size)
    assert set(result) <= {"topics_missing", "topics_unknown", "lists_short"}


@pytest.mark.parametrize("first", [0, 1, 2])
def test_ranks_may_begin_at_0_1_or_2(first):
    assert changed(rank=lambda f: f["rank"] - 1 + first) == ("note", {})
    assert changed(score=lambda f: f["score"].where(f["topic"] != "103", 1.0)) == ("note", {})


def test_runs_with_only_unknown_documents_are_reported_as_errors():
    with pytest.warns(IrframeWarning, match="judged documents outside the collection: "):
        result = odd_runs().ireval.check(QRELS, documents=["z"])
    assert result.loc["same", ["severity", "found"]].tolist() == [
        "error", ("documents_unknown", "topics_missing", "identical_to"),
    ]  # fmt: skip


def test_rows_without_ids_are_listed_by_position():
    runs = odd_runs()
    runs.loc[[1, 8], "doc"] = None
    runs.loc[9, "topic"] = None
    single = pd.DataFrame({"system": ["lone"], "topic": [None], "doc": ["x"], "score": 1.0})
    result = pd.concat([runs, single], ignore_index=True).ireval.check(QRELS)
    assert result["ids_missing"].to_dict() == {
        "sound": (1,), "wrong": (8, 9), "same": (), "tied": (), "lone": (20,),
    }  # fmt: skip
    assert result.loc["lone", "severity"] == "error"
    assert pd.isna(result.loc["lone", "topics"])
    refused(IdError, "a system in every row", lambda: runs.assign(system=None).ireval.check(QRELS))


def test_runs_without_scores_are_ranked_by_rank():
    ranked = odd_runs().drop(columns="score")
    result = ranked.ireval.check(QRELS)
    assert result.loc["tied", ["ranks_repeated", "severity"]].tolist() == [("1",), "error"]
    assert not result["ranks_contradict"].any()
    assert not result["scores_missing"].any()
    ranked.loc[0, "rank"] = None
    assert ranked.ireval.check(QRELS).loc["sound", "ranks_repeated"] == ("1",)


def test_unknown_documents_are_listed():
    result = odd_runs().ireval.check(QRELS, documents=["x", "y", "z", "a"])
    assert result["documents_unknown"].tolist() == [(), ("1 q", "9 b"), (), ()]


def test_judgments_outside_the_collection_or_in_training_data_add_cautions(tmp_path, capsys):
    qrels = pd.DataFrame({"topic": list("1123"), "doc": list("xyyw"), "grade": [1, 0, 1, 1]})
    train = pd.DataFrame({"topic": ["1", "8"], "doc": ["w", "x"], "grade": [1, 1]})
    cautions = (
        "judged documents outside the collection: 1 of 3 (w)",
        "training data contain 1 of 3 judged topics (1) and 2 of 3 judged documents",
    )
    with pytest.warns(IrframeWarning) as caught:
        result = odd_runs().ireval.check(qrels, documents=iter("xyzabq"), train=train)
    assert tuple(str(item.message) for item in caught) == cautions
    assert result.attrs["caution"].split("\n") == [*cautions]
    assert (
        result["documents_unknown"].tolist()
        == odd_runs().ireval.check(qrels, documents=list("xyzabqw"))["documents_unknown"].tolist()
    )
    numbers = {8: {70: 1}}
    assert "caution" not in odd_runs().ireval.check(qrels, train=numbers).attrs
    ir.verbs.write_run(odd_runs().query("system == 'sound'"), tmp_path / "a.run")
    for name, frame in {"q": qrels, "t": train}.items():
        ir.verbs.write_qrels(frame, tmp_path / f"{name}.txt")
    args = ["check", "q.txt", "a.run", "--train", "t.txt", "--fail-on", "never"]
    main([name if "." not in name else str(tmp_path / name) for name in args])
    assert cautions[1] in capsys.readouterr().err


def test_integer_ids_do_not_match_text_ids():
    result = odd_runs().astype({"topic": int}).ireval.check(QRELS)
    assert result.loc["sound", ["topics_missing", "topics_unknown"]].tolist() == [
        ("1", "2", "3"), (1, 2),
    ]  # fmt: skip
    numbered = QRELS.assign(doc=range(4))
    assert odd_runs().ireval.check(numbered)["unjudged_at_10"].tolist() == [1, 1, 1, 1]


def test_unreadable_files_have_a_row(tmp_path):
    ir.verbs.write_run(rows("sound", ("1", "xy", [2, 1], [1, 2])), tmp_path / "a.run")
    (tmp_path / "b.run").write_text("1 Q0 x 1 2.0 b\n1 Q0\n1 Q0 y z 1.0 b\n")
    (tmp_path / "c.run").write_bytes((tmp_path / "a.run").read_bytes())
    with pytest.warns(IrframeWarning, match="left out"):
        runs = ir.read_runs(f"{tmp_path}/*", on_error="skip")
    result = runs.ireval.check(QRELS)
    assert result.index.tolist() == ["sound", f"{tmp_path}/b.run", f"{tmp_path}/c.run"]
    assert result["severity"].tolist() == ["warning", "error", "error"]
    broken, repeats = result["unreadable"].iloc[1:]
    assert len(broken) == 1
    assert broken[0].endswith(", but found line 2 has 2 columns, not 6")
    assert "each system in one file" in repeats[0]


def test_check_accepts_runs_if_no_file_was_readable(tmp_path):
    (tmp_path / "bars.txt").write_text("1|Q0|x|1|2.0|b\n" * 2000)
    (tmp_path / "README.md").write_text("# Runs\n\nAs sent in.\n")
    for files in ([tmp_path / "bars.txt"], [tmp_path / "none.run"], tmp_path):
        with pytest.warns(IrframeWarning, match="left out"):
            runs = ir.read_runs(files, on_error="skip")
        result = ir.verbs.check(runs, QRELS)
        assert set(result["severity"]) == {"error"}
        assert result["topics"].isna().all()
        assert not result["unreadable"].str[0].str.contains("empty").any()
    bars = result.loc[str(tmp_path / "bars.txt"), "unreadable"]
    assert len(bars) == 1
    assert bars[0].endswith("line 3 has 1 column, not 6; 1,997 more")
    runs.attrs = {}
    refused(InputError, "an empty frame", ir.verbs.check, runs, QRELS)


def test_skipped_columns_are_listed(tmp_path):
    path = tmp_path / "seven.run"
    path.write_text("1 Q0 x 1 2.0 b more than six\n1 Q0 y 2 1.0 b here and there\n")
    for read_frame, source in ((ir.read_run, path), (ir.read_runs, [path])):
        with pytest.warns(IrframeWarning, match="column 7 and later columns of"):
            runs = read_frame(source)
        assert runs.ireval.check(QRELS).loc["b", "columns_surplus"] == (7, 8, 9)
    plain = tmp_path / "six.run"
    ir.verbs.write_run(runs.drop(columns="rank"), plain)
    assert ir.read_run(plain).ireval.check(QRELS).loc["b", "columns_surplus"] == ()


def test_runs_are_checked_before_any_document_is_judged():
    topics = pd.DataFrame({"topic": ["1", "2", "9"], "doc": "none", "grade": -1})
    result = odd_runs().ireval.check(topics)
    assert not result["documents_unjudged"].any()
    assert odd_runs().ireval.check(topics.assign(grade=0))["documents_unjudged"].all()


def test_notebooks_hide_empty_columns():
    runs, qrels = ir.example_track()
    result = runs.ireval.check(qrels)
    html, text = result._repr_html_(), repr(result)
    for shown in (html, text):
        assert "lists_tied" in shown
        assert "duplicates" not in shown
    assert "101, 102, 103, 104, 105, ..." in html
    assert result["duplicates"].tolist() == [()] * 8
    assert ir.scorer(qrels, "AP")._repr_html_().startswith("<code>&lt;Scorer: AP; 16 topics, 523")
