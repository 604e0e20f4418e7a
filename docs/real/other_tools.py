"""What the pages on other tools show: what these print, what irframe gives, how far they are apart.

Usage: python docs/real/other_tools.py DATA, where DATA holds robust03 and trec-covid-round1, each
with qrels.txt and runs/*.gz. Where it runs there must be pytrec_eval-terrier, ir-measures, ranx and
python-terrier, and on the path the programs trec_eval (9.0.4) and cwl-eval. The latter wants NumPy
below 2 and so an environment of its own:

    python -m venv cwl && cwl/bin/pip install cwl-eval==1.0.12 "numpy<2"

The code on the pages is what is run: every block with a name, in the order of the page.
"""

import ast
import os
import re
import subprocess
import sys
import tempfile
import warnings
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
from shown import HERE, Page, data_folder

import irframe as ir
from irframe.__main__ import main as irframe_main

PAGES = HERE.parent / "tools"
BLOCK = re.compile(
    r"^```\{code-block\} (python|console)\n(?::\w+:.*\n)*?:name: (\S+)\n(?::\w+:.*\n)*\n?(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def run_page(name, folder="."):
    """Run the named blocks of a page in their order, and write what the page includes of them."""
    text, names = (PAGES / f"{name}.md").read_text(encoding="utf-8"), {"pd": pd, "np": np}
    for language, block, code in BLOCK.findall(text):
        found = typed(code, folder) if language == "console" else computed(code, names)
        if f"real/{block}.md" in text:
            write(block, found)
    return names


def write(block, found):
    """Write a frame as a table, all else as text."""
    if isinstance(found, pd.Series):
        found = found.to_frame()
    if isinstance(found, pd.DataFrame):
        named = found.rename_axis(index=[name or " " for name in found.index.names])
        frame = found if isinstance(found.index, pd.RangeIndex) else named.reset_index()
        Page(block).table(frame.map(shown), "x")
        (HERE / f"{block}-x.md").rename(HERE / f"{block}.md")
    else:
        text = found if isinstance(found, str) else repr(found)
        (HERE / f"{block}.md").write_text(f"```text\n{text.rstrip()}\n```\n", encoding="utf-8")


def shown(value):
    """Return a value of a table as text, numbers with four decimals unless they are tiny."""
    if not isinstance(value, float):
        return value
    return tiny(value) if abs(value) < 5e-5 else f"{value:.4f}"


def computed(code, names):
    """Run Python code; return its last expression, or what it printed."""
    body, last = ast.parse(code), None
    if isinstance(body.body[-1], ast.Expr):
        last = ast.Expression(body.body.pop().value)
    printed = StringIO()
    with warnings.catch_warnings(), redirect_stdout(printed):
        warnings.simplefilter("ignore")
        exec(compile(body, "page", "exec"), names)
        value = None if last is None else eval(compile(last, "page", "eval"), names)
    return printed.getvalue() if value is None else value


def typed(code, folder):
    """Run the command lines of a block in a folder, and return what they print."""
    lines = code.replace("\\\n", " ").splitlines()
    return "".join(shell(line.removeprefix("$ "), folder) for line in lines if line[:2] == "$ ")


def shell(line, folder):
    """Run a command line, and return what it prints; irframe is the one that runs here."""
    program = f'irframe() {{ "{sys.executable}" -W ignore -m irframe "$@"; }}; '
    own = {**os.environ, "PYTHONPATH": str(Path(ir.__file__).parents[1])}
    command = ["bash", "-c", program + line]
    done = subprocess.run(
        command, cwd=folder, env=own, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return done.stdout


def largest(theirs, ours):
    """Return by column how many values two frames have, and the largest difference."""
    theirs = theirs.reindex(index=ours.index, columns=ours.columns).astype(float)
    apart = (theirs - ours).abs()
    return pd.DataFrame({"values": apart.count(), "largest": apart.max()})


def tiny(number):
    """Return a small number as text."""
    return "0" if number == 0 else f"{number:.0e}"


def collections(data):
    """Return the tracks, by name: their runs and judgments."""
    folders = {"TREC 2003 Robust": "robust03", "TREC-COVID round 1": "trec-covid-round1"}
    found = {}
    for name, folder in folders.items():
        paths = sorted((data / folder / "runs").glob("*.gz"))
        system = "tag" if folder == "robust03" else "file"
        found[name] = (
            ir.read_runs(paths, system=system),
            ir.read_qrels(data / folder / "qrels.txt"),
        )
    return found


GEOMETRIC = ["gm_map", "gm_bpref"]


def by_topic(runs, evaluator):
    """Return what pytrec_eval gives of all runs, by system and topic."""
    nested = ir.to_pytrec_eval(runs)
    parts = {
        str(system): pd.DataFrame.from_dict(evaluator.evaluate(run), "index")
        for system, run in nested.items()
    }
    return pd.concat(parts, names=["system", "topic"])


def pytrec_eval_page(tracks):
    """Write what the page on pytrec_eval shows."""
    import pytrec_eval

    page = Page("pytrec-eval")
    names = run_page(page.name)
    run, judged, evaluator = names["run"], names["judged"], names["evaluator"]
    gap = {topic: docs for topic, docs in run.items() if topic != "103"}
    found = evaluator.evaluate(gap)
    logarithm = pytrec_eval.RelevanceEvaluator(judged, {"gm_map"}).evaluate(run)["101"]["gm_map"]
    nan = {"1": {"a": 1.0, "b": float("nan")}}
    page.facts(
        gap_theirs=f"{np.mean([row['map'] for row in found.values()]):.4f}",
        gap_ours=f"{ir.evaluate(gap, judged, 'AP')['AP'].mean():.4f}",
        gap_both=f"{ir.evaluate(gap, judged, 'AP', topics='both')['AP'].mean():.4f}",
        gm_theirs=f"{logarithm:.4f}",
        gm_ours=f"{ir.evaluate(run, judged, 'gm_map').loc[('run', '101')].item():.4f}",
        nan_theirs=pytrec_eval.RelevanceEvaluator({"1": {"a": 1}}, {"map"}).evaluate(nan)["1"]["map"],
    )
    rows = []
    for name, (runs, qrels) in tracks.items():
        evaluator = pytrec_eval.RelevanceEvaluator(ir.to_pytrec_eval(qrels), {"all_trec"})
        theirs = by_topic(runs, evaluator)
        ours = ir.evaluate(runs, qrels, "all_trec", score_dtype="float32", topics="both")
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
        ir.evaluate(runs, qrels, "AP", score_dtype=dtype, topics="both")["AP"]
        for dtype in ("float32", "float64")
    )
    moved = (single - double).abs()
    page.facts(
        lists=f"{moved.size:,}",
        moved=f"{(moved > 1e-12).sum():,}",
        moved_most=f"{moved.max():.4f}",
    )


def printed(*words):
    """Return what a command of irframe prints."""
    out = StringIO()
    with redirect_stdout(out):
        irframe_main([str(word) for word in words])
    return out.getvalue()


def means(text):
    """Return what lines of trec_eval say of all topics, by measure."""
    return {line.split()[0]: line.split()[2] for line in text.splitlines()}


def lines_apart(qrels, files):
    """Return how many lines trec_eval prints of files, and how many irframe prints otherwise."""
    count = apart = 0
    for file in files:
        theirs = shell(f"trec_eval -q -m all_trec {qrels} {file}", ".").splitlines()
        theirs = [line for line in theirs if not line.startswith("relstring")]
        options = "-q -m all_trec --format trec_eval --topics both --score-dtype float32"
        ours = printed("evaluate", qrels, file, *options.split()).splitlines()
        count += len(theirs)
        apart += abs(len(theirs) - len(ours))
        apart += sum(their != our for their, our in zip(theirs, ours, strict=False))
    return count, apart


def trec_eval_page(tracks):
    """Write what the page on trec_eval shows."""
    page = Page("trec-eval")
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        run_page(page.name, folder)
        text = Path("track/runs/bm25").read_text()
        kept = [line for line in text.splitlines(keepends=True) if line[:4] != "103 "]
        Path("gap").write_text("".join(kept))
        Path("nan").write_text(re.sub(r"(?m)^(101 \S+ \S+ 1) \S+", r"\1 nan", text))
        two = "track/qrels.txt", "track/runs/bm25"

        def theirs(options, run="track/runs/bm25"):
            return [*means(shell(f"trec_eval {options} track/qrels.txt {run}", folder)).values()][0]

        def ours(*options, run="track/runs/bm25"):
            form = "--format", "trec_eval"
            return [*means(printed("evaluate", two[0], run, *options, *form)).values()][0]

        gains = "ndcg.1=0.3,2=0.5,3=1"
        scaled = "ndcg.1=3,2=5,3=10"
        page.facts(
            gap_theirs=theirs("-m map", "gap"),
            gap_c=theirs("-c -m map", "gap"),
            gap_ours=ours("-m", "map", run="gap"),
            gap_both=ours("-m", "map", "--topics", "both", run="gap"),
            nan_theirs=theirs("-m map", "nan"),
            ideal_theirs=theirs("-M 7 -m ndcg"),
            ideal_ours=ours("-m", "ndcg", "--depth", "7"),
            ideal_full=ours("-m", "nDCG(ideal='full')", "--depth", "7"),
            deep_theirs=theirs("-M 7 -m P.10"),
            gains_theirs=theirs(f"-m {gains}"),
            gains_ours=ours("-m", gains),
            gains_scaled=theirs(f"-m {scaled}"),
        )
        assert theirs(f"-m {scaled}") == ours("-m", scaled)
        rows = []
        for number, (name, (runs, qrels)) in enumerate(tracks.items()):
            judged = f"qrels{number}"
            ir.write_qrels(qrels, judged)
            files = []
            for place, (_, run) in enumerate(runs.groupby("system", sort=False)):
                files.append(f"run{number}-{place}")
                ir.write_run(run, files[-1])
            count, apart = lines_apart(judged, files)
            rows.append(
                {"collection": name, "runs": len(files), "lines": f"{count:,}", "differ": apart}
            )
    page.table(rows, "real")


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
    """Take irframe out of the providers of ir_measures again."""
    import ir_measures

    pipeline = ir_measures.DefaultPipeline.providers
    pipeline[:] = [each for each in pipeline if each.NAME != "irframe"]


def by_measure(provider, measures, judged, run):
    """Return what a provider yields of a run: a row per topic, a column per measure."""
    long = pd.DataFrame(provider.iter_calc(measures, judged, run))
    wide = long.pivot(index="query_id", columns="measure", values="value")
    return wide[measures].rename(columns=str)


def ir_measures_page(tracks):
    """Write what the page on ir_measures shows."""
    import ir_measures
    from ir_measures import ERR, RR, Compat, Judged, NumRet, SetF

    from irframe.interop.provider import SAME

    page = Page("ir-measures")
    without_irframe()
    names = run_page(page.name)
    without_irframe()
    run, judged = names["run"], names["judged"]
    wanted = [RR @ 10, Judged @ 10, Compat, ERR @ 10, SetF(beta=4.0), NumRet(rel=1)]
    theirs = [ir_measures.calc_aggregate([m], judged, run)[m] for m in wanted]
    tied = ["RR@10", "Judged@10", "Compat"]
    ours = [
        *ir.evaluate(run, judged, [*tied, "ERR@10", "SetF(beta=4)"]).mean(),
        ir.evaluate(run, judged, "NumRet(rel=1)").ireval.summary()["mean"].item(),
    ]
    labels = ["rr10", "judged", "compat", "err", "setf", "count"]
    told = {f"{label}_theirs": value for label, value in zip(labels, theirs, strict=True)}
    told |= {f"{label}_ours": value for label, value in zip(labels, ours, strict=True)}
    doc = ir.evaluate(run, judged, tied, ties="doc").mean()
    told |= {f"{label}_doc": value for label, value in zip(labels[:3], doc, strict=True)}
    others = ["ERR(gain=Exponential(top=4))@10", "SetF(beta=2)"]
    told |= dict(zip(["err_top", "setf_two"], ir.evaluate(run, judged, others).mean(), strict=True))
    told["nan_theirs"] = ir_measures.AP.calc_aggregate(judged, run.assign(score=np.nan))
    page.facts(
        measures=len(ALIKE),
        same=len(SAME),
        **{name: f"{value:.0f}" if "count" in name else f"{value:.4f}" for name, value in told.items()},
    )
    measures = [ir_measures.parse_measure(text) for text in ALIKE]
    rows = []
    for name, (runs, qrels) in tracks.items():
        nested, judged = ir.to_pytrec_eval(runs), ir.to_pytrec_eval(qrels)
        parts = {
            str(system): by_measure(ir_measures.pytrec_eval, measures, judged, run)
            for system, run in nested.items()
        }
        theirs = pd.concat(parts, names=["system", "topic"])
        ours = ir.evaluate(runs, qrels, measures, score_dtype="float32")
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


def main():
    """Write everything."""
    warnings.simplefilter("ignore", ir.errors.IrframeWarning)
    tracks = collections(data_folder(__doc__))
    trec_eval_page(tracks)
    ir_measures_page(tracks)
    pytrec_eval_page(tracks)


if __name__ == "__main__":
    main()
