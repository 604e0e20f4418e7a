"""Tables and figures of the page "May a language model judge?" from real judgments.

Usage: python docs/real/judges.py DATA, where DATA holds trec-dl-2021-judges, with runs/*.gz,
qrels.nist.txt and qrels.gpt4o.txt, and llmjudge, with qrels.human.txt and labels/*.txt.
"""

from math import comb

import numpy as np
import pandas as pd
import xarray as xr
from shown import Page, data_folder

import irframe as ir

PAGE = Page("judges")
METRICS = ["nDCG", "AP(rel=2)", "RBP(p=0.8, rel=2)", "RR(rel=2)"]
DEPTHS = [5, 10, 20, 50, 100]
TOP = 10


def with_interval(result, name, **labels):
    """Return coefficients with their intervals as text."""
    values, ends = result[name].sel(labels), result[f"{name}_interval"].sel(labels)
    rows = zip(values.to_numpy(), ends.to_numpy(), strict=True)
    return [f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, (low, high) in rows]


def assessors(judges):
    """Write how far the model agrees with the assessors of the track."""
    agreement = ir.compare_judges(judges)
    rows = {"coefficient": [], "value [95%]": []}
    for weights in agreement["weights"].to_numpy():
        rows["coefficient"].append(f"kappa, weights {weights}")
        rows["value [95%]"] += with_interval(agreement, "kappa", weights=weights)
    for threshold in agreement["threshold"].to_numpy():
        rows["coefficient"].append(f"kappa, relevant from grade {threshold}")
        rows["value [95%]"] += with_interval(agreement, "kappa_at", threshold=threshold)
    for distance in agreement["distance"].to_numpy():
        rows["coefficient"].append(f"alpha, {distance}")
        rows["value [95%]"] += with_interval(agreement, "alpha", distance=distance)
    PAGE.table(rows, "agreement")
    PAGE.figure(agreement.ireval.plot.confusion_map(), "confusion")
    topics = ir.compare_judges(judges, per="topic")["alpha"].sel(distance="ordinal")
    names = ("alpha_low", "alpha_quarter", "alpha_three_quarters", "alpha_high")
    values = topics.quantile([0, 0.25, 0.75, 1]).to_numpy()
    PAGE.facts(**{name: f"{value:.2f}" for name, value in zip(names, values, strict=True)})
    grades = judges["nist"].merge(judges["gpt4o"], on=["topic", "doc"], suffixes=("", "_model"))
    zero = grades[grades["grade"] == 0]
    PAGE.facts(raised=f"{(zero['grade_model'] > 0).mean():.0%}", documents=f"{len(grades):,}")


def conclusions(runs, judges):
    """Write and draw what changes in the conclusions."""
    effect = runs.ireval.judge_effect(
        judges,
        METRICS,
        test=ir.Significance(adjust=None),
        coefficients=["kendall", "tau_ap", "rbo"],
    )
    some = effect.sel(judge="gpt4o", depth=DEPTHS)
    counts = some["conclusions"]
    before = counts.sel(conclusion=["kept", "lost", "reversed"]).sum("conclusion")
    kept_shares = counts.sel(conclusion="kept") / before
    new = counts.sel(conclusion="new")
    wrong = counts.sel(conclusion="reversed")
    rows = {"metric": METRICS}
    for depth in DEPTHS:
        taus = some["agreement"].sel(depth=depth, coefficient="kendall").to_numpy()
        cells = zip(
            taus,
            *(values.sel(depth=depth).to_numpy() for values in (kept_shares, new, wrong)),
            strict=True,
        )
        rows[f"k = {depth}"] = [f"{t:.3f}; {k:.0%}, +{n}, {w} rev." for t, k, n, w in cells]
    PAGE.table(rows, "conclusions")
    most = new.to_series().idxmax()
    PAGE.facts(
        lost_low=f"{1 - kept_shares.max().item():.0%}",
        lost_high=f"{1 - kept_shares.min().item():.0%}",
        reversed=effect["conclusions"].sel(conclusion="reversed").sum().item(),
        new_most=new.max().item(),
        new_most_by=f"{most[0]} at depth {most[1]}",
        pairs=f"{comb(effect.sizes['system'], 2):,}",
        rr_tau=f"{effect['agreement'].sel(metric=METRICS[-1], coefficient='kendall').max():.3f}",
    )
    PAGE.figure(effect.ireval.plot.judge_ranks(metric="nDCG", depth=10), "ranks")
    ranks = effect[["reference_rank", "rank"]].sel(metric="nDCG", depth=10).squeeze(drop=True)
    ranks = ranks.to_dataframe().sort_values("reference_rank")
    top = ranks.head(TOP)
    moved = (top["rank"] - top["reference_rank"]).abs().max()
    PAGE.facts(top=TOP, top_moved=f"{moved:.0f}")


