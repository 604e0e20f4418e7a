"""Results record whether they are scores or costs."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from properties.test_records import world
from properties.verbs import VERBS, asked
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import InputError, IrframeError
from irframe.metrics.facts import facts
from irframe.names import GRADE, RESULT, SCORE_VERBS

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
INDEX = pd.MultiIndex.from_product(
    [["small", "large"], [f"q{n}" for n in range(6)]], names=["system", "topic"]
)
OTHER = pd.DataFrame({"faithful": np.linspace(0.1, 0.9, 12) ** 2}, INDEX)
VALUES = {
    "R": np.linspace(0.4, 0.8, 12),
    "cost": np.r_[np.linspace(200, 260, 6), np.linspace(480, 610, 6)],
}


def over_lists(result):
    """Return a result's objects that contain systems and topics."""
    if isinstance(result, xr.Dataset):
        return [] if GRADE in result else [*map(result.get, result.data_vars)]
    labels = {*result.index.names} if isinstance(result, pd.DataFrame) else ()
    return [result] if {"system", "topic"} <= {*labels, *getattr(result, "dims", ())} else []


@pytest.mark.parametrize("name", few_of(sorted(VERBS), 3))
def test_only_scores_are_ranked(name):
    subject, options = asked(name, world("small"))
    try:
        result = VERBS[name](subject, **options)
    except IrframeError:
        return
    arrays = [array for array in over_lists(result) if {"system", "topic"} <= {*array.dims}]
    for array in arrays:
        assert array.attrs[RESULT] == name
        if name not in SCORE_VERBS:
            refused(InputError, f"the result of {name}", ir.verbs.best_systems, array)
            refused(InputError, f"the result of {name}", ir.verbs.leaderboard, array)


@pytest.mark.parametrize(
    "name", ["tokens", "latency (ms)", "latencySeconds", "shown", "again", "cost per query", "USD"]
)
def test_costs_are_recognised_by_name_in_every_input(name):
    frame = pd.DataFrame(VALUES, INDEX).rename(columns={"cost": name})
    declared = ir.as_scores(frame, lower=[name])
    ways = {
        "told": declared,
        "joined": declared.join(OTHER),
        "CSV": pd.read_csv(StringIO(declared.to_csv())),
        "column": declared[name],
        "array": xr.DataArray(declared[name].to_xarray()),
        "long": frame.melt(var_name="measure", ignore_index=False).reset_index(),
    }
    for form, scores in ways.items():
        best = scores.ireval.best_systems().set_index("metric")["system"]
        assert best[name] == "small", form


def test_captions_state_the_direction_of_unknown_columns():
    frame = pd.DataFrame(VALUES, INDEX).rename(columns={"cost": "tokens"}).join(OTHER)
    for result in (frame.ireval.compare(), frame.ireval.leaderboard(), frame.ireval.summary()):
        assert result.attrs["direction"].startswith("larger is better for faithful; smaller is")
        assert "smaller is better for tokens" in repr(result.ireval)
    assert "direction" not in frame[["R"]].ireval.compare().attrs
    with pytest.warns(ir.errors.IrframeWarning, match="larger is better for faithful"):
        frame.ireval.summary()


def test_names_that_negate_a_cost_make_its_direction_unknown():
    names = ["tokens per second", "latency saved", "cost effectiveness", "costume", "again later"]
    assert not any(facts(label).cost for label in names)
    assert facts("tokens@10").cost
    assert facts("shown after search 2").cost
