"""What the pages on other tools show: what these print, what irframe gives, how far they are apart.

Usage: python docs/real/other_tools.py DATA, where DATA holds robust03 and trec-covid-round1, each
with qrels.txt and runs/*.gz. Where it runs there must be pytrec_eval-terrier, ir-measures, ranx and
python-terrier, and on the path the programs trec_eval (9.0.4) and cwl-eval. The latter wants NumPy
below 2 and so an environment of its own:

    python -m venv cwl && cwl/bin/pip install cwl-eval==1.0.12 "numpy<2"

The code on the pages is what is run: every block with a name, in the order of the page.
"""

import re
import sys
import tempfile
import warnings
from contextlib import chdir, redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytrec_eval
import ranx
from blocks import run_page, shell, shown, tiny
from ir_measures import ERR, RR, Compat, Judged, NumRet, SetF
from shown import Page, data_folder

import irframe as ir
from irframe.__main__ import main as irframe_main
from irframe.interop import SAME

PAGES = Path(__file__).parents[1] / "tools"


def largest(theirs, ours):
    """Return by column how many values two frames have, and the largest difference."""
    theirs = theirs.reindex(index=ours.index, columns=ours.columns).astype(float)
    apart = (theirs - ours).abs()
    return pd.DataFrame({"values": apart.count(), "largest": apart.max()})


def collections(data):
    """Return the tracks, by name: their runs and judgments."""
    folders = {"TREC 2003 Robust": "robust03", "TREC-COVID round 1": "trec-covid-round1"}
    tracks = {}
    for name, folder in folders.items():
        paths = sorted((data / folder / "runs").glob("*.gz"))
        system = "tag" if folder == "robust03" else "file"
        tracks[name] = (
            ir.read_runs(paths, system=system),
            ir.read_qrels(data / folder / "qrels.txt"),
        )
    return tracks


GEOMETRIC = ["gm_map", "gm_bpref"]


def by_topic(runs, evaluator):
    """Return what pytrec_eval gives of all runs, by system and topic."""
    nested = ir.verbs.to_pytrec_eval(runs)
    frames = {
        str(system): pd.DataFrame.from_dict(evaluator.evaluate(run), "index")
        for system, run in nested.items()
    }
    return pd.concat(frames, names=["system", "topic"])


TITLES = {"pyterrier": "PyTerrier"}


def parity(page, version, rows):
    """Return the row of a tool in the table of all: how much was compared, and how far apart."""
    numbers = sum(int(row["numbers"].replace(",", "")) for row in rows)
    return {
        "tool": f"[{TITLES.get(page.name, page.name.replace('-', '_'))}]({page.name}.md)",
        "version": version,
        "runs": sum(row["runs"] for row in rows),
        "numbers compared": f"{numbers:,}",
        "largest difference": max((row["largest difference"] for row in rows), key=float),
    }


def pytrec_eval_page(tracks):
    """Write what the page on pytrec_eval shows."""
    page = Page("pytrec-eval")
    names = run_page(PAGES / f"{page.name}.md")
    run, judged, evaluator = names["run"], names["judged"], names["evaluator"]
    gap = {topic: docs for topic, docs in run.items() if topic != "103"}
    values = evaluator.evaluate(gap)
    logarithm = pytrec_eval.RelevanceEvaluator(judged, {"gm_map"}).evaluate(run)["101"]["gm_map"]
    nan = {"1": {"a": 1.0, "b": float("nan")}}
    page.facts(
        gap_theirs=f"{np.mean([row['map'] for row in values.values()]):.4f}",
        gap_ours=f"{ir.evaluate(gap, judged, 'AP')['AP'].mean():.4f}",
        gap_both=f"{ir.evaluate(gap, judged, 'AP', topics='runs')['AP'].mean():.4f}",
        gm_theirs=f"{logarithm:.4f}",
        gm_ours=f"{ir.evaluate(run, judged, 'gm_map').loc[('run', '101')].item():.4f}",
        nan_theirs=pytrec_eval.RelevanceEvaluator({"1": {"a": 1}}, {"map"}).evaluate(nan)["1"][
            "map"
        ],
    )
    rows = []
    for name, (runs, qrels) in tracks.items():
        evaluator = pytrec_eval.RelevanceEvaluator(ir.verbs.to_pytrec_eval(qrels), {"all_trec"})
        theirs = by_topic(runs, evaluator)
        ours = ir.evaluate(runs, qrels, "all_trec", ties=ir.Ties(dtype="float32"), topics="runs")
        ours = ours.reindex(theirs.index)
        ours[GEOMETRIC] = np.log(ours[GEOMETRIC].clip(lower=1e-5))
        apart = largest(theirs, ours)
        rows.append(
            {
                "collection": name,
                "runs": runs["system"].nunique(),
                "topics": theirs.index.unique("topic").size,
                "measures": len(apart),
                "numbers": f"{apart['values'].sum():,.0f}",
                "largest difference": tiny(apart["largest"].max()),
            }
        )
    page.table(rows, "real")
    single, double = (
        ir.evaluate(runs, qrels, "AP", ties=ir.Ties(dtype=dtype), topics="runs")["AP"]
        for dtype in ("float32", "float64")
    )
    moved = (single - double).abs()
    page.facts(
        lists=f"{moved.size:,}",
        moved=f"{(moved > 1e-12).sum():,}",
        moved_most=f"{moved.max():.4f}",
    )
    return parity(page, version("pytrec_eval-terrier"), rows)


