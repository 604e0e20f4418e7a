"""Readers of files in Python and on the command line."""

import contextlib
import gzip
import io
import json
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from properties.oddities import ROLES, Case, Rows
from properties.readers import (
    METRICS,
    READERS,
    CannotError,
    Reader,
    arrow_table,
    dictionaries,
    evaluate,
    evaluated,
    frame,
    inferred,
    nameless,
    nan,
    need,
    one,
    order,
    reader,
    reading,
    sides,
    textual,
)

import irframe as ir
from irframe.__main__ import main
from irframe.errors import IrframeError

TEMPORARY = tempfile.TemporaryDirectory()
FOLDER = Path(TEMPORARY.name)
NUMBER = iter(range(10**9))


def text_of(value: Any) -> str:
    """Return a value as the string that run files contain."""
    need(value is not None)
    need(not isinstance(value, complex | np.complexfloating))
    return str(value)


def written(lines: Iterator[list[Any]], between: str, path: str) -> tuple[Path, bool]:
    """Write lines; return the path and whether lines are unambiguous."""
    lossless, encoded = True, []
    for line in lines:
        cells = [text_of(value) for value in line]
        lossless &= not any(
            between in cell or not cell or "\n" in cell or "\r" in cell for cell in cells
        )
        lossless &= between != " " or not any(cell.split() != [cell] for cell in cells)
        lossless &= not cells[0].startswith("#")
        encoded.append(between.join(cells))
    target = FOLDER / f"{next(NUMBER)}{path}"
    data = "".join(line + "\n" for line in encoded)
    try:
        target.write_bytes(data.encode())
    except UnicodeEncodeError:
        raise CannotError from None
    return target, lossless


def trec(case: Case, between: str, ends=(".txt", ".qrels")) -> tuple[Path, Path, bool]:
    """Write TREC files; return paths and whether lines are unambiguous."""
    nameless(case)
    need(not case.empty and not case.unjudged)
    need(not any({*row} - {*ROLES} or "score" not in row for row in case.run))
    textual(case.run), textual(case.judged)
    ranks = Counter()

    def lines():
        for row in case.run:
            ranks[row.get("system"), row["topic"]] += 1
            rank = row.get("rank", ranks[row.get("system"), row["topic"]])
            yield [row["topic"], "Q0", row["doc"], rank, row["score"], row.get("system", "run")]

    runs, lossless = written(lines(), between, ends[0])
    qrels, also = written(
        ([row["topic"], 0, row["doc"], row["grade"]] for row in case.judged), between, ends[1]
    )
    return runs, qrels, lossless and also


def packed(path: Path) -> Path:
    """Write a compressed copy of a file; return its path."""
    target = path.with_name(path.name + ".gz")
    target.write_bytes(gzip.compress(path.read_bytes()))
    return target


def streamed(runs: Path, qrels: Path) -> Any:
    lines = io.StringIO(runs.read_bytes().decode(), newline="")
    return evaluate(ir.read_run(lines), ir.read_qrels(io.BytesIO(qrels.read_bytes())))


def scanned(runs: Path, qrels: Any) -> Any:
    return evaluated(ir.scan_runs([runs]).ireval.evaluate(ir.read_qrels(qrels), METRICS))


TREC: dict[str, tuple[str, Callable[[Path, Path], Any]]] = {
    "TREC spaces": (" ", lambda runs, qrels: evaluate(ir.read_run(runs), ir.read_qrels(qrels))),
    "TREC tabs": ("\t", lambda runs, qrels: evaluate(ir.read_run(runs), ir.read_qrels(qrels))),
    "TREC gz": (
        "\t",
        lambda runs, qrels: evaluate(ir.read_runs([packed(runs)]), ir.read_qrels(packed(qrels))),
    ),
    "TREC stream": ("\t", streamed),
    "scan_runs": ("\t", scanned),
    "console": ("\t", lambda runs, qrels: console(qrels, str(runs))),
    "console stdin": (" ", lambda runs, qrels: console(qrels, "-", runs.read_bytes())),
}
"""Mapping from readers to the separator of columns and the function that evaluates the two
files."""


def _trec(between: str, read: Callable[[Path, Path], Any]) -> Reader:
    def act(case):
        runs, qrels, lossless = trec(case, between)
        return reading(lambda: read(runs, qrels), lossless=lossless)

    return act


