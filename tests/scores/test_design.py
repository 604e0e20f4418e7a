"""`design` labels topics, and lost declarations raise an error."""

import re
from io import StringIO

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.errors import InputError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
RUNS, QRELS = ir.example_track()
TOPICS = sorted(QRELS["topic"].unique())
TABLE = pd.DataFrame(
    {
        "topic": TOPICS,
        "source": [f"d{n // 2}" for n in range(16)],
        "language": ["de", "en"] * 8,
        "asked": np.arange(1.0, 17),
    }
)
PLAIN = RUNS.ireval.evaluate(QRELS, ["AP", "nDCG@10"])
DRAWN = PLAIN.ireval.design(TABLE, cluster="source", task="language", weight="asked")
ARRAY = RUNS.ireval.cube(QRELS).ireval.score("AP", at=[10]).isel(depth=0, drop=True)
OTHER = pd.DataFrame({"RR": 0.5}, DRAWN.index)
LOSSES = {
    "a column": lambda frame: frame["AP"],
    "a join": lambda frame: frame.join(OTHER)[["AP"]],
    "a merge": lambda frame: frame.merge(OTHER, left_index=True, right_index=True)[["AP"]],
    "pandas.concat": lambda frame: pd.concat([frame, OTHER], axis=1)[["AP"]],
    "a pivot": lambda frame: frame["AP"].unstack("system").rename_axis(columns="system"),
    "CSV": lambda frame: pd.read_csv(StringIO(frame[["AP"]].to_csv())),
    "reset_index": lambda frame: pd.DataFrame(frame[["AP"]].reset_index().to_dict("list")),
    "a long frame": lambda frame: long(frame),  # noqa: PLW0108 - defined below
    "an array": lambda frame: array(frame).drop_attrs(),
}
"""Mapping from a description to an operation that loses the declaration of a design but keeps the
labels."""


def long(frame):
    rows = frame.melt(var_name="measure", ignore_index=False).reset_index()
    return pd.DataFrame(rows.query("measure == 'AP'").to_dict("list"))


def array(frame):
    labels = {"cluster": "source", "task": "language", "weight": "asked"}
    wide = frame["AP"].droplevel([*labels]).rename("AP").to_xarray()
    return wide.ireval.design(TABLE, **labels)


def sorted_means(scores):
    result = scores.ireval.summary()
    result = result if isinstance(result, pd.DataFrame) else result.to_dataframe()
    return np.sort(result["mean"].to_numpy())


@pytest.mark.parametrize("loss", LOSSES)
def test_lost_declarations_raise_an_error_with_working_code(loss):
    expected = DRAWN[["AP"]].ireval.summary()["mean"].sort_values().to_numpy()
    scores = LOSSES[loss](DRAWN)
    scores = ir.as_scores(scores, "AP") if loss == "a pivot" else scores
    with pytest.raises(ParameterError) as failed:
        scores.ireval.summary()
    declare, leave_out = re.findall(r"scores\.ireval\.design\([^()]*\)", str(failed.value))
    mended = eval(declare, {"scores": scores})  # noqa: S307 - what the message says
    np.testing.assert_allclose(sorted_means(mended), expected, rtol=1e-12)
    alone = eval(leave_out, {"scores": scores})  # noqa: S307
    np.testing.assert_allclose(sorted_means(alone), np.sort(PLAIN["AP"].groupby("system").mean()))


def test_lost_labels_raise_an_error_with_working_code():
    lost = DRAWN.droplevel("cluster")
    with pytest.raises(
        ParameterError, match="scores with all declared labels of topics.*cluster"
    ) as failed:
        lost.ireval.compare()
    line = re.search(r"scores\.ireval\.design\(table[^()]*\)", str(failed.value))[0]
    mended = eval(line, {"scores": lost, "table": TABLE})  # noqa: S307
    pd.testing.assert_frame_equal(mended.ireval.compare(), DRAWN.ireval.compare())


def test_columns_of_the_table_take_precedence_over_columns_of_scores():
    scores = PLAIN.assign(source="wrong")
    drawn = scores.ireval.design(TABLE, cluster="source")
    assert {*drawn.index.get_level_values("cluster")} == {*TABLE["source"]}
    indexed = PLAIN.ireval.design(TABLE.set_index("topic"), cluster="source")
    assert indexed.index.equals(drawn.index)
    refused(
        ParameterError, "a column of the table", lambda: PLAIN.ireval.design(TABLE, cluster="none")
    )
    refused(InputError, "a table with a column of topics", lambda: PLAIN.ireval.design([1]))


def test_declarations_are_added_and_removed():
    drawn = PLAIN.ireval.design(TABLE, cluster="source").ireval.design(TABLE, task="language")
    assert drawn.index.names == ["system", "topic", "cluster", "task"]
    both = PLAIN.ireval.design(TABLE, cluster="source", task="language")
    pd.testing.assert_frame_equal(drawn.ireval.compare(), both.ireval.compare())
    bare = drawn.ireval.design()
    pd.testing.assert_frame_equal(bare.ireval.compare(), PLAIN.ireval.compare())
    repeated = both.ireval.design(TABLE, cluster="language")
    assert {*repeated.index.get_level_values("cluster")} == {"de", "en"}
    coordinates = ARRAY.ireval.design(TABLE, cluster="source").ireval.design()
    xr.testing.assert_identical(coordinates.drop_attrs(), ARRAY.drop_attrs())


def test_declared_tasks_can_be_groups():
    names = dict(zip(TOPICS, TABLE["language"], strict=True))
    scores = PLAIN.assign(language=PLAIN.index.get_level_values("topic").map(names))
    drawn = scores.ireval.design(task="language")
    result = drawn.ireval.groupby("language").summary()
    for language, subset in scores.groupby("language"):
        expected = subset.ireval.summary()["mean"]
        np.testing.assert_allclose(result.loc[language, "mean"], expected)
    by_task = DRAWN.ireval.design().ireval.design(TABLE, task="language")
    np.testing.assert_allclose(by_task.ireval.groupby("task").summary()["mean"], result["mean"])


def test_undeclared_labels_can_be_groups():
    coords = ARRAY.assign_coords(task=("topic", TABLE["language"].to_numpy()))
    result = coords.ireval.groupby("task").summary()
    assert result.sizes["task"] == 2
    refused(ParameterError, "undeclared labels: task", coords.ireval.summary)


def test_scores_inherit_the_labels_of_cubes(tmp_path):
    cube = RUNS.ireval.cube(QRELS).ireval.design(TABLE, cluster="source")
    selected = (
        cube,
        cube.isel(system=slice(3)),
        cube.ireval.save(tmp_path / "cube"),
        cube.ireval.condense(),
    )
    for item in selected:
        scores = item.ireval.score("nDCG")
        assert scores.cluster.dims == ("topic",)
        assert scores.ireval.compare().attrs["n_clusters"] == "8"
    designed = ARRAY.ireval.design(cluster=cube.cluster.to_series())
    single = designed.sel(system=["bm25", "ance"]).isel(topic=[0, 2, 4, 6])
    assert single.ireval.compare().attrs["n_clusters"] == "4"


def test_repeats_are_declared():
    several = pd.concat([PLAIN.assign(epoch=n, AP=PLAIN["AP"] / n) for n in (1, 2)])
    refused(
        ParameterError,
        "a declaration of how the values of .epoch. were drawn",
        several.ireval.compare,
    )
    result = several.ireval.design(repeats="shared").ireval.compare()
    assert result.attrs["repeats"] == "shared"
    refused(ParameterError, "repeats='shared'", lambda: PLAIN.ireval.design(repeats="shared"))
