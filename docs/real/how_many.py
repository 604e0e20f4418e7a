"""Tables and figures of the page "How many topics?" from real runs.

Usage: python docs/real/how_many.py DATA, where DATA holds what tracks.py reads.
"""

import numpy as np
import pandas as pd
from shown import Page, data_folder
from tracks import COVID, ROBUST, read_cube

import irframe as ir

PAGE = Page("how-many")
METRICS = ["P", "AP(norm='min')", "nDCG", "RBP(p=0.8)", "RR"]
DEPTHS = [10, 100]
DRAWS, HALVES = 1000, 200
"""How many subsets of topics are drawn of each size, and how often the runs are halved."""


def between(values, form):
    """Return the least and the greatest of some values as text."""
    return f"{form.format(float(values.min()))} to {form.format(float(values.max()))}"


def variances(scores):
    """Write where variance comes from."""
    rows = []
    for (track, array), short in zip(scores.items(), ("covid", "robust"), strict=True):
        components = array.sel(depth=10).ireval.components()
        for metric in METRICS:
            here = components.sel(metric=metric).squeeze()
            row = {"track": track, "metric": f"{metric}@10"}
            for source in components["component"].to_numpy():
                row[source] = f"{here['share'].sel(component=source).item():.0%}"
            rows.append(row)
        shares = components["share"]
        for source in ("system", "topic"):
            PAGE.facts(**{f"{short}_{source}": between(shares.sel(component=source), "{:.0%}")})
    PAGE.table(rows, "variances")


def needed(scores):
    """Write how many topics each question needs, and draw it by depth."""
    questions = {
        "difference 0.05": {"difference": 0.05},
        "width 0.1": {"width": 0.1},
    }
    answers = {
        name: scores.sel(depth=DEPTHS).ireval.topics_needed(**question)["topics"]
        for name, question in questions.items()
    }
    rows = [
        {"metric": f"{metric}@{depth}"}
        | {
            name: f"{answer.sel(metric=metric, depth=depth).item():.0f}"
            for name, answer in answers.items()
        }
        for metric in METRICS
        for depth in DEPTHS
    ]
    PAGE.table(rows, "topics")
    topics = scores.ireval.topics_needed(difference=0.05)["topics"]
    ax = topics.ireval.plot.ratio_curves()
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylabel("topics for a difference of 0.05")
    PAGE.figure(ax, "curves")
    at_10 = answers["difference 0.05"].sel(depth=10).to_series()
    topics_by_metric = at_10.drop("RR")
    PAGE.facts(
        topics_low=f"{topics_by_metric.min():.0f}",
        topics_high=f"{topics_by_metric.max():.0f}",
        rr_topics=f"{at_10['RR']:.0f}",
        rr_times=f"{at_10['RR'] / topics_by_metric.mean():.1f}",
    )


def subsets(scores):
    """Write how alike some topics order the runs to all, to the others, and where they are chosen.

    Topics are chosen that order one half of the runs best among many draws, and held against all
    by the other half, too; the means are over many draws, and over halves of the runs.
    """
    rows, sizes, rng = [], (5, 10, 25, 50), np.random.default_rng(0)
    values = scores.squeeze("metric")
    table, tau = values.to_numpy(), ir.agreements.Kendall().kernel
    systems, topics = table.shape
    for size in sizes:
        first = values[:, :size].ireval.agreement(values, topics="own").item()
        drawn = np.argsort(rng.random((DRAWS, topics)), axis=1) < size
        some, remaining = (_means(table, mask) for mask in (drawn, ~drawn))
        all_means = _means(table, np.ones((1, topics), bool))
        row = {"topics": size, "the first": first, "drawn": tau(some, all_means).mean()}
        row["drawn, against the others"] = np.mean([tau(*pair) for pair in _rows(some, remaining)])
        chosen = {"chosen for these runs": [], "for other runs": []}
        for _ in range(HALVES):
            first_half = rng.permutation(systems) < systems // 2
            best = np.argmax(tau(some[:, first_half], all_means[:, first_half])[:, 0])
            for name, half in zip(chosen, (first_half, ~first_half), strict=True):
                chosen[name].append(tau(some[[best]][:, half], all_means[:, half]).item())
        rows.append(row | {name: np.mean(taus) for name, taus in chosen.items()})
    frame = pd.DataFrame(rows)
    shown = frame.drop(columns="topics").map("{:.2f}".format)
    PAGE.table({"topics": frame["topics"]} | dict(shown.items()), "subsets")
    at_10 = frame.set_index("topics").loc[10].map("{:.2f}".format)
    names = ("drawn", "others", "chosen", "elsewhere")
    PAGE.facts(**dict(zip(names, at_10.iloc[1:], strict=True)))


def _means(table, masks):
    """Return mean scores on some topics, a row of systems for each choice, rounded to tie."""
    return np.round(masks @ table.T / masks.sum(axis=1, keepdims=True), 12)


def _rows(*sides):
    """Return each row of every side, as several of one."""
    return zip(*(side[:, np.newaxis] for side in sides), strict=True)


def main():
    """Write everything."""
    data = data_folder(__doc__)
    scores = {
        COVID: read_cube(data, COVID).ireval.score(*METRICS),
        ROBUST: read_cube(data, ROBUST).ireval.score(*METRICS),
    }
    variances(scores)
    needed(scores[ROBUST])
    subsets(scores[ROBUST].sel(metric=["nDCG"], depth=10, drop=True))


if __name__ == "__main__":
    main()
