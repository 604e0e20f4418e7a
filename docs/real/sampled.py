"""How often intervals from sampled judgments hold the truth, and what a model's judgments save.

Usage: python docs/real/sampled.py DATA, where DATA holds trec-dl-2021-judges, some six minutes.
People's judgments are NIST's, the model's GPT-4o's, of the same documents; each draw judges a share
of them, and the truth is what all of NIST's judgments give.
"""

import os

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit
from shown import Page, data_folder

import irframe as ir
from irframe.cubes.drawn import Draw, gains_of, rank_weights, totals
from irframe.cubes.recall_base import topic_of
from irframe.metrics.facts import facts
from irframe.planning.powered_judgments import estimates

PAGE = Page("sampled")
DRAWS = int(os.environ.get("DRAWS", "1000"))
METRICS = ("P(rel=2)", "DCG", "RBP(p=0.8, rel=2)")
NAMES = ("P@10", "DCG@10", "RBP@10")
AT = [10]
SHARES = (0.05, 0.1, 0.2)


def drawn(rng, grade, key, share):
    """Return grades of which a share of every topic is left, two documents at least."""
    order = np.lexsort((rng.random(len(grade)), key))
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    size = np.diff(first, append=len(grade))
    place = np.empty(len(grade), int)
    place[order] = np.arange(len(grade)) - np.repeat(first, size)
    number = np.maximum(2, np.floor(share * np.bincount(key)[key] + 0.5))
    return np.where(place < number, grade, -1).astype(np.int8)


def shown(shares):
    """Return shares as text, without the leading zero."""
    return [f"{share:.3f}".lstrip("0") for share in shares]


def held(mean, error, truth, metric, reach):
    """Return whether intervals hold the truth, on the scale of `estimate`."""
    if facts(metric).share:
        apart = (np.log(mean / (1 - mean)) - np.log(truth / (1 - truth))) * mean * (1 - mean)
    else:
        apart = (np.log(mean) - np.log(truth)) * mean
    return abs(apart) <= reach * error


def write_estimates(truth):
    """Write how often intervals of `estimate` hold the means of complete judgments."""
    metrics = [ir.parse_metric(name) for name in METRICS]
    grade, topic = truth["judged_grade"].to_numpy(), topic_of(truth)
    worth = [gains_of(metric, grade, truth["top"].to_numpy()[topic]) for metric in metrics]
    weights = rank_weights(metrics, truth.sizes["depth"], AT)
    complete = truth.ireval.score(*metrics, at=AT).mean("topic").to_numpy()
    rows, label = [], np.full(len(grade), "1", object)
    for words in ("so many of every pool", "each by itself"):
        for share in SHARES:
            rng, found = np.random.default_rng(0), []
            for _ in range(DRAWS):
                if words == "each by itself":
                    left = np.where(rng.random(len(grade)) < share, grade, -1).astype(np.int8)
                    draw = Draw.of(truth, left, None, np.full(len(grade), share))
                else:
                    draw = Draw.of(truth, drawn(rng, grade, topic, share), label, None)
                row = []
                for place, metric in enumerate(metrics):
                    value, spread = totals(truth, draw, [worth[place]], weights[place])
                    mean = value[0].mean(axis=1)
                    error = np.sqrt(spread[0, 0].sum(axis=1)) / value.shape[2]
                    inside = held(mean, error, complete[place], metric, ndtri(0.975))
                    row.append((inside[error > 0].mean(), error.mean()))
                found.append(row)
            mean = np.mean(found, axis=0)
            told = {"documents drawn": words, "share": f"{share:.0%}"}
            told |= dict(zip(NAMES, shown(mean[:, 0]), strict=True))
            rows.append(told | {"standard error of P@10": f"{mean[0, 1]:.4f}"})
            PAGE.table(rows, "estimates")


def like_these(values, goal, rng):
    """Return how often Student's intervals over topics drawn from these hold the mean of these.

    Each topic that is drawn comes with a sample of its own.
    """
    values = np.array(values)
    draws, topics = len(values), values.shape[-1]
    found = []
    for _ in range(DRAWS):
        some = rng.integers(0, draws, topics), rng.integers(0, topics, topics)
        drawn = values[some[0], :, :, some[1]]
        reach = stdtrit(topics - 1, 0.975) * drawn.std(axis=0, ddof=1) / np.sqrt(topics)
        found.append((abs(drawn.mean(axis=0) - goal) <= reach).mean(axis=-1))
    return np.mean(found, axis=0)


def write_powered(truth, model):
    """Write how often intervals of `predict_powered` hold the truth, and what it saves."""
    metrics = [ir.parse_metric(name) for name in METRICS]
    order = pd.MultiIndex.from_arrays([topic_of(truth), truth["judged_doc"].to_numpy()])
    mine = pd.MultiIndex.from_arrays([topic_of(model), model["judged_doc"].to_numpy()])
    grade = truth["judged_grade"].to_numpy()[order.get_indexer(mine)]
    topic, complete = topic_of(model), truth.ireval.score(*metrics, at=AT)
    complete = complete.to_numpy()[..., 0]
    goal, topics = complete.mean(axis=-1), complete.shape[-1]
    coverage, saved = [], []
    label = np.full(len(grade), "1", object)
    for share in SHARES:
        rng, found, values = np.random.default_rng(0), [], []
        for _ in range(DRAWS):
            left = drawn(rng, grade, topic, share)
            draw = Draw.of(model, left, label, None)
            got = estimates(model, left, draw, metrics, AT)
            value, variance, alone = (
                part.to_numpy()[..., 0] for part in (got.value, got.variance, got.variance_alone)
            )
            error = np.sqrt(variance.sum(axis=-1)) / topics
            fixed = abs(value.mean(axis=-1) - goal) <= ndtri(0.975) * error
            ratio = variance.sum(axis=(-1, -2)) / alone.sum(axis=(-1, -2))
            part = draw.judged.sum() / len(grade)
            halves = [error, np.sqrt(alone.sum(axis=-1)) / topics]
            parts = (
                fixed,
                (1 - part) * (1 - ratio[:, np.newaxis]),
                *(ndtri(0.975) * np.array(halves)),
            )
            found.append([np.nanmean(each, axis=-1) for each in parts])
            values.append(value)
        mean = np.nanmean(found, axis=0)
        start = {"share": f"{share:.0%}", "judgments": int(draw.judged.sum())}
        both = {"these topics": mean[0], "topics like these": like_these(values, goal, rng)}
        for what, row in both.items():
            named = [f"{name}, {what}" for name in NAMES]
            start |= dict(zip(named, shown(row), strict=True))
        coverage.append(start)
        told = {"judgments": start["judgments"]}
        for name, row in zip(NAMES, mean[1:].T, strict=True):
            told |= {
                f"{name}: people alone": f"{row[2]:.3f}",
                f"{name}: with the model": f"{row[1]:.3f}",
                f"{name}: saved": f"{row[0]:.0%}",
            }
        saved.append(told)
        PAGE.table(coverage, "powered")
        PAGE.table(saved, "saved")


if __name__ == "__main__":
    folder = data_folder(__doc__) / "trec-dl-2021-judges"
    runs = ir.read_runs(f"{folder}/runs/*")
    people, machine = (
        runs.ireval.cube(ir.read_qrels(folder / f"qrels.{name}.txt"), depth=10)
        for name in ("nist", "gpt4o")
    )
    write_powered(people, machine)
    write_estimates(people)
