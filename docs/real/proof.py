"""Compare irframe with published numbers, and fail if a claimed number is not met.

Usage: python docs/real/proof.py DATA, which writes the tables of the page "Official scores
reproduced". DATA holds trec-covid-round1, robust03, dl-hard, msmarco-doc-dev, score-matrices,
trec-dl-2021-judges and llmjudge as that page describes. Collections that are missing are left out
with a message. Needs pytrec_eval-terrier.
"""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytrec_eval
from printed import all_examples
from shown import Page, data_folder
from tracks import read_folder

import irframe as ir

PAGE = Page("proof")
FACTS: dict[str, object] = {}
"""Numbers in running text, written once everything has been compared."""
EXACT = 1e-12
"""How far apart two ways to sum up the same numbers may be."""
OFFICIAL = {
    "ndcg@10": ir.metrics.nDCG() @ 10,
    "p@5": ir.metrics.P() @ 5,
    "RBP(p=.5)": ir.metrics.RBP(p=0.5, gain={0: 0, 1: 0.5, 2: 1}),
    "bpref": ir.metrics.Bpref(),
    "MAP": ir.metrics.AP(),
}
ORDERS = {
    "`ties='trec'`, single precision": {"ties": "trec", "score_dtype": "float32"},
    "`ties='trec'`, double precision": {"ties": "trec"},
    "`ties='doc'`": {"ties": "doc", "score_dtype": "float32"},
    "`ties='order'`": {"ties": "order", "score_dtype": "float32"},
    "`ties='rank'`": {"ties": "rank"},
}
KINDS = {
    "counts": ("num_",),
    "precision": ("P_", "success_", "relative_P_", "Rprec", "recip_rank"),
    "recall, AP, interpolated precision": ("recall_", "map", "iprec_", "11pt"),
    "nDCG and other graded measures": ("ndcg", "Rndcg", "G", "binG"),
    "bpref, infAP": ("bpref", "infAP"),
    "sets, utility": ("set_", "utility"),
    "geometric means (over topics)": ("gm_",),
}
MRR = 0.21854
LLMJUDGE = {
    "Olz-gpt4o": (0.2625, 0.5020),
    "Olz-exp": (0.2519, 0.4701),
    "RMITIR-llama70B": (0.2654, 0.4873),
    "h2oloo-fewself": (0.2774, 0.4958),
    "h2oloo-zeroshot1": (0.2817, 0.4812),
    "willia-umbrela1": (0.2863, 0.4918),
    "TREMA-nuggets": (0.0604, 0.1691),
    "TREMA-questions": (0.1137, 0.3148),
}


class Ledger:
    """What was claimed, and what came of it."""

    def __init__(self):
        """Begin without claims."""
        self.rows, self.failed = [], []

    def claim(self, collection, told, found, published, allowed):
        """Compare arrays, tell how far apart they are, and note it as a claim."""
        found, published = np.asarray(found, float), np.asarray(published, float)
        apart = np.abs(found - published)
        met = int((apart <= allowed * (1 + 1e-6)).sum())  # half a digit, as floats have it
        self.rows.append(
            {
                "collection": collection,
                "compared with": told,
                "numbers": f"{apart.size:,}",
                "met": f"{met:,}",
                "difference": f"{apart.max():.1e}" if apart.any() else "0",
                "allowed": f"{allowed:.2g}",
            }
        )
        if not apart.size or met < apart.size:
            self.failed.append(f"{collection}, {told}: {apart.size - met} of {apart.size}")
        return apart, met


