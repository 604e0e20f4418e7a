"""The searches for a topic are merged into one list."""

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import xarray as xr
from flat import arguments
from refusals import refused

import irframe as ir
from irframe.__main__ import main
from irframe.errors import IrframeError, ParameterError

METRICS = ["R", "AP", "nDCG", "RR", "NumRet"]


def traces(seed=0, systems=2, topics=5, searches=4, docs=9):
    """Return shuffled rows of searches, and judgments."""
    rng = np.random.default_rng(seed)
    names = [[f"s{n}" for n in range(systems)], [f"t{n}" for n in range(topics)]]
    names += [range(1, searches + 1), [f"d{n}" for n in range(docs)]]
    columns = ["system", "topic", "call", "doc"]
    runs = pd.MultiIndex.from_product(names, names=columns).to_frame(index=False)
    runs = runs.assign(
        score=rng.integers(0, 6, len(runs)) / 4, tokens=rng.integers(1, 9, len(runs))
    )
    result = rng.random((systems, topics, searches)).repeat(docs) < 0.8
    first = (runs["doc"] == "d0") & (runs["call"] == 1)  # every list keeps a row
    runs = runs[(result & (rng.random(len(runs)) < 0.5)) | first].sample(frac=1, random_state=seed)
    qrels = runs[["topic", "doc"]].drop_duplicates().sort_values(["topic", "doc"])
    return runs.reset_index(drop=True), qrels.assign(grade=rng.integers(0, 3, len(qrels)))


def union(runs, after=9, each=None):
    """Compute lists and costs after some searches with loops."""
    lists, shown, unpaid, costs = {}, Counter(), Counter(), {}
    for row in runs.sort_values(
        ["call", "score", "doc"], ascending=[True, False, False]
    ).itertuples():
        key = row.system, row.topic
        shown[key, row.call] += 1
        if row.call > after or shown[key, row.call] > (each or len(runs)):
            continue
        unpaid[key] += row.tokens
        docs = lists.setdefault(key, {})
        labels = costs.setdefault(key, Counter(shown=0, again=0, tokens=0))
        labels.update(shown=1, again=row.doc in docs, tokens=row.tokens)
        if row.doc not in docs:
            docs[row.doc] = unpaid.pop(key)
    rows = [
        (*key, doc, rank, cost)
        for key, docs in lists.items()
        for rank, (doc, cost) in enumerate(docs.items(), 1)
    ]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "rank", "tokens"])
    return runs, pd.DataFrame(costs).T.rename_axis(["system", "topic"])


@pytest.mark.parametrize("each", [None, 2])
@pytest.mark.parametrize("seed", range(3))
def test_merged_searches_keep_first_occurrences(seed, each):
    runs, qrels = traces(seed)
    options = {"search": ir.Searches("call", each=each), "units": ir.Units(length="tokens")}
    counted = ["shown", "again", "tokens"]
    scores = runs.ireval.evaluate(
        qrels, [*METRICS, *counted], stop=ir.AfterSearches([3, 1, 4]), **options
    )
    for after in (3, 1, 4):
        subset = scores.filter(like=f"search {after}")
        lists, costs = union(runs, after, each)
        expected = lists.ireval.evaluate(qrels, METRICS).join(costs)
        assert list(subset) == [f"{name} after search {after}" for name in expected]
        np.testing.assert_array_equal(subset.loc[expected.index], expected)
    uncut = runs.ireval.evaluate(qrels, [*METRICS, *counted], **options)
    np.testing.assert_array_equal(uncut, scores.filter(like="search 4"))
    assert uncut.attrs["lower"] == counted
    paid = runs.ireval.evaluate(qrels, METRICS, **options, stop=ir.Budget([9, 30]))
    lists, costs = union(runs, 9, each)
    expected = lists.ireval.evaluate(
        qrels, METRICS, units=ir.Units(length="tokens"), stop=ir.Budget([9, 30])
    )
    np.testing.assert_array_equal(paid.loc[expected.index], expected)
    table = runs.ireval.check(qrels, search=ir.Searches("call", each=each))[["shown", "again"]]
    np.testing.assert_array_equal(table, costs.groupby(level=0).sum().loc[table.index, [*table]])
    looked = [
        r.ireval.diagnose(
            qrels, "R", units=ir.Units(length="tokens"), stop=ir.Budget(5), **searched
        )["what"].tolist()
        for r, searched in ((runs, {"search": options["search"]}), (lists, {}))
    ]
    assert looked[0] == looked[1]


