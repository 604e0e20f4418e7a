"""Tables and figures of the page "How many topics?" from real runs.

Usage: python docs/real/how_many.py DATA, where DATA holds what tracks.py reads.
"""

from shown import Page, data_folder
from tracks import COVID, ROBUST, read_cube

PAGE = Page("how-many")
METRICS = ["P", "AP(norm='min')", "nDCG", "RBP(p=0.8)", "RR"]
DEPTHS = [10, 100]


def between(values, form):
    """Return the least and the greatest of some values as text."""
    return f"{form.format(float(values.min()))} to {form.format(float(values.max()))}"


def variances(scores):
    """Write where variance comes from."""
    rows = []
    for (track, array), short in zip(scores.items(), ("covid", "robust"), strict=True):
        found = array.ireval.components(at=10)
        for metric in METRICS:
            here = found.sel(metric=metric).squeeze()
            row = {"track": track, "metric": f"{metric}@10"}
            for source in found["component"].to_numpy():
                row[source] = f"{here['share'].sel(component=source).item():.0%}"
            rows.append(row)
        parts = found["share"].squeeze("depth")
        for source in ("system", "topic"):
            PAGE.facts(**{f"{short}_{source}": between(parts.sel(component=source), "{:.0%}")})
    PAGE.table(rows, "variances")


def needed(scores):
    """Write how many topics each question needs, and draw it by depth."""
    asked = {
        "difference 0.05": {"difference": 0.05},
        "width 0.1": {"width": 0.1},
    }
    found = {
        name: scores.ireval.topics_needed(**question, at=DEPTHS)["topics"]
        for name, question in asked.items()
    }
    rows = [
        {"metric": f"{metric}@{depth}"}
        | {
            name: f"{each.sel(metric=metric, depth=depth).item():.0f}"
            for name, each in found.items()
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
    at_10 = found["difference 0.05"].sel(depth=10).to_series()
    others = at_10.drop("RR")
    PAGE.facts(
        topics_low=f"{others.min():.0f}",
        topics_high=f"{others.max():.0f}",
        rr_topics=f"{at_10['RR']:.0f}",
        rr_times=f"{at_10['RR'] / others.mean():.1f}",
    )


def main():
    """Write everything."""
    data = data_folder(__doc__)
    scores = {
        COVID: read_cube(data, COVID).ireval.score(*METRICS),
        ROBUST: read_cube(data, ROBUST).ireval.score(*METRICS),
    }
    variances(scores)
    needed(scores[ROBUST])


if __name__ == "__main__":
    main()