def covid(data, ledger):
    """Compare TREC-COVID round 1 with its leaderboard, and order lists in other ways."""
    runs, qrels = read_folder(data / "trec-covid-round1", system="file")
    board = pd.read_csv(data / "trec-covid-round1" / "leaderboard.csv").set_index("run")
    metrics, half = [*OFFICIAL.values()], 0.5e-4
    equal = runs.loc[runs.duplicated(["system", "topic", "rank"]), "system"].unique()
    reached = {}
    for order, options in ORDERS.items():
        some = runs[~runs["system"].isin(equal)] if "rank" in order else runs
        means = some.ireval.evaluate(qrels, metrics, **options).groupby("system").mean()
        means = means.set_axis(list(OFFICIAL), axis="columns").reindex(board.index)
        apart = (means - board[list(OFFICIAL)]).abs()
        reached[order] = (apart <= half * (1 + 1e-6)).sum()
        if order == next(iter(ORDERS)):
            first = means
            rows = {
                "official": list(OFFICIAL),
                "irframe": [f"`{metric}`" for metric in OFFICIAL.values()],
                "runs met": [f"{reached[order][name]} of {len(board)}" for name in OFFICIAL],
                "largest difference": [f"{apart[name].max():.6f}" for name in OFFICIAL],
            }
            PAGE.table(rows, "covid")
    ledger.claim("TREC-COVID round 1", "official scores", first, board[list(OFFICIAL)], half)
    frame = pd.DataFrame(reached).T.rename_axis("order of a list").reset_index()
    PAGE.table(frame, "covid-orders")
    ties(runs)
    FACTS.update(covid_runs=len(board), covid_numbers=first.size, equal_ranks=len(equal))


def ties(runs):
    """Tell how many runs have ties, and how many contradict their own ranks."""
    lists = runs.groupby(["system", "topic"], sort=False)
    tied = {}
    for name, scores in (("double", runs["score"]), ("single", runs["score"].astype("float32"))):
        copy = pd.DataFrame({"system": runs["system"], "topic": runs["topic"], "score": scores})
        tied[name] = copy[copy.duplicated()]["system"].nunique()
    by_rank = runs.sort_values(["system", "topic", "rank"], kind="stable")
    step = by_rank.groupby(["system", "topic"], sort=False)["score"].diff()
    rising = by_rank.loc[step > 0, "system"].nunique()
    orders = {}
    for name, dtype in (("double", "float64"), ("single", "float32")):
        ranked = runs.ireval.rank(ties=ir.Ties("trec", dtype=dtype))[
            ["system", "topic", "doc", "rank"]
        ]
        both = runs.merge(ranked, on=["system", "topic", "doc"], suffixes=("_filed", ""))
        filed = both.groupby(["system", "topic"])["rank_filed"].rank(method="first")
        orders[name] = both.loc[filed != both["rank"]]
    FACTS.update(
        lists=f"{len(lists):,}",
        tied=tied["double"],
        tied_single=tied["single"],
        rising=rising,
        other_order=orders["double"]["system"].nunique(),
        other_order_single=orders["single"]["system"].nunique(),
        moved=f"{len(orders['single']):,}",
        documents=f"{len(runs):,}",
    )


def trec_names():
    """Return the measures of trec_eval as it prints them, and those that are means by nature."""
    qrels = pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]})
    run = pd.DataFrame({"topic": ["1"], "doc": ["a"], "score": [1.0]})
    return list(run.ireval.evaluate(qrels, "all_trec").columns)


def at_level(names, level):
    """Return metrics by the names of trec_eval at a relevance level, where they have one."""
    metrics = [ir.parse_metric(name) for name in names]
    return [replace(m, rel=level) if hasattr(m, "rel") else m for m in metrics]


def nested(frame, value):
    """Return topic -> document -> value."""
    return {
        topic: dict(zip(group["doc"], group[value].tolist(), strict=True))
        for topic, group in frame.groupby("topic")
    }


