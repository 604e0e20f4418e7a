"""Results print rounded, and are the frames that they were."""

import copy

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import irframe as ir
from irframe.printed import Result


@pytest.fixture(scope="module")
def scores():
    return ir.evaluate(*ir.example_track(), ["AP", "nDCG@10"])


@pytest.fixture
def found(scores):
    return scores.ireval.compare(adjust="holm", baseline="bm25")


def plain(frame):
    bare = pd.DataFrame(frame)
    bare.attrs = frame.attrs
    return bare


def test_results_print_rounded_and_scores_in_full(scores, found):
    assert type(found) is Result
    assert type(scores) is pd.DataFrame
    raw = scores.loc["monot5", "AP"].mean() - scores.loc["bm25", "AP"].mean()
    assert found["difference"][5] == pytest.approx(raw, abs=1e-12)
    assert f" {raw:.3f} " in repr(found)
    assert f"{raw:.6f}" not in repr(found)


def test_a_comparison_prints_key_columns_and_names_the_others(found):
    lines = repr(found).splitlines()
    answers = ["difference", "ci_low", "ci_high", "p_adjusted", "significant"]
    assert lines[0].split() == ["metric", "system_a", *answers]
    assert max(map(len, lines)) <= 80
    told = " ".join(lines[-2:])
    assert told.startswith("[14 rows x 18 columns; system_b bm25; not shown: depth, mean_a, ")
    named = {*lines[0].split(), "system_b", *told.partition("not shown: ")[2][:-1].split(", ")}
    assert named == {*found.columns}
    assert "not shown: depth, mean_a" in found._repr_html_()


def test_columns_that_were_chosen_are_all_printed(found):
    shown = repr(found[["system_b", "mean_a", "p", "wins"]])
    assert shown.split()[:4] == ["system_b", "mean_a", "p", "wins"]
    assert "not shown" not in shown


@pytest.mark.parametrize(
    "changed",
    [
        lambda found: found.set_index("system_a"),
        lambda found: found.set_index(["metric", "depth", "system_a", "system_b"]),
        lambda found: found.drop(columns="depth"),
        lambda found: found[found.columns[::-1]],
        lambda found: found.head(0),
        lambda found: found.assign(depth=None),
        lambda found: pd.concat([found, found], axis=1),
        lambda found: found.T,
        lambda found: found.rename(columns={"difference": 0}),
        lambda found: pd.concat({"x": found}, axis=1),
    ],
)
def test_changed_comparisons_print(found, changed):
    other = changed(found)
    assert type(other) is Result
    assert repr(other)
    assert other._repr_html_()


def test_one_pair_names_its_systems(found):
    assert {"system_a", "system_b"} <= {*repr(found.head(1)).splitlines()[0].split()}


def test_small_p_values_and_columns_do_not_print_as_zero():
    shown = repr(Result({"p": [2e-4, None], "p_adjusted": [0.5, 1.0], "share": [1e-5, 2e-5]}))
    assert shown.split()[4:] == ["<.001", "0.500", "0.00001", "1", "NaN", "1.000", "0.00002"]


@pytest.mark.parametrize(
    "option", [("display.precision", 4), ("display.float_format", "{:.2f}".format)]
)
def test_display_options_of_pandas_are_respected(found, option):
    with pd.option_context(*option):
        assert repr(found) == repr(plain(found))
        assert found._repr_html_() == plain(found)._repr_html_()


def test_a_result_is_equal_to_a_plain_frame_whichever_comes_first(found):
    assert_frame_equal(found, plain(found))
    assert_frame_equal(plain(found), found)
    assert found.equals(plain(found))
    with pytest.raises(AssertionError):
        assert_frame_equal(plain(found), found.assign(p=found["p"] + 0.1))


def test_pandas_keeps_a_result_and_its_record(found, tmp_path):
    found.to_pickle(tmp_path / "found.pkl")
    kept = [
        copy.deepcopy(found),
        found.copy(),
        pd.read_pickle(tmp_path / "found.pkl"),  # noqa: S301 - our own
        found.query("metric == 'AP'"),
        found.sort_values("p"),
        found[["system_a", "p"]],
        found.groupby("metric").head(1),
    ]
    assert {type(part) for part in kept} == {Result}
    assert all(part.ireval.record == found.ireval.record for part in kept)


def test_files_contain_all_digits(found, tmp_path):
    found.to_parquet(tmp_path / "found.parquet")
    again = pd.read_parquet(tmp_path / "found.parquet")
    assert type(again) is pd.DataFrame
    assert again.equals(plain(found))


