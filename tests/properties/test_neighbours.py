"""Reading a run does not depend on the other runs."""

import contextlib
import io
import json
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from turns import few_of

import irframe as ir
from irframe.__main__ import main
from irframe.errors import IrframeError

TOPICS, DOCS = [f"q{n}" for n in range(4)], [f"d{n}" for n in range(8)]
QRELS = {topic: {doc: int(n % 3 == 0) for n, doc in enumerate(DOCS)} for topic in TOPICS}
METRICS = ["AP", "RR", "nDCG@3"]
KINDS = "falling", "rising", "rising in some lists", "in no order", "whole", "ranks from 100"


def drawn(seed):
    """Return random lists of (document, rank, score) by topic."""
    rng = np.random.default_rng(seed)
    kind, run = KINDS[rng.integers(len(KINDS))], {}
    for topic in rng.permutation(TOPICS)[: rng.integers(1, len(TOPICS) + 1)].tolist():
        docs = rng.permutation(DOCS)[: rng.integers(1, 7)].tolist()
        score = np.sort(rng.random(len(docs)).round(2))[::-1]
        if kind == "rising" or (kind == "rising in some lists" and rng.random() < 0.5):
            score = score[::-1]
        if kind == "in no order":
            score = rng.permutation(score)
        if kind == "whole":
            score = score.round()
        start = 100 if kind == "ranks from 100" else int(rng.integers(2))
        run[topic] = [
            (d, start + n, x) for n, (d, x) in enumerate(zip(docs, score.tolist(), strict=True))
        ]
    return run


def rows_of(runs, *roles):
    names = ["system", "topic", "doc", "rank", "score"]
    rows = [(s, t, *row) for s, run in runs.items() for t, hits in run.items() for row in hits]
    return pd.DataFrame(rows, columns=names)[["system", "topic", "doc", *roles]]


def nested(make):
    """Return a function that makes nested dictionaries from runs."""
    return lambda runs, _: {
        s: {t: make(hits) for t, hits in run.items()} for s, run in runs.items()
    }


def one_frame_each(runs, _):
    frames = ((s, rows_of({s: run}, "rank", "score")) for s, run in runs.items())
    return {s: frame.drop(columns="system") for s, frame in frames}


def votes(runs, _):
    """Return rows with vote counts in a column called rank."""
    frame = rows_of(runs, "score")
    return frame.assign(rank=(frame.pop("score") * 100).round().astype(int))


hits = nested(lambda own: [{"id": d, "score": x} for d, _, x in own])
pairs = nested(lambda own: [(d, x) for d, _, x in own])
numbers = nested(lambda own: {d: x for d, _, x in own})
answers = nested(lambda own: {"hits": {"hits": [{"_id": d, "_score": x} for d, _, x in own]}})


def mixed(runs, folder):
    """Return the runs of systems, each in a different representation."""
    paths = hits, numbers, answers, one_frame_each
    return {s: paths[int(s[1:])]({s: run}, folder)[s] for s, run in runs.items()}


def written(runs, folder):
    for system, run in runs.items():
        rows = [f"{t} Q0 {d} {r} {x} {system}" for t, hits in run.items() for d, r, x in hits]
        (folder / f"{system}.run").write_text("\n".join(rows) + "\n")
    return f"{folder}/*.run"


def three_columns(runs, folder):
    for system, run in runs.items():
        rows = [f"{t} {d} {round(x * 100)}" for t, hits in run.items() for d, _, x in hits]
        (folder / f"{system}.run").write_text("\n".join(rows) + "\n")
    return ir.read_runs(f"{folder}/*.run")


def json_files(runs, folder):
    for system, run in numbers(runs, folder).items():
        (folder / f"{system}.json").write_text(json.dumps(run))
    return ir.read_runs(f"{folder}/*.json")


def parquet(runs, folder):
    rows_of(runs, "rank", "score").to_parquet(folder / "all.parquet")
    return ir.read_runs(folder / "all.parquet")


PATHS = {
    "a frame": lambda runs, _: rows_of(runs, "rank", "score"),
    "a frame of scores": lambda runs, _: rows_of(runs, "score"),
    "a frame of ranks": lambda runs, _: rows_of(runs, "rank"),
    "a table": lambda runs, _: pa.Table.from_pandas(rows_of(runs, "rank", "score")),
    "rows": lambda runs, _: rows_of(runs, "rank", "score").to_dict("records"),
    "votes": votes,
    "hits": hits,
    "pairs": pairs,
    "answers": answers,
    "dictionaries": numbers,
    "dictionary of frames": one_frame_each,
    "a path each": mixed,
    "files": lambda runs, folder: ir.read_runs(written(runs, folder)),
    "scanned files": lambda runs, folder: ir.scan_runs(written(runs, folder)),
    "files of three columns": three_columns,
    "JSON": json_files,
    "Parquet": parquet,
}