def robust(data, ledger):
    """Compare the Robust runs with trec_eval, topic by topic."""
    runs, qrels = read_folder(data / "robust03")
    names = trec_names()
    by_topic = [name for name in names if not name.startswith("gm_")]
    judged = nested(qrels, "grade")
    frames = {}
    for level, condensed in ((1, False), (2, False), (1, True)):
        some = [n for n in by_topic if not (condensed and n in {"infAP", "num_q"})]
        metrics = at_level(some, level)
        if condensed:
            metrics = [replace(metric, judged_only=True) for metric in metrics]
        ours = runs.ireval.evaluate(qrels, metrics, ties=ir.Ties(dtype="float32"), topics="runs")
        ours = ours.set_axis(some, axis="columns")
        peer = pytrec_eval.RelevanceEvaluator(
            judged, {"all_trec"}, relevance_level=level, judged_docs_only_flag=condensed
        )
        theirs = {
            system: pd.DataFrame(peer.evaluate(nested(run, "score"))).T[some].astype(float)
            for system, run in runs.groupby("system")
        }
        theirs = pd.concat(theirs, names=["system", "topic"])
        frames[level, condensed] = (ours.loc[theirs.index], theirs)
    labels = {
        (1, False): "trec_eval",
        (2, False): "same, from grade 2",
        (1, True): "same, judged only",
    }
    for key, (ours, theirs) in frames.items():
        if key[0] == 2:
            no_relevant = theirs.index[theirs["num_rel"] == 0]
            ours.loc[no_relevant, "Rndcg"] = 0.0
            FACTS.update(robust_barren=no_relevant.unique("topic").size)
        ledger.claim("TREC 2003 Robust", labels[key], ours, theirs, EXACT)
    ours, theirs = frames[1, False]
    geometric = pytrec_eval.RelevanceEvaluator(judged, {"gm_map", "gm_bpref"})
    means = runs.ireval.evaluate(
        qrels, ["gm_map", "gm_bpref"], ties=ir.Ties(dtype="float32"), topics="runs"
    )
    means = means.ireval.summary()["mean"].unstack("metric")  # noqa: PD010 - a Series has no other
    logarithms = {
        system: pd.DataFrame(geometric.evaluate(nested(run, "score"))).T.astype(float).mean()
        for system, run in runs.groupby("system")
    }
    expected = np.exp(pd.DataFrame(logarithms).T).loc[means.index, means.columns]
    ledger.claim("TREC 2003 Robust", "geometric means", means, expected, EXACT)
    rows = []
    for kind, starts in KINDS.items():
        some = [name for name in names if name.startswith(starts)]
        pair = (means, expected) if kind.startswith("geometric") else (ours[some], theirs[some])
        apart = np.abs(pair[0].to_numpy() - pair[1].to_numpy())
        stems = dict.fromkeys(name.rstrip("0123456789.").rstrip("_") for name in some)
        rows.append(
            {
                "kind": kind,
                "measures": len(some),
                "names": ", ".join(f"`{stem}`" for stem in stems),
                "largest difference": f"{apart.max():.1e}" if apart.any() else "0",
            }
        )
    if sum(row["measures"] for row in rows) != len(names):
        ledger.failed.append("a measure of trec_eval is of no kind, or of two")
    PAGE.table(rows, "robust")
    FACTS.update(robust_lists=f"{len(theirs):,}", robust_measures=len(names))