def printed(*args):
    """Return what a command of irframe prints."""
    out = StringIO()
    with redirect_stdout(out):
        irframe_main([str(arg) for arg in args])
    return out.getvalue()


def means(text):
    """Return what lines of trec_eval say of all topics, by measure."""
    return {line.split()[0]: line.split()[2] for line in text.splitlines()}


def lines_apart(qrels, files):
    """Return how many lines trec_eval prints of files, and how many irframe prints otherwise."""
    count = apart = 0
    for file in files:
        theirs = shell(f"trec_eval -q -m all_trec {qrels} {file}", ".").splitlines()
        options = "-q -m all_trec --format trec_eval --topics runs --score-dtype float32"
        ours = printed("evaluate", qrels, file, *options.split()).splitlines()
        count += len(theirs)
        apart += abs(len(theirs) - len(ours))
        apart += sum(their != our for their, our in zip(theirs, ours, strict=False))
    return count, apart


def trec_eval_page(tracks):
    """Write what the page on trec_eval shows."""
    page = Page("trec-eval")
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        run_page(PAGES / f"{page.name}.md", folder)
        text = Path("track/runs/bm25").read_text()
        remaining = [line for line in text.splitlines(keepends=True) if line[:4] != "103 "]
        Path("gap").write_text("".join(remaining))
        Path("nan").write_text(re.sub(r"(?m)^(101 \S+ \S+ 1) \S+", r"\1 nan", text))
        judged = "track/qrels.txt"

        def theirs(options, run="track/runs/bm25"):
            return next(iter(means(shell(f"trec_eval {options} {judged} {run}", folder)).values()))

        def ours(*options, run="track/runs/bm25"):
            form = "--format", "trec_eval"
            return next(iter(means(printed("evaluate", judged, run, *options, *form)).values()))

        gains = "ndcg.1=0.3,2=0.5,3=1"
        scaled = "ndcg.1=3,2=5,3=10"
        page.facts(
            gap_theirs=theirs("-m map", "gap"),
            gap_c=theirs("-c -m map", "gap"),
            gap_ours=ours("-m", "map", run="gap"),
            gap_both=ours("-m", "map", "--topics", "runs", run="gap"),
            nan_theirs=theirs("-m map", "nan"),
            ideal_theirs=theirs("-M 7 -m ndcg"),
            ideal_ours=ours("-m", "ndcg", "--depth", "7"),
            ideal_full=ours("-m", "nDCG(ideal='full')", "--depth", "7"),
            deep_theirs=theirs("-M 7 -m P.10"),
            gains_theirs=theirs(f"-m {gains}"),
            gains_ours=ours("-m", gains),
            gains_scaled=theirs(f"-m {scaled}"),
            gains_scaled_ours=ours("-m", scaled),
        )
        rows = []
        for number, (name, (runs, qrels)) in enumerate(tracks.items()):
            file = f"qrels{number}"
            ir.verbs.write_qrels(qrels, file)
            files = []
            for run_number, (_, run) in enumerate(runs.groupby("system", sort=False)):
                files.append(f"run{number}-{run_number}")
                ir.verbs.write_run(run, files[-1])
            count, apart = lines_apart(file, files)
            rows.append(
                {"collection": name, "runs": len(files), "lines": f"{count:,}", "differ": apart}
            )
    page.table(rows, "real")
    differences = [
        {**row, "numbers": row["lines"], "largest difference": row["differ"]} for row in rows
    ]
    largest = parity(page, shell("trec_eval --version", ".").split()[-1], differences)
    return largest | {
        "numbers compared": f"{largest['numbers compared']} lines",
        "largest difference": f"{largest['largest difference']} lines differ",
    }


