"""Verbs, figures and reports agree on shares of unjudged documents."""

import re

import numpy as np
import pytest
from incomplete import incomplete
from paged import view_of

import irframe as ir
from irframe.__main__ import main
from irframe.reports.ladder import rungs

pytestmark = incomplete
DEPTH = 10
MISSING = {
    "none missing": lambda _: False,
    "half missing": lambda rows: (rows["system"] == "monot5") & (rows["topic"].astype(int) < 109),
    "lists of unequal length": lambda rows: (
        rows.groupby(["system", "topic"]).cumcount() >= rows["topic"].astype(int) % 5 * 3 + 1
    ),
}


@pytest.fixture(params=MISSING, name="track")
def incomplete_track(request):
    """Return runs, judgments, and each system's share of unjudged documents."""
    runs, qrels = ir.example_track()
    runs = runs.sort_values(
        ["system", "topic", "score", "doc"], ascending=[True, True, False, False]
    )
    runs = runs[~np.broadcast_to(MISSING[request.param](runs), len(runs))]
    top = runs.groupby(["system", "topic"], sort=False).head(DEPTH)
    judged = top.merge(qrels, how="left", on=["topic", "doc"])["grade"].notna()
    return runs, qrels, 1 - judged.groupby(top["system"].to_numpy()).mean()


def test_check_diagnose_and_figures_show_shares_of_unjudged_rows(track):
    runs, qrels, shares = track
    cube = runs.ireval.cube(qrels)
    column = ir.verbs.check(runs, qrels)[f"unjudged_at_{DEPTH}"]
    np.testing.assert_allclose(column[shares.index], shares)
    lines = cube.ireval.plot.unjudged_share().lines[: len(shares)]
    drawn = sorted(line.get_ydata()[DEPTH - 1] for line in lines)
    np.testing.assert_allclose(drawn, sorted(100 * shares), atol=1e-9)
    findings = ir.verbs.diagnose(runs, qrels)
    (named,) = findings.loc[findings["what"].str.contains(f"the top {DEPTH} "), "where"]
    assert {*named.split(", ")} == {
        f"{name} ({share:.0%})" for name, share in shares.items() if share
    }


def test_the_report_shows_shares_of_unjudged_rows(track):
    runs, qrels, shares = track
    cube = runs.ireval.cube(qrels)
    view = view_of(cube, ["AP"], [DEPTH, 5])
    np.testing.assert_allclose(view.unjudged.sel(depth=DEPTH, system=shares.index), shares)
    for rung in rungs(view, cube["system"].to_numpy().tolist()):
        assert rung["unjudged"] == f"{100 * shares[rung['system']]:.0f}\xa0%"


def test_the_comment_shows_shares_of_unjudged_rows(track, tmp_path, capsys):
    runs, qrels, shares = track
    ir.verbs.write_qrels(qrels, tmp_path / "qrels.txt")
    for name in ("monot5", "bm25"):
        ir.verbs.write_run(runs[runs["system"] == name], tmp_path / f"{name}.txt")
    files = [str(tmp_path / name) for name in ("qrels.txt", "monot5.txt", "bm25.txt")]
    options = ["-m", f"P@{DEPTH}", "--baseline", "bm25", "--format", "markdown"]
    main(["compare", *files, *options])
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| P@")]
    printed = [float(share) for share in re.findall(r"([\d.]+)%", row)]
    np.testing.assert_allclose(printed, 100 * shares[["monot5", "bm25"]].round(3), atol=1e-9)


def test_systems_that_retrieved_nothing_have_no_share():
    runs = {"a": {"1": {"x": 1.0}}, "b": {"2": {"y": 1.0}}}
    with pytest.warns(ir.errors.IrframeWarning):
        cube = ir.cube(runs, {"1": {"x": 1}})
    assert view_of(cube, ["AP"], [1]).unjudged.sel(system="a").item() == 0
    assert np.isnan(view_of(cube, ["AP"], [1]).unjudged.sel(system="b")).all()
