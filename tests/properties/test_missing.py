"""Scores and warnings for missing lists agree in all inputs."""

import json
import warnings
from contextlib import redirect_stderr
from io import StringIO
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irframe as ir
from irframe.__main__ import main
from irframe.comparing.freeze import CONDITIONS, failing
from irframe.errors import IdError, InputError, IrframeWarning, listing, singular
from irframe.files import scan_runs

SYSTEMS, JUDGED = ["a", "b", "c"], ["1", "2", "3", "4"]
METRIC = "nDCG@3"


def with_warnings(call):
    """Return the result and the sorted warnings of a call."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        result = call()
    assert {warning.category for warning in caught} <= {IrframeWarning}
    return result, sorted(str(warning.message) for warning in caught)


@st.composite
def experiments(draw):
    """Draw runs that lack lists or have unjudged topics."""
    topics = st.sets(st.sampled_from([*JUDGED, "01", "02"]), min_size=1)
    lists = {system: sorted(draw(topics)) for system in SYSTEMS}
    lists[draw(st.sampled_from(SYSTEMS))] = sorted({*draw(topics), draw(st.sampled_from(JUDGED))})
    judged = draw(st.booleans())
    rows = [
        (system, topic, f"d{(rank + number) % 4}" if judged else f"x{rank}", -float(rank))
        for number, (system, its) in enumerate(lists.items())
        for topic in its
        for rank in range(3)
    ]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    docs = [(topic, f"d{rank}", rank) for topic in JUDGED for rank in range(3)]
    return runs, pd.DataFrame(docs, columns=["topic", "doc", "grade"]), lists


def nested(frame, value):
    """Return a frame's values as dictionaries by topic and document."""
    return {
        topic: dict(zip(rows["doc"], rows[value], strict=True))
        for topic, rows in frame.groupby("topic", sort=False)
    }


def by_frames(runs, qrels, _):
    return ir.evaluate(runs, qrels, METRIC)[METRIC]


def by_dictionaries(runs, qrels, _):
    dictionaries = {
        system: nested(rows, "score") for system, rows in runs.groupby("system", sort=False)
    }
    return ir.evaluate(dictionaries, nested(qrels, "grade"), METRIC)[METRIC]


def by_cube(runs, qrels, _):
    return runs.ireval.cube(qrels).ireval.score("nDCG", at=3).squeeze().to_series()


def by_cubes(runs, qrels, _):
    cubes = runs.assign(one="x").ireval.groupby("one").cube(qrels.assign(one="x"))
    return cubes.score("nDCG", at=3).squeeze().to_series()


def by_scan(runs, qrels, folder):
    runs.assign(rank=1).to_parquet(folder / "runs.parquet")
    cube = ir.scan_runs(folder / "runs.parquet").ireval.cube(qrels).ireval.save(folder / "cube")
    return cube.ireval.score("nDCG", at=3).compute().squeeze().to_series()


def by_files(runs, qrels, folder):
    for system, rows in runs.groupby("system", sort=False):
        rows.to_parquet(folder / f"{system}.parquet")
    with patch.object(scan_runs, "BATCH", 1):
        return ir.scan_runs(folder / "*.parquet").ireval.evaluate(qrels, METRIC)[METRIC]


def by_console(runs, qrels, folder):
    runs.assign(rank=1).to_parquet(folder / "runs.parquet")
    ir.verbs.write_qrels(qrels, folder / "qrels.txt")
    files = [str(folder / name) for name in ("qrels.txt", "runs.parquet", "scores.json")]
    with redirect_stderr(StringIO()) as lines:
        assert main(["evaluate", *files[:2], "-m", METRIC, "-q", "-o", files[2]]) == 0
    messages = [line.removeprefix("irframe: warning: ") for line in lines.getvalue().splitlines()]
    has_judged = runs["system"].isin(runs.merge(qrels)["system"])
    # only the command line warns about systems without judged documents
    if has_judged.any() and not has_judged.all():
        unknown = listing(runs["system"][~has_judged].unique())
        messages.remove(f"no retrieved document of {unknown} is judged")
    for line in messages:
        warnings.warn(line, IrframeWarning, stacklevel=1)
    rows = json.loads((folder / "scores.json").read_text())
    return pd.DataFrame(rows).set_index(["system", "topic"])[METRIC]


READERS = (by_dictionaries, by_cube, by_cubes, by_scan, by_files, by_console)


def expected_of(runs, qrels, lists):
    """Map (system, topic) to scores; missing lists score 0."""
    return {
        (system, topic): alone(runs, qrels, system, topic) if topic in lists[system] else 0.0
        for system in SYSTEMS
        for topic in JUDGED
    }


def alone(runs, qrels, system, topic):
    rows = runs[(runs["system"] == system) & (runs["topic"] == topic)]
    return ir.evaluate(rows, qrels, METRIC, topics=[topic])[METRIC].item()


@settings(max_examples=3)
@given(experiment=experiments())
def test_every_input_path_gives_equal_scores_and_warnings(experiment, tmp_path_factory):
    runs, qrels, lists = experiment
    scores, messages = with_warnings(lambda: by_frames(runs, qrels, None))
    assert scores.to_dict() == with_warnings(lambda: expected_of(runs, qrels, lists))[0]
    assert_warnings(messages, lists)
    for reader in READERS:
        folder = tmp_path_factory.mktemp("reader")
        other_scores, other_messages = with_warnings(
            lambda reader=reader, folder=folder: reader(runs, qrels, folder)
        )
        assert other_scores.to_dict() == pytest.approx(scores.to_dict()), reader
        heads = [message.partition("; ")[0] for message in other_messages]
        assert heads == [message.partition("; ")[0] for message in messages], reader


