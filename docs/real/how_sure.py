"""Tables and figures of the page "How sure is a ranking?" from real runs.

Usage: python docs/real/how_sure.py DATA, where DATA holds what tracks.py reads.
"""

from math import comb

from shown import Page, data_folder
from tracks import COVID, read_track

import irframe as ir

PAGE = Page("how-sure")
DEPTHS = [5, 10, 20, 100]
CORRECTIONS = {"none": None, "Holm": "holm", "max-T": "max-t"}
BEST = 30
TWINS = ["BBGhelani1", "BBGhelani2"]


def board(scores):
    """Write the best ten systems."""
    leaderboard = scores.ireval.leaderboard(at=10)[:10].reset_index()
    means = {name: leaderboard[name].map("{:.3f}".format) for name in ("nDCG@10", "AP@10", "RR@10")}
    interval = [
        f"{low}-{high}"
        for low, high in zip(leaderboard.rank_low, leaderboard.rank_high, strict=True)
    ]
    columns = ["rank", "system", "nDCG@10", "rank interval", "tier", "AP@10", "RR@10"]
    layer = scores[:1].sel(depth=[10])
    ranks = layer.ireval.rank_intervals()
    could, pairs = ranks["could_be_first"].sum().item(), (ranks["rank_low"] == 1).sum().item()
    drawn = layer.ireval.rank_intervals("bootstrap")["first"].max().item()
    PAGE.facts(could_be=could, by_pairs=pairs, first=f"{drawn:.0%}")
    frame = leaderboard.assign(**means, **{"rank interval": interval})
    PAGE.table(frame[columns], "board")


def ladder(scores):
    """Draw the best systems."""
    intervals = scores[:1].sel(depth=10).ireval.rank_intervals()
    PAGE.figure(intervals.ireval.plot.ladder(top=BEST), "ladder", dpi=90)
    PAGE.facts(first_tier=(intervals["tier"] == 1).sum().item())


def significant(scores):
    """Write how many pairs differ significantly, and how many tiers there are, by depth."""
    layer, shares = scores[:1].sel(depth=DEPTHS), {}
    rows = {"k": DEPTHS}
    for name, adjust in CORRECTIONS.items():
        shares[name] = layer.ireval.discrimination(ir.Significance(adjust=adjust)).to_numpy()[0]
        rows[f"significant pairs, {name}"] = [f"{value:.1%}" for value in shares[name]]
    more = shares["max-T"] / shares["Holm"] - 1
    PAGE.facts(more_low=f"{more.min():.0%}", more_high=f"{more.max():.0%}")
    PAGE.facts(pairs=f"{comb(layer.sizes['system'], 2):,}")
    for name, adjust in CORRECTIONS.items():
        tiers = layer.ireval.rank_intervals(test=ir.Significance(adjust=adjust))["tier"]
        rows[f"tiers, {name}"] = tiers.max("system").to_numpy()[0]
    PAGE.table(rows, "tiers")


def agreement(scores):
    """Write how alike metrics at several depths order the systems as nDCG@10 does."""
    reference = scores.sel(metric=["nDCG"], depth=[10])
    taus = scores.sel(depth=DEPTHS).ireval.agreement(reference, interval_of="expected")
    rows = {"k": DEPTHS}
    for metric in scores["metric"].to_numpy():
        intervals = taus.sel(metric=metric).to_dataframe().itertuples()
        rows[f"{metric}@k"] = [
            f"{p.agreement:.2f} ({p.ci_low:.2f}-{p.ci_high:.2f})" for p in intervals
        ]
    PAGE.table(rows, "agreement")


def twins(runs):
    """Say on how many topics the two runs of second rank have the same top."""
    pair = runs[runs["system"].isin(TWINS)].ireval.rank()
    lists = pair[pair["rank"] <= 10].groupby(["topic", "system"])["doc"].agg(tuple).unstack()
    PAGE.facts(same=f"{(lists[TWINS[0]] == lists[TWINS[1]]).sum()} of {len(lists)}")


def main():
    """Write everything."""
    data = data_folder(__doc__)
    runs, qrels = read_track(data, COVID)
    twins(runs)
    scores = runs.ireval.cube(qrels, depth=100).ireval.score("nDCG", "AP", "RR", at=DEPTHS)
    for write in (board, ladder, significant, agreement):
        write(scores)


if __name__ == "__main__":
    main()
