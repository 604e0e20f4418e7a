"""Digest results of irframe and compare them between commits.

``python .ci/digest.py`` prints the number of results. ``python .ci/digest.py COMMIT`` also computes
the results of a commit with that commit's script, and names the results that differ.
Columns are digested one by one, with labels and without attributes, since texts may change
where numbers may not.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import irframe as ir
from irframe import kinds

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("IRFRAME_SHARED", ROOT.parent / "shared"))
TIES = ("trec", "doc", "order", "rank", "mean")
TESTS = ("t", "wilcoxon", "sign", "permutation", "bootstrap", "tukey", "ranksum")
"""Names of tests."""
DEEPER = {"score", "evaluate", "bounds", "misplacement", "search_lengths", "estimate", "condense"}
"""Verbs whose results are digested with their own verbs."""
LEFT = {
    "report",
    "save",
    "freeze",
    "styled",
    "cite",
    "write_run",
    "write_qrels",
    "explain",
    "judge_next",
}
"""Verbs that write text or files, or that take too long."""

EXAMPLES = {
    "topics_needed": "topics_needed(difference=0.05)",
    "collapse": 'collapse("topic")',
    "judge_effect": 'judge_effect(same_pairs, ["AP", "nDCG"], at=10)',
}
"""Calls of verbs whose examples are incomplete."""

PARAMETERS = {
    "IPrec": "IPrec(recall=0.5)",
    "IFT": "IFT(T=2.5, b1=0.9, R1=10, A=0.2, b2=0.9, R2=10)",
}
"""Metrics with parameters that have no default."""

SUBTOPICS = {
    "alpha_DCG",
    "alpha_nDCG",
    "ERR_IA",
    "IA",
    "NRBP",
    "MAP_IA",
    "P_IA",
    "StRecall",
    "nERR_IA",
    "nNRBP",
}
"""Metrics that read subtopics."""

Call = Callable[[], Any]


def simulated() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a simulated track with ties, costs and missing lists."""
    runs, qrels = ir.simulate_track(systems=6, topics=24, docs=400, depth=40, pool_depth=15)[:2]
    rows = np.arange(len(runs))
    runs = runs.assign(score=np.round(runs["score"], 1), tokens=5 + 7 * (rows % 5))
    missing = (runs["system"] == runs["system"].iloc[0]) & (runs["topic"] == runs["topic"].iloc[0])
    runs = runs[~missing].assign(track=lambda frame: track_of(frame["topic"]))
    return runs, qrels.assign(track=track_of(qrels["topic"]))


def track_of(topics: pd.Series) -> pd.Series:
    """Return a track for each topic."""
    codes, _ = pd.factorize(topics, sort=True)
    return pd.Series(np.array(["news", "web", "chat"])[codes % 3], topics.index)


def with_ties(name: str, **options: Any) -> dict[str, Any]:
    """Return the options that decide rankings."""
    return {"ties": ir.Ties(name, **options)}


def designed(scores: pd.DataFrame, **design: Any) -> Any:
    """Return scores with a design of their topics."""
    return scores.ireval.design(**design)


def results() -> Iterator[tuple[str, Call]]:
    """Yield the name and the call of each result."""
    for track, (runs, qrels) in {"example": ir.example_track(), "simulated": simulated()}.items():
        yield from of_runs(track, runs, qrels)
    yield from of_policies(*simulated())
    yield from of_tests(*simulated())
    yield from of_designs(*simulated())
    yield from of_real_runs()


def of_runs(track: str, runs: pd.DataFrame, qrels: pd.DataFrame) -> Iterator[tuple[str, Call]]:
    """Yield all verbs of runs, cubes, scores and their results."""
    cube = runs.ireval.cube(qrels)
    objects = {"runs": runs, "cube": cube, "frame": runs.ireval.evaluate(qrels, "AP", "nDCG@10")}
    objects["scores"] = cube.ireval.score("AP", "nDCG@10", "RR", "Twist")
    objects["lengths"] = cube.ireval.score("ASL", "ESL", "R")
    objects["masked"] = cube.where(cube["system"] != cube["system"][1])
    objects["half"] = cube.isel(system=slice(None, None, 2), topic=slice(None, None, -1))
    for name, subject in objects.items():
        yield from verbs_of(f"{track} {name}", subject, qrels, deeper=name in {"runs", "cube"})
    by = runs.groupby("topic")["track"].first() if "track" in runs else None
    for name in ("cube", "frame", "scores") if "track" in runs else ():
        for verb in kinds.offered(objects[name], kinds.HOME):
            if verb not in LEFT:
                call = called(objects[name], verb, qrels, by=by if name == "frame" else "track")
                yield f"{track} {name} by track {verb}", call


