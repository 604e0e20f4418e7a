"""Aggregated topics are left out on every input path."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError, IrframeWarning

A = np.array([0.61, 0.30, 0.52, 0.44, 0.27, 0.70, 0.35, 0.58])
B = A + np.array([0.02, 0.10, -0.03, 0.09, 0.04, 0.08, -0.01, 0.06])
TOPICS = [*map(str, range(8))]
PLAIN = pd.DataFrame(
    {"AP": [*A, *B], "num_rel_ret": [3, 1, 4, 1, 5, 9, 2, 6, 2, 7, 1, 8, 2, 8, 1, 8]},
    pd.MultiIndex.from_product([["a", "b"], TOPICS], names=["system", "topic"]),
)
pytestmark = pytest.mark.filterwarnings("ignore:tests and intervals:irframe.errors.IrframeWarning")
SUMMARIES = {
    "all": lambda column: column.sum() if column.name == "num_rel_ret" else column.mean(),
    "amean": lambda column: column.mean(),
    "mean": lambda column: column.mean().round(4),
    "gmean": lambda column: np.exp(np.log(np.maximum(column, 1e-5)).mean()),
}


def with_row(label):
    rows = PLAIN.groupby("system").agg(SUMMARIES[label])
    rows.index = pd.MultiIndex.from_product([["a", "b"], [label]], names=["system", "topic"])
    return pd.concat([PLAIN, rows])


def long_of(frame):
    rows = frame.melt(var_name="measure", ignore_index=False).reset_index()
    label = rows["topic"].iloc[8] if rows["topic"].iloc[8] not in TOPICS else "all"
    names = pd.DataFrame({"system": ["a"], "topic": label, "measure": "runid", "value": "run a"})
    return pd.concat([names, rows.astype({"value": object})], ignore_index=True)


PATHS = {
    "frame": lambda frame: frame,
    "as_scores": ir.as_scores,
    "columns": lambda frame: frame.reset_index(),
    "long": long_of,
    "Arrow": lambda frame: pa.Table.from_pandas(frame.reset_index()),
    "array": lambda frame: frame.to_xarray().to_dataarray("metric"),
    "dictionary": lambda frame: {
        name: rows.droplevel("system").to_dict("index") for name, rows in frame.groupby("system")
    },
}


@pytest.mark.parametrize("label", SUMMARIES)
@pytest.mark.parametrize("path", PATHS)
def test_aggregated_topics_are_left_out(label, path):
    expected = PLAIN.ireval.compare()
    with pytest.warns(IrframeWarning, match=f"summarise the other topics are left out: {label}"):
        result = ir.verbs.compare(PATHS[path](with_row(label)))
    same = result.set_index("metric").loc[expected["metric"]]
    assert same["n_topics"].tolist() == [8, 8]
    np.testing.assert_allclose(same["p"], expected["p"], rtol=1e-12)


def test_topics_called_all_with_other_values_are_kept():
    named = PLAIN.rename(index={"3": "all"}, level="topic")
    assert named.ireval.compare()["n_topics"].tolist() == [8, 8]
    rows = named.loc[(slice(None), "all"), :]
    assert ir.as_scores(rows).index.unique("topic").tolist() == ["all"]


def test_text_values_are_refused():
    rows = PLAIN.melt(var_name="measure", ignore_index=False).reset_index()
    wrong = rows.astype({"value": object})
    wrong.loc[0, "value"] = "high"
    refused(InputError, "numbers", wrong.ireval.summary)


def test_aggregated_topics_of_repeats_are_left_out():
    seeds = [with_row("all").assign(seed=n, AP=lambda rows, n=n: rows["AP"] / n) for n in (1, 2)]
    with pytest.warns(IrframeWarning, match="left out: all"):
        result = pd.concat(seeds)[["AP", "seed"]].ireval.compare()
    assert result["n_topics"].tolist() == [8]
