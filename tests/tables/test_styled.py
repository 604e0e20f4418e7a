"""Tests of tables in HTML and LaTeX."""

import inspect
import re
import shutil
import subprocess
from functools import partial

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from properties.experiments import experiment
from properties.verbs import VERBS, asked
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.effort.breakdown import KINDS
from irframe.errors import IdError, InputError, IrframeError, ParameterError


@pytest.fixture(scope="module")
def comparison():
    return ir.evaluate(*ir.example_track(), ["AP", "nDCG@10", "ASL"]).ireval.compare(adjust="holm")


def cells(latex):
    """Return the cells of a LaTeX table by row."""
    body = latex.partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    return [row.removesuffix(" \\\\").split(" & ") for row in body.splitlines()]


def raised(cell):
    """Return the superscripts of a cell."""
    return cell.partition("$^{")[2].rstrip("}$")


def beaten(comparison, system, metric):
    """Return the systems that a system significantly beats."""
    sure = comparison[(comparison["metric"] == metric) & comparison["significant"]]
    lead = sure["difference"] * (-1 if metric == "ASL" else 1)
    won = sure.loc[(sure["system_a"] == system) & (lead > 0), "system_b"]
    return {*won, *sure.loc[(sure["system_b"] == system) & (lead < 0), "system_a"]}


def test_table_contains_the_means(comparison):
    table = comparison.ireval.styled().data
    means = ir.evaluate(*ir.example_track(), ["AP", "nDCG@10", "ASL"]).groupby("system").mean()
    pd.testing.assert_frame_equal(
        table.droplevel("mark").sort_index(), means, check_column_type=False
    )
    assert table.index.get_level_values("mark").to_list() == list("abcdefgh")


def test_letters_name_the_significantly_beaten_systems(comparison):
    rows = cells(comparison.ireval.styled().to_latex())
    mark = {row[1]: row[0] for row in rows}
    for row in rows:
        for metric, cell in zip(["AP", "nDCG@10", "ASL"], row[2:], strict=True):
            marks = sorted(mark[system] for system in beaten(comparison, row[1], metric))
            assert raised(cell) == "".join(marks)


def test_verdicts_are_written_after_the_means():
    scores = ir.evaluate(*ir.example_track(), ["AP", "ASL"])
    table = scores.ireval.compare(baseline="bm25", margin={"AP": 0.05, "ASL": 1})
    styled = table.ireval.styled(marks="verdicts")
    verdicts = table.set_index(["system_a", "metric"])["verdict"]
    assert verdicts.nunique() > 2
    forms = {"latex": "\\textsuperscript{{ {}}}", "html": " <sup>{}</sup>", "string": " ({})"}
    for form, mark in forms.items():
        text = getattr(styled, f"to_{form}")()
        for verdict, count in verdicts.value_counts().items():
            assert text.count(mark.format(verdict)) == count, (form, verdict)
    assert "raised: the verdict against bm25; " in styled.to_html()
    bare, every = scores.ireval.compare(baseline="bm25"), scores.ireval.compare(margin=0.05)
    refused(InputError, "verdicts", bare.ireval.styled, marks="verdicts")
    refused(InputError, "a comparison of all pairs", every.ireval.styled, marks="verdicts")


def test_latex_uses_booktabs_and_options_of_pandas(comparison):
    styled = comparison.ireval.styled(2)
    latex = styled.to_latex(caption="Means", label="tab:means")
    for text_part in ("\\toprule", "\\midrule", "\\bottomrule", "\\caption{Means}", "$^{acd}$"):
        assert text_part in latex
    assert "\\toprule" not in styled.to_latex(hrules=False)
    assert "<sup>" not in latex