READERS |= {name: _trec(*how) for name, how in TREC.items()}


@reader("written")
def _(case):
    runs, qrels = sides(case, inferred)
    paths = FOLDER / f"{next(NUMBER)}.txt", FOLDER / f"{next(NUMBER)}.qrels"
    try:
        verbs, others = runs.ireval, qrels.ireval
    except AttributeError as error:  # as pandas asks
        raise IrframeError("a run", str(error), "") from error
    need("score" in {*runs})  # TREC files have a column of scores
    try:
        lossless = trec(case, " ")[2]
    except CannotError:
        lossless = True

    def act():
        verbs.write_run(paths[0])
        others.write_qrels(paths[1])
        return evaluate(ir.read_run(paths[0]), ir.read_qrels(paths[1]))

    return reading(act, lossless=lossless)


@reader("converted")
def _(case):
    runs, qrels, lossless = trec(case, "\t")
    targets = FOLDER / f"{next(NUMBER)}.parquet", FOLDER / f"{next(NUMBER)}.parquet"

    def act():
        run_console(["convert", str(runs), "-o", str(targets[0])])
        run_console(["convert", "--qrels", str(qrels), "-o", str(targets[1])])
        return evaluate(ir.read_run(targets[0]), ir.read_qrels(targets[1]))

    return reading(act, lossless=lossless)


@reader("saved cube")
def _(case):
    folder = FOLDER / f"{next(NUMBER)}.cube"
    ir.cube(*sides(case, inferred)).ireval.save(folder)
    found = ir.open_cube(folder).ireval.score(*METRICS).isel(depth=-1)
    return evaluated(found.to_series().unstack("metric"))


class ConsoleError(Exception):
    """A command failed with an exit status other than 2."""