def evaluated(path):
    return lambda runs, folder: ir.evaluate(path(runs, folder), QRELS, METRICS)


def by_cube(path):
    def act(runs, folder):
        scores = ir.cube(path(runs, folder), QRELS).ireval.score("AP").isel(depth=-1)
        return scores.to_series().dropna().to_frame()

    return act


def by_console(runs, folder):
    (folder / "qrels.json").write_text(json.dumps(QRELS))
    line = ["evaluate", str(folder / "qrels.json"), written(runs, folder), "-q", "-m", *METRICS]
    with contextlib.redirect_stderr(io.StringIO()) as messages:
        if main([*line, "-o", str(folder / "scores.csv")]):
            raise IrframeError("scores", messages.getvalue())
    scores = pd.read_csv(folder / "scores.csv")
    return scores[scores["topic"] != "all"].set_index(["system", "topic"])


ACTS = {f"evaluate {name}": evaluated(path) for name, path in PATHS.items()}
CUBED = "a frame", "hits", "scanned files", "a path each"
ACTS |= {f"cube of {name}": by_cube(PATHS[name]) for name in CUBED} | {"console": by_console}


def scored(act, runs, folder):
    """Map systems to scores, or return an error message."""
    folder.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            scores = act(runs, folder)
        except IrframeError as error:
            return str(error)
    if len(runs) == 1:
        scores = pd.concat({s: scores.droplevel("system") for s in runs}, names=["system"])
    rows = scores.sort_index().round(9).groupby("system")
    return {s: values.to_numpy().tolist() for s, values in rows}


@pytest.mark.parametrize("name", few_of(ACTS, 3))
def test_reading_a_run_does_not_depend_on_other_runs(name, tmp_path):
    accepted = refusals = 0
    for seed in range(8):
        systems = np.random.default_rng(seed).permutation(["s0", "s1", "s2", "s3"])[:3].tolist()
        runs = {system: drawn(4 * seed + n) for n, system in enumerate(systems)}
        folders = {s: tmp_path / f"{seed}{s}" for s in systems}
        alone = {s: scored(ACTS[name], {s: run}, folders[s]) for s, run in runs.items()}
        every = scored(ACTS[name], runs, tmp_path / f"{seed}")
        refused = [s for s, answer in alone.items() if isinstance(answer, str)]
        assert isinstance(every, str) == bool(refused), (seed, refused, every)
        refusals += bool(refused)
        if not refused:
            assert every == {s: alone[s][s] for s in sorted(systems)}, seed
            accepted += 1
    assert accepted or name == "evaluate votes"
    assert refusals or name not in {"evaluate a frame", "evaluate hits", "console"}


@pytest.mark.parametrize("seed", few_of(range(20), 5))
def test_scores_of_hits_never_reorder_a_list(seed):
    rng = np.random.default_rng(seed)
    lists = {t: rng.permutation(DOCS)[: rng.integers(1, 8)].tolist() for t in TOPICS}
    plain = ir.evaluate(lists, QRELS, METRICS)
    makers = {
        "pairs": lambda doc: (doc, float(rng.integers(-3, 3))),
        "hits": lambda doc: {"id": doc, "score": float(rng.normal())},
        "some without": lambda doc: {"id": doc, "score": rng.choice([0.5, None, 0.25])},
    }
    for make in makers.values():
        hits_by_topic = {t: [make(doc) for doc in docs] for t, docs in lists.items()}
        for bare in (hits_by_topic, {"run": hits_by_topic}):
            scores = ir.evaluate(ir.as_runs(bare, ranked_by="list"), QRELS, METRICS)
            pd.testing.assert_frame_equal(scores, plain, check_index_type=False)
        answered = {t: {"documents": hits} for t, hits in hits_by_topic.items() if "id" in hits[0]}
        if answered:
            pd.testing.assert_frame_equal(ir.evaluate(answered, QRELS, METRICS), plain)
        searches = ir.as_runs({t: [hits] for t, hits in hits_by_topic.items()}, ranked_by="list")
        scores = ir.evaluate(searches, QRELS, METRICS, search="search")
        assert scores.to_numpy().tolist() == plain.to_numpy().tolist()