def dl_hard(data, ledger):
    """Compare the runs of DL-HARD with the output of trec_eval that is filed with them."""
    rows = []
    names = trec_names()
    by_topic = [name for name in names if name not in {"num_q", "gm_map", "gm_bpref"}]
    for kind in ("doc", "passage"):
        qrels = ir.read_qrels(data / "dl-hard" / f"dl_hard-{kind}.qrels")
        folder = data / "dl-hard" / "baselines" / kind
        paths = sorted([*folder.glob("*.run"), *folder.glob("*.run.gz")])
        computed, filed, totals, every = [], [], [], []
        barren = topics = 0
        for path in paths:
            run = ir.read_run(path)
            scored = run.ireval.evaluate(qrels, at_level(names, 2), ties=ir.Ties(dtype="float32"))
            summary = scored.ireval.summary()["mean"].to_numpy()
            ours = scored.set_axis(names, axis="columns").droplevel("system")[by_topic]
            table = read_filed(folder / (path.name.removesuffix(".gz") + ".eval"))
            overall = table.pop("all")
            theirs = table.T[by_topic].astype(float)
            none = theirs.index[theirs["num_rel"] == 0]
            ours = ours.loc[theirs.index].copy()
            ours.loc[none, "Rndcg"] = 0.0
            barren, topics = max(barren, len(none)), max(topics, len(theirs))
            computed.append(ours.to_numpy())
            filed.append(theirs.to_numpy())
            means = pd.Series(summary, names)
            means["Rndcg"] = ours["Rndcg"].mean()
            compared = [name for name in names if name != "num_rel"]
            from_one = run.ireval.evaluate(qrels, ["num_rel"]).sum().item()
            every.append((from_one, float(overall["num_rel"])))
            totals.append((means[compared].to_numpy(), overall[compared].astype(float).to_numpy()))
        apart, met = ledger.claim(f"DL-HARD, {kind}s", "filed, by topic", computed, filed, 0.5e-4)
        means, overall = zip(*totals, strict=True)
        over, met_means = ledger.claim(
            f"DL-HARD, {kind}s", "filed, over topics", means, overall, 0.5e-4
        )
        label = "filed `num_rel`"
        ledger.claim(f"DL-HARD, {kind}s", label, *zip(*every, strict=True), 0)
        rows.append(
            {
                "part": f"{kind}s",
                "runs": len(paths),
                "topics": topics,
                "measures": len(by_topic),
                "by topic": f"{met:,} of {apart.size:,}",
                "over all topics": f"{met_means:,} of {over.size:,}",
                "without grade 2": barren,
            }
        )
        if kind == "doc":
            labels = set(table.index)
    PAGE.table(rows, "dl-hard")
    compared = set(names)
    FACTS.update(
        filed=len(labels),
        filed_compared=len(labels & compared),
        filed_by_topic=len(by_topic),
        filed_left=" and ".join(f"`{name}`" for name in sorted(labels - compared)),
    )


def read_filed(path):
    """Return measures x topics of a file of trec_eval, as text."""
    table = pd.read_csv(path, sep="\t", names=["name", "topic", "value"], dtype=str)
    table["name"] = table["name"].str.strip()
    return table.set_index(["name", "topic"])["value"].unstack("topic")  # noqa: PD010 - as above


def marco(data, ledger):
    """Compare a run of MS MARCO with its published mean reciprocal rank."""
    folder = data / "msmarco-doc-dev"
    run = ir.read_runs([folder / "runs" / "bm25.txt.gz"])
    scores = run.ireval.evaluate(ir.read_qrels(folder / "qrels.txt"), ["RR@10"])
    mrr = scores["RR@10"].mean()
    ledger.claim("MS MARCO, dev", "MRR of bm25", [mrr], [MRR], 0.5e-5)
    FACTS.update(mrr=f"{mrr:.5f}", mrr_published=f"{MRR:.5f}", marco_queries=f"{len(scores):,}")


