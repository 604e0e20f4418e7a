"""``irframe check``, ``irframe diagnose`` and ``irframe judge-next``: what numbers rest on."""

from argparse import ArgumentParser, Namespace
from collections.abc import Hashable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

import irframe as ir
from irframe.commands import answer, inputs
from irframe.errors import InputError
from irframe.files.read_file import plain_table
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import ALIASES, DOC, GRADE, roles
from irframe.printed import FIRST, fitted

SHOWN = 3
"""How much of what a list holds is printed; files in other formats have all of it."""


def declare_check(parser: ArgumentParser) -> None:
    """Declare the options."""
    inputs.declare_files(parser)
    inputs.declare_options(parser, ir.verbs.check)
    answer.declare_failing(parser)
    answer.declare_output(parser)


def run_check(options: Namespace) -> answer.Answer:
    """Check all runs, those of files that cannot be read as well."""
    runs, problems = inputs.read_sound(options)
    arguments = inputs.given(options, ir.verbs.check)
    rows = ir.verbs.check(runs, inputs.read_judgments(options), problems=problems, **arguments)
    kind = answer.format_of(options)
    content = (
        _table_and_lists(rows, kind)
        if kind in {"table", "markdown"}
        else answer.written(rows, kind)
    )
    return answer.Answer(content, answer.status_of(rows["severity"], options.fail_on))


def _table_and_lists(rows: pd.DataFrame, kind: str) -> str:
    """Return a table of numbers, and below it a line for every list, its beginning and length."""
    held = rows.map(lambda value: isinstance(value, tuple)).all()
    numbers, note = rows.loc[:, ~held], ""
    if kind == "table":
        numbers, note = fitted(pd.DataFrame(numbers), FIRST["check"])
    table, lines = str(answer.written(numbers, kind)), []
    for run, row in rows.iterrows():
        for name in row["found"]:
            shown = [*map(str, row[name][:SHOWN]), *["..."] * (len(row[name]) > SHOWN)]
            begin = "- " if kind == "markdown" else ""
            lines.append(f"{begin}{run}: {name} ({len(row[name])}): {', '.join(shown)}\n")
    parts = [table, note and f"{note}\n", "\n" * bool(lines), *lines]
    return "".join(parts)


LONGEST = 300
"""Characters of the places of a finding that are printed."""


def declare_diagnose(parser: ArgumentParser) -> None:
    """Declare the options."""
    inputs.declare_scoring(parser, ir.verbs.diagnose, required=False)
    answer.declare_failing(parser)
    answer.declare_output(parser)


def run_diagnose(options: Namespace) -> answer.Answer:
    """Report everything that is found; files in other formats than text have all places."""
    findings = ir.verbs.diagnose(
        inputs.read_all(options),
        inputs.read_judgments(options),
        options.metric,
        contributing=options.contributing,
        errors="report",
        **inputs.given(options, ir.verbs.diagnose),
    )
    kind = answer.format_of(options)
    if kind == "table":
        content: str | bytes = "\n".join(map(_diagnose_told, findings.to_dict("records")))
    else:
        content = answer.written(findings, kind)
    return answer.Answer(content, answer.status_of(findings["severity"], options.fail_on))


def _diagnose_told(finding: dict[Hashable, Any]) -> str:
    """Return a paragraph."""
    places = str(finding["where"])
    if len(places) > LONGEST:
        places = places[:LONGEST].rpartition(", ")[0] + ", ..."
    lines = (
        f"{finding['severity']}: {finding['what']} ({finding['how_many']})",
        f"  where: {places}",
        f"  advice: {finding['advice']}",
        f"  see: {finding['reference']}",
    )
    return "".join(f"{answer.wrapped(line, '    ')}\n" for line in lines)


QRELS = "qrels"
TEXT = "text"


def declare_judge_next(parser: ArgumentParser) -> None:
    """Declare the options."""
    inputs.declare_files(parser)
    parser.add_argument(
        "-n", type=int, default=100, help="how many documents, over all topics; 100 by default"
    )
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
    inputs.declare_options(parser, ir.cube)
    inputs.declare_systems(parser)
    answer.declare_output(parser, QRELS)


def run_judge_next(options: Namespace) -> answer.Answer:
    """List the documents."""
    cube = ir.cube(
        inputs.read_all(options),
        inputs.read_judgments(options),
        contributing=options.contributing,
        **inputs.given(options, ir.cube) | {"depth": None},
    )
    documents = ir.verbs.judge_next(
        cube,
        options.n,
        options.method,
        credit=options.credit,
        batch=options.batch,
        prior=None if options.prior is None else plain_table(options.prior),
        depth=options.depth,
        rel=options.rel,
        seed=options.seed,
    )
    kind = answer.format_of(options)
    if kind == QRELS:  # lines of judgments that are yet to be made
        with TemporaryDirectory() as folder:
            path = Path(folder, "lines")
            ir.verbs.write_qrels(documents.assign(**{GRADE: POOLED_UNJUDGED}), path)
            return answer.Answer(path.read_bytes())
    if options.texts is not None:
        documents[TEXT] = documents[DOC].astype(str).map(_texts(options.texts)).fillna("")
    return answer.Answer(answer.written(documents, kind))


def _texts(path: str) -> pd.Series:
    """Return the text of every document of a table."""
    table = plain_table(path)
    doc = roles(table.columns).get(DOC)
    if doc is None or TEXT not in table.columns:
        wanted = f"columns {' or '.join(ALIASES[DOC])}, and {TEXT}, in {path}"
        raise InputError(wanted, "", "", table.columns)
    known = table.set_index(table[doc].astype(str))[TEXT]
    return known[~known.index.duplicated()]
