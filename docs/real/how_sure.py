"""Tables and figures of the page "How sure is a ranking?" from real runs.

Usage: python docs/real/how_sure.py DATA, where DATA holds trec-covid-round1 with qrels.txt and
runs/*.gz.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

import irframe as ir

HERE = Path(__file__).parent
DEPTHS = [5, 10, 20, 100]
CORRECTIONS = {"none": None, "Holm": "holm", "max-T": "max-t"}
BEST = 30


def write_table(frame, name):
    """Write a frame as a Markdown table."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"how-sure-{name}.md").write_text(text, encoding="utf-8")


def board(scores):
    """Write the best ten systems."""
    found = scores.ireval.leaderboard(at=10)[:10].reset_index()
    means = {name: found[name].map("{:.3f}".format) for name in ("nDCG@10", "AP@10", "RR@10")}
    interval = [f"{low}-{high}" for low, high in zip(found.rank_low, found.rank_high, strict=True)]
    first = found["first"].map("{:.0%}".format)
    columns = ["rank", "system", "nDCG@10", "rank interval", "first", "tier", "AP@10", "RR@10"]
    frame = found.assign(**means, **{"rank interval": interval, "first": first})
    write_table(frame[columns], "board")


def ladder(scores):
    """Draw the best systems."""
    found = scores[:1].ireval.rank_intervals(at=10)
    ax = found.ireval.plot.ladder(top=BEST)
    ax.figure.savefig(HERE / "how-sure-ladder.png", dpi=90)
    plt.close(ax.figure)


def told_apart(scores):
    """Write how many pairs are told apart, and how many tiers there are, by depth."""
    layer = scores[:1].sel(depth=DEPTHS)
    rows = {"k": DEPTHS}
    for name, adjust in CORRECTIONS.items():
        share = layer.ireval.discrimination(adjust=adjust).to_numpy()[0]
        rows[f"pairs told apart, {name}"] = [f"{100 * value:.1f} %" for value in share]
    for name, adjust in CORRECTIONS.items():
        tiers = layer.ireval.rank_intervals(adjust=adjust)["tier"]
        rows[f"tiers, {name}"] = tiers.max("system").to_numpy()[0]
    write_table(pd.DataFrame(rows), "tiers")


def agreement(scores):
    """Write how alike metrics at several depths order the systems as nDCG@10 does."""
    reference = scores.sel(metric=["nDCG"], depth=[10])
    found = scores.sel(depth=DEPTHS).ireval.agreement(reference, interval=True)
    rows = {"k": DEPTHS}
    for metric in scores["metric"].to_numpy():
        parts = found.sel(metric=metric).to_dataframe().itertuples()
        rows[f"{metric}@k"] = [f"{p.agreement:.2f} ({p.ci_low:.2f}-{p.ci_high:.2f})" for p in parts]
    write_table(pd.DataFrame(rows), "agreement")


def main():
    """Write everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    folder = parser.parse_args().data / "trec-covid-round1"
    mpl.use("agg")
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    cube = runs.ireval.cube(ir.read_qrels(folder / "qrels.txt"), depth=100)
    scores = cube.ireval.score("nDCG", "AP", "RR", at=DEPTHS)
    for write in (board, ladder, told_apart, agreement):
        write(scores)


if __name__ == "__main__":
    main()