def p_values(data, ledger):
    """Compare p-values of two systems of TREC-8 with those printed beside the scores."""
    topics = pd.Index([str(number) for number in range(401, 451)], name="topic")
    table = pd.read_csv(data / "score-matrices" / "adhoc8_ap.csv").set_axis(topics)
    wide = table.iloc[:, [124, 125]].set_axis(["s125", "s126"], axis="columns")
    long = wide.melt(ignore_index=False, var_name="system", value_name="AP").reset_index()
    scores = long.set_index(["system", "topic"])
    tests = {
        "`'t'`": ("t", 0.0013193972, 0.0006596986),
        "`ir.paired.Wilcoxon(correction=True, decimals=None)`": (
            ir.paired.Wilcoxon(correction=True, decimals=None),
            0.003445188,
            0.001722594,
        ),
    }
    rows, computed, printed = [], [], []
    for name, (test, two, one_tailed) in tests.items():
        p = scores.ireval.compare(test)["p"].item()
        computed += [p, p / 2]
        printed += [two, one_tailed]
        rows.append({"test": name, "published": f"{two:.7f}", "irframe": f"{p:.7f}", "met": "yes"})
    small = (wide["s125"] - wide["s126"]).abs() <= 0.01
    alike = wide.assign(s126=wide["s126"].mask(small, wide["s125"]))
    alike = alike.melt(ignore_index=False, var_name="system", value_name="AP").reset_index()
    alike = alike.set_index(["system", "topic"])
    p = alike.ireval.compare("sign")["p"].item()
    computed.append(p)
    printed.append(0.009559879)
    rows.append(
        {
            "test": "`'sign'`, differences up to .01 set to 0",
            "published": f"{printed[-1]:.7f}",
            "irframe": f"{p:.7f}",
            "met": "yes",
        }
    )
    for name, test, two in (
        ("`ir.paired.Wilcoxon(correction=True)`", ir.paired.Wilcoxon(correction=True), 0.003445188),
        ("`'wilcoxon'`", "wilcoxon", 0.003445188),
        ("`'sign'`", "sign", 0.009559879),
    ):
        p = scores.ireval.compare(test)["p"].item()
        met = abs(p - two) < 0.5e-7
        rows.append(
            {
                "test": name,
                "published": f"{two:.7f}",
                "irframe": f"{p:.7f}",
                "met": "yes" if met else "no",
            }
        )
    label = "p-values"
    ledger.claim("TREC-8 ad hoc", label, computed, printed, 0.5e-7)
    PAGE.table(rows, "p-values")


def judges(data, ledger):
    """Compare agreement of judges, and of the orders of systems under them."""
    folder = data / "trec-dl-2021-judges"
    both = {name: ir.read_qrels(folder / f"qrels.{name}.txt") for name in ("nist", "gpt4o")}
    agreed = ir.compare_judges(both, resamples=1).squeeze("pair")
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    orders = runs.ireval.judge_effect(
        both, ["nDCG@10", "AP(rel=2)"], at=100, coefficients=["kendall", "spearman"]
    )["agreement"].squeeze()
    values = [
        ("Cohen's kappa, four grades", 0.373, agreed["kappa"].sel(weights="none").item(), 3),
        (
            "Cohen's kappa, relevant from grade 2",
            0.492,
            agreed["kappa_at"].sel(threshold=2).item(),
            3,
        ),
    ]
    printed = {"nDCG@10": (0.936410, 0.991935), "AP(rel=2), depth 100": (0.919099, 0.988479)}
    for row, (metric, pair) in enumerate(printed.items()):
        for column, (name, value) in enumerate(zip(("tau", "rho"), pair, strict=True)):
            values.append(
                (f"{name} of the orders by {metric}", value, orders[row, column].item(), 6)
            )
    table = [
        {"coefficient": name, "published": f"{value:.{n}f}", "irframe": f"{computed:.{n}f}"}
        for name, value, computed, n in values
    ]
    PAGE.table(table, "judges")
    for digits, label in ((3, "kappa"), (6, "tau and rho")):
        some = [(computed, value) for _, value, computed, n in values if n == digits]
        ledger.claim("TREC DL 2021", label, *zip(*some, strict=True), 0.5 * 10**-digits)


