"""Verdicts of a report are those of a comparison with a margin."""

import pytest

import irframe as ir
from irframe.cubes.score import score
from irframe.errors import ParameterError
from irframe.reports.setting import Setting
from irframe.reports.trust import verdicts
from irframe.reports.view import View

ASKED = {"test": "t", "adjust": "holm", "alpha": 0.05, "samples": 100, "seed": 0, "margin": 0.05}


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


@pytest.mark.parametrize("baseline", ["bm25", None])
def test_systems_are_held_against_the_baseline_or_the_first(cube, baseline):
    setting = Setting.read(cube, ["nDCG", "AP"], [5, 10], 10, ASKED | {"baseline": baseline})
    (part,) = verdicts(View("all", setting, cube))
    against = baseline or "monot5"
    expected = score(cube, "nDCG", "AP", at=10).ireval.compare(
        "t", adjust="holm", baseline=against, margin=0.05
    )
    assert part.data["verdict"].tolist() == expected["verdict"].tolist()
    own = expected.query("metric == 'nDCG'")["verdict"].value_counts()
    assert part.says.startswith(f"By nDCG at depth 10, against {against} with a margin of 0.05: ")
    for word, count in own.items():
        assert f"{count} {word}" in part.says
    assert "each for its pair alone" in part.how[0]


def test_what_has_no_verdict_says_why(cube):
    asked = ASKED | {"baseline": None}
    setting = Setting.read(cube, ["nDCG"], [10], 10, asked | {"test": "tukey", "adjust": None})
    (part,) = verdicts(View("all", setting, cube))
    assert part.says == "The verdicts cannot be told"
    assert (
        verdicts(View("all", Setting.read(cube, "AP", [10], 10, asked | {"margin": None}), cube))
        == []
    )
    with pytest.raises(ParameterError, match="margin"):
        Setting.read(cube, "AP", [10], 10, asked | {"margin": -1})