def test_all_inputs_have_the_same_scores(tmp_path):
    runs, qrels = traces(5, systems=1)
    frame = runs.ireval.evaluate(qrels, ["P", "R"], search="call", stop=ir.AfterSearches([1, 2]))
    cube = runs.assign(call=runs["call"] - 1).ireval.cube(qrels, search="call")  # from 0
    array = cube.ireval.score("P", "R", stop=ir.AfterSearches([1, 2])).transpose(
        "metric", "search", ...
    )
    np.testing.assert_array_equal(array.to_numpy().reshape(4, -1).T, frame)
    score = ir.scorer(qrels, ["P", "R"], search="call", stop=ir.AfterSearches([1, 2]))
    np.testing.assert_array_equal(score(runs), frame)
    once = pa.Table.from_pandas(runs[runs["call"] == 1].drop(columns="call")).to_reader()
    _, scores = ir.scorer(qrels, "R").values(once)  # the stream can be read only once
    np.testing.assert_array_equal(scores[0], frame["R after search 1"])
    alone = runs.drop(columns="system").ireval.evaluate(
        qrels, ["P", "R"], search="call", stop=ir.AfterSearches(2)
    )
    np.testing.assert_array_equal(alone, frame.filter(like="search 2"))
    cube.ireval.save(tmp_path / "cube")
    reopened = ir.open_cube(tmp_path / "cube").ireval.score("P", "R", stop=ir.AfterSearches([1, 2]))
    np.testing.assert_array_equal(reopened.transpose("metric", "search", ...), array)
    subset = cube.isel(topic=[4, 1]).ireval.score("P", stop=ir.AfterSearches([1, 9]))
    np.testing.assert_array_equal(subset[0, ..., 0], array[0, 0][:, [4, 1]])
    table = runs.ireval.evaluate(
        qrels,
        "R",
        search="call",
        units=ir.Units(length=runs.groupby("doc")["tokens"].max()),
        stop=ir.Budget(30),
    )
    runs["tokens"] = runs.groupby("doc")["tokens"].transform("max")
    by_column = runs.ireval.evaluate(
        qrels, "R", search="call", units=ir.Units(length="tokens"), stop=ir.Budget(30)
    )
    np.testing.assert_array_equal(table, by_column)


@pytest.mark.parametrize("ties", ["trec", "doc", "order", "random", "mean"])
@pytest.mark.parametrize("number", [0, 1])
def test_runs_with_a_single_search_equal_runs_without_searches(ties, number):
    runs, qrels = traces(6)
    runs = runs.drop_duplicates(["system", "topic", "doc"]).drop(columns="call")
    plain, single = runs.ireval.cube(qrels, ties=ties), runs.assign(search=number)
    cube = single.ireval.cube(qrels, ties=ties, search="search")
    codes = ["system_code", "topic_code"]
    xr.testing.assert_equal(cube.drop_vars(codes), plain.drop_vars(codes))
    assert cube.attrs["pool"] == plain.attrs["pool"]
    pd.testing.assert_frame_equal(
        single.ireval.evaluate(qrels, "AP", ties=ties, search="search"),
        runs.ireval.evaluate(qrels, "AP", ties=ties),
    )
    if ties != "mean":
        scores = cube.ireval.score("AP", stop=ir.AfterSearches(1))
        np.testing.assert_array_equal(scores.squeeze("search"), plain.ireval.score("AP")[..., -1])


