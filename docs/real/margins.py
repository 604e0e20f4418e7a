"""How often "not worse" and "equivalent" are claimed, wrongly and rightly, and what passes a gate.

Usage: python docs/real/margins.py DATA, where DATA holds score-matrices, four minutes. Topics are
drawn 10,000 times: differences of systems from a normal distribution, and real ones, of average
precision on TREC-8, each shifted so that the true mean is known.
"""

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import skew
from shown import Page, data_folder

import irframe as ir
from irframe.comparing.freeze import failing
from irframe.paired.margins import within_margin

PAGE = Page("margins")
DRAWS, FAMILY, ALPHA, MARGIN = 10_000, 10, 0.05, 0.02
ROUNDS = 10
"""How many times as many draws say what skewness does."""
TOPICS = 10, 25, 50, 100
NORMAL, REAL = "normal", "TREC-8, AP"
MARGINS = 0.01, 0.02, 0.05
GATED, LOSSES = (20, 50, 200), (0.0, 0.02, 0.05)
"""Topics and true losses for which it is said what passes a gate."""
SPREAD = 0.1
"""Standard deviation of normal differences."""


def populations(data):
    """Return differences of ten systems from an eleventh by topic, mean 0 each."""
    scores = pd.read_csv(data / "score-matrices" / "adhoc8_ap.csv").to_numpy()
    ranked = np.argsort(-scores.mean(axis=0))
    some = scores[:, ranked[np.linspace(0, 60, FAMILY + 1).astype(int)]]
    apart = some[:, 1:] - some[:, :1]
    return {NORMAL: None, REAL: apart - apart.mean(axis=0)}


def drawn(population, topics, truth, generator):
    """Return scores of eleven systems over (system, topic, depth), a draw at every depth."""
    if population is None:
        apart = generator.normal(truth, SPREAD, (FAMILY, topics, DRAWS))
    else:
        rows = generator.integers(len(population), size=(topics, DRAWS))
        apart = truth + np.moveaxis(population[rows], -1, 0)
    values = np.concatenate([np.zeros((1, topics, DRAWS)), apart])
    labels = {"system": [f"s{number:02d}" for number in range(FAMILY + 1)]}
    labels["depth"] = np.arange(1, DRAWS + 1)
    return xr.DataArray(values, labels, ("system", "topic", "depth"))


def claims(scores, margin, adjust):
    """Return how often pairs, and families, are called not worse, and equivalent."""
    comparison = ir.verbs.compare(scores, baseline="s00", margin=margin, adjust=adjust)
    shares = {}
    for name in ("not_worse", "equivalent"):
        verdicts = comparison[name].to_numpy().reshape(-1, FAMILY)
        shares[name] = verdicts.mean(), verdicts.any(axis=1).mean()
    return shares


def percent(share):
    """Return a share as text."""
    return f"{100 * share:.1f}%"


def write_errors(every):
    """Write how often pairs that are worse by the margin are called not worse, or equivalent."""
    rows = []
    for name, population in every.items():
        for topics in TOPICS:
            scores = drawn(population, topics, -MARGIN, np.random.default_rng(topics))
            alone, joint = claims(scores, MARGIN, None), claims(scores, MARGIN, "holm")
            rows.append(
                {
                    "differences": name,
                    "topics": topics,
                    "not worse, a pair": percent(alone["not_worse"][0]),
                    "equivalent, a pair": percent(alone["equivalent"][0]),
                    "not worse, any of ten, Holm": percent(joint["not_worse"][1]),
                    "equivalent, any of ten, Holm": percent(joint["equivalent"][1]),
                }
            )
    PAGE.table(rows, "errors")


def write_power(every):
    """Write how often pairs that are alike are shown to be."""
    rows = []
    for name, population in every.items():
        for topics in TOPICS:
            row = {"differences": name, "topics": topics}
            scores = drawn(population, topics, 0.0, np.random.default_rng(topics))
            for margin in MARGINS:
                verdicts = claims(scores, margin, None)
                row[f"not worse, margin {margin}"] = percent(verdicts["not_worse"][0])
                row[f"equivalent, margin {margin}"] = percent(verdicts["equivalent"][0])
            rows.append(row)
    PAGE.table(rows, "power")


def write_gates(every):
    """Write how often systems that are truly worse pass each gate with a margin of .02."""
    rows = []
    for name, population in every.items():
        for topics in GATED:
            for loss in LOSSES:
                scores = drawn(population, topics, -loss, np.random.default_rng(topics))
                comparison = ir.verbs.compare(scores, baseline="s00", margin=MARGIN, adjust=None)
                row = {"differences": name, "topics": topics, "true loss": f"{loss:.2f}"}
                for gate in ("worse", "not-not-worse", "drop"):
                    failed = len(failing(comparison, gate, MARGIN)) / len(comparison)
                    row[gate] = percent(1 - failed)
                rows.append(row)
    PAGE.table(rows, "gates")


def write_skewness(population):
    """Write how often each pair alone is wrongly called not worse, and how skewed it is."""
    skewness, rows = skew(population), []
    for topics in TOPICS:
        generator, shares = np.random.default_rng(topics), []
        for _ in range(ROUNDS):
            some = population[generator.integers(len(population), size=(DRAWS, topics))]
            mean, sd = some.mean(axis=1) - MARGIN, some.std(axis=1, ddof=1)
            shares.append(within_margin(mean, sd, topics, MARGIN).not_worse < ALPHA)
        claimed = np.concatenate(shares)
        rates, error = claimed.mean(axis=0), claimed.mean(axis=1).std() / np.sqrt(len(claimed))
        ends = rates.argmin(), rates.argmax()
        names = "fewest, a pair", "most, a pair"
        cells = [f"{100 * rates[end]:.1f}% (skewness {skewness[end]:+.2f})" for end in ends]
        rows.append(
            {
                "topics": topics,
                "not worse, mean of ten pairs": f"{100 * rates.mean():.2f}%",
                "standard error": f"{100 * error:.2f}%",
                **dict(zip(names, cells, strict=True)),
            }
        )
    PAGE.table(rows, "skewness")


if __name__ == "__main__":
    collections = populations(data_folder(__doc__))
    write_errors(collections)
    write_power(collections)
    write_gates(collections)
    write_skewness(collections[REAL])
