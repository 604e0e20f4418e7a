"""How often intervals hold the truth on few topics, drawn from real ones whose truth is known.

Usage: python docs/real/few_topics.py DATA, where DATA holds score-matrices, trec-dl-2021-judges and
llmjudge, half an hour. The simulations are in populations.py.
"""

import numpy as np
from populations import (
    DL_2021,
    LLM,
    SOME,
    SYSTEMS,
    TOPICS,
    TREC_8,
    judged_twice,
    judges,
    means,
    orders,
    populations,
    powered,
    ranks,
    some_systems,
    taus,
)
from shown import Page, data_folder

PAGE = Page("few-topics")
METHODS = {"holm": "Holm", "max-t": "max-T", "bootstrap": "resampling"}
COLUMNS = {
    "held": "true rank held",
    "best held": "that of the best",
    "sole first": "a sole possible first",
    "width": "ranks wide",
}


def shares(values):
    """Return shares as text, without the leading zero."""
    return [f"{value:.3f}".lstrip("0") for value in values]


def write_means(every):
    """Write how often intervals of means hold the mean of all topics."""
    rows = {"topics": TOPICS}
    for label, kind in (("logit", "logit"), ("Student's", "t")):
        coverages = [
            {
                f"{metric} of {name}": share
                for name, scores in every.items()
                for metric, share in means(scores, topics, kind).items()
            }
            for topics in TOPICS
        ]
        for title, reciprocal in (("", False), (", RR", True)):
            widths = [
                [v for n, v in row.items() if n.startswith("RR") == reciprocal] for row in coverages
            ]
            rows[f"{label}{title}"] = shares(np.mean(widths, axis=1))
    PAGE.table(rows, "means")


def write_powered(data):
    """Write how often intervals with a model's help hold, in the mean of metrics and the worst."""
    rows = {"topics": TOPICS}
    sides = judged_twice(data)
    for kind, label in (("t", "with a model"), ("normal", "normal, with a model")):
        results = [[powered(*pair, topics, kind) for pair in sides.values()] for topics in TOPICS]
        for quantity in ("people alone", "means", "differences") if kind == "t" else ("means",):
            name = quantity if quantity == "people alone" else f"{quantity}, {label}"
            coverages = [[result[quantity] for result in row] for row in results]
            cells = zip(
                shares(np.mean(coverages, axis=1)), shares(np.min(coverages, axis=1)), strict=True
            )
            rows[name] = [f"{mean} ({worst})" for mean, worst in cells]
    PAGE.table(rows, "powered")


def tried(every, method):
    """Yield the systems and metrics that a kind of intervals of ranks is tried with."""
    for scores in every.values() if method == "holm" else [every[TREC_8][:1]]:
        for choice, count in SYSTEMS[:1] if method == "max-t" else SYSTEMS:
            yield some_systems(scores, choice, count)


def write_ranks(every):
    """Write how often intervals of ranks hold the true rank, in the worst setting."""
    rows = []
    for method, label in METHODS.items():
        for topics in SOME:
            results = [ranks(scores, topics, method) for scores in tried(every, method)]
            joined = {
                name: np.concatenate([result[name] for result in results]) for name in COLUMNS
            }
            worst = {"held": np.min, "best held": np.min, "sole first": np.mean, "width": np.mean}
            lowest = {name: pick(joined[name]) for name, pick in worst.items()}
            row = {"intervals": label, "topics": topics}
            row |= dict(
                zip(list(COLUMNS.values())[:3], shares(list(lowest.values())[:3]), strict=True)
            )
            rows.append(row | {COLUMNS["width"]: f"{lowest['width']:.1f}"})
    PAGE.table(rows, "ranks")


def write_judges(data):
    """Write how often intervals of kappa and alpha hold these of all topics."""
    rows = {"topics": TOPICS}
    for name in (DL_2021, LLM):
        results = [judges(data, name, topics) for topics in TOPICS]
        for coefficient in results[0]:
            rows[f"{coefficient}, {name}"] = shares([result[coefficient] for result in results])
    PAGE.table(rows, "judges")


def write_orders(data):
    """Write how often intervals of tau hold the truth."""
    rows = {"topics": SOME}
    for name, pair in orders(data).items():
        for of in ("expected", "averages"):
            rows[f"tau, {of}: {name}"] = shares([taus(pair, topics, of) for topics in SOME])
    PAGE.table(rows, "orders")


if __name__ == "__main__":
    folder = data_folder(__doc__)
    all_scores = populations(folder)
    write_means(all_scores)
    write_powered(folder)
    write_judges(folder)
    write_orders(folder)
    write_ranks(all_scores)
