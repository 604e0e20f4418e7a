"""Samples of topics from real ones, over all of which the truth is known."""

import numpy as np
import pandas as pd
import xarray as xr

import irframe as ir

DRAWS = 1000
TOPICS = 5, 8, 10, 15, 20, 30, 50
MATRICES = {"AP": "adhoc8_ap", "P@10": "adhoc8_p10", "RR": "adhoc8_rr"}
JUDGED = ["nDCG@10", "AP(rel=2)@100", "RR(rel=2)"]
TREC_8, DL_2021, LLM = "TREC-8", "DL 2021", "LLMJudge"


def read_matrices(data):
    """Return scores of TREC-8 over (metric, system, topic)."""
    parts = [
        pd.read_csv(data / "score-matrices" / f"{name}.csv").to_numpy().T
        for name in MATRICES.values()
    ]
    return labelled(np.stack(parts), list(MATRICES))


def read_judged(data, judge="nist"):
    """Return scores of the Deep Learning track of 2021 by one of its judges."""
    folder = data / "trec-dl-2021-judges"
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    frame = runs.ireval.evaluate(ir.read_qrels(folder / f"qrels.{judge}.txt"), JUDGED)
    scores = frame.to_xarray().to_array("metric").transpose("metric", "system", "topic")
    return labelled(scores.to_numpy(), JUDGED)


def read_judges(data, name):
    """Return the judgments of a person and of models for the same documents."""
    if name == DL_2021:
        folder = data / "trec-dl-2021-judges"
        return {judge: ir.read_qrels(folder / f"qrels.{judge}.txt") for judge in ("nist", "gpt4o")}
    folder = data / "llmjudge"
    files = [folder / "qrels.human.txt"]
    files += [folder / "labels" / f"{judge}.txt" for judge in ("Olz-gpt4o", "h2oloo-zeroshot1")]
    return {file.stem: ir.read_qrels(file) for file in files}


def labelled(values, metrics):
    """Return scores with metrics, systems, topics and, if there are some, depths."""
    dims = ["metric", "system", "topic", "depth"][: np.ndim(values)]
    labels = {"metric": metrics, "depth": np.arange(1, np.shape(values)[-1] + 1)}
    return xr.DataArray(values, {dim: labels[dim] for dim in dims if dim in labels}, dims)


def sampled(scores, topics, *, draws=DRAWS, seed=0):
    """Draw topics from all there are, each draw a depth of its own."""
    drawn = np.random.default_rng(seed).integers(scores.sizes["topic"], size=(topics, draws))
    metrics = scores["metric"].to_numpy().tolist()
    return labelled(scores.to_numpy()[:, :, drawn], metrics)


def some_systems(scores, how, count):
    """Return the best systems by the first metric, or as many from the best to the worst."""
    order = np.argsort(-scores[0].mean("topic").to_numpy(), kind="stable")
    places = np.arange(count) if how == "best" else np.linspace(0, len(order) - 1, count)
    return scores.isel(system=order[places.astype(int)])