def test_best_mean_of_a_metric_is_bold(comparison):
    rows = cells(comparison.ireval.styled().to_latex())
    bold = [[cell.startswith("\\bfseries") for cell in row[2:]] for row in rows]
    means = comparison.ireval.styled().data
    best = [means["AP"].argmax(), means["nDCG@10"].argmax(), means["ASL"].argmin()]
    assert np.argwhere(np.transpose(bold)).tolist() == [[n, row] for n, row in enumerate(best)]
    assert "bfseries" not in comparison.ireval.styled(best=False).to_latex()


def test_tables_can_be_sorted(comparison):
    table = comparison.ireval.styled(sort="ASL")
    assert table.data["ASL"].is_monotonic_increasing
    assert table.data.index.get_level_values("mark").to_list() == list("abcdefgh")
    best, *rows = cells(table.to_latex())
    mark = {row[1]: row[0] for row in (best, *rows)}
    marks = sorted(mark[system] for system in beaten(comparison, best[1], "ASL"))
    assert raised(best[4]) == "".join(marks)
    assert comparison.ireval.styled(sort=True).data["AP"].is_monotonic_decreasing


@pytest.mark.filterwarnings("ignore:no outcome on at most:irframe.errors.IrframeWarning")
@pytest.mark.filterwarnings("ignore:the normal approximation:irframe.errors.IrframeWarning")
def test_captions_name_test_correction_topics_and_depth(comparison):
    text = comparison.ireval.styled().notes
    for phrase in (
        "16 topics",
        "paired t-test, Holm per metric and depth (28 comparisons), alpha = 0.05",
        "ties trec",
    ):
        assert phrase in text
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[5])
    text = scores.ireval.compare(ir.paired.Wilcoxon(exact=True)).ireval.styled().notes
    assert "depth 5;" in text
    assert "Wilcoxon's signed-rank test (exact=True)" in text
    assert "90% logit interval" in scores.ireval.summary(alpha=0.1).ireval.styled().notes
    student = scores.ireval.summary(interval="t").ireval.styled().notes
    assert "95% Student's interval" in student


def test_daggers_mark_differences_from_the_baseline():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "ASL", at=[10])
    frame = scores.ireval.compare(baseline="ance")
    assert "significantly beats, each compared with ance alone;" in frame.ireval.styled().notes
    table = frame.ireval.styled(2, marks="daggers", intervals=True, relative_to="ance")
    rows = {row[0]: row[1:] for row in cells(table.to_latex())}
    means = table.data
    assert rows["ance"] == [f"{mean:.2f}" for mean in means.loc["ance"]]
    for row in frame.query("system_a == 'monot5'").itertuples():
        cell = rows["monot5"][["AP", "ASL"].index(row.metric)]
        assert cell.startswith(f"\\bfseries {row.mean_a:.2f}$^{{\\dagger}}$")
        assert f"[{row.ci_low:.2f}, {row.ci_high:.2f}]" in cell
        assert cell.endswith(f"({100 * row.difference / row.mean_b:+.1f}\\%)")
    assert "differs significantly from ance" in table.notes
    assert frame.ireval.styled(marks="none").to_latex().count("$") == 0


def test_numbers_mark_differences_from_several_baselines():
    scores = ir.evaluate(*ir.example_track(), "AP")
    frame = scores.ireval.compare(baseline=["bm25", "ance"])
    table = frame.ireval.styled(marks="daggers")
    assert "raised: differs significantly from 1 bm25, 2 ance" in table.notes
    marked = {row[0]: raised(row[1]) for row in cells(table.to_latex())}
    for number, name in enumerate(("bm25", "ance"), start=1):
        rows = frame[frame["significant"]]
        differs = {*rows.loc[rows["system_b"] == name, "system_a"]}
        differs |= {*rows.loc[rows["system_a"] == name, "system_b"]}
        assert {system for system, mark in marked.items() if str(number) in mark} == differs


def test_daggers_and_intervals_are_refused_without_a_baseline(comparison):
    refused(InputError, "a comparison with one baseline", comparison.ireval.styled, marks="daggers")
    refused(InputError, "a comparison with one baseline", comparison.ireval.styled, intervals=True)


