"""``irframe convert``, ``irframe metrics`` and ``irframe demo``."""

import inspect
import json
from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import xarray as xr

import irframe as ir
from irframe.commands.answer import Answer, declare_output, format_of, wrapped, written
from irframe.commands.evaluate import means
from irframe.commands.inputs import declare_reading, reading_options, source_of, sources_of
from irframe.cubes.view import experiment_of
from irframe.errors import InputError
from irframe.files.sources import PACKED
from irframe.files.write_run import atomic, create
from irframe.metrics import Metric
from irframe.metrics.facts import names_of
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.printed import fixed_text, p_text

KINDS = {".parquet": "parquet", ".parq": "parquet", ".json": "json"}
"""Mapping from the suffix of an output file to its format.

Files with any other suffix are written in TREC format."""
FORMATS = ("trec", "parquet", "json")


def declare_convert(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe convert``."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+",
        help="files of runs in any format; patterns in quotes; folders; or - for standard input",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="file to write; default: standard output"
    )
    parser.add_argument(
        "--qrels", action="store_true", help="convert one file of judgments instead of runs"
    )
    parser.add_argument(
        "--subtopics", action="store_true", help="read the second column of judgments as subtopics"
    )
    parser.add_argument(
        "--format", choices=FORMATS,
        help="output format; json is {topic: {doc: score}}, as in pytrec_eval, ranx and BEIR",
    )  # fmt: skip
    declare_reading(parser)


def run_convert(options: Namespace) -> Answer:
    """Read one format and write another."""
    if options.qrels and len(options.files) > 1:
        raise InputError("one file of judgments", f"{len(options.files)} files", "", options.files)
    if options.qrels:
        source = source_of(options.files[0])
        frame = ir.read_qrels(source, subtopics=options.subtopics, **reading_options(options))
    else:
        sources = sources_of(options.files)
        frame = ir.read_runs(sources, system=options.system, **reading_options(options))
    output = Path(options.output or "")
    suffixes = [suffix for suffix in output.suffixes if suffix.lower() not in PACKED]
    kind = options.format or KINDS.get("".join(suffixes[-1:]).lower(), "trec")
    write = ir.verbs.write_qrels if options.qrels else ir.verbs.write_run
    if options.output is not None and options.format is None and kind != "json":
        write(frame, options.output)
        return Answer(None)
    # writers accept only paths, so output for stdout is first written to a temporary file
    with TemporaryDirectory() as folder:
        packed = output.suffix if output.suffix.lower() in PACKED else ""
        path = Path(folder, f"rows.{kind}{packed}")
        if kind == "json":
            with create(path) as stream:
                stream.write(f"{json.dumps(ir.verbs.to_pytrec_eval(frame))}\n".encode())
        else:
            write(frame, path)
        return Answer(path.read_bytes())


