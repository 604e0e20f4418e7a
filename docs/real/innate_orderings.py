"""Tables and figures of the page on "How much freedom does an effectiveness metric really have?".

Usage: python docs/real/innate_orderings.py DATA, where DATA holds robust03 and trec-covid-round1.
What the page shares with "One metric and a hedge" is written by hedge.py.
"""

import matplotlib.pyplot as plt
import numpy as np
from hedge import METRICS
from shown import Page, data_folder
from tracks import TRACKS, read_cube

import irframe as ir
from irframe.names import UNJUDGED
from irframe.paired import sign_p

PAGE = Page("innate-orderings")
BETWEEN = "\N{NO-BREAK SPACE}/\N{NO-BREAK SPACE}"
TABLE_3 = {
    5: "20.40 / 74.49 / 5.12",
    10: "8.33 / 74.66 / 17.01",
    15: "4.91 / 69.91 / 25.18",
    20: "3.55 / 66.01 / 30.44",
    50: "1.54 / 55.88 / 42.58",
    100: "0.92 / 50.44 / 48.64",
}
SETUP = {
    "runs": "110",
    "topics": "249",
    "judged per topic": "1250.6",
    "relevant per topic": "69.9",
    "relevant to depth 5": "49.5%",
    "relevant to depth 50": "25.6%",
    "rankings with unjudged to depth 100": "68.7%",
    "mean rank of the first": "46.0",
    "unjudged per such ranking": "14.6",
}
PLACES = {"TREC 2003 Robust": "robust", "TREC-COVID round 1": "covid"}
AGREE = ["Both: Yes", "Both: No"]
CATEGORIES = [*AGREE, "Metric: Yes", "Metric: No"]


def describe(cube):
    """Return what Section 3 tells of its runs and judgments, under the names of `SETUP`."""
    grade = cube["grade"].transpose("system", "topic", "depth").to_numpy()
    judged = cube.experiment.judgments.grade
    relevant, missing = grade >= 1, grade == UNJUDGED
    some = missing.any(axis=-1)
    values = [
        cube.sizes["system"],
        cube.sizes["topic"],
        f"{len(judged) / cube.sizes['topic']:.1f}",
        f"{(judged >= 1).sum() / cube.sizes['topic']:.1f}",
        f"{relevant[..., :5].mean():.1%}",
        f"{relevant[..., :50].mean():.1%}",
        f"{some.mean():.1%}",
        f"{1 + missing[some].argmax(axis=-1).mean():.1f}",
        f"{missing[some].sum(axis=-1).mean():.1f}",
    ]
    return dict(zip(SETUP, values, strict=True))


def setup(cubes):
    """Write what the collections are like, beside that of the paper."""
    columns = {"TREC 2004 Robust, published": SETUP}
    columns |= {name: describe(cube) for name, cube in cubes.items()}
    rows = [{"": row} | {name: facts[row] for name, facts in columns.items()} for row in SETUP]
    PAGE.table(rows, "setup")


def separability(cubes):
    """Write how often two runs leave a metric no choice, and how often that is significant."""
    shares = {name: cube.ireval.separability(depth=100) for name, cube in cubes.items()}
    significant = {
        name: (cube.ireval.orderings(depth=100)["p"] < 0.05).mean("pair")
        for name, cube in cubes.items()
    }
    table, tests = [], []
    for k, printed in TABLE_3.items():
        table.append({"k": k, "TREC 2004 Robust, published": printed.replace(" / ", BETWEEN)})
        tests.append({"k": k})
        for name, share in shares.items():
            percentages = (100 * share.sel(depth=k)).to_numpy()
            table[-1][name] = BETWEEN.join(f"{percentage:.2f}" for percentage in percentages)
            tests[-1][f"{name}: separable"] = f"{percentages[1]:.1f}%"
            tests[-1][f"{name}: significant"] = f"{significant[name].sel(depth=k).item():.1%}"
    PAGE.table(table, "separability")
    PAGE.table(tests, "depths")
    ours = shares["TREC 2003 Robust"]
    apart = [
        abs(100 * ours.sel(depth=k) - list(map(float, printed.split(" / ")))).max().item()
        for k, printed in TABLE_3.items()
    ]
    PAGE.facts(apart=f"{max(apart):.1f}")
    for name, share in shares.items():
        peak = share.sel(outcome="separable").idxmax("depth").item()
        PAGE.facts(**{f"{PLACES[name]}_peak": f"{peak:.0f}"})


