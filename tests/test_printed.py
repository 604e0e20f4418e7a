"""Tests of printed results: rounded numbers, labels and columns."""

import copy

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from turns import few_of

import irframe as ir
from irframe import kinds
from irframe.printed import Result


@pytest.fixture(scope="module")
def scores():
    return ir.evaluate(*ir.example_track(), ["AP", "nDCG@10"])


@pytest.fixture
def comparison(scores):
    return scores.ireval.compare(adjust="holm", baseline="bm25")


def plain(frame):
    bare = pd.DataFrame(frame)
    bare.attrs = frame.attrs
    return bare


def test_numbers_of_comparisons_print_rounded_to_three_digits(scores, comparison):
    assert type(comparison) is Result
    assert type(scores) is pd.DataFrame
    raw = scores.loc["monot5", "AP"].mean() - scores.loc["bm25", "AP"].mean()
    assert comparison["difference"][5] == pytest.approx(raw, abs=1e-12)
    assert f" {raw:.3f} " in repr(comparison)
    assert f"{raw:.6f}" not in repr(comparison)


def test_a_comparison_prints_key_columns_and_names_omitted_columns(comparison):
    lines = repr(comparison).splitlines()
    answers = ["difference", "ci_low", "ci_high", "p_adjusted", "significant"]
    assert lines[0].split() == ["metric", "system_a", *answers]
    assert max(map(len, lines)) <= 80
    footer = " ".join(lines[-2:])
    assert footer.startswith("[14 rows x 18 columns; system_b bm25; not shown: depth, mean_a, ")
    named = {*lines[0].split(), "system_b", *footer.partition("not shown: ")[2][:-1].split(", ")}
    assert named == {*comparison.columns}
    assert "not shown: depth, mean_a" in comparison._repr_html_()


def test_all_columns_that_users_select_are_printed(comparison):
    shown = repr(comparison[["system_b", "mean_a", "p", "wins"]])
    assert shown.split()[:4] == ["system_b", "mean_a", "p", "wins"]
    assert "not shown" not in shown


@pytest.mark.parametrize(
    "changed",
    [
        lambda comparison: comparison.set_index("system_a"),
        lambda comparison: comparison.set_index(["metric", "depth", "system_a", "system_b"]),
        lambda comparison: comparison.drop(columns="depth"),
        lambda comparison: comparison[comparison.columns[::-1]],
        lambda comparison: comparison.head(0),
        lambda comparison: comparison.assign(depth=None),
        lambda comparison: pd.concat([comparison, comparison], axis=1),
        lambda comparison: comparison.T,
        lambda comparison: comparison.rename(columns={"difference": 0}),
        lambda comparison: pd.concat({"x": comparison}, axis=1),
    ],
)
def test_modified_comparisons_print_without_errors(comparison, changed):
    modified = changed(comparison)
    assert type(modified) is Result
    assert repr(modified)
    assert modified._repr_html_()


def test_a_comparison_of_one_pair_prints_its_systems(comparison):
    assert {"system_a", "system_b"} <= {*repr(comparison.head(1)).splitlines()[0].split()}


def test_small_numbers_do_not_print_as_zero():
    shown = repr(Result({"p": [2e-4, None], "p_adjusted": [0.5, 1.0], "share": [1e-5, 2e-5]}))
    assert shown.split()[4:] == ["<.001", "0.500", "0.00001", "1", "NaN", "1.000", "0.00002"]


@pytest.mark.parametrize(
    "option", [("display.precision", 4), ("display.float_format", "{:.2f}".format)]
)
def test_display_options_of_pandas_are_respected(comparison, option):
    with pd.option_context(*option):
        assert repr(comparison) == repr(plain(comparison))
        assert comparison._repr_html_() == plain(comparison)._repr_html_()


def test_pandas_treats_results_and_plain_frames_as_equal(comparison):
    assert_frame_equal(comparison, plain(comparison))
    assert_frame_equal(plain(comparison), comparison)
    assert comparison.equals(plain(comparison))
    with pytest.raises(AssertionError):
        assert_frame_equal(plain(comparison), comparison.assign(p=comparison["p"] + 0.1))


def test_operations_of_pandas_keep_the_type_and_the_record(comparison, tmp_path):
    comparison.to_pickle(tmp_path / "found.pkl")
    results = [
        copy.deepcopy(comparison),
        comparison.copy(),
        pd.read_pickle(tmp_path / "found.pkl"),  # noqa: S301 - our own
        comparison.query("metric == 'AP'"),
        comparison.sort_values("p"),
        comparison[["system_a", "p"]],
        comparison.groupby("metric").head(1),
    ]
    assert {type(result) for result in results} == {Result}
    assert all(result.ireval.record == comparison.ireval.record for result in results)