def test_many_rows_print_as_many_as_pandas_prints(found):
    many = pd.concat([found] * 100, ignore_index=True)
    with pd.option_context("display.max_rows", 10, "display.min_rows", 4):
        lines = repr(many).splitlines()
    assert [line.split()[0] for line in lines[1:6]] == ["0", "1", "...", "1398", "1399"]


def test_a_leaderboard_prints_within_80_columns():
    scores = ir.evaluate(*ir.example_track(), ["AP", "nDCG@10"])
    for options, left in (
        ({}, "shown: tier, could_be_first]"),
        ({"baseline": "bm25"}, "rank_low, rank_high, could_be_first]"),
    ):
        printed = repr(scores.ireval.leaderboard(**options))
        assert printed.endswith(left)
        assert "..." not in printed
        assert max(map(len, printed.splitlines())) <= 80


VERDICTS = {
    "compare": "difference significant",
    "leaderboard": "rank",
    "rank_intervals": "rank rank_low rank_high ci_low ci_high",
    "rrie": "rrie",
    "best_systems": "value",
    "risk": "difference urisk trisk",
    "summary": "mean ci_low ci_high",
    "decide": "decided better",
    "leave_out": "rank rank_without",
    "search_lengths": "rank search_length",
}
"""Columns that a result is asked for."""


@pytest.mark.parametrize("verb", VERDICTS)
@pytest.mark.parametrize("length", [17, 40])
def test_long_names_hide_neither_labels_nor_verdicts(verb, length):
    runs, qrels = ir.example_track()
    names = {name: f"{name}-{'of a long name ' * 9}"[:length] for name in runs["system"].unique()}
    runs = runs.assign(system=runs["system"].map(names))
    baseline = {"baseline": names["bm25"]} if verb in {"rrie", "risk"} else {}
    cube = runs.ireval.cube(qrels)
    subject = runs.ireval.evaluate(qrels, "AP", "nDCG@10")
    if verb in {"leave_out", "search_lengths"}:
        subject = cube
    if verb == "decide":
        subject = cube.ireval.bounds("AP")
    metrics = ["AP"] if verb == "leave_out" else []
    result = getattr(subject.ireval, verb)(*metrics, **baseline)
    printed = repr(result)
    labels = [name for name in ("system", "system_a", "system_b") if name in result]
    shown = set(printed.split("not shown")[0].replace("[", " ").split())
    assert {*labels, *VERDICTS[verb].split()} <= shown
    for label in labels:
        short = {names[name][:4] for name in names if names[name] in {*result[label][:9]}}
        assert all(start in printed for start in short)
    assert len(printed.splitlines()) < 130


@pytest.mark.parametrize("before", [0, 14, 30, 40])
def test_names_that_are_cut_stay_distinct(before):
    names = ["a" * before + letter + "c" * (40 - before) for letter in "bd"]
    first, second = repr(Result({"system": names, "other": "x" * 70})).splitlines()[1:3]
    assert first[1:] != second[1:]


ARRAYS = {
    "discrimination": {},
    "coverage": {"reference": 10},
    "inversions": {"reference": 10},
    "median_p": {},
    "volatility": {},
    "agreement": {},
    "rank_intervals": {},
    "orderings": {},
}


@pytest.mark.parametrize("verb", ARRAYS)
def test_the_accessor_of_an_array_prints_its_test_and_values_on_a_screen(verb):
    runs, qrels = ir.example_track()
    names = {name: f"{name}-{'of a long name ' * 9}"[:40] for name in runs["system"].unique()}
    cube = ir.cube(runs.assign(system=runs["system"].map(names)), qrels)
    pair = list(names.values())[:2] if verb == "orderings" else []
    subject = cube if pair else cube.ireval.score("AP", "nDCG")
    result = getattr(subject.ireval, verb)(*pair, **ARRAYS[verb])
    title, told, *shown, following = repr(result.ireval).splitlines()
    assert title.startswith(f"result of {verb}: ")
    assert "paired t-test, " in told or "Kendall's tau" in told or verb == "orderings"
    assert following.startswith("next: ")
    assert 2 < len(shown) <= 25
    assert max(map(len, shown)) <= 80


def test_the_accessor_prints_the_values_of_an_array():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "nDCG")
    ratios = scores.ireval.discrimination()
    lines = [line.split() for line in repr(ratios.ireval).splitlines()]
    depths = [int(word) for word in next(line for line in lines if line[0] == "depth")[1:]]
    for metric in ("AP", "nDCG"):
        shown = [float(word) for word in next(line for line in lines if line[0] == metric)[1:]]
        assert shown == ratios.sel(metric=metric, depth=depths).round(3).to_numpy().tolist()


def test_lazy_values_are_not_computed_for_printing():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "nDCG")
    lazy = scores.ireval.discrimination().chunk(depth=10)
    assert len(repr(lazy.ireval).splitlines()) == 3