ALIKE = [
    *("AP", "AP@100", "AP(rel=2)", "P@10", "P(rel=2)@10", "RR", "RR(rel=2)", "Rprec", "R@50"),
    *("R(rel=2)@50", "nDCG", "nDCG@10", "nDCG(gains={1:5,2:9})@20", "Bpref", "Bpref(rel=2)"),
    *("NumRet", "NumRelRet", "NumQ", "NumRel", "SetP", "SetP(rel=2)", "SetR", "SetF", "SetAP"),
    *("SetAP(rel=2)", "SetP(relative=True)", "Success@5", "Success(rel=2)@5", "IPrec@0.1"),
    *("AP(judged_only=True)@100", "P(judged_only=True)@10", "nDCG(judged_only=True)@10"),
    "Rprec(judged_only=True)",
]
"""Measures that ir_measures leaves to pytrec_eval and irframe defines alike."""


def without_irframe():
    """Take irframe out of the providers of ir_measures, until it is imported again."""
    pipeline = ir_measures.DefaultPipeline.providers
    pipeline[:] = [provider for provider in pipeline if provider.NAME != "irframe"]
    sys.modules.pop("irframe.interop", None)


def has_irframe():
    """Return whether ir_measures asks irframe."""
    return any(provider.NAME == "irframe" for provider in ir_measures.DefaultPipeline.providers)


def by_measure(provider, measures, judged, run):
    """Return what a provider yields of a run: a row per topic, a column per measure."""
    long = pd.DataFrame(provider.iter_calc(measures, judged, run)).astype({"measure": str})
    wide = long.pivot_table(index="query_id", columns="measure", values="value")
    return wide[[str(measure) for measure in measures]]


def ir_measures_page(tracks):
    """Write what the page on ir_measures shows."""
    page = Page("ir-measures")
    without_irframe()
    names = run_page(PAGES / f"{page.name}.md")
    if not has_irframe():
        raise SystemExit("ir_measures did not compute with irframe")
    without_irframe()
    run, judged = names["run"], names["judged"]
    compared = [RR @ 10, Judged @ 10, Compat, ERR @ 10, SetF(beta=4.0), NumRet(rel=1)]
    theirs = [ir_measures.calc_aggregate([m], judged, run)[m] for m in compared]
    tied = ["RR@10", "Judged@10", "Compat"]
    ours = [
        *ir.evaluate(run, judged, [*tied, "ERR@10", "SetF(beta=4)"]).mean(),
        ir.evaluate(run, judged, "NumRet(rel=1)").ireval.summary()["mean"].item(),
    ]
    labels = ["rr10", "judged", "compat", "err", "setf", "count"]
    facts = {f"{label}_theirs": value for label, value in zip(labels, theirs, strict=True)}
    facts |= {f"{label}_ours": value for label, value in zip(labels, ours, strict=True)}
    doc = ir.evaluate(run, judged, tied, ties="doc").mean()
    facts |= {f"{label}_doc": value for label, value in zip(labels[:3], doc, strict=True)}
    explicit = ["ERR(gain=Exponential(top=4))@10", "SetF(beta=2)"]
    facts |= dict(
        zip(["err_top", "setf_two"], ir.evaluate(run, judged, explicit).mean(), strict=True)
    )
    facts["nan_theirs"] = ir_measures.AP.calc_aggregate(judged, run.assign(score=np.nan))
    page.facts(
        measures=len(ALIKE),
        same=len(SAME),
        **{
            name: f"{value:.0f}" if "count" in name else f"{value:.4f}"
            for name, value in facts.items()
        },
    )
    measures = [ir_measures.parse_measure(text) for text in ALIKE]
    rows = []
    for name, (runs, qrels) in tracks.items():
        nested, judged = ir.verbs.to_pytrec_eval(runs), ir.verbs.to_pytrec_eval(qrels)
        frames = {
            str(system): by_measure(ir_measures.pytrec_eval, measures, judged, run)
            for system, run in nested.items()
        }
        theirs = pd.concat(frames, names=["system", "topic"])
        ours = ir.evaluate(runs, qrels, measures, ties=ir.Ties(dtype="float32"))
        apart = largest(theirs, ours)
        rows.append(
            {
                "collection": name,
                "runs": len(nested),
                "numbers": f"{apart['values'].sum():,.0f}",
                "largest difference": tiny(apart["largest"].max()),
            }
        )
    page.table(rows, "real")
    return parity(page, version("ir_measures"), rows)