def pair(cube):
    """Draw two runs on 25 topics, and write what is said of them on all."""
    means = cube.ireval.score("P", at=10).mean("topic")[0].to_series()
    ranked = means.sort_values(ascending=False).index
    a, b = ranked[0], ranked[len(ranked) // 4]
    some = cube.isel(topic=slice(25)).ireval.side_by_side(a, b, *METRICS, depth=10)
    PAGE.figure(some.ireval.plot.orderings(), "figure5")
    pair_orderings = cube.ireval.orderings(a, b, depth=10)
    count = pair_orderings["count"].isel(depth=-1).to_series()
    behind, ahead = int(count["ns"]), int(count["ni"])
    free = int(count["**ns"] + count["**ni"])
    PAGE.facts(
        a=a,
        b=b,
        groups=", ".join(map(str, count)),
        free=free,
        pair_p=f"{pair_orderings['p'][-1].item():.2f}",
        one_end=f"{sign_p(np.array(ahead + free), np.array(behind)):.2g}",
        other_end=f"{sign_p(np.array(ahead), np.array(behind + free)):.2g}",
    )
    scores = cube.sel(system=[a, b]).ireval.score(*METRICS, at=10)
    tests = {test: scores.ireval.compare(test) for test in ("t", "wilcoxon", "sign")}
    table = tests["t"]
    names = [metric.replace("(gain='binary')", "") for metric in table["metric"]]
    columns = {"metric": names}
    columns |= {
        name: table[column].map("{:.3f}".format) for name, column in ((a, "mean_a"), (b, "mean_b"))
    }
    columns |= {
        f"p, {test}": pair_orderings["p"].map("{:.3f}".format)
        for test, pair_orderings in tests.items()
    }
    PAGE.table(columns, "pair")


def agreement(cubes):
    """Write how often significance on a metric and without one agree, by test and by depth."""
    tests, depths = ["sign", "wilcoxon", "t"], [5, 10, 20, 50, 100]
    rows, opposed = [], []
    for name, cube in cubes.items():
        share = cube.ireval.significance_agreement(
            *METRICS, test=ir.Significance(tests, adjust=None), at=depths
        )["share"]
        agree = share.sel(category=AGREE).sum("category")
        for test in tests:
            shares = share.sel(test=test)
            both = agree.sel(test=test)
            mean = shares.mean(["metric", "depth"]).to_series()
            rows.append(
                {
                    "collection": name,
                    "test of the metric": test,
                    "agree": f"{both.min().item():.0%} to {both.max().item():.0%}",
                    **{column: f"{mean[column]:.1%}" for column in CATEGORIES},
                }
            )
        label = PLACES[name]
        opposed.append(share.sel(category="Both: Opposed").mean().item())
        yes = share.sel(category="Both: Yes", metric=METRICS[1:]).mean(["metric", "test"])
        PAGE.facts(
            **{
                f"{label}_agree": f"{agree.min().item():.0%} to {agree.max().item():.0%}",
                f"{label}_shallow": f"{yes.values[0]:.0%}",
                f"{label}_deep": f"{yes.values[-1]:.0%}",
            }
        )
        if label == "robust":
            lowest = agree.where(agree == agree.min(), drop=True)
            least = f"{lowest['metric'][0].item()}@{lowest['depth'][0].item()}"
            PAGE.facts(robust_lowest=least, robust_but_rr=f"{agree[1:].min().item():.0%}")
    PAGE.table(rows, "agreement")
    PAGE.facts(opposed=f"{min(opposed):.2%} to {max(opposed):.2%}")


def triangles(cube):
    """Draw all pairs by rank, on all topics and on half of them, at two levels."""
    figure, axes = plt.subplots(2, 2, figsize=(10, 9.4), layout="constrained")
    halves = [cube, cube.isel(topic=slice(cube.sizes["topic"] // 2))]
    cases = [(subset, alpha) for subset in halves for alpha in (0.05, 0.01)]
    for letter, ax, (subset, alpha) in zip("abcd", axes.flat, cases, strict=True):
        checked = subset.ireval.significance_agreement(
            "P", at=10, test=ir.Significance(adjust=None, alpha=alpha)
        )
        checked.ireval.plot.agreement_triangle(ax=ax)
        title = f"({letter}) {subset.sizes['topic']} topics, p < {alpha}"
        ax.set_title(title, fontsize="medium", loc="left")
        share = checked["share"].squeeze().to_series()
        if letter in "ad":
            both, only, orderings_only = (
                share["Both: Yes"],
                share["Metric: Yes"],
                share["Metric: No"],
            )
            PAGE.facts(
                **{
                    f"{letter}_both": f"{both:.1%}",
                    f"{letter}_metric": f"{only:.1%}",
                    f"{letter}_orderings": f"{orderings_only:.1%}",
                }
            )
    PAGE.figure(figure, "figure8", dpi=70)


def graded(cube):
    """Write how often rankings are separable with binary and with graded gain."""
    gains = {
        "grade 1 and above": {},
        "grade 2": {"rel": 2},
        "gains 0.5, 1": {"gain": {1: 0.5, 2: 1}},
        "gains 0.2, 1": {"gain": {1: 0.2, 2: 1}},
    }
    shares = {
        name: cube.ireval.separability(depth=100, **options) for name, options in gains.items()
    }
    rows = [
        {"k": k}
        | {
            name: BETWEEN.join(f"{100 * value:.1f}" for value in share.sel(depth=k).to_numpy())
            for name, share in shares.items()
        }
        for k in (5, 10, 20, 50, 100)
    ]
    PAGE.table(rows, "graded")


def main():
    """Write everything beside this script."""
    folder = data_folder(__doc__)
    cubes = {name: read_cube(folder, name, depth=100) for name in TRACKS}
    robust, covid = cubes.values()
    setup(cubes)
    separability(cubes)
    pair(robust)
    agreement(cubes)
    triangles(covid)
    graded(covid)


if __name__ == "__main__":
    main()