def test_scores_are_shown_as_means():
    runs, qrels = ir.example_track()
    scores = ir.cube(runs, qrels).ireval.score("AP", at=[10])
    table = scores.ireval.styled(intervals=False)
    assert table.data["AP@10"].to_dict() == pytest.approx(
        scores.mean("topic").squeeze().to_series().to_dict()
    )
    assert "[" not in table.to_html().partition("<tbody>")[2]
    wide = runs.ireval.evaluate(qrels, ["AP@10"])
    pd.testing.assert_frame_equal(
        wide.ireval.styled().data, table.data, check_column_type=False, check_index_type=False
    )


def test_corroborated_differences_have_double_daggers(cube):
    report = cube.ireval.compare_orderings(
        baseline="bm25", metric="RBP(p=0.8)@10", test=ir.Significance(adjust=None)
    )
    rows = {row[0]: row[1:] for row in cells(report.ireval.styled().to_latex())}
    assert rows["ance"][0] == "0.274"
    assert rows["doct5query"][0] == "0.324$^{\\dagger}$"
    assert rows["monot5"][0] == "\\bfseries 0.474$^{\\ddagger}$"
    assert "system_b bm25" in report.ireval.styled().notes


def test_arrays_have_a_column_per_depth():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "RR", at=[5, 10])
    ratios = scores.ireval.discrimination()
    table = ratios.ireval.styled()
    assert table.data.loc["AP", 10] == ratios.sel(metric="AP", depth=10)
    assert "ratio; paired t-test, Holm per metric and depth, alpha = 0.05" in table.notes
    bare = scores.ireval.discrimination(ir.Significance(adjust="none")).ireval.styled()
    assert "discrimination ratio; paired t-test, uncorrected, alpha = 0.05" in bare.notes
    assert table.best.loc["AP"].all()
    assert scores.ireval.median_p().ireval.styled().best.loc["AP"].all()
    grouped = scores.ireval.groupby("team").discrimination().ireval.styled().data
    assert grouped.index.names == ["team", "metric"]


def test_tables_of_ablations_and_outcomes_keep_their_rows(cube):
    steps = cube.ireval.ablation()
    table = steps.ireval.styled()
    assert table.data.index.names == ["step", "old", "new"]
    assert table.data["kendall"].to_list() == steps["kendall"].to_list()
    outcomes_of_systems = cube.ireval.outcomes(baseline="bm25", depth=10, relevant="first")
    outcomes = outcomes_of_systems.summary.ireval.styled()
    assert outcomes.data.index.to_list() == outcomes_of_systems.summary["system_b"].to_list()
    assert [*outcomes.data][:5] == ["delta", *(f"share_{kind}" for kind in KINDS.categories)]
    assert "system_a bm25" in outcomes.notes
    chosen = outcomes_of_systems.summary[["system_b", "mrr_b", "p_wilcoxon"]].ireval.styled()
    assert chosen.best["mrr_b"].sum() == 1
    assert [*chosen.data] == ["mrr_b", "p_wilcoxon"]


def test_leaderboards_show_intervals_after_means():
    board = [("a", 1, 0.5, 0.4, 0.6, 7.0), ("b", 2, 0.4, 0.3, 0.5, 6.0)]
    columns = ["system", "rank", "AP@10", "ci_low", "ci_high", "ASL"]
    frame = pd.DataFrame(board, columns=columns).set_index("system")
    frame.attrs = {"result": "leaderboard", "alpha": 0.05}
    rows = cells(frame.ireval.styled(1).to_latex())
    assert rows[0] == ["a", "1", "\\bfseries 0.5 [0.4, 0.6]", "7.0"]
    assert rows[1] == ["b", "2", "0.4 [0.3, 0.5]", "\\bfseries 6.0"]
    assert frame.ireval.styled().notes.startswith("[95% interval]")
    lettered = frame.assign(letters=["abcdefg", "a"]).ireval.styled()
    assert "letters" not in lettered.data
    assert lettered.notes.startswith("letters not shown, up to 7 a system; ")
    assert "letters" in frame.assign(letters="abc").ireval.styled().data


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="there is no pdflatex")
def test_pdflatex_compiles_the_table(comparison, tmp_path):
    plain = comparison.ireval.styled(sort=True, relative_to="bm25")
    table = plain.highlight_max(props="color: red")
    page = [r"\documentclass{article}\usepackage{booktabs,xcolor}\begin{document}"]
    page += [table.to_latex(), table.format("{:.1f}").to_latex(), r"\end{document}"]
    (tmp_path / "table.tex").write_text("\n".join(page), encoding="utf-8")
    call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "table.tex"]
    process = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout[-2000:]


