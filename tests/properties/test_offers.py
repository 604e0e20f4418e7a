"""Every call that tab completion offers can be run."""

from contextlib import suppress

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from incomplete import though_incomplete
from properties.experiments import larger
from properties.verbs import VERBS, call
from turns import few_of

import irframe as ir
from irframe.errors import IrframeError
from irframe.kinds import (
    BY_DEPTH,
    FIGURES,
    HOME,
    KNOWN,
    example,
    kind_of,
    offered,
    takes,
    type_of,
    verbs,
)

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
with though_incomplete():
    RUNS, QRELS = larger()
    CUBE = ir.cube(RUNS, QRELS, collection="track", pool=3)
SYSTEMS = CUBE["system"].to_numpy().tolist()
SCOPE = {"runs": RUNS, "qrels": QRELS, "cube": CUBE, "scores": CUBE.ireval.score("AP")}
SCOPE |= {"cost": dict.fromkeys(SYSTEMS, 1.0), "dates": dict.fromkeys(SYSTEMS, "2020-01-01")}
SCOPE |= {"judges": {"one": QRELS, "two": QRELS.assign(grade=1)}, "ir": ir}
UNJUDGED = {"draw_to_judge", "estimate"}
"""Verbs that return or accept documents with grade -1 (pooled, not judged). Most verbs refuse such
documents."""
NOT_CALLED = {"freeze", "groupby"}
"""Verbs that are not called, because they need a file name or the name of a column with groups."""


def called(code, path, **scope):
    """Run code that irframe offers; close its figures."""
    result = eval(code, SCOPE | {"path": path} | scope)  # noqa: S307 - what our own code says
    plt.close("all")
    return result


CUBES = {"condense", "pooled", "sample", "rejudge"}
"""Verbs that return a cube.

They are called in few test runs, because the verbs offered for a cube take half a minute.
"""
NAMES = [
    *few_of(sorted(VERBS.keys() - UNJUDGED - CUBES), 6),
    pytest.param("condense", marks=pytest.mark.thorough),
]


@pytest.mark.parametrize("name", NAMES)
def test_every_offered_verb_can_be_called(name, tmp_path):
    result = call(name, CUBE)
    result = getattr(result, "summary", result)
    if not hasattr(result, "ireval"):
        return
    shown = repr(result.ireval).splitlines()[-1]
    offers = {
        call: f"x.ireval.{call}"
        for home in (HOME, FIGURES)
        for offer in offered(result, home)
        if offer not in NOT_CALLED
        for call in [example(offer, result, home)]
    }
    printed = {call: code for call, code in offers.items() if f".{call}" in shown}
    assert printed
    for index, code in enumerate((printed if kind_of(result) in KNOWN else offers).values()):
        called(code, tmp_path / f"{index}", x=result)


WITHOUT_EFFECT = {"cite", "groupby", "freeze", "report", "save", "write_qrels", "write_run"}
"""Verbs that tests of offers ignore, because they accept every result or need a file name."""
BY_COLUMNS = {"runs", "judgments", "scanned runs", "labels of nuggets"}
"""Kinds of objects that irframe recognises only by the columns of a frame."""
ALSO_ASKED = {
    **dict.fromkeys(("a", "baseline", "system"), SYSTEMS[0]),
    "b": SYSTEMS[1],
    "topic": CUBE["topic"].to_numpy()[0],
    "metric": "AP",
    "depth": 1,
    **dict.fromkeys(("human", "original"), SCOPE["scores"]),
}


OBJECTS = {
    "runs": RUNS,
    "judgments": QRELS,
    "cube": CUBE,
    "scores by depth": SCOPE["scores"],
    "scores": RUNS.ireval.evaluate(QRELS, ["AP", "nDCG@3"]),
    "losses": RUNS.ireval.losses(QRELS, "nDCG@3"),
}


@pytest.mark.parametrize("kind", few_of(OBJECTS, 6, 4, drawn=False))
def test_calls_that_work_are_offered(kind, tmp_path):
    working = set()
    for name, (function, types) in verbs(HOME).items():
        if type_of(OBJECTS[kind]) in types:
            arguments = example(name, OBJECTS[kind]).split("(", 1)[1]
            scope = ALSO_ASKED | {"function": function, "x": OBJECTS[kind]}
            with suppress(IrframeError):
                called(f"function(x, {arguments}", tmp_path / name, **scope)
                working.add(name)
    assert working - WITHOUT_EFFECT <= {*offered(OBJECTS[kind], HOME)}


@pytest.mark.parametrize("kind", ["scores", "losses"])
def test_verbs_of_depths_are_not_offered_without_depths(kind):
    assert offered(SCOPE["scores"], HOME).count("volatility") == 1
    assert BY_DEPTH.isdisjoint(offered(OBJECTS[kind], HOME))


@pytest.mark.parametrize("name", few_of(sorted(VERBS.keys() - CUBES), 6, 1))
def test_verbs_that_are_not_offered_are_refused(name):
    result = call(name, CUBE)
    result = getattr(result, "summary", result)
    if not hasattr(result, "ireval"):
        return
    accepted = []
    for home in (HOME, FIGURES):
        for verb in verbs(home).keys() - {*offered(result, home)} - WITHOUT_EFFECT:
            function = verbs(home)[verb][0]
            if BY_COLUMNS & {*takes(verb, function)} and isinstance(result, pd.DataFrame):
                continue
            arguments = example(verb, result, home).split("(", 1)[1]
            scope = ALSO_ASKED | {"function": function, "result": result}
            try:
                called(f"function(result, {arguments}", "", **scope)
                accepted.append(verb)
            except IrframeError:
                plt.close("all")
    assert accepted == []
