"""How often intervals from sampled judgments hold the truth, and what a model's judgments save.

Usage: python docs/real/sampled.py DATA, where DATA holds trec-dl-2021-judges, some three minutes.
People's judgments are NIST's, the model's GPT-4o's, of the same documents; each draw judges a share
of them on some topics. The truth is what all of NIST's judgments of these topics give, or of all.
"""

import os

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import stdtrit
from shown import Page, data_folder

import irframe as ir
from irframe.cubes.estimate import LEAST_DRAWN, limits
from irframe.cubes.sampled import Draw, estimated, weights_of
from irframe.metrics.facts import facts

PAGE = Page("sampled")
DRAWS = int(os.environ.get("DRAWS", "400"))
SAMPLES = 200
"""Samples of documents of every topic."""
DEEP = 100
NAMED = {"P@10": "P(rel=2)", "DCG@10": "DCG", "RBP@10": "RBP(p=0.8, rel=2)"}
NAMED |= {f"nDCG@{DEEP}": "nDCG"}
NAMES = tuple(NAMED)
METRICS = [ir.parse_metric(name) for name in NAMED.values()]
AT = [int(name.partition("@")[2]) for name in NAMES]
SHARES = (0.05, 0.1, 0.2)
TOPICS = (5, 8, 10, 15, 20, 30, 53)
ALONE, WITH = "people alone", "with the model"


def drawn(rng, grade, key, share):
    """Return grades of which a share of every topic is left, two documents at least."""
    order = np.lexsort((rng.random(len(grade)), key))
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    size = np.diff(first, append=len(grade))
    positions = np.empty(len(grade), int)
    positions[order] = np.arange(len(grade)) - np.repeat(first, size)
    number = np.maximum(2, np.floor(share * np.bincount(key)[key] + 0.5))
    return np.where(positions < number, grade, -1).astype(np.int8)


def shown(shares):
    """Return shares as text, without the leading zero; nothing where there were no intervals."""
    return ["" if np.isnan(share) else f"{share:.3f}".lstrip("0") for share in shares]


def powers(gains, rows):
    """Return sums of the squared weights of documents in lists, and of the squares of these.

    Of documents that count something, shape (2, metric, system, topic).
    """
    here, ranks = np.append(gains, 0.0)[rows], rows.shape[-1]
    weights = [weights_of(m, ranks, [at])[:, 0] for m, at in zip(METRICS, AT, strict=True)]
    return np.stack([[here @ w**power for w in weights] for power in (2, 4)])


def alike(sums):
    """Return as how many documents that count alike these are as good."""
    return sums[0] ** 2 / np.maximum(sums[1], np.finfo(float).tiny)


def complete(cube):
    """Return scores by all judgments, each metric at its depth, (metric, system, topic)."""
    both = [cube.ireval.score(m, at=at) for m, at in zip(METRICS, AT, strict=True)]
    return np.stack([scores.to_numpy()[0] for scores in both])


class Samples:
    """Samples of the documents of every topic, and what is estimated of each topic from each."""

    def __init__(self, cube, grade, share, *, together=True):
        experiment, depth = cube.experiment, cube.sizes["depth"]
        base = experiment.judgments
        topic, base_grades = base.topic, base.grade
        top, rng = experiment.tops[topic], np.random.default_rng(0)
        rows = experiment.rows_at(depth)
        label = np.full(len(grade), "1", object)
        values, spreads, biases, numbers = [], [], [], []
        for _ in range(SAMPLES):
            if together:
                drawn_grades = drawn(rng, grade, topic, share)
                draw = Draw.of(base, drawn_grades, label, None)
            else:
                drawn_grades = np.where(rng.random(len(grade)) < share, grade, -1).astype(np.int8)
                draw = Draw.of(base, drawn_grades, None, np.full(len(grade), share))
            grades = [(drawn_grades, top), (base_grades, top)]
            estimates = [
                next(estimated([metric], rows, draw, grades, [at]))
                for metric, at in zip(METRICS, AT, strict=True)
            ]
            values.append([value[..., 0] for value, *_ in estimates])
            pairs = ((0, 0), (0, 1), (1, 1))
            spreads.append([[spread[pair][..., 0] for pair in pairs] for _, spread, _ in estimates])
            biases.append([bias[..., 0] for *_, bias in estimates])
            numbers.append(powers(draw.judged, rows))
        self.value, self.spread, self.bias = map(np.array, (values, spreads, biases))
        self.expected = powers(draw.chance, rows)
        self.number, self.judgments = np.array(numbers), int(draw.judged.sum())
        self.part = self.judgments / len(grade)
        self.full = complete(cube)

    def means(self, samples, topics):
        """Return means on some topics, errors of drawing documents, and how many were drawn.

        By kind, (metric, system): by people alone, and with the weight of a model.
        """
        n = len(topics)
        value = self.value[samples, ..., topics].transpose(1, 2, 3, 0)
        spread = self.spread[samples, ..., topics].transpose(1, 2, 3, 0)
        people, cheap = value[:, 0], value[:, 1]
        bias = self.bias[samples, ..., topics].transpose(1, 2, 3, 0)
        more = self.full[..., topics] - cheap
        both, below = spread[:, 1].sum(axis=1), spread[:, 2].sum(axis=1)
        weight = np.clip(both.sum(axis=-1) / below.sum(axis=-1), 0, 1)[:, None, None]
        remaining = below.sum(axis=-1, keepdims=True) - below
        less = (both.sum(axis=-1, keepdims=True) - both) / np.where(
            remaining > 0, remaining, np.inf
        )
        less = np.clip(less, 0, 1)[:, None]
        variance_left = np.maximum(
            spread[:, 0] - 2 * less * spread[:, 1] + less**2 * spread[:, 2], 0
        )
        estimates = {
            ALONE: (people, spread[:, 0], bias[:, 0]),
            WITH: (people + weight * more, variance_left, bias[:, 0] - weight * bias[:, 1]),
        }
        intervals = {
            kind: (
                mean.mean(axis=-1),
                np.hypot(np.sqrt(variance.sum(axis=-1)) / n, off.mean(axis=-1)),
            )
            for kind, (mean, variance, off) in estimates.items()
        }
        return intervals, alike(self.number[samples, ..., topics].sum(axis=0))


