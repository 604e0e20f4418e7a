"""How often intervals hold the truth on few topics, drawn from real ones whose truth is known.

`docs/real/few_topics.py` writes these simulations down for the pages of the documentation. What is
said of 1,000 draws is off by up to .014 by chance.
"""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr

import irframe as ir
from irframe.errors import IrframeWarning
from irframe.judging.coefficients import alphas_of_two, kappas, with_intervals
from irframe.judging.compare_judges import count_grades
from irframe.judging.grades_by_judge import passes_of
from irframe.judging.grades_by_judge import read_judges as read_all
from irframe.scores.averages import Resamples

DRAWS = 1000
TOPICS = 5, 8, 10, 15, 20, 30, 50
MATRICES = {"AP": "adhoc8_ap", "P@10": "adhoc8_p10", "RR": "adhoc8_rr"}
JUDGED = ["nDCG@10", "AP(rel=2)@100", "RR(rel=2)"]
TREC_8, DL_2021, LLM = "TREC-8", "DL 2021", "LLMJudge"


def read_matrices(data):
    """Return scores of TREC-8 over (metric, system, topic)."""
    arrays = [
        pd.read_csv(data / "score-matrices" / f"{name}.csv").to_numpy().T
        for name in MATRICES.values()
    ]
    return labelled(np.stack(arrays), list(MATRICES))


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


def some_systems(scores, choice, count):
    """Return the best systems by the first metric, or as many from the best to the worst."""
    order = np.argsort(-scores[0].mean("topic").to_numpy(), kind="stable")
    positions = np.arange(count) if choice == "best" else np.linspace(0, len(order) - 1, count)
    return scores.isel(system=order[positions.astype(int)])


SYSTEMS = [("best", 10), ("spread", 10), ("best", 40)]
CORRELATED = 12
"""Systems whose orders are compared."""
PAIRED = 20
"""About how many systems are compared by pairs."""
ALONE = 45
"""Topics that a model judged alone."""
BLOCK = 100
"""Draws at a time, where each has resamples."""
SOME = 5, 10, 20, 50
"""With how many topics what takes long is tried."""


def quietly(function):
    """Call a function without its warnings."""
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        return function()


def held(low, high, truth):
    """Return the share of intervals that hold the truth, of those that there are."""
    finite = ~np.isnan(low)
    return ((low <= truth) & (truth <= high))[finite].mean()


def populations(data):
    """Return scores of whole populations of topics by name."""
    return {TREC_8: read_matrices(data), DL_2021: read_judged(data)}


def means(scores, topics, interval):
    """Return the share of draws in which an interval holds the mean of all topics, by metric.

    Where all scores drawn are the same there is none, and nothing is held.
    """
    summary = quietly(lambda: sampled(scores, topics).ireval.summary(interval=interval))
    truth = scores.mean("topic").to_numpy()[..., np.newaxis]
    low, high = (summary[end].to_numpy() for end in ("ci_low", "ci_high"))
    shares = ((low <= truth) & (truth <= high)).mean(axis=(1, 2))
    return dict(zip(scores["metric"].to_numpy().tolist(), shares, strict=True))


def ranks(scores, topics, method, draws=DRAWS):
    """Return shares of intervals of ranks that hold the true one, and how wide they are, by metric.

    That of all systems; of the best; how often just one system could be first; and the mean width.
    """
    options = {"rank_interval": method, "test": ir.Significance(adjust=None)}
    intervals = quietly(
        lambda: sampled(scores, topics, draws=draws).ireval.rank_intervals(**options)
    )
    means = np.round(scores.mean("topic").to_numpy(), 12)
    truth = 1 + (means[:, :, np.newaxis] < means[:, np.newaxis]).sum(axis=2)[..., np.newaxis]
    low, high = (intervals[end].to_numpy() for end in ("rank_low", "rank_high"))
    inside = (low <= truth) & (truth <= high)
    best = np.where(truth == 1, inside, np.nan)
    return {
        "held": inside.mean(axis=(1, 2)),
        "best held": np.nanmean(best, axis=(1, 2)),
        "sole first": ((low == 1).sum(axis=1) == 1).mean(axis=1),
        "width": (1 + high - low).mean(axis=(1, 2)),
    }


def judged_twice(data):
    """Return scores that stand for a model's and people's: those of TREC-8 by another metric."""
    people, model = (read_judged(data, judge) for judge in ("nist", "gpt4o"))
    pairs = {f"{m}, DL 2021": (model.sel(metric=[m]), people.sel(metric=[m])) for m in JUDGED}
    matrices = read_matrices(data)
    for by, of in (("P@10", "AP"), ("AP", "P@10"), ("AP", "RR")):
        predictor = matrices.sel(metric=[by]).assign_coords(metric=[of])
        pairs[f"{of} by {by}, TREC-8"] = predictor, matrices.sel(metric=[of])
    return pairs


