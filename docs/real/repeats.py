"""Tables and figures of the page "Is B better, over seeds?", of real and simulated trainings.

Usage: python docs/real/repeats.py DATA, where DATA holds reranker-seeds: nDCG@10 of a re-ranker
that was trained with 60 seeds on 10, 30 and 100 questions each, for 322 test questions.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.formula.api as smf
from scipy import stats
from shown import Page, data_folder

import irframe as ir
from irframe.paired.crossed import crossed

PAGE = Page("repeats")
DRAWS, MIXED = 2000, 200
SPREADS = 0.0, 0.02, 0.04
CROSSING, RESIDUAL = 0.15, 0.08
SIZES = [(topics, repeats) for topics in (10, 50) for repeats in (1, 2, 3, 5)]
PAIR = np.array([[0, 1]])
RECIPES = {"n10": "10 questions", "n30": "30 questions", "n100": "100 questions"}


def drawn(rng, layout, topics, repeats, spread):
    """Return scores of two systems that are alike, (system, repeat, topic, draw)."""
    crossing = rng.normal(0, CROSSING / np.sqrt(2), (2, 1, topics, DRAWS))
    residual = rng.normal(0, RESIDUAL, (2, repeats, topics, DRAWS))
    if layout == "topic":  # a variation is another one in each topic
        return crossing + residual + rng.normal(0, spread, (1, repeats, topics, DRAWS))
    effects = rng.normal(0, spread, (2, repeats, 1, DRAWS))
    return crossing + residual + effects


def rates(cells, layout):
    """Return how often each test calls systems different that are alike, at .05."""
    _, repeats, topics, draws = cells.shape
    a, b = cells
    shares = {}
    pooled = (a - b).reshape(-1, draws)
    shares["all pooled"] = stats.ttest_1samp(pooled, 0).pvalue
    shares["t on means"] = stats.ttest_1samp((a - b).mean(axis=0), 0).pvalue
    if layout != "topic" and repeats > 1:
        means = cells.mean(axis=2)
        if layout == "system":
            shares["t over repeats"] = stats.ttest_ind(*means, equal_var=False).pvalue
        else:
            shares["t over repeats"] = stats.ttest_rel(*means).pvalue
    if layout != "topic" and repeats > 1:
        lists = cells.reshape(2 * repeats, topics, draws)
        owner = np.repeat([0, 1], repeats)
        test = crossed(lists, owner, PAIR, shared=layout == "shared").test()
        shares["crossed"] = test.p[0]
    return {name: (p < 0.05).mean() for name, p in shares.items()}


def simulate():
    """Write how often tests call systems different that are alike, by layout."""
    rng = np.random.default_rng(0)
    crossed = []
    for layout in ("system", "shared", "topic"):
        rows = []
        for topics, repeats in SIZES:
            results = [rates(drawn(rng, layout, topics, repeats, s), layout) for s in SPREADS]
            crossed += [
                result["crossed"]
                for result in results
                if layout == "system" and "crossed" in result
            ]
            row = {"topics": topics, "repeats": repeats}
            for name in ("all pooled", "t on means", "t over repeats", "crossed"):
                if name in results[0] or layout != "topic":
                    values = [
                        f"{result[name]:.3f}".lstrip("0") for result in results if name in result
                    ]
                    row[name] = " ".join(values) or "-"
            rows.append(row)
        PAGE.table(rows, layout)
    PAGE.facts(draws=f"{DRAWS:,}", low=f"{min(crossed):.3f}", high=f"{max(crossed):.3f}")


def mixed():
    """Write what mixed models with Wald's z say of the same systems."""
    rng = np.random.default_rng(1)
    topics, repeats, significant, failed = 10, 3, 0, 0
    cells = drawn(rng, "system", topics, repeats, 0.02)[..., :MIXED]
    base = rng.normal(0, 0.2, (topics, MIXED))
    index = pd.MultiIndex.from_product([["a", "b"], range(repeats), range(topics)])
    rows = index.set_names(["system", "repeat", "topic"]).to_frame(index=False)
    rows["own"] = rows["system"] + rows["repeat"].astype(str)
    rows["cell"] = rows["system"] + rows["topic"].astype(str)
    effects = {"topic": "0 + C(topic)", "own": "0 + C(own)", "cell": "0 + C(cell)"}
    for draw in range(MIXED):
        rows["y"] = (cells[..., draw] + base[:, draw]).ravel()
        model = smf.mixedlm("y ~ C(system)", rows, groups=np.ones(len(rows)), vc_formula=effects)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                fitted = model.fit(reml=True)
            except np.linalg.LinAlgError:
                failed += 1
                continue
        failed += not fitted.converged
        significant += fitted.pvalues.iloc[1] < 0.05
    ours = rates(cells, "system")["crossed"]
    PAGE.facts(
        mixed_draws=MIXED,
        mixed=f"{significant / MIXED:.3f}",
        unconverged=f"{failed / MIXED:.3f}",
        mixed_ours=f"{ours:.3f}",
    )