def test_tables_of_many_systems_count_beaten_systems():
    values = np.arange(30.0)[:, np.newaxis] + np.random.default_rng(0).normal(0, 1e-4, (30, 3))
    scores = xr.DataArray(values, {"system": [f"s{n}" for n in range(30)]}, ("system", "topic"))
    styled = scores.ireval.compare().ireval.styled(0)
    rows = cells(styled.to_latex())
    assert rows[3] == ["s3", "3$^{3}$"]
    assert rows[29][1].endswith("$^{29}$")
    assert "raised: how many systems" in styled.to_latex()


def test_baseline_comes_first():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "ASL", at=[5, 50])
    styled = scores.ireval.compare(baseline="ance").ireval.styled()
    assert styled.data.index[0] == ("a", "ance")
    assert list(styled.data.columns) == ["AP@5", "AP@50", "ASL@5", "ASL@50"]


def test_groups_are_column_headings():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[5, 50])
    styled = scores.ireval.groupby("team").compare().ireval.styled()
    assert styled.data.columns.names == ["team", "metric"]
    assert styled.data.loc[("a", "bm25"), "vectors"].isna().all()
    assert "nan" not in styled.to_latex()


def test_duplicate_pairs_and_negative_precision_are_refused(comparison):
    refused(
        InputError, "each pair of systems once", pd.concat([comparison, comparison]).ireval.styled
    )
    refused(ParameterError, "precision", lambda: comparison.ireval.styled(-1))


def test_summaries_have_intervals():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "NumRelRet").sel(depth=[10, 50])
    summary = scores.ireval.summary()
    table = summary.ireval.styled(2)
    assert table.data.columns.to_list() == ["AP@10", "AP@50", "NumRelRet@10", "NumRelRet@50"]
    cell = summary.sel(metric="AP", system="bm25", depth=50)
    ends = f"[{float(cell['ci_low']):.2f}, {float(cell['ci_high']):.2f}]"
    assert table.data.loc["bm25", "AP@50"] == cell["mean"]
    assert f"{float(cell['mean']):.2f} {ends}" in table.to_latex()
    assert f"{float(cell['mean']):.2f} {ends}" in table.to_html()
    total = summary["mean"].sel(metric="NumRelRet", system="bm25", depth=50).item()
    (line,) = (line for line in table.to_latex().splitlines() if line.startswith("bm25 &"))
    assert f" {total:.2f} \\\\" in line


def test_summaries_can_be_grouped():
    runs, qrels = ir.example_track()
    scores = runs.rename(columns={"system": "run"}).ireval.evaluate(qrels, ["AP", "P@5"])
    plain = scores.ireval.summary().ireval.styled()
    assert plain.data.columns.to_list() == ["AP", "P@5"]
    assert plain.data.index.to_list() == runs["system"].unique().tolist()
    grouped = ir.cube(runs, qrels).ireval.score("AP", at=[5]).ireval.groupby("team").summary()
    table = grouped.ireval.styled().data
    assert table.columns.names == ["team", "metric"]
    assert table[("terms", "AP@5")].notna().sum() == 2