def models(data, ledger):
    """Compare language models with people."""
    folder = data / "llmjudge"
    labels = {path.stem: ir.read_qrels(path) for path in sorted((folder / "labels").glob("*.txt"))}
    clipped = {
        name: frame.assign(grade=frame["grade"].clip(upper=3)) for name, frame in labels.items()
    }
    clipped["people"] = ir.read_qrels(folder / "qrels.human.txt")
    agreement = ir.compare_judges(clipped, reference="people", resamples=1, grades=range(4))
    agreement = agreement.set_index(pair="judge_a").sel(pair=[*LLMJUDGE])
    kappa, alpha = (
        agreement["kappa"].sel(weights="none"),
        agreement["alpha"].sel(distance="ordinal"),
    )
    ours = dict(zip(LLMJUDGE, zip(kappa.to_numpy(), alpha.to_numpy(), strict=True), strict=True))
    rows = [
        {
            "judge": name,
            "kappa, published": f"{LLMJUDGE[name][0]:.4f}",
            "kappa, irframe": f"{ours[name][0]:.4f}",
            "alpha, published": f"{LLMJUDGE[name][1]:.4f}",
            "alpha, irframe": f"{ours[name][1]:.4f}",
        }
        for name in LLMJUDGE
    ]
    PAGE.table(rows, "models")
    label = "kappa and alpha"
    ledger.claim("LLMJudge", label, [*ours.values()], [*LLMJUDGE.values()], 0.5e-4)
    above = sum(int((frame["grade"] > 3).any()) for frame in labels.values())
    FACTS.update(models=len(labels), models_published=len(LLMJUDGE), models_above=above)


def examples(ledger):
    """Tell which printed examples of five papers are met, and check those that are not."""
    every = all_examples()
    rows, different = [], []
    for paper in dict.fromkeys(example.paper for example in every):
        some = [example for example in every if example.paper == paper]
        values = sum(len(example.printed) for example in some)
        missed = [pair for example in some for pair in example.missed]
        rows.append(
            {
                "paper": paper,
                "places": len(some),
                "values": values,
                "met": values - len(missed),
                "not met": len(missed),
            }
        )
        for example in some:
            if not example.missed:
                continue
            printed, computed = zip(*example.missed, strict=True)
            texts = [value if isinstance(value, str) else f"{value:.4g}" for value in computed]
            different.append(
                {
                    "paper": paper,
                    "place": example.place,
                    "printed": ", ".join(map(str, printed)),
                    "irframe": ", ".join(texts),
                    "why": example.why,
                }
            )
            if not example.why:
                ledger.failed.append(f"{paper}, {example.place}: {printed} is {texts}")
    total = pd.DataFrame(rows)[["places", "values", "met", "not met"]].sum()
    PAGE.table([*rows, {"paper": "all", **total}], "examples")
    PAGE.table(different, "examples-other")
    FACTS.update(examples=int(total["values"]), examples_met=int(total["met"]))


PARTS = {
    "trec-covid-round1": covid,
    "robust03": robust,
    "dl-hard": dl_hard,
    "msmarco-doc-dev": marco,
    "score-matrices": p_values,
    "trec-dl-2021-judges": judges,
    "llmjudge": models,
}
"""Folder -> what compares it."""


def main():
    """Write everything, print what was claimed, and fail where a claim does."""
    data = data_folder(__doc__)
    ledger = Ledger()
    missing = [folder for folder in PARTS if not (data / folder).is_dir()]
    for folder, compare in PARTS.items():
        if folder not in missing:
            compare(data, ledger)
    examples(ledger)
    numbers = sum(int(row["numbers"].replace(",", "")) for row in ledger.rows)
    met = sum(int(row["met"].replace(",", "")) for row in ledger.rows)
    if not missing:
        PAGE.table(ledger.rows, "overview")
        PAGE.facts(numbers=f"{numbers:,}", met=f"{met:,}", **FACTS)
    print(pd.DataFrame(ledger.rows).to_string(index=False))  # noqa: T201 - what the script is for
    print(f"{met:,} of {numbers:,} numbers met")  # noqa: T201
    if missing:
        print("left out, since not in the folder:", ", ".join(missing))  # noqa: T201
    if ledger.failed:
        sys.exit("\n".join(["not met:", *ledger.failed]))


if __name__ == "__main__":
    main()