def test_files_contain_all_digits(comparison, tmp_path):
    comparison.to_parquet(tmp_path / "found.parquet")
    restored = pd.read_parquet(tmp_path / "found.parquet")
    assert type(restored) is pd.DataFrame
    assert restored.equals(plain(comparison))


def test_long_results_print_as_many_rows_as_pandas(comparison):
    many = pd.concat([comparison] * 100, ignore_index=True)
    with pd.option_context("display.max_rows", 10, "display.min_rows", 4):
        lines = repr(many).splitlines()
    assert [line.split()[0] for line in lines[1:6]] == ["0", "1", "...", "1398", "1399"]


def test_a_leaderboard_prints_within_80_columns():
    scores = ir.evaluate(*ir.example_track(), ["AP", "nDCG@10"])
    for options, end in (
        ({}, "shown: tier, could_be_first]"),
        ({"baseline": "bm25"}, "rank_low, rank_high, could_be_first]"),
    ):
        printed = repr(scores.ireval.leaderboard(**options))
        assert printed.endswith(end)
        assert "..." not in printed
        assert max(map(len, printed.splitlines())) <= 80


VERDICTS = {
    "ablation": "step delta_sort kendall",
    "best_systems": "value",
    "check": "severity",
    "compare": "difference significant",
    "compare_orderings": "difference p p_orderings mark favours",
    "decide": "decided better",
    "explain": "rank_a rank_b grade difference",
    "judge_effect": "kendall",
    "judge_next": "priority",
    "leaderboard": "rank",
    "leave_out": "rank rank_without",
    "losses": "score",
    "outcomes": "delta",
    "predict_powered": "mean ci_low ci_high",
    "rank_intervals": "rank rank_low rank_high ci_low ci_high",
    "reordering": "delta_sort kendall",
    "risk": "difference urisk trisk",
    "risk_coverage": "threshold coverage risk",
    "rrie": "rrie",
    "search_lengths": "rank search_length",
    "sheet": "score rank",
    "summary": "mean ci_low ci_high",
}
"""Main columns of the result of each verb, which long names must not hide."""
IDENTITY = ("system", "system_a", "system_b", "topic", "doc")
WRITES = {"freeze", "report", "save", "write_qrels", "write_run"}
"""Verbs that write files."""
OTHERS = {"groupby", "styled", "to_pytrec_eval", "to_ranx"}
"""Verbs that return neither a frame nor an array."""
OF_THE_CALLER = {"collapse", "evaluate", "judge", "pool", "rank", "restrict", "split"}
"""Verbs that return runs, judgments or scores as plain frames, which irframe does not format."""
CUBES = {"condense", "cube", "pooled", "rejudge", "sample", "select_top"}
"""Verbs that return cubes, which do not print as tables."""
CALLS = {
    "design": "scores.ireval.design(weight=weights)",
    "estimate": "runs.ireval.cube(ir.verbs.draw_to_judge(qrels, 0.5)).ireval.estimate('P')",
    "judge_effect": "cube.ireval.judge_effect({'people': qrels, 'model': regraded}, 'AP')",
    "losses": "runs.ireval.losses(qrels, 'AP')",
    "outcomes": "cube.ireval.outcomes(relevant='first').summary",
    "predict_powered": "frame.ireval.predict_powered(frame.iloc[::2])",
    "replicate": "frame.ireval.replicate(frame)",
    "score_nuggets": "ir.verbs.score_nuggets(nuggets)",
    "standardise": "scores.ireval.standardise()",
    "topics_needed": "frame.ireval.topics_needed(difference=0.05)",
}
"""Calls of verbs whose own examples are incomplete or return a plain frame."""
PRINTED = sorted(
    kinds.verbs("irframe.verbs").keys()
    - WRITES
    - OTHERS
    - OF_THE_CALLER
    - CUBES
    - {"draw_to_judge"}
)


def lengthened(names, length):
    """Return names extended to the given number of characters."""
    return names.map(lambda name: f"{name}-{'of a long name ' * 9}"[:length])