@pytest.mark.parametrize("options", [{"search": "call"}, {"of": "whole"}, {"copies": {"d8": "d7"}}])
def test_groups_whose_topics_share_names_stay_separate(options):
    sides = {"a": traces(8), "b": traces(9, searches=1 + 2 * ("search" in options))}
    if "search" not in options:
        for key, (runs, qrels) in sides.items():
            once = runs.drop_duplicates(["system", "topic", "doc"]).drop(columns="call")
            if "of" in options:
                once = once.assign(whole=once["doc"].replace("d8", "d7"))
            sides[key] = once, qrels[qrels["doc"] != "d8"]
    both = [pd.concat([side[n].assign(track=t) for t, side in sides.items()]) for n in (0, 1)]
    metrics = ["R", "nDCG", *(["shown", "again"] if "search" in options else [])]
    result = (
        both[0]
        .ireval.groupby("track")
        .evaluate(both[1], metrics, **arguments(ir.evaluate, options))
    )
    cubes = dict(both[0].ireval.groupby("track").cube(both[1], **arguments(ir.cube, options)))
    for track, (runs, qrels) in sides.items():
        alone = runs.ireval.evaluate(qrels, metrics, **arguments(ir.evaluate, options))
        pd.testing.assert_frame_equal(result.loc[track].loc[alone.index], alone)
        array = cubes[track].ireval.score("R")[..., -1].squeeze("metric")
        np.testing.assert_array_equal(
            array.sel(topic=[*qrels["topic"].unique()]).to_numpy().ravel(), alone["R"]
        )


def test_repeats_have_separate_searches():
    (first, qrels), (second, _) = traces(10), traces(11)
    both = pd.concat([first.assign(seed=1), second.assign(seed=2)])
    scores = both.ireval.evaluate(qrels, ["R", "again"], search="call")
    for seed, runs in ((1, first), (2, second)):
        alone = runs.ireval.evaluate(qrels, ["R", "again"], search="call")
        of_seed = scores.xs(seed, level="seed").loc[alone.index]
        np.testing.assert_array_equal(of_seed, alone)


def test_recall_does_not_depend_on_the_order_within_searches():
    runs, qrels = traces(7)
    shuffled = runs.assign(score=np.random.default_rng(1).random(len(runs)))
    options = {"search": "call", "stop": ir.AfterSearches([1, 2, 3])}
    pd.testing.assert_frame_equal(
        *(r.ireval.evaluate(qrels, "R", **options).sort_index() for r in (runs, shuffled))
    )


CHANGED = {
    "rows without a number in: s1": lambda r: r["call"].where(r["system"] != "s1"),
    "whole numbers in the column of searches 'call'": lambda r: r["call"] / 2,
    "numbers in column": "first",
    "s0 from 2001": lambda r: r["call"] + 2000,
    "at 1 in all systems, or at 0 in all systems": lambda r: r["call"] - (r["system"] == "s1"),
    "every document once": 1,
}
"""Mapping from part of the message to a change that makes the numbers of searches invalid."""
ASKED = {
    "0 columns with the name 'hop'": {"search": "hop"},
    "search='call' to read": {"search": None, "searches": None},
    "search to be the name of the column": {"search": None, "each": 2},
    "no stop, for the cost 'shown'": {
        "metrics": ["R", "shown"],
        "searches": None,
        "length": "tokens",
        "budget": 9,
    },
    "adds this column to the scores": {"metrics": "again", "search": None, "searches": None},
    "budget to have at least one value and no duplicates, but found none": {"cut": "skip"},
    "stop to be ir.Budget.* or ir.Threshold.* or ir.AfterSearches": {"budget": 5},
    "found shared ranks": {"ties": "mean"},
    "several searches, but found a threshold": {"threshold": 1, "searches": None},
}
"""Mapping from part of the message to invalid options."""


@pytest.mark.parametrize("message", [*CHANGED, *ASKED])
def test_invalid_numbers_of_searches_are_refused(message):
    runs, qrels = traces()
    runs = runs.assign(call=CHANGED[message]) if message in CHANGED else runs
    options = {"search": "call", "searches": 2} | ASKED.get(message, {})
    metrics = options.pop("metrics", "R")
    evaluate = runs.ireval.evaluate
    refused(
        IrframeError, message, lambda: evaluate(qrels, metrics, **arguments(ir.evaluate, options))
    )