def declare_metrics(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe metrics``."""
    parser.add_argument(
        "names",
        metavar="METRIC",
        nargs="*",
        help="metrics to explain, such as nDCG or map_cut_10; default: list all metrics",
    )
    declare_output(parser)


def run_metrics(options: Namespace) -> Answer:
    """List all metrics, or explain some of them."""
    kind = format_of(options)
    if not options.names:
        rows = [
            (
                name,
                ", ".join(names_of(metric)[1:]),
                (inspect.getdoc(metric) or "").partition("\n")[0],
            )
            for name, metric in sorted(ir.metrics.METRICS.items(), key=lambda item: item[0].lower())
        ]
        frame = pd.DataFrame(rows, columns=["metric", "also", "says"])
        if kind != "table":
            return Answer(written(frame, kind))
        also = (f" Also {names}." if names else "" for _, names, _ in rows)
        lines = (
            f"{name:<18}{says}{more}" for (name, _, says), more in zip(rows, also, strict=True)
        )
        return Answer("".join(f"{wrapped(line, ' ' * 18)}\n" for line in lines))
    kinds = [type(ir.parse_metric(name)) for name in options.names]
    return Answer("\n".join(map(_explained, kinds)))


def _explained(kind: type[Metric]) -> str:
    """Format the parameters and the docstring of a metric."""
    fields = inspect.signature(kind).parameters.values()
    called = ", ".join(f"{field.name}={field.default!r}" for field in fields)
    prose, mark, code = (inspect.getdoc(kind) or "").partition("\nExamples\n")
    # lines of docstrings are too long for a terminal, so each paragraph is joined and wrapped again
    lines = [f"{kind.__name__}({called})", ""]
    for line in prose.split("\n"):
        before = lines[-1]
        margin = _margin(line)
        of_one = margin == _margin(before) and before.strip("-") and line[margin:][:1] not in "-."
        if line and before and (of_one or (before[:2] == ".." and margin)):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    margins = (" " * (_margin(line) or 3 * (line[:2] == "..")) for line in lines)
    return "\n".join([*map(wrapped, lines, margins), f"{mark}{code}"])


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def declare_demo(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe demo``."""
    parser.add_argument(
        "--files", metavar="FOLDER", help="write the files of the track to this folder instead"
    )
    parser.add_argument(
        "--report", metavar="FILE", default="irframe-demo.html",
        help="HTML file to write; default: irframe-demo.html",
    )  # fmt: skip


def run_demo(options: Namespace) -> Answer:
    """Evaluate the example track, or write its files."""
    if options.files is None:
        return Answer(_demo_text() + _reported(options.report))
    _write(Path(options.files))
    return Answer(None)


def _write(folder: Path) -> None:
    """Write judgments, runs and a table of systems."""
    runs, qrels = ir.example_track()
    Path(folder, "runs").mkdir(parents=True, exist_ok=True)
    ir.verbs.write_qrels(qrels, folder / "qrels.txt")
    for system, run in runs.groupby(SYSTEM, sort=False):
        ir.verbs.write_run(run, folder / "runs" / f"{system}.gz")
    systems = runs[[SYSTEM, "team", "contributing"]].drop_duplicates()
    with atomic(folder / "systems.csv") as stream:
        systems.to_csv(stream, index=False)


def _pairs_text(versus: pd.DataFrame) -> str:
    rounded = versus.assign(p_adjusted=versus["p_adjusted"].map(p_text))
    return rounded.to_string(index=False, float_format=partial(fixed_text, decimals=3))


def _demo_text() -> str:
    """Return example results, and the code that computes them."""
    runs, qrels = ir.example_track()
    cube = ir.cube(runs, qrels)
    systems, topics, depth = cube["grade"].shape
    pool = int(experiment_of(cube).known_pool.depth.min())
    scores = ir.evaluate(runs, qrels, ["AP", "nDCG@10", "RBP(p=0.8)"])
    versus = ir.verbs.compare(scores, adjust="holm", baseline="bm25").query("metric == 'AP'")
    columns = ["system_a", "difference", "ci_low", "ci_high", "p_adjusted", "wins", "losses"]
    depths = _by_depth(cube, pool)
    intro = (
        f"A simulated track: {systems} systems, {topics} topics, lists of {depth}, judged by "
        f"pooling some of the runs to depth {pool}. One line of code makes each table below."
    )
    end = (
        "To read your own files, call ir.read_runs('runs/*.gz') and ir.read_qrels('qrels.txt'), or "
        "run irframe evaluate QRELS RUN... -m AP nDCG@10. To write the files of this track, run "
        "irframe demo --files track."
    )
    return (
        f"{wrapped(intro)}\n\n"
        "Mean scores, runs.ireval.evaluate(qrels, [...]).ireval.summary():\n\n"
        f"{written(means(scores), 'table')!s}\n"
        "AP against bm25, scores.ireval.compare('t', adjust='holm', baseline='bm25'):\n\n"
        f"{_pairs_text(versus[columns])}\n\n"
        "Properties of AP(norm='min') by depth:\n\n"
        f"{depths.to_string(float_format=partial(fixed_text, decimals=2))}\n\n"
        f"{wrapped(_in_words(depths, 5, pool))}\n\n{wrapped(end)}\n\n"
    )


def _in_words(depths: pd.DataFrame, depth: int, pool: int) -> str:
    """Explain in words the results at one depth."""
    row = depths.loc[depth]
    return (
        f"Discrimination: at depth {depth}, {row['discrimination']:.0%} of the pairs of systems "
        f"differ significantly. Coverage: {row['coverage']:.0%} of the pairs that differ "
        f"significantly at depth {pool}, the pool depth, also do at depth {depth}, in the same "
        "direction. Kendall's tau between the orders of systems by their means at both depths is "
        f"{row['tau']:.2f}. A tau of 1 means the same order, and -1 the reverse order."
    )


def _reported(path: str) -> str:
    """Write the report of the track, and return a message."""
    runs, qrels = ir.example_track()
    try:
        page = ir.report(runs, qrels, path, baseline="bm25", title="The example track")
    except (InputError, OSError) as error:
        return f"The HTML report of the track was not written: {error}\n"
    return f"The HTML report of the track, to open in a browser:\n{page.resolve()}\n"


def _by_depth(cube: xr.Dataset, reference: int) -> pd.DataFrame:
    scores = ir.verbs.score(cube, "AP(norm='min')")
    columns = {
        "discrimination": ir.verbs.discrimination(scores),
        "coverage": ir.verbs.coverage(scores, reference),
        "tau": ir.verbs.volatility(scores).sel(depth_other=reference),
    }
    depths = [k for k in (1, 2, 5, 10, 20, 50) if k <= cube.sizes[DEPTH]]
    return pd.DataFrame(
        {name: values.isel({METRIC: 0}).sel({DEPTH: depths}) for name, values in columns.items()},
        index=pd.Index(depths, name=DEPTH),
    )