@pytest.mark.filterwarnings(
    "ignore:tests and intervals are unreliable:irframe.errors.IrframeWarning"
)
def test_tables_of_summaries_omit_additional_columns():
    runs, qrels = ir.example_track()
    runs = runs.drop(columns="rank")
    seeds = [runs.assign(seed=n, score=runs["score"] * (1 + runs.index % n)) for n in (1, 2)]
    scores = pd.concat(seeds).ireval.evaluate(qrels, ["AP", "RR"])
    table = scores.ireval.summary(best_of=2).ireval.styled().data
    assert table.columns.to_list() == ["AP", "RR"]
    weights = pd.Series(1.0, scores.index.unique("topic"))
    weighed = runs.ireval.evaluate(qrels, ["AP"]).ireval.design(weight=weights).ireval.summary()
    assert weighed.ireval.styled().data.columns.to_list() == ["AP"]


def test_data_that_irframe_did_not_compute_are_refused():
    refused(InputError, "that a verb returned", lambda: ir.verbs.styled(pd.DataFrame({"x": [1]})))
    refused(InputError, "that a verb returned", lambda: ir.verbs.styled(xr.Dataset({"x": 1})))


def test_scores_without_values_are_refused(cube):
    for scores in (cube.ireval.score("AP", at=5), ir.evaluate(*ir.example_track(), "AP")):
        refused(InputError, "a system with scores, but found no", ir.verbs.styled, scores * np.nan)


def test_duplicate_rows_are_refused_when_marking_the_best(cube):
    lengths = cube.ireval.search_lengths()
    assert lengths["doc"].iloc[0] in lengths[:9].ireval.styled().to_latex()
    board = cube.ireval.score("AP", at=10).ireval.leaderboard()
    twice = pd.concat([board, board])
    refused(
        InputError,
        "different row labels.*found repeated row labels: .*best=False",
        twice.ireval.styled,
    )
    assert twice.ireval.styled(best=False).to_html().count("bm25+rm3") == 2


@pytest.mark.parametrize("name", ["leaderboard", "summary", "compare"])
def test_duplicate_names_of_columns_are_refused(name):
    result = getattr(ir.evaluate(*ir.example_track(), ["AP", "RR"]).ireval, name)()
    flat = result.reset_index() if result.index.names != [None] else result
    first, second, *_ = flat.columns
    plain = flat.ireval.styled(best=False).data
    for indexed in (flat.set_index([first, second], drop=False), flat.set_index(first, drop=False)):
        pd.testing.assert_frame_equal(indexed.ireval.styled(best=False).data, plain)
    levels = flat.set_index([first, second]).rename_axis(["x", "x"])
    assert repr(levels.ireval)
    refused(
        IdError, "distinct names of index levels, but found repeated names: x", levels.ireval.styled
    )
    columns = pd.concat([flat, flat], axis=1)
    assert repr(columns.ireval)
    refused(IdError, "distinct names of columns", columns.ireval.styled)


@pytest.mark.property
@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize("name", few_of(sorted(VERBS), 4, drawn=False))
def test_results_of_verbs_are_written_in_every_format(name):
    runs, qrels = experiment(0)
    subject, options = asked(name, ir.cube(runs, qrels, collection="track"))
    tables = [partial(VERBS[name], subject, **options)]
    if next(iter(inspect.signature(VERBS[name]).parameters)) in {"data", "scores"}:
        uncut = ir.evaluate(runs, qrels, ["AP", "nDCG@3"], collection="track")
        options.pop("at", None)
        tables.append(partial(VERBS[name], uncut, **options))
    for make in tables:
        try:
            table = make().ireval.styled()
        except (IrframeError, AttributeError):  # refused scores, or no table
            continue
        for form in ("to_html", "to_latex", "to_string", "to_typst"):
            text = getattr(table, form)() if hasattr(table, form) else ""
            assert not re.search(r"<NA>|&lt;NA|\b(?:nan|None)\b", text), form
