"""Tests of `rehearse` against reference implementations."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.__main__ import main
from irframe.comparing.rehearse import rehearse
from irframe.errors import InputError, ParameterError
from irframe.paired.pairs import draw_signs

pytestmark = pytest.mark.filterwarnings("ignore:tests and intervals are unreliable")
RUNS, QRELS = ir.example_track()
SCORES = ir.evaluate(RUNS, QRELS, ["nDCG@10", "ASL"]).dropna()
MARGIN, DRAWS = 0.05, 80


def check_fails(fail_on, d):
    """Return whether a check fails in one simulation of differences."""
    t = stats.ttest_1samp(d, 0).pvalue
    not_worse = stats.ttest_1samp(d, -MARGIN, alternative="greater").pvalue < 0.05
    equivalent = not_worse and stats.ttest_1samp(d, MARGIN, alternative="less").pvalue < 0.05
    worse = t < 0.05 and d.mean() < 0 and not not_worse
    better = t < 0.05 and d.mean() > 0
    undecided = not (worse or better or equivalent or not_worse)
    return {"worse": worse, "drop": d.mean() < -MARGIN}.get(fail_on, worse or undecided)


@pytest.mark.parametrize("fail_on", ["worse", "not-not-worse", "drop", "undecided"])
def test_failure_rates_equal_those_of_a_loop(fail_on):
    pair = SCORES.loc[["bm25", "bm25+rm3"], ["nDCG@10"]]
    wide = pair["nDCG@10"].unstack("system")
    d = (wide["bm25+rm3"] - wide["bm25"]).to_numpy()
    failed = np.zeros(2)
    for signs in draw_signs(len(d), samples=DRAWS, seed=3):
        clear = signs * (d - d.mean())
        failed += [check_fails(fail_on, clear), check_fails(fail_on, clear - MARGIN)]
    options = {"baseline": "bm25", "margin": MARGIN}
    assert rehearse(pair, options, fail_on, samples=DRAWS, seed=3) == tuple(failed / DRAWS)


def test_rehearsed_checks_rarely_raise_false_alarms_and_detect_losses():
    options = {"baseline": "bm25", "margin": {"nDCG@10": 0.3, "ASL": 30}, "adjust": "bonferroni"}
    clear, detected = rehearse(SCORES, options, "worse", samples=400)
    assert clear < 0.1
    assert detected > 0.9


def test_family_all_corrects_each_simulation_separately():
    options = {"baseline": "bm25", "margin": MARGIN, "test": ir.Significance(family="all")}
    pair = SCORES.loc[["bm25", "bm25+rm3"], ["nDCG@10"]]
    by_depth = options | {"test": "t"}
    assert rehearse(pair, options, "worse", samples=9) == rehearse(
        pair, by_depth, "worse", samples=9
    )


def test_clusters_and_tasks_change_failure_rates():
    topics = SCORES.index.unique("topic")
    pairs = {topic: f"c{pos // 2}" for pos, topic in enumerate(topics)}
    options = {"baseline": "bm25", "margin": MARGIN}
    alone = rehearse(SCORES[["nDCG@10"]], options, "worse", samples=60)
    for design in ({"cluster": pairs}, {"task": {t: p < "c4" for t, p in pairs.items()}}):
        labels = {name: {t: str(v) for t, v in values.items()} for name, values in design.items()}
        designed = SCORES[["nDCG@10"]].ireval.design(**labels)
        result = rehearse(designed, options, "worse", samples=60)
        assert result != alone
        assert result[0] <= result[1]


def seeded(spread, layout="system"):
    """Return scores of four seeds, and their means."""
    pair, rng = SCORES.loc[["bm25", "bm25+rm3"], ["nDCG@10"]], np.random.default_rng(0)
    of_seed = {(name, n): spread * rng.normal() for name in pair.index.unique(0) for n in "abcd"}
    frames = [pair.assign(seed=n).set_index("seed", append=True) for n in "abcd"]
    lists = pd.concat(frames).sort_index()
    shift = [of_seed[name, n] for name, _, n in lists.index]
    lists["nDCG@10"] += shift
    lists = lists.reorder_levels(["system", "seed", "topic"])
    means = lists.groupby(["system", "topic"], sort=False).mean()
    return lists.ireval.design(repeats=layout), means


@pytest.mark.parametrize("layout", ["system", "shared", "topic"])
def test_repeats_are_averaged_before_rehearsal(layout):
    options = {"baseline": "bm25", "margin": MARGIN}
    lists, means = seeded(0.1, layout)
    plain = rehearse(means, options, "worse", samples=DRAWS)
    fixed = options if layout == "topic" else options | {"test": ir.Significance(over="topic")}
    assert rehearse(lists, fixed, "worse", samples=DRAWS) == plain
    if layout != "topic":
        refused(ParameterError, "over='topic'", lambda: rehearse(lists, options, "worse"))


def test_invalid_rehearsals_are_refused(tmp_path):
    options = {"baseline": "bm25", "margin": MARGIN}
    refused(ParameterError, "a margin", lambda: rehearse(SCORES, {"baseline": "bm25"}, "worse"))
    deep = ir.cube(RUNS, QRELS).ireval.score("AP", at=[1, 5])
    refused(InputError, "one depth", lambda: rehearse(deep, options, "worse"))
    frozen = tmp_path / "base.irframe"
    pair = SCORES.loc[["bm25", "bm25+rm3"], ["nDCG@10"]]
    pair.ireval.freeze(frozen, baseline="bm25")
    by_file = rehearse(
        pair.loc[["bm25+rm3"]], options | {"baseline": frozen}, "worse", samples=DRAWS
    )
    assert by_file == rehearse(pair, options, "worse", samples=DRAWS)


@pytest.fixture
def gate(tmp_path, monkeypatch, capsys):
    """Return a function that runs a check as a command."""
    monkeypatch.chdir(tmp_path)
    ir.verbs.write_qrels(QRELS, "qrels.txt")
    for name in ("bm25", "splade"):
        ir.verbs.write_run(RUNS[RUNS["system"] == name], f"{name}.txt")
    command = "compare qrels.txt bm25.txt splade.txt -m nDCG@10 --baseline splade --margin .05"

    def call(line):
        status = main([*command.split(), *line.split()])
        return status, *capsys.readouterr()

    return call


def test_option_rehearse_prints_failure_rates(gate):
    printed = gate("--fail-on worse --rehearse")
    assert re.fullmatch(
        r"irframe: --fail-on worse fails in 500 simulated comparisons: "
        r"[0-9.]+% if nothing changed, and [0-9.]+% if every mean is worse by the margin\n",
        printed[2],
    )
    assert printed[:2] == gate("--fail-on worse")[:2]
    refused = gate("--rehearse")
    assert refused[0] == 2
    assert "no --fail-on" in refused[2]


@pytest.mark.parametrize("label", ["cluster", "task", "weight"])
def test_checks_on_the_command_line_support_designs(gate, label, tmp_path):
    topics = sorted(QRELS["topic"].unique())
    values = [1 + pos // 4 for pos in range(len(topics))]
    values = values if label == "weight" else [f"g{value}" for value in values]
    pd.DataFrame({"topic": topics, "part": values}).to_csv("topics.csv", index=False)
    flag = {"cluster": "cluster", "task": "tasks", "weight": "weights"}[label]
    status, out, _ = gate(f"--fail-on worse --format json --{flag} topics.csv")
    (row,) = json.loads(out)
    scores = ir.evaluate(RUNS, QRELS, "nDCG@10")
    scores = scores.ireval.design(**{label: dict(zip(topics, values, strict=True))})
    pair = scores.loc[["bm25", "splade"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ir.errors.IrframeWarning)
        result = pair.ireval.compare(baseline="splade", margin=MARGIN).iloc[0]
    assert row["p"] == pytest.approx(result["p"])
    assert row["df"] == pytest.approx(result["df"])
    assert status == int(result["verdict"] == "worse")
    frozen = tmp_path / "base.irframe"
    ir.verbs.freeze(scores.loc[["splade"]], frozen)
    (of_file,) = pair.loc[["bm25"]].ireval.compare(baseline=frozen, margin=MARGIN)["p"]
    assert of_file == pytest.approx(result["p"])
