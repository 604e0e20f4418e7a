"""Tables of the page on "Atomized search length: beyond user models" from real runs.

Usage: python docs/real/atomized_search_length.py DATA, where DATA holds robust03,
trec-covid-round1, dl-hard and trec-dl-2021-judges. What the page shares with "Beyond the top of
the ranking" is written by beyond_the_top.py.
"""

import pandas as pd
from beyond_the_top import long_enough, read_cubes, score_all
from shown import Page, data_folder

import irframe as ir

PAGE = Page("atomized-search-length")
NAMES = {"P@20": "P@20", "ASL(first=10)": "ASL@g1-10", "AP": "MAP", "ASL": "ASL"}
NEURAL = "TREC 2021 DL passages"
PLACES = {"DL-HARD documents": "doc", NEURAL: "dl21"}
BM25 = {"bm25", "bm25+rm3", "p_bm25", "p_bm25rm3", "paug_bm25", "paug_bm25rm3"}
PRINTED = {
    "published, 2020 documents": {
        "P@20": "0.456 to 0.594, 25%",
        "ASL@g1-10": "14 to 5, 69%",
        "MAP": "0.401 to 0.543, 24%",
        "ASL": "39 to 27, 32%",
    },
    "published, 2020 passages": {
        "P@20": "0.517 to 0.706, 39%",
        "ASL@g1-10": "51 to 6, 90%",
        "MAP": "0.400 to 0.572, 29%",
        "ASL": "264 to 215, 19%",
    },
}
LAST_TWO = "The last two together"
STEPS = {
    "Atomize P": ("26-60", "0.7-0.9", "0.3-0.6"),
    "Aggregate documents within query": ("37-77", "0.4-0.8", "0.03-0.4"),
    "Aggregate rates across queries": ("29-78", "0.4-0.9", "0.1-0.9"),
    "ASL itself": ("", "", ""),
    LAST_TWO: ("", "", ""),
    "Cumulative": ("26-60", "0.6-0.9", "0.004-0.06"),
}
TOP = {
    "P@20 to ASL@g1-10": (("P(rel={rel})@20", "ASL(rel={rel}, first=10)"), "40-76", "0.4-0.8"),
    "MRR to ASL@g1-1": (("RR(rel={rel})", "ASL(rel={rel}, first=1)"), "49-85", "0.3-0.7"),
}


def deep_learning(folder):
    """Return the cube of the passage task of TREC 2021 Deep Learning."""
    path = folder / "trec-dl-2021-judges"
    runs = ir.read_runs(sorted((path / "runs").glob("*.gz")))
    return runs.ireval.cube(ir.read_qrels(path / "qrels.nist.txt"))


def short(metric, value):
    """Write a score as the paper does: search lengths to the nearest integer."""
    return f"{value:.0f}" if metric.startswith("ASL") else f"{value:.3f}"


def headroom(scored):
    """Say how many collections look solved, by P@20 and by the search lengths."""
    best = {name: scores.ireval.best_systems().set_index("metric") for name, scores in scored}
    value = {m: [b.loc[m, "value"] for b in best.values()] for m in NAMES}
    PAGE.facts(
        collections=len(best),
        p20=f"{min(value['P@20']):.2f} to {max(value['P@20']):.2f}",
        ap=f"{min(value['AP']):.2f} to {max(value['AP']):.2f}",
        top_over_20=sum(v > 20 for v in value["ASL(first=10)"]),
        asl=f"{min(value['ASL']):.0f} to {max(value['ASL']):.0f}",
        implied_ap=f"{1 / max(value['ASL']):.4f} to {1 / min(value['ASL']):.4f}",
    )


def techniques(scored):
    """Write the best BM25 run against the best neural one, with reductions in error."""
    rows = [{"collection": name, "runs": "", **printed} for name, printed in PRINTED.items()]
    for name, scores in scored:
        family = ["BM25" if s in BM25 else "neural" for s in scores["system"].to_numpy().tolist()]
        best = (
            scores.assign_coords(family=("system", family)).ireval.groupby("family").best_systems()
        )
        old, new = best[best["metric"] == "ASL"].set_index("family")["system"][["BM25", "neural"]]
        reductions = scores.sel(system=[old, new]).ireval.rrie(baseline=old).set_index("metric")
        cells = {
            shown: f"{short(metric, reductions.loc[metric, 'old'])} to "
            f"{short(metric, reductions.loc[metric, 'new'])}, {reductions.loc[metric, 'rrie']:.0%}"
            for metric, shown in NAMES.items()
        }
        rows.append({"collection": name, "runs": f"{old}, {new}", **cells})
        if name in PLACES:
            digits, reduction = PLACES[name], reductions["rrie"]
            facts = {
                "p": reduction["P@20"],
                "top": reduction["ASL(first=10)"],
                "ap": reduction["AP"],
                "asl": reduction["ASL"],
            }
            PAGE.facts(**{f"{digits}_{kind}": f"{value:.0%}" for kind, value in facts.items()})
    PAGE.table(rows, "techniques")


def span(values, spec):
    """Write the least and the greatest of some values."""
    return f"{min(values):{spec}}-{max(values):{spec}}"