def verbs_of(name: str, subject: Any, qrels: Any, *, deeper: bool) -> Iterator[tuple[str, Call]]:
    """Yield the verbs of an object with example calls."""
    for verb in kinds.offered(subject, kinds.HOME):
        if verb in LEFT:
            continue
        call = called(subject, verb, qrels)
        yield f"{name} {verb}", call
        if deeper and verb in DEEPER:
            try:
                result = call()
                further = [*verbs_of(f"{name} {verb}", result, qrels, deeper=False)]
            except Exception:  # noqa: BLE001, S112 - the first call is an error of the digest
                continue
            yield from further


def called(subject: Any, verb: str, qrels: Any, by: Any = None) -> Call:
    """Return a call of a verb as in its example.

    With `by`, the verb is called for each group.
    """
    example = EXAMPLES.get(verb, kinds.example(verb, subject))
    example = example if by is None else f"groupby(by).{example}"
    judges = {"first": qrels, "second": qrels.iloc[::2]}
    same_pairs = {"first": qrels, "second": qrels.assign(grade=np.roll(qrels["grade"], 1))}
    names = {"x": subject, "qrels": qrels, "human": subject, "judges": judges, "original": subject}
    names["same_pairs"] = same_pairs
    return lambda: eval(f"x.ireval.{example}", names | {"by": by})  # noqa: S307 - of irframe itself


def of_policies(runs: pd.DataFrame, qrels: pd.DataFrame) -> Iterator[tuple[str, Call]]:
    """Yield every metric under every order of ties."""
    subtopics = qrels.assign(subtopic=1 + np.arange(len(qrels)) % 3)
    for metric in ir.metrics.METRICS:
        text = PARAMETERS.get(metric, metric)
        judged = subtopics if metric in SUBTOPICS else qrels
        for ties in TIES:
            yield (
                f"metric {metric} {ties}",
                lambda m=text, t=ties, j=judged: ir.evaluate(
                    runs, j, [m], depth=20, **with_ties(t)
                ),
            )
    for seed in (0, 3):
        options = with_ties("random", seed=seed)
        yield f"ties random {seed}", lambda o=options: ir.evaluate(runs, qrels, ["AP"], **o)
    single = with_ties("trec", dtype="float32")
    yield "ties float32", lambda: ir.evaluate(runs, qrels, ["AP", "nDCG"], **single)
    for topics in ("qrels", "runs", "common"):
        yield f"topics {topics}", lambda t=topics: ir.evaluate(runs, qrels, ["AP"], topics=t)
    for depth in (1, 5, 100):
        yield f"depth {depth}", lambda d=depth: ir.evaluate(runs, qrels, ["AP", "RBP"], depth=d)
    yield (
        "budget",
        lambda: ir.evaluate(
            runs, qrels, ["R"], units=ir.Units(length="tokens"), stop=ir.Budget([50, 200])
        ),
    )
    yield "threshold", lambda: ir.evaluate(runs, qrels, ["P", "R"], stop=ir.Threshold([0.1, 1.0]))
    yield "collection", lambda: ir.cube(runs, qrels, collection="track").ireval.score("AP", "nDCG")


def of_tests(runs: pd.DataFrame, qrels: pd.DataFrame) -> Iterator[tuple[str, Call]]:
    """Yield comparisons by every test and correction."""
    scores = runs.ireval.evaluate(qrels, "AP", "nDCG@10", "ASL")
    baseline = scores.index[0][0]
    for test in TESTS:
        yield f"test {test}", lambda t=test: scores.ireval.compare(t)
        yield f"test {test} baseline", lambda t=test: scores.ireval.compare(t, baseline=baseline)
    for adjust in ("holm", "bonferroni", "fdr_bh", "none", "max-t"):
        yield f"adjust {adjust}", lambda a=adjust: scores.ireval.compare("permutation", adjust=a)
    for margin in (0.01, 0.1):
        yield f"margin {margin}", lambda m=margin: scores.ireval.compare(margin=m)


def of_designs(runs: pd.DataFrame, qrels: pd.DataFrame) -> Iterator[tuple[str, Call]]:
    """Yield means, comparisons and leaderboards under designs of the topics."""
    topics = sorted(qrels["topic"].unique())
    cluster = {topic: f"c{index // 3}" for index, topic in enumerate(topics)}
    tasks = {topic: "xyz"[index % 3] for index, topic in enumerate(topics)}
    weights = {topic: 1 + index % 4 for index, topic in enumerate(topics)}
    designs = [{"cluster": cluster}, {"task": tasks}, {"weight": weights}]
    designs += [{"cluster": cluster, "weight": weights}, {"task": tasks, "weight": weights}]
    scores = runs.ireval.evaluate(qrels, "AP", "nDCG@10")
    for design in designs:
        for verb in ("summary", "compare", "leaderboard", "rank_intervals", "components"):
            yield (
                f"design {' '.join(design)} {verb}",
                lambda d=design, v=verb: getattr(designed(scores, **d).ireval, v)(),
            )