def assert_warnings(messages, lists):
    """Assert that each expected warning occurs once with right numbers."""
    listed = [topic for topic in JUDGED if any(topic in its for its in lists.values())]
    stray = [system for system, its in lists.items() if not {*its} & {*JUDGED}]
    lacking = {
        system: len(listed) - len({*its} & {*listed})
        for system, its in lists.items()
        if system not in stray
    }
    unknown = {topic for its in lists.values() for topic in its} - {*JUDGED}
    ordered = sorted((-number, system) for system, number in lacking.items() if number)
    named = [f"{system} {-number} of {len(listed)} topics" for number, system in ordered]
    expected = {
        f"{len(unknown)} topics of the runs have no judgments and are left out": bool(unknown),
        f"no system has a list for {4 - len(listed)} of 4 judged topics": len(listed) < 4,
        f"any judged topic score 0 on all judged topics: {', '.join(stray)}": bool(stray),
        f"lists that systems lack count as empty: {', '.join(named)};": bool(named),
    }
    for text, expected_once in expected.items():
        assert sum(singular(text) in message for message in messages) == expected_once, text
    unjudged = [each for each in messages if "no retrieved document is judged" in each]
    assert len(messages) == sum(expected.values()) + len(unjudged)


@given(experiment=experiments())
def test_scores_of_a_system_do_not_depend_on_other_systems(experiment):
    runs, qrels, lists = experiment
    all_scores, _ = with_warnings(lambda: by_frames(runs, qrels, None))
    for system, its in lists.items():
        alone = runs[runs["system"] == system]
        if {*its} & {*JUDGED}:
            scores, _ = with_warnings(lambda alone=alone: by_frames(alone, qrels, None))
            pd.testing.assert_series_equal(scores, all_scores.loc[[system]])
        else:
            with pytest.raises(IdError, match="the runs have '0[12]'.*the qrels '1'"):
                with_warnings(lambda alone=alone: by_frames(alone, qrels, None))


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@settings(max_examples=10)
@given(holes=st.sets(st.tuples(st.sampled_from(SYSTEMS), st.integers(0, 5)), max_size=8))
def test_means_are_compared_over_the_same_topics(holes):
    keys = pd.MultiIndex.from_product([SYSTEMS, range(6)], names=["system", "topic"])
    columns = np.random.default_rng(len(holes)).random((2, 18))
    scores = pd.DataFrame(dict(zip(["AP", "RR"], columns, strict=True)), keys)
    scores.loc[[*holes], :] = np.nan
    filled = {name: {topic for s, topic in keys if s == name} for name in SYSTEMS}
    remaining = [topics - {t for s, t in holes if s == name} for name, topics in filled.items()]
    common = set.intersection(*remaining)
    best = scores.ireval.best_systems()
    if common:
        board = scores.ireval.leaderboard()
        assert best["system"][0] == board.index[0]
        assert best["value"][0] == board["AP"].iloc[0]
        assert best["n_topics"].tolist() == [len(common)] * 2
    summary, present = scores.ireval.summary(), [topics for topics in remaining if topics]
    uneven = any(topics != present[0] for topics in present)
    assert ("different topics" in summary.attrs.get("caution", "")) == uneven
    latex = summary.ireval.styled().to_latex()
    assert ("bfseries" in latex) == (len(present) > 1 and not uneven)
    assert ("(n=" in latex) == uneven


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize("column", ["topic", "doc"])
@pytest.mark.parametrize("reader", [by_frames, by_dictionaries, by_cube, by_scan, by_files])
def test_a_system_without_judged_documents_has_no_verdict(reader, column, tmp_path):
    rows = [(s, t, f"d{p}", -p * (s > "a")) for s in SYSTEMS for t in JUDGED for p in range(3)]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    runs.loc[runs["system"] == "c", column] = "x" + runs[column]
    qrels = pd.DataFrame([(t, "d0", int(t)) for t in JUDGED], columns=["topic", "doc", "grade"])
    scores = reader(runs, qrels, tmp_path)
    if reader in {by_cube, by_scan}:
        scores = runs.ireval.cube(qrels).ireval.score("nDCG", at=[3])
    else:
        scores = scores.to_frame()
    comparison = scores.ireval.compare(margin=0.1).set_index(["system_a", "system_b"])
    void = ["c" in pair for pair in comparison.index]
    assert (comparison["verdict"] == "no verdict").tolist() == void
    assert not comparison["significant"][void].any()
    assert "of c is judged" in comparison.attrs["caution"]
    for gate in set(CONDITIONS) - {"never"}:
        against = scores.ireval.compare(baseline="c", margin=0.1)
        assert len(failing(against, gate, 0.1)) == 2
    with pytest.raises(InputError, match="none of c"):
        scores.ireval.freeze(tmp_path / "c.irframe", baseline="c")


def test_an_empty_list_without_relevant_documents_is_not_missing():
    runs = {"a": {"1": {"x": 1.0}}, "b": {"1": {"y": 1.0}, "2": {"z": 1.0}}}
    _, messages = with_warnings(lambda: ir.evaluate(runs, {"1": {"x": 1}, "2": {"z": 0}}, "AP"))
    assert messages == []
    _, messages = with_warnings(lambda: ir.evaluate(runs, {"1": {"x": 1}, "2": {"z": 1}}, "AP"))
    assert len(messages) == 1