def steps(cubes):
    """Write what the steps from MAP to ASL do to long lists, beside the published ranges."""
    tables = []
    for cube, rel in cubes.values():
        long_runs = cube.isel(system=long_enough(cube).to_numpy())
        ends = (f"AtomizedP(rel={rel}, mean='harmonic')", f"ASL(rel={rel})")
        scores = long_runs.ireval.score(*ends, at=cube.sizes["depth"], no_rel="nan")
        both = scores.ireval.reordering().assign(step=LAST_TWO)
        tables.append(pd.concat([long_runs.ireval.ablation(rel=rel), both]).set_index("step"))
    rows = []
    for step, (sort, kendall, value) in STEPS.items():
        step_rows = [table.loc[step] for table in tables]
        shown = {
            "Delta-Sort, %": (span([f["delta_sort"] for f in step_rows], ".0f"), sort),
            "Kendall": (span([f["kendall"] for f in step_rows], ".1f"), kendall),
            "Delta-Value": (span([f["delta_value"] for f in step_rows], ".2g"), value),
        }
        cells = {
            name: f"{ours} ({theirs})" if theirs else ours for name, (ours, theirs) in shown.items()
        }
        rows.append({"step": step, **cells})
    PAGE.table(rows, "steps")
    both = [table.loc[LAST_TWO, "delta_sort"] for table in tables]
    alone = [table.loc["Aggregate rates across queries", "delta_sort"] for table in tables]
    PAGE.facts(
        runs=", ".join(str(int(table["n_systems"].iloc[0])) for table in tables),
        third_alone=span(alone, ".0f"),
        third_with_asl=span(both, ".0f"),
    )


def top(cubes):
    """Write what replacing metrics of the top by search lengths does to the order of systems."""
    rows, inside = [{"collection": "published"}], []
    for name, (cube, rel) in cubes.items():
        long_runs = cube.isel(system=long_enough(cube).to_numpy())
        rows.append({"collection": name})
        for change, (metrics, sort, kendall) in TOP.items():
            chosen = [metric.format(rel=rel) for metric in metrics]
            scores = long_runs.ireval.score(*chosen, at=cube.sizes["depth"], no_rel="nan")
            step = scores.ireval.reordering().iloc[0]
            rows[0] |= {f"{change}: Delta-Sort, %": sort, f"{change}: Kendall": kendall}
            rows[-1] |= {
                f"{change}: Delta-Sort, %": f"{step['delta_sort']:.0f}",
                f"{change}: Kendall": f"{step['kendall']:.2f}",
            }
            low, high = map(float, sort.split("-"))
            inside.append(low <= step["delta_sort"] <= high)
    PAGE.table(rows, "top")
    PAGE.facts(top_inside=f"{sum(inside)} of {len(inside)}")


def shapes(cubes):
    """Write where the relevant documents of the best system lie, and how it moves them."""
    rows, lengths_of, lost = [], {}, []
    for name, (cube, rel) in cubes.items():
        long_runs = cube.isel(system=long_enough(cube).to_numpy())
        order = score_all(long_runs, rel).sel(metric="ASL").mean("topic").to_series().sort_values()
        best, median = order.index[0], order.index[len(order) // 2]
        lengths_of[name] = lengths = cube.ireval.search_lengths(rel=rel)
        best_lengths = lengths[lengths["system"] == best]
        tenth = cube.sizes["depth"] // 10
        moved = lengths.ireval.difference_histogram(best, median, bins=5, width=tenth)["share"]
        wins, losses = moved[:5].to_numpy(), moved[6:].to_numpy()
        lost.append(losses.sum())
        rows.append(
            {
                "collection": name,
                "search length 1 to 10": f"{(best_lengths['search_length'] <= 10).mean():.0%}",
                "not retrieved": f"{best_lengths['rank'].isna().mean():.0%}",
                "wins, losses": f"{wins.sum():.0%}, {losses.sum():.0%}",
                "by up to d/10": f"{wins[-1]:.0%}, {losses[0]:.0%}",
                "by up to 4d/10": f"{wins[1:-1].sum():.0%}, {losses[1:-1].sum():.0%}",
                "by more": f"{wins[0]:.0%}, {losses[-1]:.0%}",
            }
        )
    PAGE.table(rows, "shapes")
    PAGE.facts(losses=f"{min(lost):.0%} to {max(lost):.0%}")
    return lengths_of


def readings(cubes, lengths_of):
    """Write what the two readings of a document that was not retrieved come to."""
    rows = []
    for name, (cube, rel) in cubes.items():
        chosen = [ir.metrics.ASL(rel=rel), ir.metrics.ASL(rel=rel, unretrieved="irrel+1")]
        scores = cube.ireval.score(*chosen, at=[cube.sizes["depth"]], no_rel="nan")[..., 0]
        means = scores.mean("topic")
        step = scores.ireval.reordering().iloc[0]
        lengths = lengths_of[name]
        relevant = lengths[lengths["system"] == lengths["system"].iloc[0]].groupby("topic").size()
        rows.append(
            {
                "collection": name,
                "not retrieved": f"{lengths['rank'].isna().mean():.0%}",
                "mean ASL, `irrel`": f"{means[0].mean().item():.2f}",
                "mean ASL, `irrel+1`": f"{means[1].mean().item():.2f}",
                "Kendall": f"{step['kendall']:.3f}",
                "topics": len(relevant),
                "fewer than 10 relevant": int((relevant < 10).sum()),
            }
        )
    PAGE.table(rows, "readings")


def main():
    """Write everything beside this script."""
    folder = data_folder(__doc__)
    cubes = read_cubes(folder)
    scored = [
        (name, score_all(cube, rel)[:, long_enough(cube).to_numpy()])
        for name, (cube, rel) in cubes.items()
    ]
    headroom(scored)
    cubes[NEURAL] = deep_learning(folder), 2
    techniques([*scored[2:], (NEURAL, score_all(*cubes[NEURAL]))])
    submitted = {name: pair for name, pair in cubes.items() if name.startswith("TREC")}
    steps(submitted)
    top(submitted)
    readings(cubes, shapes(cubes))


if __name__ == "__main__":
    main()