def _filed(folder, rows):
    rows.to_csv(folder / "s.csv", index=False)
    return folder / "s.csv"


READERS = {
    "frame": lambda _, rows: rows,
    "file": lambda folder, rows: ir.read_run(_filed(folder, rows)),
    "files": lambda folder, rows: ir.scan_runs(_filed(folder, rows)),
}


def test_undeclared_searches_are_refused(tmp_path):
    runs, qrels = traces()
    plain = runs.drop(columns="call").drop_duplicates(["system", "topic", "doc"])
    refused(
        ParameterError,
        "the search that returned each document",
        plain.ireval.evaluate,
        qrels,
        "R",
        stop=ir.AfterSearches(1),
    )
    numbers, message = (
        runs.drop_duplicates(["system", "topic", "doc"]),
        "no search=, although 'call' varies",
    )
    single = numbers[numbers["system"] == "s0"]
    for reader in READERS.values():
        for rows in (numbers, numbers.assign(call=numbers["call"].astype(str)), single):
            refused(ParameterError, message, reader(tmp_path, rows).ireval.evaluate, qrels, "R")
    run = READERS["file"](tmp_path, single.drop(columns="system"))  # the file name names the system
    refused(ParameterError, message, run.ireval.evaluate, qrels, "R")
    assert run.ireval.evaluate(qrels, "R", search="call").notna().all(axis=None)


def test_results_keep_the_options_of_searches(tmp_path):
    runs, qrels = traces(12)
    options, selected = {"search": ir.Searches("call", each=3)}, str(tmp_path / "s0.irframe")
    frame = runs.ireval.evaluate(qrels, ["R", "shown"], **options)
    frame.ireval.freeze(selected, baseline="s0", runs=runs, documents=3)
    assert frame.loc[["s1"]].ireval.compare(baseline=selected)["metric"].tolist() == ["R", "shown"]
    uncut = runs.ireval.evaluate(qrels, ["R", "shown"], search="call")
    refused(IrframeError, "found each: 3 in the file", uncut.ireval.compare, baseline=selected)
    cube, better = (
        runs.ireval.cube(qrels, **options, units=ir.Units(length="tokens")),
        qrels.assign(grade=1),
    )
    anew = runs.ireval.cube(better, **options, units=ir.Units(length="tokens")).ireval
    rejudged = cube.ireval.rejudge(better).ireval
    for stop in (ir.AfterSearches(2), ir.Budget(9)):
        np.testing.assert_array_equal(rejudged.score("R", stop=stop), anew.score("R", stop=stop))
    sides = [cube.isel(system=[0]), runs.ireval.cube(qrels, search="call").isel(system=[1])]
    refused(ParameterError, "the same each", ir.concat, sides, dim="system")
    by_name = ir.evaluate(
        {s: f.drop(columns="system") for s, f in runs.groupby("system")},
        qrels,
        ["R", "shown"],
        **options,
    )
    np.testing.assert_array_equal(by_name, frame.loc[by_name.index])
    rows = runs.to_dict("records")
    refused(ParameterError, "no search=, although 'call' varies", ir.evaluate, rows, qrels, "R")
    np.testing.assert_array_equal(ir.evaluate(rows, qrels, ["R", "shown"], **options), frame)


def test_the_console_prints_scores_and_costs_of_searches(tmp_path, capsys):
    runs, qrels = traces(13)
    files = tmp_path / "qrels.parquet", tmp_path / "runs.parquet"
    for path, frame in zip(files, (qrels, runs), strict=True):
        frame.to_parquet(path)
    options = ["-m", "R", "shown", "tokens", "--search", "call", "--length", "tokens"]
    assert main(["evaluate", *map(str, files), *options, "--searches", "1,3"]) == 0
    names = ["R", "shown", "tokens"]
    scores = runs.ireval.evaluate(
        qrels, names, search="call", units=ir.Units(length="tokens"), stop=ir.AfterSearches([1, 3])
    )
    means = scores.groupby("system").mean()
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    rows = {line[0]: line[1:] for line in lines[-2:]}
    assert rows == {s: [f"{x:.4f}" for x in means.loc[s]] for s in means.index}
