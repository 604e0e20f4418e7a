"""``irframe judge-next``: which documents to judge next."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import irframe as ir
from irframe.commands.answer import Answer, declare_output, format_of, written
from irframe.commands.inputs import read_all, read_judgments
from irframe.commands.line import declare_files
from irframe.commands.options import declare_options, given
from irframe.commands.systems import declare_systems
from irframe.commands.text_tables import read_text_table
from irframe.errors import InputError
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import ALIASES, DOC, GRADE, roles

QRELS = "qrels"
TEXT = "text"


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    declare_files(parser)
    parser.add_argument("-n", type=int, required=True, help="how many documents, over all topics")
    parser.add_argument(
        "--method", choices=("pool", "mtf", "maxmean", "leverage"), default="leverage",
        help="how they are chosen",
    )  # fmt: skip
    parser.add_argument(
        "--credit", choices=("all", "run"), default="all",
        help="maxmean: whether a judgment counts for all runs with the document, or for one",
    )  # fmt: skip
    parser.add_argument(
        "--batch", type=int, default=1, help="documents of a topic chosen on what is known before"
    )
    parser.add_argument(
        "--prior", metavar="TABLE",
        help="CSV, TSV or Parquet file of a model's judgments: topic, doc, grade or probability",
    )  # fmt: skip
    parser.add_argument("--rel", type=int, default=1, help="lowest relevant grade")
    parser.add_argument(
        "--texts", metavar="TABLE", help="CSV, TSV or Parquet file of documents: doc, text"
    )
    declare_options(parser, ir.cube)
    declare_systems(parser)
    declare_output(parser, QRELS)


def run(options: Namespace) -> Answer:
    """List the documents."""
    cube = ir.cube(
        read_all(options),
        read_judgments(options),
        contributing=options.contributing,
        **given(options, ir.cube) | {"depth": None},
    )
    found = ir.verbs.judge_next(
        cube,
        options.n,
        options.method,
        credit=options.credit,
        batch=options.batch,
        prior=None if options.prior is None else read_text_table(options.prior),
        depth=options.depth,
        rel=options.rel,
        seed=options.seed,
    )
    kind = format_of(options)
    if kind == QRELS:
        return _as_qrels(found)
    if options.texts is not None:
        found[TEXT] = found[DOC].astype(str).map(_texts(options.texts)).fillna("")
    return Answer(written(found, kind))


def _texts(path: str) -> pd.Series:
    """Return the text of every document of a table."""
    table = read_text_table(path)
    doc = roles(table.columns).get(DOC)
    if doc is None or TEXT not in table.columns:
        wanted = f"columns {' or '.join(ALIASES[DOC])}, and {TEXT}, in {path}"
        raise InputError(wanted, "", "", table.columns)
    known = table.set_index(table[doc].astype(str))[TEXT]
    return known[~known.index.duplicated()]


def _as_qrels(found: pd.DataFrame) -> Answer:
    """Return lines of judgments that are yet to be made, marked with -1."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "lines")
        ir.verbs.write_qrels(found.assign(**{GRADE: POOLED_UNJUDGED}), path)
        return Answer(path.read_bytes())