def powered(model, people, topics, kind="t", draws=DRAWS // 3):
    """Return how often intervals with a model's help hold: of means, and of differences.

    People judge so many topics, and a model those and 45 others.
    """
    some = slice(None, None, people.sizes["system"] // PAIRED)
    every = topics + ALONE
    drawn, few = (
        sampled(side.isel(system=some), every, draws=draws).assign_coords(topic=range(every))
        for side in (model, people)
    )
    few = few.isel(topic=slice(topics))
    estimates = quietly(lambda: drawn.ireval.predict_powered(few, distribution=kind))
    alone = quietly(few.ireval.summary)
    truth = people.isel(system=some).mean("topic").to_numpy()
    first, second = np.triu_indices(truth.shape[1], 1)
    quantities = {
        "means": (estimates["ci_low"], estimates["ci_high"], truth),
        "differences": (
            estimates["difference_low"],
            estimates["difference_high"],
            truth[:, first] - truth[:, second],
        ),
        "people alone": (alone["ci_low"], alone["ci_high"], truth),
    }
    return {
        name: held(low.to_numpy(), high.to_numpy(), goal[..., np.newaxis])
        for name, (low, high, goal) in quantities.items()
    }


def judged_counts(data, name):
    """Return how often grades meet, (topic, pair, grade, grade), and the scale."""
    judges = read_judges(data, name)
    judged = read_all(judges, "common", "union", ("common",))
    pairs = np.array([[judge, 0] for judge in range(1, len(judges))])
    return count_grades(judged, pairs, passes_of(judges))["pair"], judged.scale


def coefficients(counts, scale):
    return {"kappa": kappas(counts, scale), "alpha": alphas_of_two(counts, scale)}


def judges(data, name, topics, draws=DRAWS):
    """Return how often intervals of kappa and alpha hold: these, and plain percentiles."""
    counts, scale = judged_counts(data, name)
    compute = partial(coefficients, scale=scale)
    truth = compute(counts.sum(axis=0))
    drawn = Resamples(0.05, 1000, 0).counts(topics)
    rng = np.random.default_rng(0)
    hits = {(coefficient, kind): [] for coefficient in truth for kind in ("union", "percentile")}
    for _ in range(draws):
        some = counts[rng.integers(len(counts), size=topics)]
        intervals = with_intervals(some, compute, drawn, Resamples(0.05, 1000, 0))
        resampled = compute(np.tensordot(drawn, some, axes=1))
        for coefficient, value in truth.items():
            plain = np.moveaxis(np.quantile(resampled[coefficient], (0.025, 0.975), axis=0), 0, -1)
            for kind, ends in (
                ("union", intervals[f"{coefficient}_interval"]),
                ("percentile", plain),
            ):
                hits[coefficient, kind].append(held(ends[..., 0], ends[..., 1], value))
    return {
        f"{coefficient}, {kind}": np.mean(shares) for (coefficient, kind), shares in hits.items()
    }


def orders(data):
    """Return pairs of scores, over one metric each, that order the same systems."""
    matrices = read_matrices(data)
    nist, model = (read_judged(data, judge)[:1] for judge in ("nist", "gpt4o"))
    return {
        "AP and P@10 of TREC-8": [
            some_systems(matrices, "spread", CORRELATED)[[row]] for row in (0, 1)
        ],
        "DL 2021 by two judges": [
            nist.isel(system=slice(CORRELATED)),
            model.isel(system=slice(CORRELATED)),
        ],
    }


def taus(pair, topics, of, draws=DRAWS):
    """Return the share of intervals of tau that hold what they are of."""
    first, second = (sampled(side, topics, draws=10 * draws) for side in pair)
    every = first.ireval.agreement(second)
    if of == "expected":
        truth = every.mean().item()
    else:
        complete = (side.expand_dims(depth=[1], axis=-1) for side in pair)
        truth = next(complete).ireval.agreement(next(complete)).item()
    blocks = [slice(start, start + BLOCK) for start in range(0, draws, BLOCK)]
    hits = []
    for block in blocks:
        sides = first.isel(depth=block), second.isel(depth=block)
        intervals = quietly(lambda sides=sides: sides[0].ireval.agreement(sides[1], interval_of=of))
        hits.append(held(intervals["ci_low"].to_numpy(), intervals["ci_high"].to_numpy(), truth))
    return np.mean(hits)
