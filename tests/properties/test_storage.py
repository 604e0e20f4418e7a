"""Results of all verbs can be saved and reopened unchanged."""

import inspect
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from incomplete import incomplete, though_incomplete
from properties.experiments import experiment
from properties.test_records import FRAMES
from properties.verbs import VERBS, call, outcome
from turns import few_of

import irframe as ir
from irframe.errors import IrframeWarning
from irframe.option_values import gathered
from irframe.record import InGroups

pytestmark = incomplete
RUNS, QRELS = experiment(0)
with though_incomplete():
    CUBE = ir.cube(RUNS, QRELS, collection="track")
    TABLE = ir.evaluate(RUNS, QRELS, ["AP", "P@3"])
JUDGES = {
    "people": QRELS,
    "model": QRELS.assign(grade=(QRELS["grade"] + 1).clip(0, 3)),
    "guess": QRELS.assign(grade=QRELS["grade"].iloc[::-1].to_numpy()),
}
PAIRED = {
    "topics_needed": lambda **o: call("topics_needed", CUBE, per="pair", **o),
    "predict_powered": lambda **o: call("predict_powered", CUBE, baseline="s1", **o),
    "compare_judges": lambda **_: ir.compare_judges(JUDGES, grades="union", resamples=20),
    "compare_judges by topic": lambda **_: ir.compare_judges(JUDGES, grades="union", per="topic"),
}
"""Mapping from verbs to calls that return a result by pair, because the calls of `asked` do not."""


def of_frames(name):
    """Call a verb with its first options in `FRAMES`."""
    subject, options = FRAMES[name][0]
    function = getattr(ir, name, None) or getattr(ir.verbs, name)
    return function(subject, **gathered(inspect.signature(function), options))


DRAWN = {"text": {"cluster": "c"}, "numbers": {"cluster": 1, "task": 2}, "weights": {"weight": 0.5}}
"""Mapping from kinds of labels to options of `design`.

The value of an option is the label of every topic.
"""


def designed(labels):
    """Return scores with equal declared labels for all topics."""
    topics = TABLE.index.unique("topic")
    return ir.verbs.design(
        TABLE, **{name: dict.fromkeys(topics, value) for name, value in labels.items()}
    )


FURTHER = {name: partial(of_frames, name) for name in FRAMES.keys() - {"compare_judges"}} | {
    "as_scores": lambda: ir.as_scores(TABLE),
    "concat": lambda: ir.concat([CUBE]),
    **{f"design {kind}": partial(designed, labels) for kind, labels in DRAWN.items()},
    "simulate_track": lambda: ir.simulate_track(
        systems=2, topics=2, docs=60, depth=5, pool_depth=2
    ),
}
"""Mapping from names of functions that are not called on a cube or scores to calls of them."""
OTHER = {"as_qrels", "as_runs", "example_track", "open_cube", "parse_metric", "read_qrels"}
OTHER |= {"read_run", "read_runs", "report", "save", "scan_runs", "scorer", "styled"}
OTHER |= {"as_spans", "cite", "read_spans"}
OTHER |= {"freeze", "groupby", "to_pytrec_eval", "to_ranx", "write_qrels", "write_run"}
"""Functions without a test of storage: they read, convert, cite or write data, or return objects
that are not saved.
"""


def test_every_public_function_is_saved_in_the_test():
    names = {
        name
        for home in (ir, ir.verbs)
        for name in home.__all__
        if inspect.isfunction(getattr(home, name))
    }
    called = {name.split()[0] for name in FURTHER}
    assert names - VERBS.keys() == called | {"compare_judges"} | OTHER


ENGINES = ("h5netcdf", "zarr")


def parts(result):
    """Return the frames and arrays that a result consists of."""
    if hasattr(result, "queries"):
        return [result.summary, result.queries]
    return list(result) if isinstance(result, tuple) else [result]


def is_cube(part):
    """Return whether a result is a cube, or several cubes."""
    return isinstance(part, InGroups) or "experiment" in getattr(part, "attrs", ())


def assert_stored(result, folder, engines=ENGINES):
    for item in parts(result):
        if is_cube(item):
            continue  # test_records.py tests `save`
        assert isinstance(item, pd.DataFrame | xr.Dataset | xr.DataArray)
        if isinstance(item, pd.DataFrame):
            item.to_parquet(folder / "result.parquet")
            loaded = pd.read_parquet(folder / "result.parquet")
            pd.testing.assert_frame_equal(as_lists(loaded), as_lists(item), check_frame_type=False)
            assert loaded.attrs == item.attrs
        else:
            assert_in_files(item, folder, engines)


def as_lists(frame):
    """Convert the arrays and tuples in a frame to lists."""
    several = [name for name in frame if frame[name].map(type).isin([tuple, np.ndarray]).any()]
    return frame.assign(**{name: frame[name].map(list) for name in several})


def assert_in_files(result, folder, engines):
    name = {xr.DataArray: "dataarray", xr.Dataset: "dataset"}[type(result)]
    for engine in engines:
        path, options = folder / f"result.{engine}", {"engine": engine}
        if engine == "zarr":
            write_zarr(result, path)
            options["consolidated"] = False
        else:
            result.to_netcdf(path, engine=engine)
        with getattr(xr, f"open_{name}")(path, **options) as loaded:
            xr.testing.assert_identical(loaded.load(), result)
    named = {} if isinstance(result, xr.Dataset) or result.name else {"name": "value"}
    assert len(result.to_dataframe(**named))


def write_zarr(result, path):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not have a Zarr V3 specification")
        warnings.filterwarnings("ignore", message=".*not part in the Zarr format 3 specification")
        result.to_zarr(path, mode="w", consolidated=False)


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(sorted(VERBS), 20, drawn=False))
def test_results_of_verbs_are_saved_and_reopened(name, tmp_path):
    for options, engines in [({}, ENGINES[:1]), ({"by": "track"}, ENGINES[1:])]:
        result = outcome(name, CUBE, **options)
        assert not isinstance(result, type), result
        assert_stored(result, tmp_path, engines)


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(sorted({*FURTHER, *PAIRED}), 10, drawn=False))
def test_results_of_functions_are_saved_and_reopened(name, tmp_path):
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        assert_stored({**FURTHER, **PAIRED}[name](), tmp_path)


def test_pairs_are_named_by_plain_coordinates():
    for name, make in PAIRED.items():
        with warnings.catch_warnings(action="ignore", category=IrframeWarning):
            result = make()
        sides = ("judge_a", "judge_b") if "judges" in name else ("system_a", "system_b")
        assert "pair" not in result.coords
        assert {result[side].dims for side in sides} == {("pair",)}
