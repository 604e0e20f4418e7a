"""Write the estimates computed by ppi-python to `values.json`.

ppi-python is not a dependency, because it needs numba. Run the script in another environment:

    python -m venv ppi && ppi/bin/pip install ppi-python==0.2.3
    ppi/bin/python tests/judging/_ppi/make_values.py
"""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

TOPICS, HUMAN = 30, 12


def draw():
    """Return scores of similar, biased, reversed and equal judges."""
    random = np.random.default_rng(5)
    people = random.random((4, TOPICS))
    noise = random.normal(0, 0.15, people.shape)
    model = [people[0] + noise[0], 0.5 * people[1] + 0.3, 1 - people[2] + noise[2], people[3]]
    return people.round(3), np.clip(model, 0, 1).round(3)


def estimates(people, model, unjudged_only):
    """Return the estimate and its interval by ppi-python."""
    few = people[:HUMAN], model[:HUMAN]
    many = model[HUMAN:] if unjudged_only else model
    low, high = ppi_mean_ci(*few, many, alpha=0.05)
    return [float(np.squeeze(value)) for value in (ppi_mean_pointestimate(*few, many), low, high)]


def main():
    """Write the file."""
    people, model = draw()
    pairs = list(combinations(range(len(people)), 2))
    values = {"human": people[:, :HUMAN].tolist(), "model": model.tolist()}
    for name, unjudged_only in {"all": False, "rest": True}.items():
        both = list(zip(people, model, strict=True))
        values[name] = {
            "mean": [estimates(y, f, unjudged_only) for y, f in both],
            "difference": [
                estimates(both[a][0] - both[b][0], both[a][1] - both[b][1], unjudged_only)
                for a, b in pairs
            ],
        }
    text = json.dumps(values, indent=1)
    Path(__file__).with_name("values.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
