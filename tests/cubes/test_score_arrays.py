"""Scores are read from wide frames, long frames and arrays."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.cubes.parse_scores import as_scores, parse_scores, to_scores
from irframe.errors import DepthError, IdError, InputError, IrframeWarning, ParameterError

LONG = pd.DataFrame(
    {
        "name": ["b", "b", "a", "a", "b", "b", "a", "a"],
        "qid": ["2", "1"] * 4,
        "measure": ["P@5"] * 4 + ["AP"] * 4,
        "value": np.arange(8.0),
    }
)


def test_long_frames_of_pyterrier_and_ir_measures_are_read():
    scores = to_scores(LONG)
    assert scores.dims == ("metric", "system", "topic")
    assert list(scores.metric.values) == ["P@5", "AP"]
    assert list(scores.system.values) == ["b", "a"]
    assert list(scores.topic.values) == ["2", "1"]
    assert scores.sel(metric="AP", system="a", topic="1").item() == 7
    single = LONG[LONG["name"] == "a"].drop(columns="name").rename(columns={"qid": "query_id"})
    assert to_scores(single).sizes == {"metric": 2, "system": 1, "topic": 2}


def test_measures_of_ir_measures_serve_as_labels():
    measures = pytest.importorskip("ir_measures")
    frame = LONG.assign(measure=[measures.P @ 5] * 4 + [measures.AP] * 4)
    xr.testing.assert_equal(to_scores(frame), to_scores(LONG))
    assert ir.parse_metric(measures.nDCG(dcg="exp-log2") @ 20) == ir.metrics.nDCG(
        gain="exp", depth=20
    )
    assert ir.parse_metric(measures.IPrec @ 0.1) == ir.metrics.IPrec(recall=0.1)
    assert ir.parse_metric(measures.AP(judged_only=True)) == ir.metrics.AP(judged_only=True)


@pytest.mark.filterwarnings("ignore:no interval for systems:irframe.errors.IrframeWarning")
def test_missing_scores_are_left_out_with_a_warning():
    with pytest.warns(IrframeWarning, match=r"means over different topics: AP \(1 to 2\)"):
        summary = LONG.iloc[:-1].ireval.summary()
    assert summary.loc[("AP", "a"), "n"] == 1
    assert summary.loc[("AP", "a"), "mean"] == 6
    assert np.isnan(summary.loc[("AP", "a"), "ci_low"])


def test_arrays_of_one_metric_are_labelled():
    scores = to_scores(LONG)
    xr.testing.assert_equal(to_scores(scores.sel(metric="AP")), scores.sel(metric=["AP"]))
    bare = scores.sel(metric="AP", drop=True).rename("AP")
    assert list(to_scores(bare).metric.values) == ["AP"]


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        (pd.concat([LONG, LONG.iloc[:1]]), IdError, "found duplicates"),
        (LONG.assign(value="x"), InputError, "of other values.*frame.astype"),
        (LONG.iloc[:0], InputError, "found an empty frame"),
        (xr.DataArray([1.0], dims="system"), InputError, "dimensions system and topic"),
        (
            xr.DataArray([[[1.0]]], dims=["system", "topic", "x"]),
            InputError,
            "found other dimensions: x",
        ),
        (xr.DataArray([[["1"]]], dims=["system", "topic", "depth"]), InputError, "numbers, .*<U1"),
        (xr.DataArray([[1, "x", None]], dims=["system", "topic"]), InputError, "another type: 'x'"),
        (
            xr.DataArray([[[1.0]]], dims=["metric", "system", "topic"]),
            InputError,
            "label for every",
        ),
        (
            xr.DataArray([[1.0, 2]], {"topic": list("aa")}, ["system", "topic"]),
            IdError,
            "every topic once in scores, but found duplicates: a",
        ),
        (
            xr.DataArray(
                [[1.0]], {"year": ("topic", [1]), "no": ("topic", [2])}, ["system", "topic"]
            ).set_index(topic=["year", "no"]),
            IdError,
            "one label for every topic, but found 2 index levels: year, no",
        ),
        (
            xr.DataArray([[[1.0, 2]]], {"depth": [1.0, 2.5]}, ["system", "topic", "depth"]),
            DepthError,
            "integer depths, but found other values: 2.5",
        ),
        ([1.0], InputError, "list"),
        (pd.DataFrame({"x": [1]}), InputError, "indexed by system and topic"),
    ],
)
def test_invalid_scores_are_refused(scores, error, message):
    refused(error, message, lambda: to_scores(scores))


def wide(**columns):
    index = pd.MultiIndex.from_product([["a", "b"], ["1", "2"]], names=["name", "qid"])
    return pd.DataFrame({"AP": [0.1, 0.2, 0.3, 0.4], **columns}, index)


SIDES = {"length": [3, 5, 3, 5], "size": [1.5, 1.5, 2.5, 2.5], "year": 2019, "empty": np.nan}
"""Columns of numbers that are not scores, such as properties of topics or of systems."""


@pytest.mark.parametrize("stated", [["AP"], None])
def test_columns_of_topics_and_systems_are_not_read_as_scores(stated):
    frame = wide(mine=[0.2, 0.4, 0.6, 0.8], flat=0.5, kind=list("pqpq"), seen=True, **SIDES)
    frame.attrs = {"metrics": stated} if stated else {}
    with pytest.warns(IrframeWarning) as caught:
        assert parse_scores(frame).metrics == ["AP", "mine", "flat"]
    messages = [str(warning.message) for warning in caught]
    assert "used as metrics: mine, flat; larger is better for mine, flat; drop" in messages[0]
    assert messages[1].endswith("left out: length, size, year, empty")
    with pytest.warns(IrframeWarning):
        selected = parse_scores(frame.reset_index(), by="kind")
    assert selected.metrics == ["AP", "mine", "flat"]


@pytest.mark.parametrize(
    ("label", "level", "varies"), [("a", "name", "length"), ("1", "qid", "size")]
)
def test_columns_that_vary_within_a_single_system_or_topic_are_scores(label, level, varies):
    single = wide(**SIDES).xs(label, level=level, drop_level=False)[["AP", varies]]
    with pytest.warns(IrframeWarning, match="used as metrics"):
        assert varies in parse_scores(single).metrics


def test_metrics_missing_in_the_attributes_are_used_with_a_warning():
    frame = wide().assign(NumRel=[1, 2, 1, 2])
    assert parse_scores(frame).metrics == ["AP", "NumRel"]
    frame.attrs = {"metrics": ["AP"]}
    with pytest.warns(IrframeWarning, match="used as metrics: NumRel"):
        assert parse_scores(frame).metrics == ["AP", "NumRel"]
    only = frame[["NumRel"]].rename(columns={"NumRel": "mine"})
    with pytest.warns(IrframeWarning, match="left out: mine"), pytest.raises(InputError):
        to_scores(only)
    del only.attrs["metrics"]
    assert parse_scores(only).metrics == ["mine"]


def test_numbers_of_any_type_are_read():
    exact = to_scores(wide())
    gaps = wide().mask(wide() == 0.2)
    for frame in (wide().astype(object), wide().astype("Float64")):
        xr.testing.assert_equal(to_scores(frame), exact)
        xr.testing.assert_equal(to_scores(frame.mask(wide() == 0.2, pd.NA)), to_scores(gaps))
    for array in (exact.astype(object), exact.reset_index("topic"), exact.drop_indexes("system")):
        xr.testing.assert_equal(to_scores(array), exact)
    assert to_scores(exact > 0.1).values.tolist() == (exact > 0.1).values.astype(float).tolist()
    deep = exact.expand_dims(depth=[1.0, 2.0]).astype("float32")
    assert to_scores(deep)["depth"].dtype == np.int64
    assert to_scores(deep.chunk()).dtype == np.float64


@pytest.mark.filterwarnings("ignore:comparisons whose:irframe.errors.IrframeWarning")
def test_duplicate_index_levels_of_groupby_are_merged():
    frame = wide().groupby("name").apply(lambda group: group.head(2))
    assert frame.index.nlevels == 3
    assert as_scores(frame).index.names == ["name", "qid"]
    assert frame.ireval.compare(baseline="a")["system_a"].tolist() == ["b"]
    frame.index = frame.index.set_levels(["x", "y"], level=0)
    refused(
        IdError,
        "distinct names of index levels in scores, .*repeated names: name",
        frame.ireval.summary,
    )
    with pytest.raises(IdError, match="distinct names of columns in scores, .*: name, qid, AP"):
        pd.concat([wide().reset_index()] * 2, axis=1).ireval.summary()


def test_invalid_groups_are_refused():
    frame = wide(half=list("xyyx"))
    with pytest.raises(ParameterError, match="'half' to have one value .* 2 topics: 1, 2"):
        frame.ireval.groupby("half").summary()
    with pytest.raises(InputError, match="rows to group, but found an empty frame"):
        frame.iloc[:0].ireval.groupby("half").summary()
    for by in ("name", "qid"):
        refused(ParameterError, "a property of systems or topics", frame.ireval.groupby, by)
    cells = to_scores(wide()).assign_coords(half=(("system", "topic"), [list("xy"), list("yx")]))
    with pytest.raises(ParameterError, match="'half' to have one value .* 2 topics"):
        cells.ireval.groupby("half").summary()
    named_alike = pd.concat({"x": wide(), "y": wide() / 2}, names=["half"])
    assert named_alike.ireval.groupby("half").summary()["n"].tolist() == [2] * 4


@pytest.mark.filterwarnings("ignore:comparisons whose:irframe.errors.IrframeWarning")
@pytest.mark.filterwarnings("ignore:no interval for systems:irframe.errors.IrframeWarning")
def test_arrow_tables_can_be_grouped():
    arrow = pytest.importorskip("pyarrow")
    frame = wide(half=list("xyxy"))
    expected = frame.ireval.groupby("half").summary()
    table = arrow.Table.from_pandas(frame.reset_index(), preserve_index=False)
    for scores in (table, frame.set_index("half", append=True)["AP"]):
        result = ir.verbs.groupby(scores, "half").summary()
        pd.testing.assert_frame_equal(result, expected, check_dtype=False, check_index_type=False)
    with pytest.warns(IrframeWarning, match="a single topic"):
        assert len(ir.verbs.groupby(table, "half").compare()) == 2