def orders(runs, judges):
    """Write how alike the systems are ordered at depth 10, with intervals."""
    effect = runs.ireval.judge_effect(judges, METRICS, at=10, interval_of="expected")
    rows = {"metric": METRICS}
    for name in effect["coefficient"].to_numpy():
        some = effect.squeeze(["judge", "depth"]).sel(coefficient=name)
        rows[str(name)] = with_interval(some, "agreement")
    PAGE.table(rows, "orders")


def powered(runs, judges, people=20, draws=200):
    """Write how much shorter intervals get if the model judges what people do not."""
    scores = {
        name: runs.ireval.cube(qrels, depth=100).ireval.score(*METRICS, at=[10, 100])
        for name, qrels in judges.items()
    }
    random = np.random.default_rng(0)
    widths = []
    for _ in range(draws):
        some = random.permutation(scores["nist"].sizes["topic"])[:people]
        few = scores["nist"].isel(topic=some)
        estimates = scores["gpt4o"].ireval.predict_powered(few, baseline="p_bm25")
        odds, plain = (few.ireval.summary(interval=kind) for kind in ("logit", "t"))
        alone = odds.where(odds["metric"] != "RR(rel=2)", plain)  # as for both
        widths.append(
            xr.Dataset(
                {
                    "people": (alone["ci_high"] - alone["ci_low"]).mean("system"),
                    "both": (estimates["ci_high"] - estimates["ci_low"]).mean("system"),
                    "weight": estimates["weight"].mean("system"),
                }
            )
        )
    mean = xr.concat(widths, dim="draw").mean("draw")
    rows = {"metric": METRICS}
    for depth in (10, 100):
        at = mean.sel(depth=depth)
        shorter = 1 - at["both"] / at["people"]
        cells = zip(*(at[name].to_numpy() for name in ("people", "both")), strict=True)
        texts = [f"{alone:.3f}, {both:.3f}" for alone, both in cells]
        pairs = zip(texts, shorter.to_numpy(), at["weight"].to_numpy(), strict=True)
        rows[f"k = {depth}"] = [f"{text} ({s:.0%}), weight {w:.2f}" for text, s, w in pairs]
    PAGE.table(rows, "powered")
    shorter = 1 - (mean["both"] / mean["people"]).to_series()
    PAGE.facts(
        shorter_low=f"{shorter.min():.0%}",
        shorter_high=f"{shorter.max():.0%}",
        shortest_by="{} at depth {}".format(*shorter.idxmax()),
        worth=f"{1 / (1 - shorter.max()) ** 2:.1f}",
        people=people,
        draws=draws,
    )


def models(folder):
    """Write how far models agree with people, grades above 3 counting as 3."""
    labels = {path.stem: ir.read_qrels(path) for path in sorted((folder / "labels").glob("*.txt"))}
    judges = {
        name: frame.assign(grade=frame["grade"].clip(upper=3)) for name, frame in labels.items()
    }
    judges["people"] = ir.read_qrels(folder / "qrels.human.txt")
    agreement = ir.compare_judges(judges, reference="people", grades=range(4))
    rows = {
        "judge": agreement["judge_a"].to_numpy(),
        "kappa": with_interval(agreement, "kappa", weights="none"),
        "kappa, quadratic": with_interval(agreement, "kappa", weights="quadratic"),
        "alpha, ordinal": with_interval(agreement, "alpha", distance="ordinal"),
        "kappa, relevant from grade 2": with_interval(agreement, "kappa_at", threshold=2),
    }
    order = np.argsort(-agreement["alpha"].sel(distance="ordinal").to_numpy())
    ordered = pd.DataFrame(rows).iloc[order]
    PAGE.table(pd.concat([ordered.head(8), ordered.tail(4)]), "models")
    best = agreement["alpha_interval"].sel(distance="ordinal").to_numpy()[order[:8]]
    PAGE.facts(
        joint=f"{agreement['joint_alpha'].sel(distance='ordinal').item():.2f}",
        best_from=f"{best[:, 0].max():.2f}",
        best_to=f"{best[:, 1].min():.2f}",
        models=len(labels),
        labelled=f"{len(judges['people']):,}",
    )


def main():
    """Write everything."""
    data = data_folder(__doc__)
    folder = data / "trec-dl-2021-judges"
    judges = {name: ir.read_qrels(folder / f"qrels.{name}.txt") for name in ("nist", "gpt4o")}
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    assessors(judges)
    conclusions(runs, judges)
    orders(runs, judges)
    powered(runs, judges)
    models(data / "llmjudge")


if __name__ == "__main__":
    main()
