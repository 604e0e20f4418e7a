"""Results contain each caution of `evaluate` exactly once."""

import re
import warnings
from pathlib import Path

import pytest

import irframe as ir
from irframe.__main__ import main
from irframe.errors import GRAVEST, caution, cautions_of

RUNS, QRELS = ir.example_track()
LACKING = RUNS[(RUNS["system"] != "bm25") | ~RUNS["topic"].isin(["101", "102"])]
TEXT = "lists that systems lack count as empty: bm25 2 of 16 topics"
SOURCE = "".join(path.read_text("utf-8") for path in Path(ir.__file__).parent.rglob("*.py"))


def scored(reader):
    with warnings.catch_warnings(action="ignore"):
        if reader == "frame":
            return LACKING.ireval.evaluate(QRELS, ["AP", "nDCG@10"])
        return LACKING.ireval.cube(QRELS).ireval.score("AP", "nDCG@10", at=[10])


def once(text):
    return " ".join(text.split()).count(TEXT) == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("reader", ["frame", "cube"])
def test_results_keep_each_caution_once(reader, tmp_path):
    scores = scored(reader)
    results = [
        scores.ireval.compare(baseline="ance", margin=0.05),
        scores.ireval.leaderboard(),
        scores.ireval.best_systems(),
        scores.ireval.rank_intervals(),
    ]
    for result in [scores, *results]:
        assert [text.partition(";")[0] for text in cautions_of(result.attrs)] == [TEXT]
    for result in results[:3]:
        assert once(repr(result))
        assert once(result._repr_html_())
    assert once(results[0].ireval.styled().to_latex())
    scores.ireval.freeze(tmp_path / "b.irframe", baseline="bm25")
    with pytest.warns(ir.errors.IrframeWarning) as caught:
        scores.ireval.compare(baseline=tmp_path / "b.irframe")
    assert (
        len([warning for warning in caught if "when frozen: lists that" in str(warning.message)])
        == 1
    )


def test_a_saved_cube_keeps_its_cautions(tmp_path):
    with warnings.catch_warnings(action="ignore"):
        cube = LACKING.ireval.cube(QRELS)
    cube.ireval.save(tmp_path / "cube")
    assert once(repr(ir.open_cube(tmp_path / "cube").ireval.score("AP").ireval.leaderboard()))


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_the_console_prints_each_caution_once(form, tmp_path, capsys):
    LACKING.to_parquet(tmp_path / "runs.parquet")
    ir.verbs.write_qrels(QRELS, tmp_path / "q.txt")
    files = [str(tmp_path / name) for name in ("q.txt", "runs.parquet")]
    assert main(["compare", *files, "-m", "AP", "--baseline=bm25", "--format", form]) == 0
    out, err = capsys.readouterr()
    assert once(out)
    assert TEXT not in err or form == "markdown"


def test_serious_cautions_come_first_and_are_warnings():
    gravest = [f"{begins} x" for begins in GRAVEST]
    cautions = cautions_of(caution(["few topics", *reversed(gravest), "few topics"]))
    assert cautions == [*gravest, "few topics"]
    text = re.sub(r'["\s]+', " ", SOURCE)
    assert [begins for begins in GRAVEST if text.count(begins) < 2] == []
