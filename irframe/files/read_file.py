"""Files of runs and judgments, text, Parquet, JSON or CBOR, as tables."""

from pathlib import Path

import pyarrow as pa

from irframe.files.columns import constant
from irframe.files.compression import PACKED, Source, load, name_of
from irframe.files.dictionary_files import is_nested, parse_nested
from irframe.files.folders import home, partitions
from irframe.files.formats import RUN, Format, parse
from irframe.files.parquet import is_parquet, parse_parquet
from irframe.names import SYSTEM, roles

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
    return with_system(read_file(source, RUN), source, system)


def with_system(table: pa.Table, source: Source, system: str | None) -> pa.Table:
    """Return a run whose first column names the system, with what its folders say of it."""
    told = partitions(name_of(source))
    known = roles(told).get(SYSTEM)
    label = told.pop(str(known)) if known else None
    for name, value in told.items():
        if name not in table.column_names:
            table = table.append_column(name, constant(value, table.num_rows))
    if system is None and label is None and SYSTEM in table.column_names:
        return table
    chosen = system or label or stem(source)
    others = table.drop_columns([SYSTEM]) if SYSTEM in table.column_names else table
    return others.add_column(0, SYSTEM, constant(chosen, table.num_rows))


def stem(source: Source) -> str:
    """Name a system after its file."""
    path = Path(home(name_of(source)))
    for suffixes in (PACKED, RUN_SUFFIXES):
        path = path.with_suffix("") if path.suffix.lower() in suffixes else path
    return path.name