ALIKE_RANX = ["map", "mrr", "ndcg", "ndcg@10", "precision@5", "recall@100", "f1@10", "r-precision"]
"""Metrics that ranx and irframe define alike, by their names in ranx."""


def by_ranx(judged, runs):
    """Return what ranx gives of runs, by system and topic."""
    frames = {}
    for run in runs:
        ranx.evaluate(judged, run, ALIKE_RANX)
        frames[run.name] = pd.DataFrame({name: dict(run.scores[name]) for name in ALIKE_RANX})
    return pd.concat(frames, names=["system", "topic"])


def tukey(judged, filed, scores):
    """Return how many pairs differ by Tukey's test in ranx, by ours, and by paired t-tests."""
    report = ranx.compare(judged, filed, ["map"], stat_test="tukey", max_p=0.05)
    p_values = [by_metric["map"]["p_value"] for by_metric in report.comparisons.values()]
    theirs = {
        test: ir.verbs.compare(scores.to_frame(), test, adjust=None)["significant"]
        for test in ("tukey", "t")
    }
    return {
        "tukey_theirs": sum(p < 0.05 for p in p_values),
        "tukey_ours": theirs["tukey"].sum(),
        "tukey_t": theirs["t"].sum(),
        "pairs": theirs["t"].size,
    }


def ranx_page(tracks):
    """Write what the page on ranx shows."""
    page = Page("ranx")
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        names = run_page(PAGES / f"{page.name}.md")
    runs, qrels, judged, filed = (names[name] for name in ("runs", "qrels", "judged", "filed"))
    bm25, only = runs[runs["system"] == "bm25"], ["RBP(p=0.8)", "hits"]
    theirs = ranx.evaluate(judged, filed[0], ["rbp.80", "hits"])
    ours = ir.evaluate(bm25, qrels, only).ireval.summary()["mean"].droplevel("system")
    linear = ir.evaluate(bm25, qrels, ir.metrics.RBP(p=0.8, gain="linear"))
    alone = {"1": {"a": 1}}, {"1": {"a": 1.0, "b": 0.5}}
    page.facts(
        ties_theirs=f"{ranx.evaluate(judged, bm25.ireval.to_ranx(), 'map'):.6f}",
        ties_ours=f"{ir.evaluate(bm25, qrels, 'map').to_numpy().mean():.6f}",
        ties_order=f"{ir.evaluate(bm25, qrels, 'map', ties='order').to_numpy().mean():.6f}",
        rbp_theirs=f"{theirs['rbp.80']:.4f}",
        rbp_ours=f"{ours['RBP(p=0.8)']:.4f}",
        rbp_linear=f"{linear.to_numpy().mean():.4f}",
        hits_theirs=f"{theirs['hits']:.4f}",
        hits_ours=f"{ours['hits']:.0f}",
        bpref_theirs=ranx.evaluate(ranx.Qrels(alone[0]), ranx.Run(alone[1]), "bpref"),
        bpref_ours=f"{ir.evaluate(alone[1], alone[0], 'bpref').to_numpy().item():.0f}",
    )
    rows = []
    runs, qrels = next(iter(tracks.values()))
    judged = ir.verbs.to_ranx(qrels)
    decided = ir.verbs.rank(runs).drop(columns="score")
    for label, frame in (("settled first", decided), ("as filed", runs)):
        filed = ir.verbs.to_ranx(frame)
        theirs = by_ranx(judged, filed)
        ours = ir.evaluate(frame, qrels, ALIKE_RANX)
        apart = (theirs.reindex(index=ours.index, columns=ours.columns) - ours).abs()
        rows.append(
            {
                "ties": label,
                "runs": runs["system"].nunique(),
                "metrics": len(ALIKE_RANX),
                "numbers": f"{apart.count().sum():,}",
                "numbers that differ": f"{(apart > 1e-9).sum().sum():,}",
                "largest difference": shown(apart.max().max()),
            }
        )
        if label == "settled first":
            page.facts(**tukey(judged, filed, ours["map"]))
    page.table(rows, "real")
    return parity(page, version("ranx"), rows[:1])


def experiment(results, qrels, measures, **options):
    """Return the table of PyTerrier."""
    judged = qrels.rename(columns={"topic": "qid", "doc": "docno", "grade": "label"})
    topics = pd.DataFrame({"qid": judged["qid"].unique(), "query": ""})
    options |= {"names": [*results], "verbose": False}
    return pt.Experiment([*results.values()], topics, judged, measures, **options)