def of_real_runs() -> Iterator[tuple[str, Call]]:
    """Yield scores of public runs, if these are available."""
    for folder in sorted(SHARED.glob("data/*/runs")):
        qrels = next(iter(sorted(folder.parent.glob("*qrels*"))), None)
        if qrels:
            yield f"real {folder.parent.name}", lambda f=folder, q=qrels: scores_of(f, q)


def scores_of(folder: Path, qrels: Path) -> pd.DataFrame:
    """Return scores of at most eight runs of a folder."""
    runs = ir.read_runs(sorted(map(str, folder.iterdir()))[:8], system="file")
    return ir.evaluate(runs, ir.read_qrels(qrels), ["AP", "nDCG@10", "RR", "P@10", "RBP"])


def columns_of(result: Any) -> dict[str, Any]:
    """Return the columns of a result by name."""
    if isinstance(result, pd.Series):
        result = result.to_frame()
    if isinstance(result, pd.DataFrame):
        levels = [name for name in result.index.names if name is not None]
        frame = result.reset_index(level=levels) if levels else result
        return {str(name): frame.iloc[:, index] for index, name in enumerate(frame.columns)}
    if isinstance(result, xr.DataArray):
        result = result.to_dataset(name="value", promote_attrs=True)
    if isinstance(result, xr.Dataset):
        return {str(name): variable for name, variable in result.variables.items()}
    if isinstance(result, dict):
        return {
            f"{key} {name}": column
            for key, value in result.items()
            for name, column in columns_of(value).items()
        }
    if isinstance(result, list | tuple):
        return columns_of(dict(enumerate(result)))
    return {
        type(result).__name__: np.array(
            repr(result) if isinstance(result, str | int | float) else ""
        )
    }


def digest(column: Any) -> str:
    """Return the digest of a column's exact values."""
    values = np.asarray(column)
    numbers = values.dtype.kind in "biuf"
    data = values.tobytes() if numbers else repr([str(value) for value in values.ravel()]).encode()
    shape = f"{getattr(column, 'dims', ())} {values.shape} {values.dtype.kind}"
    return hashlib.sha256(shape.encode() + data).hexdigest()[:16]


def digests() -> dict[str, dict[str, str]]:
    """Return the digests of all results by name and column.

    A result that fails has the class of its error.
    """
    warnings.simplefilter("ignore")
    digested = {}
    for name, call in results():
        try:
            digested[name] = {key: digest(value) for key, value in columns_of(call()).items()}
        except Exception as error:  # noqa: BLE001 - shown beside the other commit's
            digested[name] = {"error": type(error).__name__}
    return digested


def digests_of(commit: str) -> dict[str, dict[str, str]]:
    """Return the digests that another commit's script computes."""
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "irframe"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", checkout, commit], check=True)
        try:
            environment = os.environ | {"PYTHONPATH": str(checkout), "IRFRAME_SHARED": str(SHARED)}
            command = [sys.executable, checkout / ".ci/digest.py", "--json"]
            process = subprocess.run(
                command, check=True, env=environment, cwd=folder, stdout=subprocess.PIPE
            )
            return json.loads(process.stdout)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", checkout], check=True)


def main(arguments: list[str]) -> int:
    """Print the digests, or the differences from another commit."""
    now = digests()
    if "--json" in arguments:
        print(json.dumps(now))
        return 0
    errors = sum("error" in columns for columns in now.values())
    print(f"{len(now)} results, of which {errors} are errors")
    if not arguments:
        return 0
    before = digests_of(arguments[0])
    differ = 0
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old is None or new is None:
            print(f"{'new' if old is None else 'gone'}: {name}")
            continue
        changed = [key for key in old if key in new and old[key] != new[key]]
        # Other errors, and errors that became results, are listed but change no number.
        gone, added = sorted({*old} - {*new} - {"error"}), sorted({*new} - {*old})
        differ += bool({*changed} - {"error"} or gone)
        groups = [("differ", changed), ("gone", gone), ("new", added)]
        notes = [f"{label}: {', '.join(keys)}" for label, keys in groups if keys]
        if notes:
            print(f"{name}: {'; '.join(notes)}")
    print(f"{len(now)} results, {differ} differ in numbers")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