def held(mean, reach, truth):
    """Return whether limits hold the truth, by metric, NaN where there are none."""
    dims = ("draw", "metric", "system")
    shares = [facts(metric).share for metric in METRICS]
    low, high = limits(xr.DataArray(mean, dims=dims), xr.DataArray(reach, dims=dims), shares)
    inside = (low <= truth) & (truth <= high)
    return inside.where(low.notnull()).to_numpy()


def covered(samples, truth, topics, kind):
    """Return how often intervals of some topics hold the truth, by metric."""
    rng, every = np.random.default_rng(topics), truth.shape[-1]
    means, reaches, truths = [], [], []
    for _ in range(DRAWS):
        some = rng.permutation(every)[:topics]
        intervals, number = samples.means(rng.integers(SAMPLES, size=topics), some)
        mean, error = intervals[kind]
        expected = alike(samples.expected[..., some].sum(axis=-1))
        expected = expected.mean(axis=-1, keepdims=True)
        enough = (expected >= LEAST_DRAWN) & (number > 1)
        freedom = np.where(enough, number - 1, np.nan)
        means.append(mean)
        reaches.append(stdtrit(freedom, 0.975) * error)
        truths.append(truth[..., some].mean(axis=-1))
    coverage = held(np.array(means), np.array(reaches), np.array(truths))
    counted = (~np.isnan(coverage)).sum(axis=(0, 2))
    hits = np.nansum(coverage, axis=(0, 2))
    return np.where(counted > 0, hits / np.maximum(counted, 1), np.nan)


def write_estimates(samples, truth):
    """Write how often intervals of `estimate` hold the means of complete judgments."""
    rows = []
    for (label, share), sampled in samples.items():
        for topics in TOPICS:
            shares = covered(sampled, truth, topics, ALONE)
            labels = {"documents drawn": label, "share": f"{share:.0%}", "topics": topics}
            rows.append(labels | dict(zip(NAMES, shown(shares), strict=True)))
    PAGE.table([row for row in rows if any(row[name] for name in NAMES)], "estimates")


def write_powered(samples, truth):
    """Write how often intervals of `predict_powered` hold the truth, and what it saves."""
    rows, saved = [], []
    for share, sampled in samples.items():
        for topics in TOPICS:
            labels = {"share": f"{share:.0%}", "topics": topics}
            shares = covered(sampled, truth, topics, WITH)
            rows.append(labels | dict(zip(NAMES, shown(shares), strict=True)))
        labels = {"judgments": sampled.judgments}
        intervals = [
            sampled.means(np.full(TOPICS[-1], m), np.arange(TOPICS[-1]))[0] for m in range(50)
        ]
        alone, with_model = (
            np.mean([interval[kind][1] for interval in intervals], axis=0) for kind in (ALONE, WITH)
        )
        ratio = [
            (interval[WITH][1] ** 2).sum(axis=-1) / (interval[ALONE][1] ** 2).sum(axis=-1)
            for interval in intervals
        ]
        spared = (1 - sampled.part) * (1 - np.mean(ratio, axis=0))
        for row, name in enumerate(NAMES):
            labels |= {
                f"{name}: people alone": f"{1.96 * alone[row].mean():.3f}",
                f"{name}: with the model": f"{1.96 * with_model[row].mean():.3f}",
                f"{name}: saved": f"{spared[row]:.0%}",
            }
        saved.append(labels)
    PAGE.table([row for row in rows if any(row[name] for name in NAMES)], "powered")
    PAGE.table(saved, "saved")


if __name__ == "__main__":
    folder = data_folder(__doc__) / "trec-dl-2021-judges"
    runs = ir.read_runs(f"{folder}/runs/*")
    people, model = (
        runs.ireval.cube(ir.read_qrels(folder / f"qrels.{name}.txt"), depth=DEEP)
        for name in ("nist", "gpt4o")
    )
    truth = complete(people)
    order, mine = (
        pd.MultiIndex.from_arrays([base.topic, base.docs])
        for base in (people.experiment.judgments, model.experiment.judgments)
    )
    grades = people.experiment.judgments.grade[order.get_indexer(mine)]
    strata = {share: Samples(model, grades, share) for share in SHARES}
    write_powered(strata, truth)
    ways = {("so many of every pool", share): track_cube for share, track_cube in strata.items()}
    ways |= {
        ("each by itself", share): Samples(model, grades, share, together=False) for share in SHARES
    }
    write_estimates(ways, truth)
