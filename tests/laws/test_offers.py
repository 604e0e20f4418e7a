"""What an object offers, in its print, in completion and in errors, can be called as it stands."""

import matplotlib.pyplot as plt
import pytest
from incomplete import though_incomplete
from laws.experiments import larger
from laws.verbs import VERBS, call
from turns import few_of

import irframe as ir
from irframe.kinds import FIGURES, HOME, KNOWN, example, kind_of, offered

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
with though_incomplete():
    RUNS, QRELS = larger()
    CUBE = ir.cube(RUNS, QRELS, collection="track", pool=3)
SYSTEMS = CUBE["system"].to_numpy().tolist()
SCOPE = {"runs": RUNS, "qrels": QRELS, "cube": CUBE, "scores": CUBE.ireval.score("AP")}
SCOPE |= {"cost": dict.fromkeys(SYSTEMS, 1.0), "dates": dict.fromkeys(SYSTEMS, "2020-01-01")}
SCOPE |= {"judges": {"one": QRELS, "two": QRELS.assign(grade=1)}, "ir": ir}
UNJUDGED = {"draw_to_judge", "estimate"}
"""What has or takes documents that were drawn and not judged, of which most verbs know nothing."""
OFFERED_APART = {"freeze", "groupby"}
"""A figure of several parts, and what needs a name of a file."""


def called(code, path, **scope):
    """Run what irframe offers, and close what it drew."""
    found = eval(code, SCOPE | {"path": path} | scope)  # noqa: S307 - what our own code says
    plt.close("all")
    return found


CUBES = {"condense", "pooled", "sample", "rejudge"}
"""What gives a cube, which offers nearly everything: that takes half a minute."""
NAMES = [
    *few_of(sorted(VERBS.keys() - UNJUDGED - CUBES), 3, drawn=False),
    pytest.param("condense", marks=pytest.mark.thorough),
]


@pytest.mark.parametrize("name", NAMES)
def test_all_that_a_result_offers_can_be_called(name, tmp_path):
    result = call(name, CUBE)
    result = getattr(result, "summary", result)
    if not hasattr(result, "ireval"):
        return
    shown = repr(result.ireval).splitlines()[-1]
    offers = {
        call: f"x.ireval.{call}"
        for home in (HOME, FIGURES)
        for each in offered(result, home)
        if each not in OFFERED_APART
        for call in [example(each, result, home)]
    }
    known = {call: code for call, code in offers.items() if f".{call}" in shown}
    assert known
    for place, code in enumerate((known if kind_of(result) in KNOWN else offers).values()):
        called(code, tmp_path / f"{place}", x=result)