def in_pyterrier(runs):
    """Return frames as pipelines of PyTerrier return them, by system."""
    renamed = runs.rename(columns={"topic": "qid", "doc": "docno"})
    columns = ["qid", "docno", "score", "rank"]
    return {str(name): run[columns] for name, run in renamed.groupby("system", sort=False)}


def p_values(results, qrels, measures, test="t", **options):
    """Return p-values against bm25 in PyTerrier's order, plain and corrected."""
    table = experiment(results, qrels, measures, baseline=0, test=test, **options).iloc[1:]
    columns = [name for name in table if "p-value" in name]
    return table.set_index("name")[columns].astype(float)


def pyterrier_page(tracks):
    """Write what the page on PyTerrier shows."""
    page = Page("pyterrier")
    without_irframe()
    names = run_page(PAGES / f"{page.name}.md")
    results, scores, measures = names["results"], names["scores"], names["measures"]
    qrels = names["qrels"]
    if not has_irframe():
        raise SystemExit("PyTerrier did not compute with irframe")
    after = experiment(results, qrels, measures).set_index("name")
    without_irframe()
    before = experiment(results, qrels, measures).set_index("name")
    theirs = p_values(results, qrels, measures, correction="holm")
    compared = scores.ireval.compare("t", adjust="holm", baseline="bm25")
    apart = 0.0
    for column, name in (("p", "p-value"), ("p_adjusted", "p-value corrected")):
        ours = compared.pivot_table(index="system_a", columns="metric", values=column)
        told = theirs[[f"{metric} {name}" for metric in ours]].loc[ours.index].to_numpy()
        apart = max(apart, np.abs(told - ours.to_numpy()).max())
    ap = scores[["AP"]].ireval
    wilcoxon = [
        ap.compare(test, baseline="bm25").set_index("system_a")["p"]["bm25+rm3"]
        for test in ("wilcoxon", ir.paired.Wilcoxon(exact=True))
    ]
    told = p_values(results, qrels, measures[:1], "wilcoxon").loc["bm25+rm3"].iloc[0]
    page.facts(
        p_apart=tiny(apart),
        provider_apart=tiny((after - before).abs().max().max()),
        wilcoxon_theirs=f"{told:.4f}",
        wilcoxon_ours=f"{wilcoxon[0]:.4f}",
        wilcoxon_exact=f"{wilcoxon[1]:.4f}",
    )
    rows = []
    for name, (runs, qrels) in tracks.items():
        columns = [str(measure) for measure in measures]
        theirs = experiment(in_pyterrier(runs), qrels, measures, perquery=True)
        theirs = ir.as_scores(theirs)[columns].rename_axis(["system", "topic"])
        ours = ir.evaluate(runs, qrels, measures, ties=ir.Ties(dtype="float32"))
        apart = largest(theirs, ours)
        rows.append(
            {
                "collection": name,
                "runs": runs["system"].nunique(),
                "measures": len(columns),
                "numbers": f"{apart['values'].sum():,.0f}",
                "largest difference": tiny(apart["largest"].max()),
            }
        )
    page.table(rows, "real")
    return parity(page, version("python-terrier"), rows)


READING = {
    "PrecisionCWLMetric(10)": "P(gain='linear')@10",
    "RBPCWLMetric(0.8)": "RBP(p=0.8, gain='linear')",
    "INSTCWLMetric(2.0)": "INST-T=2.0",
    "INSQCWLMetric(2.0)": "INSQ-T=2.0",
    "NDCGCWLMetric(10)": "NDCG-k@10",
    "BPMCWLMetric(1.0,10)": "BPM-Static-T=1.0-K=10",
    "NERReq8CWLMetric(10)": "NERR-EQ8@k=10",
    "IFTGoalCWLMetric(2.0,0.9,10)": "IFT-C1-T=2.0-b1=0.9-R1=10",
}
"""Metrics as cwl_eval wants them in its file, and irframe as text."""
COLUMNS = ["EU", "ETU", "EC", "ETC", "ED"]


