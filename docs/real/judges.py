"""Tables and figures of the page "May a language model judge?" from real judgments.

Usage: python docs/real/judges.py DATA, where DATA holds trec-dl-2021-judges, with runs/*.gz,
qrels.nist.txt and qrels.gpt4o.txt, and llmjudge, with qrels.human.txt and labels/*.txt.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr

import irframe as ir

HERE = Path(__file__).parent
METRICS = ["nDCG", "AP(rel=2)", "RBP(p=0.8, rel=2)", "RR(rel=2)"]
DEPTHS = [5, 10, 20, 50, 100]


def write_table(frame, name):
    """Write a frame as a Markdown table."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"judges-{name}.md").write_text(text, encoding="utf-8")


def save(figure, name):
    """Write a figure."""
    figure.savefig(HERE / f"judges-{name}.png", dpi=80)
    plt.close(figure)


def with_interval(found, name, **labels):
    """Return coefficients with their intervals as text."""
    values, ends = found[name].sel(labels), found[f"{name}_interval"].sel(labels)
    rows = zip(values.to_numpy(), ends.to_numpy(), strict=True)
    return [f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, (low, high) in rows]


def assessors(judges):
    """Write how far the model agrees with the assessors of the track."""
    found = ir.compare_judges(judges)
    rows = {"coefficient": [], "value [95 %]": []}
    for weights in found["weights"].to_numpy():
        rows["coefficient"].append(f"kappa, weights {weights}")
        rows["value [95 %]"] += with_interval(found, "kappa", weights=weights)
    for threshold in found["threshold"].to_numpy():
        rows["coefficient"].append(f"kappa, relevant from grade {threshold}")
        rows["value [95 %]"] += with_interval(found, "kappa_at", threshold=threshold)
    for distance in found["distance"].to_numpy():
        rows["coefficient"].append(f"alpha, {distance}")
        rows["value [95 %]"] += with_interval(found, "alpha", distance=distance)
    write_table(pd.DataFrame(rows), "agreement")
    save(found.ireval.plot.confusion_map().figure, "confusion")
    topics = ir.compare_judges(judges, by="topic")["alpha"].sel(distance="ordinal")
    return topics.quantile([0, 0.25, 0.5, 0.75, 1]).to_numpy().round(2)


def conclusions(runs, judges):
    """Write and draw what changes in the conclusions."""
    effect = runs.ireval.judge_effect(judges, METRICS, methods=["kendall", "tau_ap", "rbo"])
    some = effect.sel(judge="gpt4o", depth=DEPTHS)
    counts = some["conclusions"]
    before = counts.sel(conclusion=["kept", "lost", "reversed"]).sum("conclusion")
    kept = counts.sel(conclusion="kept") / before
    new = counts.sel(conclusion="new")
    wrong = counts.sel(conclusion="reversed")
    rows = {"metric": METRICS}
    for depth in DEPTHS:
        taus = some["agreement"].sel(depth=depth, coefficient="kendall").to_numpy()
        cells = zip(
            taus, *(each.sel(depth=depth).to_numpy() for each in (kept, new, wrong)), strict=True
        )
        rows[f"k = {depth}"] = [f"{t:.3f}; {k:.0%}, +{n}, {w} rev." for t, k, n, w in cells]
    write_table(pd.DataFrame(rows), "conclusions")
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
    for ax, metric in zip(axes, ["nDCG", "AP(rel=2)"], strict=True):
        effect.ireval.plot.conclusion_shares(metric=metric, ax=ax)
    axes[0].get_legend().remove()
    save(figure, "conclusions")
    save(effect.ireval.plot.judge_ranks(metric="nDCG", depth=10).figure, "ranks")
    findings = effect.sel(metric=["nDCG"]).ireval.judge_findings(depth=10)
    write_table(findings[["severity", "what", "where"]], "findings")


def orders(runs, judges):
    """Write how alike the systems are ordered at depth 10, with intervals."""
    found = runs.ireval.judge_effect(judges, METRICS, at=10, interval=True)
    rows = {"metric": METRICS}
    for name in found["coefficient"].to_numpy():
        some = found.squeeze(["judge", "depth"]).sel(coefficient=name)
        rows[str(name)] = with_interval(some, "agreement")
    write_table(pd.DataFrame(rows), "orders")


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
        found = scores["gpt4o"].ireval.predict_powered(few, baseline="p_bm25")
        alone = few.ireval.summary()
        widths.append(
            xr.Dataset(
                {
                    "people": (alone["ci_high"] - alone["ci_low"]).mean("system"),
                    "both": (found["ci_high"] - found["ci_low"]).mean("system"),
                    "weight": found["weight"].mean("system"),
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
    write_table(pd.DataFrame(rows), "powered")


def models(folder):
    """Write how far 33 models agree with people, grades above 3 counting as 3."""
    labels = {path.stem: ir.read_qrels(path) for path in sorted((folder / "labels").glob("*.txt"))}
    judges = {name: each.assign(grade=each["grade"].clip(upper=3)) for name, each in labels.items()}
    judges["people"] = ir.read_qrels(folder / "qrels.human.txt")
    found = ir.compare_judges(judges, reference="people", grades=range(4))
    rows = {
        "judge": found["judge_a"].to_numpy(),
        "kappa": with_interval(found, "kappa", weights="none"),
        "kappa, quadratic": with_interval(found, "kappa", weights="quadratic"),
        "alpha, ordinal": with_interval(found, "alpha", distance="ordinal"),
        "kappa, relevant from grade 2": with_interval(found, "kappa_at", threshold=2),
    }
    order = np.argsort(-found["alpha"].sel(distance="ordinal").to_numpy())
    ordered = pd.DataFrame(rows).iloc[order]
    write_table(pd.concat([ordered.head(8), ordered.tail(4)]), "models")
    return found["joint_alpha"].to_series().round(3).to_dict()


def main():
    """Write everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    mpl.use("agg")
    folder = data / "trec-dl-2021-judges"
    judges = {name: ir.read_qrels(folder / f"qrels.{name}.txt") for name in ("nist", "gpt4o")}
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    print("ordinal alpha by topic:", assessors(judges))  # noqa: T201 - for the text of the page
    conclusions(runs, judges)
    orders(runs, judges)
    powered(runs, judges)
    print("joint alpha:", models(data / "llmjudge"))  # noqa: T201 - for the text of the page


if __name__ == "__main__":
    main()