@pytest.fixture(scope="module", params=[17, 40])
def long_named(request):
    """Return objects whose systems and topics have long names."""
    runs, qrels = ir.example_track()
    runs = runs.assign(
        **{name: lengthened(runs[name], request.param) for name in ("system", "topic")}
    )
    qrels["topic"] = lengthened(qrels["topic"], request.param)
    cube = runs.ireval.cube(qrels)
    scores = cube.ireval.score("AP", "nDCG", "Twist")
    systems, topics = cube.indexes["system"], cube.indexes["topic"]
    nuggets = pd.MultiIndex.from_product([systems, topics, ["n1", "n2"]]).to_frame(
        index=False, name=["system", "topic", "nugget"]
    )
    objects = {
        "runs": runs,
        "cube": cube,
        "scores": scores,
        "frame": runs.ireval.evaluate(qrels, "AP", "nDCG@10"),
        "bounds": cube.ireval.bounds("AP"),
        "lengths": cube.ireval.search_lengths(),
        "misplaced": cube.ireval.misplacement(),
        "volatility": scores.ireval.volatility(),
    }
    data = {
        "qrels": qrels,
        "regraded": qrels.assign(grade=qrels["grade"].where(qrels["grade"] != 1, 0)),
        "weights": dict(zip(topics, range(1, 1 + len(topics)), strict=True)),
        "nuggets": nuggets.assign(importance="vital", assignment="support"),
    }
    return objects, data


def result_of(verb, objects, data):
    """Return the result of a verb's call or example."""
    if verb in CALLS:
        return eval(CALLS[verb], objects | data | {"ir": ir})  # noqa: S307 - our own
    offers = (x for x in objects.values() if verb in kinds.offered(x, kinds.HOME))
    subject = next(offers)
    return eval(f"x.ireval.{kinds.example(verb, subject)}", objects | data | {"x": subject})  # noqa: S307


@pytest.mark.parametrize("verb", few_of(PRINTED, 8))
@pytest.mark.filterwarnings("ignore")
def test_long_names_do_not_hide_labels_and_main_columns(verb, long_named):
    result = result_of(verb, *long_named)
    if isinstance(result, pd.DataFrame):
        assert type(result) is not pd.DataFrame
        printed = repr(result)
        table, _, note = printed.partition("\n\n")
        shown = {*table.split()}
        columns = {*result.reset_index().columns}
        labels = {name for name in IDENTITY if name in columns}
        constant = {name for name in labels if f"{name} " in note}
        assert (labels - constant) | {*VERDICTS.get(verb, "").split()} <= shown
        assert all(len(result[name].unique()) == 1 for name in constant)
        lines = printed.splitlines()
        assert len(lines) < 130
    else:
        title, _, *lines, following = repr(result.ireval).splitlines()
        assert following.startswith("next: ")
        assert title
        assert len(lines) <= 30
    assert max(map(len, lines), default=0) <= 80


@pytest.mark.parametrize("verb", ["compare", "leaderboard", "decide", "leave_out"])
@pytest.mark.filterwarnings("ignore")
def test_shortened_names_keep_their_beginning(verb, long_named):
    result = result_of(verb, *long_named)
    labels = [name for name in ("system", "system_a", "system_b") if name in result]
    systems = [name for label in labels for name in result[label].unique()]
    shown = repr(result)
    assert all(name[:3] in shown for name in systems)


@pytest.mark.parametrize("before", [0, 14, 30, 40])
def test_shortened_names_stay_distinct(before):
    names = ["a" * before + letter + "c" * (40 - before) for letter in "bd"]
    first, second = repr(Result({"system": names, "other": "x" * 70})).splitlines()[1:3]
    assert first[1:] != second[1:]


@pytest.mark.parametrize("verb", ["discrimination", "volatility", "orderings"])
def test_the_accessor_of_an_array_prints_its_verb_and_test(verb, long_named):
    title, note, *_ = repr(result_of(verb, *long_named).ireval).splitlines()
    assert title.startswith(f"result of {verb}: ")
    assert "paired t-test, " in note or "Kendall's tau" in note or verb == "orderings"


def test_the_accessor_prints_the_values_of_an_array():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "nDCG")
    ratios = scores.ireval.discrimination()
    lines = [line.split() for line in repr(ratios.ireval).splitlines()]
    depths = [int(text) for text in next(line for line in lines if line[0] == "depth")[1:]]
    for metric in ("AP", "nDCG"):
        shown = [float(text) for text in next(line for line in lines if line[0] == metric)[1:]]
        assert shown == ratios.sel(metric=metric, depth=depths).round(3).to_numpy().tolist()


def test_values_of_lazy_arrays_are_not_printed():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "nDCG")
    lazy = scores.ireval.discrimination().chunk(depth=10)
    assert len(repr(lazy.ireval).splitlines()) == 3