def run_console(line: list[str], given: bytes | None = None) -> None:
    """Run a command; raise its error and issue its warnings.

    Exit status 2 marks errors of irframe.
    """
    err, source = io.StringIO(), io.TextIOWrapper(io.BytesIO(given or b""))
    with (
        mock.patch.object(sys, "stdin", source),
        mock.patch.object(sys, "argv", ["irframe", *line]),
        contextlib.redirect_stderr(err),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        try:
            status = main(line)
        except SystemExit as left:
            status = left.code
    heard = err.getvalue().strip().removeprefix("irframe: ")
    if status:
        raise IrframeError("console", heard, "") if status == 2 else ConsoleError(heard)
    if heard:
        warnings.warn(heard.removeprefix("warning: "), ir.errors.IrframeWarning, stacklevel=2)


def console(qrels: Path, runs: str, given: bytes | None = None) -> Any:
    """Return the scores that the command line prints."""
    out = FOLDER / f"{next(NUMBER)}.csv"
    run_console(["evaluate", str(qrels), runs, "-m", *METRICS, "-q", "-o", str(out)], given)
    scores = pd.read_csv(out, dtype={"system": str, "topic": str}, keep_default_na=False)
    return evaluated(scores.set_index(["system", "topic"])[METRICS].astype(float))


def counted_out(rows):
    """Return whether the ranks in every list are consecutive.

    Ranks must start at 0 or 1, because other numbers may be scores.
    """
    ranks = pd.DataFrame(rows)[["topic", "rank"]].groupby("topic")["rank"].apply(list)
    starts = [[str(number) for number in range(start, 99)] for start in (0, 1)]
    every = [sorted(map(str, values)) for values in ranks]
    return all(values in [sorted(start[: len(values)]) for start in starts] for values in every)


@reader("MS MARCO")
def _(case):
    lists = order(case)
    textual(case.run), textual(case.judged)
    need(not case.empty and not case.unjudged)
    if case.run and "rank" in case.run[0]:
        need(counted_out(case.run))
        lines = [[row["topic"], row["doc"], row["rank"]] for row in case.run]
    else:
        lines = [
            [topic, doc, place]
            for topic, docs in lists.items()
            for place, doc in enumerate(docs, 1)
        ]
    runs, lossless = written(iter(lines), "\t", ".tsv")
    qrels, also = written(
        ([row["topic"], 0, row["doc"], row["grade"]] for row in case.judged), "\t", ".tsv"
    )
    return reading(
        lambda: evaluate(ir.read_run(runs), ir.read_qrels(qrels)), lossless=lossless and also
    )


def with_header(case: Case, rows: Rows, last: str, ends: str) -> Path:
    """Write a CSV or TSV file with a header."""
    need(not case.twice and not case.empty and not case.unjudged)
    textual(rows)
    need(not any("\r" in str(value) for row in rows for value in row.values()))  # ends lines
    target = FOLDER / f"{next(NUMBER)}{ends}"
    try:
        frame(case, rows, last).to_csv(target, sep="," if ends == ".csv" else "\t", index=False)
    except UnicodeEncodeError:
        raise CannotError from None
    return target


def in_text(case: Case, rows: Rows, last: str) -> pd.DataFrame:
    """Return rows whose ids are converted to text."""
    textual(rows)
    return inferred(
        case, [row | {key: str(row[key]) for key in ("topic", "doc")} for row in rows], last
    )


def _header(ends: str, side: str) -> Reader:
    def act(case):
        if side == "runs":
            return evaluate(
                ir.read_run(with_header(case, case.run, "score", ends)),
                in_text(case, case.judged, "grade"),
            )
        return evaluate(
            in_text(case, case.run, "score"),
            ir.read_qrels(with_header(case, case.judged, "grade", ends)),
        )

    return act


for _ends in (".tsv", ".csv"):
    for _side in ("runs", "qrels"):
        READERS[f"{_ends[1:]} {_side}"] = _header(_ends, _side)


def plainly(value: Any) -> Any:
    """Convert a number that the json module refuses."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Decimal):
        need(Decimal(float(value)) == value)
        return float(value)
    raise CannotError


def dumped(value: Any) -> str:
    try:
        return json.dumps(value, default=plainly)
    except TypeError:
        raise CannotError from None


def json_file(text: str, ends: str) -> Path:
    target = FOLDER / f"{next(NUMBER)}{ends}"
    target.write_text(text)
    return target


def keyed(frame: Any) -> str:
    """Return nested dictionaries as JSON if keys stay distinct."""

    def check(value):
        if isinstance(value, dict):
            need(
                all(isinstance(key, str) or type(key) is int for key in value)
                and len({*map(str, value)}) == len(value)
            )
            [check(item) for item in value.values()]

    check(frame)
    return dumped(frame)


@reader("JSON dict")
def _(case):
    runs, qrels = dictionaries(case)
    return in_keys(case, one(runs), qrels)


@reader("JSON of systems")
def _(case):
    runs, qrels = dictionaries(case)
    need(runs)
    return in_keys(case, runs, qrels)


def in_keys(case: Case, runs: Any, qrels: Any) -> Any:
    textual(case.run), textual(case.judged)
    paths = [json_file(keyed(frame), ".json") for frame in (runs, qrels)]
    return evaluate(ir.read_run(paths[0]), ir.read_qrels(paths[1]))


def in_json(case: Case, rows: Rows, *, lines: bool) -> Path:
    need(not case.twice and not case.empty and not case.unjudged)
    need(not any(nan(row[key]) for row in rows for key in ("topic", "doc")))
    records = case.write(rows)
    return json_file(
        "".join(dumped(row) + "\n" for row in records) if lines else dumped(records),
        ".jsonl" if lines else ".json",
    )


@reader("JSON lines")
def _(case):
    paths = [in_json(case, rows, lines=True) for rows in (case.run, case.judged)]
    return evaluate(ir.read_run(paths[0]), ir.read_qrels(paths[1]))


@reader("JSON records")
def _(case):
    paths = [in_json(case, rows, lines=False) for rows in (case.run, case.judged)]
    return evaluate(ir.read_run(paths[0]), ir.read_qrels(paths[1]))


def parquet(case, rows, last):
    target = FOLDER / f"{next(NUMBER)}.parquet"
    try:
        pq.write_table(arrow_table(case, rows, last), target)
    except pa.ArrowException:
        raise CannotError from None
    return target


@reader("Parquet")
def _(case):
    runs, qrels = sides(case, parquet)
    return evaluate(ir.read_run(runs), ir.read_qrels(qrels))


@reader("scan Parquet")
def _(case):
    return scanned(*sides(case, parquet))


@reader("console Parquet")
def _(case):
    runs, qrels = sides(case, parquet)
    return console(qrels, str(runs))
