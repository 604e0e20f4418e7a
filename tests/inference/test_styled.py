"""Comparison frames as tables: means, marks, HTML and LaTeX."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def comparison():
    runs, qrels = ir.example_track()
    return runs.ireval.evaluate(qrels, ["AP", "nDCG@10", "ASL"]).ireval.compare(adjust="holm")


def cells(latex):
    """Return the rows between the rules as lists of cells."""
    body = latex.partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    return [row.removesuffix(" \\\\").split(" & ") for row in body.splitlines()]


def test_numbers_are_the_means(comparison):
    table = comparison.ireval.styled().data
    runs, qrels = ir.example_track()
    means = runs.ireval.evaluate(qrels, ["AP", "nDCG@10", "ASL"]).groupby("system").mean()
    pd.testing.assert_frame_equal(
        table.droplevel("mark").sort_index(), means, check_column_type=False
    )
    assert table.index.get_level_values("mark").to_list() == list("abcdefgh")


def test_marks_are_those_of_the_systems_beaten(comparison):
    rows = cells(comparison.ireval.styled().to_latex())
    mark = {row[1]: row[0] for row in rows}
    for row in rows:
        for metric, cell in zip(["AP", "nDCG@10", "ASL"], row[2:], strict=True):
            sign = -1 if metric == "ASL" else 1
            here = comparison[(comparison["metric"] == metric) & comparison["significant"]]
            lead = sign * here["difference"]
            beaten = {
                *here.loc[(here["system_a"] == row[1]) & (lead > 0), "system_b"],
                *here.loc[(here["system_b"] == row[1]) & (lead < 0), "system_a"],
            }
            expected = "".join(sorted(mark[system] for system in beaten))
            assert cell.partition("$^{")[2].rstrip("}$") == expected


def test_latex_has_the_rules_of_booktabs_and_the_options_of_pandas(comparison):
    styled = comparison.ireval.styled(2)
    latex = styled.to_latex(caption="Means", label="tab:means")
    for part in ("\\toprule", "\\midrule", "\\bottomrule", "\\caption{Means}", "$^{acd}$"):
        assert part in latex
    assert "\\toprule" not in styled.to_latex(hrules=False)
    assert "<sup>" not in latex


def test_html_has_superscripts_and_keeps_further_styles(comparison):
    styled = comparison.ireval.styled().highlight_max(props="font-weight: bold")
    html = styled.to_html()
    assert "<sup>acd</sup>" in html
    assert "$^" not in html
    assert "font-weight: bold" in html
    assert "\\font-weightbold" in styled.to_latex()
    assert "<sup>acd</sup>" in styled.to_html()


def test_names_are_escaped():
    scores = xr.DataArray([[1.0, 2], [3, 4]], {"system": ["a_b", "<i>"]}, ("system", "topic"))
    styled = scores.rename("x_1").ireval.compare().ireval.styled()
    assert "a\\_b" in styled.to_latex()
    assert "x\\_1" in styled.to_latex()
    assert "&lt;i&gt;" in styled.to_html()


def test_many_systems_have_numbers():
    values = np.repeat(np.arange(30.0)[:, np.newaxis], 3, axis=1)
    scores = xr.DataArray(values, {"system": [f"s{n}" for n in range(30)]}, ("system", "topic"))
    styled = scores.ireval.compare().ireval.styled(0)
    rows = cells(styled.to_latex())
    assert rows[3] == ["4", "s3", "3$^{1,2,3}$"]
    assert rows[29][0] == "30"


def test_a_baseline_comes_first():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP", "ASL", at=[5, 50])
    styled = scores.ireval.compare(baseline="ance").ireval.styled()
    assert styled.data.index[0] == ("a", "ance")
    assert list(styled.data.columns) == ["AP@5", "AP@50", "ASL@5", "ASL@50"]


def test_groups_head_the_columns():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP", at=[5, 50])
    styled = scores.ireval.compare(by="team").ireval.styled()
    assert styled.data.columns.names == ["team", "metric"]
    assert styled.data.loc[("a", "bm25"), "vectors"].isna().all()
    assert "nan" not in styled.to_latex()


def test_a_comparison_frame_has_an_accessor(comparison):
    assert comparison[["system_a", "system_b", "p"]].ireval
    with pytest.raises(AttributeError, match="what a verb returned"):
        _ = pd.DataFrame({"x": [1]}).ireval


def test_bad_input(comparison):
    with pytest.raises(InputError, match="mean_a"):
        comparison.drop(columns="mean_a").ireval.styled()
    with pytest.raises(InputError, match="each pair once"):
        pd.concat([comparison, comparison]).ireval.styled()
    with pytest.raises(ParameterError, match="precision"):
        comparison.ireval.styled(-1)


def test_summaries_have_margins():
    runs, qrels = ir.example_track()
    scores = ir.cube(runs, qrels).ireval.score("AP", "NumRelRet").sel(depth=[10, 50])
    summary = scores.ireval.summary()
    table = summary.ireval.styled(2)
    assert table.data.columns.to_list() == ["AP@10", "AP@50", "NumRelRet@10", "NumRelRet@50"]
    cell = summary.sel(metric="AP", system="bm25", depth=50)
    half = float(cell["ci_high"] - cell["ci_low"]) / 2
    assert table.data.loc["bm25", "AP@50"] == cell["mean"]
    assert f"{float(cell['mean']):.2f} $\\pm$ {half:.2f}" in table.to_latex()
    assert f"{float(cell['mean']):.2f} ± {half:.2f}" in table.to_html()
    total = summary["mean"].sel(metric="NumRelRet", system="bm25", depth=50).item()
    assert f" {total:.2f} \\\\" in next(
        line for line in table.to_latex().splitlines() if line.startswith("bm25 &")
    )


def test_summaries_of_groups_and_frames():
    runs, qrels = ir.example_track()
    scores = runs.rename(columns={"system": "run"}).ireval.evaluate(qrels, ["AP", "P@5"])
    plain = scores.ireval.summary().ireval.styled()
    assert plain.data.columns.to_list() == ["AP", "P@5"]
    assert plain.data.index.to_list() == runs["system"].unique().tolist()
    grouped = ir.cube(runs, qrels).ireval.score("AP", at=[5]).ireval.summary(by="team")
    table = grouped.ireval.styled().data
    assert table.columns.names == ["team", "metric"]
    assert table[("terms", "AP@5")].notna().sum() == 2


def test_what_is_no_result_is_refused():
    with pytest.raises(InputError, match="compare or summary"):
        ir.styled(pd.DataFrame({"x": [1]}))
    with pytest.raises(InputError, match="compare or summary"):
        ir.styled(xr.Dataset({"x": 1}))