def by_cwl_eval(run, qrels, metrics=READING, scale="linear", options=""):
    """Return what cwl-eval prints of a run, which it reads in the order of its lines."""
    grades = qrels["grade"].clip(lower=0)
    gain = grades / grades.max() if scale == "linear" else (grades > 0).astype(float)
    judged = qrels.assign(gain=gain, iteration=0)[["topic", "iteration", "doc", "gain"]]
    judged.to_csv("judged", sep=" ", header=False, index=False)
    ir.verbs.write_run(ir.verbs.rank(run), "ranked")
    Path("wanted").write_text("".join(f"{metric}\n" for metric in metrics))
    output = shell(f"cwl-eval -n {options} -m wanted judged ranked", ".")
    frame = pd.read_csv(StringIO(output), sep="\t", dtype={"Topic": str})
    return frame.set_index(["Metric", "Topic"])


def cwl_version():
    """Return the version of cwl_eval in its environment."""
    python = shell("head -n 1 $(command -v cwl-eval)", ".").strip().removeprefix("#!")
    code = "from importlib.metadata import version; print(version('cwl-eval'))"
    return shell(f'{python} -c "{code}"', ".").strip()


def cwl_eval_page(tracks):
    """Write what the page on cwl_eval shows."""
    page = Page("cwl-eval")
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        names = run_page(PAGES / f"{page.name}.md", folder)
        runs, qrels, cube = names["runs"], names["qrels"], names["cube"]
        bm25 = runs[runs["system"] == "bm25"]
        graded = by_cwl_eval(bm25, qrels, ["RBPCWLMetric(0.8)", "RRCWLMetric()"], options="-r")
        binary = by_cwl_eval(bm25, qrels, ["RRCWLMetric()", "APCWLMetric()"], "binary")
        graded, binary = (values.groupby("Metric").mean() for values in (graded, binary))
        metrics = ["RBP@0.8", "RBP(p=0.8, gain='linear')", "RR", "AP"]
        ours = cube.ireval.score(*metrics, at=50).sel(system="bm25").mean("topic")
        ours = ours.to_series()
        bounds = cube.ireval.bounds(metrics[1], at=50).sel(system="bm25").mean("topic")
        width = (bounds.sel(bound="upper") - bounds.sel(bound="lower")).squeeze()
        page.facts(
            rbp_theirs=f"{graded.loc['RBP@0.8', 'EU']:.4f}",
            rbp_ours=f"{ours['RBP@0.8']:.4f}",
            rbp_linear=f"{ours[metrics[1]]:.4f}",
            rr_theirs=f"{graded.loc['RR', 'EU']:.4f}",
            rr_ours=f"{ours['RR']:.4f}",
            rr_binary=f"{binary.loc['RR', 'EU']:.4f}",
            ap_theirs=f"{binary.loc['AP', 'EU']:.4f}",
            ap_ours=f"{ours['AP']:.4f}",
            res_theirs=f"{graded.loc['RBP@0.8', 'ResEU']:.4f}",
            res_ours=f"{width.item():.4f}",
        )
        rows = []
        collections = {"the embedded track": (runs, qrels)}
        collections |= {name: track for name, track in tracks.items() if "Robust" in name}
        for name, (filed, judged) in collections.items():
            quantities = ir.cube(filed, judged).ireval.cwl(*READING.values())
            quantities = quantities.isel(depth=-1).to_array("column").assign_coords(column=COLUMNS)
            count = most = 0
            for system, run in filed.groupby("system", sort=False):
                theirs = by_cwl_eval(run, judged)
                label = dict(zip(theirs.index.unique(0), READING.values(), strict=True))
                theirs = theirs.rename(index=label, level=0)
                ours = quantities.sel(system=system).transpose("metric", "topic", "column")
                ours = ours.to_series().unstack("column")  # noqa: PD010 - not a pivot
                ours = ours[COLUMNS].reindex(theirs.index)
                apart = (theirs - ours).abs().to_numpy()
                count, most = count + apart.size, max(most, apart.max())
            rows.append(
                {
                    "collection": name,
                    "runs": filed["system"].nunique(),
                    "metrics": len(READING),
                    "numbers": f"{count:,}",
                    "largest difference": tiny(most),
                }
            )
    page.table(rows, "real")
    return parity(page, cwl_version(), rows)


def main():
    """Write everything."""
    warnings.simplefilter("ignore", ir.errors.IrframeWarning)
    tracks = collections(data_folder(__doc__))
    pages = (
        trec_eval_page,
        pytrec_eval_page,
        ir_measures_page,
        pyterrier_page,
        ranx_page,
        cwl_eval_page,
    )
    run_page(PAGES / "diffir.md")
    Page("tools").table([page(tracks) for page in pages], "parity")


if __name__ == "__main__":
    main()