def real(scores):
    """Write the same of systems that are halves of the seeds of one recipe."""
    rng = np.random.default_rng(2)
    rows = []
    for recipe, label in RECIPES.items():
        table = scores.set_index(["seed", "topic"])[recipe].unstack().to_numpy()  # noqa: PD010
        for topics, repeats in SIZES:
            if repeats == 1:
                continue
            cells = np.empty((2, repeats, topics, DRAWS))
            for draw in range(DRAWS):
                seeds = rng.permutation(len(table))[: 2 * repeats]
                chosen = rng.permutation(table.shape[1])[:topics]
                cells[..., draw] = table[np.ix_(seeds, chosen)].reshape(2, repeats, topics)
            error_rates = rates(cells, "system")
            formatted = {name: f"{rate:.3f}".lstrip("0") for name, rate in error_rates.items()}
            rows.append({"trained on": label, "topics": topics, "repeats": repeats} | formatted)
    PAGE.table(rows, "real")


def trainings(path):
    """Show five seeds of each recipe beside BM25, and what their comparison says."""
    scores = pd.read_csv(path / "ndcg10.csv.gz")
    long = scores.melt(["topic", "seed"], list(RECIPES), "system", "nDCG@10")
    bm25 = pd.read_csv(path / "bm25.csv").rename(columns={"bm25": "nDCG@10"})
    five = long[long["seed"].between(10, 14)]
    every = pd.concat([five, bm25.assign(system="bm25", seed=0)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ir.errors.IrframeWarning)
        PAGE.figure(every.ireval.plot.system_ranking(figsize=(7, 2.4)), "seeds", dpi=90)
        comparison = every.ireval.compare(baseline="bm25")
    columns = ["system_a", "difference", "ci_low", "ci_high", "df", "p_adjusted", "repeat_share"]
    PAGE.table(comparison[columns].round(4), "bm25")
    deviations = long.groupby(["system", "seed"])["nDCG@10"].mean().groupby("system").std()
    PAGE.facts(**{f"sd_{name}": f"{value:.3f}" for name, value in deviations.items()})
    pilot = long[(long["system"] != "n10") & long["seed"].between(10, 14)]
    components = pilot.ireval.components()["variance"].to_series().droplevel("metric")
    PAGE.table(components.pow(0.5).round(3).rename("standard deviation").reset_index(), "parts")
    _seeds_or_topics(components)
    real(scores)


def _seeds_or_topics(variance):
    """Draw the standard error of a difference by topics and repeats."""
    topics = np.geomspace(10, 1000, 100)
    figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    for repeats in (1, 3, 5, 10):
        crossing, repeat, residual = (
            2 * variance[n] for n in ("system_topic", "repeat", "residual")
        )
        error = np.sqrt(crossing / topics + repeat / repeats + residual / (topics * repeats))
        ax.plot(topics, error, label=f"{repeats} seed{'s' * (repeats > 1)}")
    ax.set(xscale="log", xlabel="topics", ylabel="standard error of a difference", ylim=0)
    ax.legend(frameon=False)
    PAGE.figure(figure, "trade")


def layouts():
    """Draw what a repeat is in the three layouts."""
    figure, axes = plt.subplots(1, 3, figsize=(8.4, 2.7), layout="constrained")
    titles = {
        "system": "'system': a seed is its model's own",
        "shared": "'shared': a pass judges all systems",
        "topic": "'topic': a variation is its topic's own",
    }
    colours = plt.get_cmap("tab20").colors
    for ax, (layout, title) in zip(axes, titles.items(), strict=True):
        for system in range(2):
            for repeat in range(3):
                for topic in range(4):
                    draw = {
                        "system": system * 3 + repeat,
                        "shared": repeat,
                        "topic": topic * 3 + repeat,
                    }[layout]
                    row = system * 3.6 + repeat
                    square = plt.Rectangle((topic, row), 0.9, 0.9, color=colours[draw])
                    ax.add_patch(square)
        ax.set(xlim=(-0.2, 4.1), ylim=(6.8, -0.2), aspect="equal")
        ax.set_xticks(np.arange(4) + 0.45, [f"t{n}" for n in range(1, 5)])
        names = [f"{system} {repeat}" for system in "AB" for repeat in (1, 2, 3)]
        ax.set_yticks([s * 3.6 + r + 0.45 for s in range(2) for r in range(3)], names)
        ax.tick_params(length=0)
        for side in ax.spines.values():
            side.set_visible(False)
        ax.set_title(title, fontsize="small")
    PAGE.figure(figure, "layouts", dpi=90)


def main():
    path = data_folder(__doc__) / "reranker-seeds"
    layouts()
    trainings(path)
    simulate()
    mixed()


if __name__ == "__main__":
    main()
