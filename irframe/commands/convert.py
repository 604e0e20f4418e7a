"""``irframe convert``: runs or judgments in another format."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import irframe as ir
from irframe.commands.answer import Answer, written
from irframe.commands.inputs import source_of, sources_of
from irframe.errors import InputError
from irframe.files.compression import PACKED

KINDS = {".parquet": "parquet", ".parq": "parquet", ".json": "json"}
"""What the name of an output file says of its format; all others are TREC's."""
FORMATS = ("trec", "parquet", "json")


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+",
        help="runs in any format: files, patterns in quotes, folders, or - for standard input",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", help="by default standard output")
    parser.add_argument("--qrels", action="store_true", help="it is one file of judgments")
    parser.add_argument(
        "--subtopics", action="store_true", help="the second column of judgments names subtopics"
    )
    parser.add_argument(
        "--format", choices=FORMATS,
        help="trec; parquet; or json, the dictionaries that pytrec_eval, ranx and BEIR take",
    )  # fmt: skip
    parser.add_argument(
        "--system", choices=("tag", "file"), default="tag", help="where systems get their names"
    )


def run(options: Namespace) -> Answer:
    """Read one format and write another."""
    frame = _read(options)
    kind = options.format or KINDS.get(Path(options.output or "").suffix.lower(), "trec")
    if kind == "trec":
        return _as_trec(
            frame, ir.verbs.write_qrels if options.qrels else ir.verbs.write_run, options.output
        )
    if kind == "json":
        return Answer(json.dumps(ir.verbs.to_pytrec_eval(frame)) + "\n")
    return Answer(written(frame, "parquet"))


def _read(options: Namespace) -> pd.DataFrame:
    if not options.qrels:
        return ir.read_runs(sources_of(options.files), system=options.system)
    if len(options.files) > 1:
        raise InputError("one file of judgments", f"{len(options.files)}", "", options.files)
    return ir.read_qrels(source_of(options.files[0]), subtopics=options.subtopics)


def _as_trec(
    frame: pd.DataFrame, write: Callable[[pd.DataFrame, Path], None], output: str | None
) -> Answer:
    """Return the lines of TREC, packed as the name of the output says."""
    suffix = Path(output or "").suffix
    with TemporaryDirectory() as folder:
        path = Path(folder, "lines" + suffix * (suffix in PACKED))
        write(frame, path)
        return Answer(path.read_bytes())
