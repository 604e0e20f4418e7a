"""Files of runs and judgments, text, Parquet, JSON or CBOR, as tables."""

from pathlib import Path

import pyarrow as pa

from irframe.frames.columns import constant
from irframe.frames.compression import PACKED, Source, load, name_of
from irframe.frames.formats import RUN, Format, parse
from irframe.frames.nested_files import is_nested, parse_nested
from irframe.frames.parquet import is_parquet, parse_parquet
from irframe.names import SYSTEM

__all__ = ["read_file", "run_table", "stem"]

RUN_SUFFIXES = (".run", ".txt", ".trec", ".tsv", ".json", ".lz4", ".parquet", ".parq")


def read_file(source: Source, kind: Format) -> pa.Table:
    """Read a file of either kind, whatever its content is written in."""
    data, name = load(source), name_of(source)
    if is_nested(data):
        return parse_nested(data, name, kind)
    return (parse_parquet if is_parquet(data) else parse)(data, name, kind)


def run_table(source: Source, system: str | None) -> pa.Table:
    """Read a run whose first column names the system; arguments as for `read_run`."""
    table = read_file(source, RUN)
    if system is None and SYSTEM in table.column_names:
        return table
    label = constant(stem(source) if system is None else system, table.num_rows)
    others = table.drop_columns([SYSTEM]) if SYSTEM in table.column_names else table
    return others.add_column(0, SYSTEM, label)


def stem(source: Source) -> str:
    """Name a system after its file."""
    path = Path(name_of(source))
    for suffixes in (PACKED, RUN_SUFFIXES):
        path = path.with_suffix("") if path.suffix.lower() in suffixes else path
    return path.name
