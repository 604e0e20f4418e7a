"""Tests of the display of values in notebooks."""

import pytest

import irframe as ir


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (ir.metrics.RBP(p=0.5), "<code>RBP(p=0.5)</code>: "),
        (ir.paired.PairedT(), "<code>PairedT()</code>: "),
        (ir.gains.Linear(), "<code>Linear(top=None)</code>: "),
        (ir.metrics.AP(norm="min"), "<code>AP(norm=&#x27;min&#x27;)</code>: "),
    ],
)
def test_notebooks_show_the_code_and_the_meaning_of_values(value, shown):
    first = type(value).__doc__.partition("\n")[0]
    assert value._repr_html_() == shown + first


def test_outcomes_and_scanned_runs_are_described_in_their_repr(tmp_path):
    runs, qrels = ir.example_track()
    outcomes = runs.ireval.outcomes(qrels, baseline="bm25", relevant="first", depth=20)
    assert outcomes._repr_html_().count("<tr") == 1 + len(outcomes.summary)
    path = tmp_path / "a&b.gz"
    ir.verbs.write_run(runs[runs["system"] == "bm25"], path)
    html = ir.scan_runs(str(path))._repr_html_()
    assert "a&amp;b.gz" in html
