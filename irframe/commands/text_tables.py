"""Tables beside runs and judgments: of systems, topics and documents, identifiers as text."""

from io import BytesIO
from pathlib import Path

import pandas as pd

from irframe.errors import InputError
from irframe.files.atomic import whole
from irframe.files.compression import load
from irframe.files.read_file import is_in_lines, is_parquet
from irframe.names import ALIASES, TOPIC, roles


def read_text_table(path: str, *, na_filter: bool = False) -> pd.DataFrame:
    """Read a CSV, TSV or Parquet file, what is text as it stands.

    Parameters
    ----------
    path
        The file; what its name does not say is CSV.
    na_filter
        Whether empty fields are missing.
    """
    data = load(path, is_in_lines)
    with whole("a table", path, ValueError, OSError):
        if is_parquet(data):
            return pd.read_parquet(BytesIO(data))
        separator = "\t" if Path(path).suffix.lower() == ".tsv" else ","
        return pd.read_csv(BytesIO(data), dtype=str, sep=separator, na_filter=na_filter)


def read_weights(path: str) -> pd.Series:
    """Read how much topics count: a column of topics, and one of weights."""
    table = read_text_table(path)
    topic = roles(table.columns).get(TOPIC)
    others = [name for name in table.columns if name != topic]
    if topic is None or len(others) != 1:
        wanted = f"a column {' or '.join(ALIASES[TOPIC])} and one of weights in {path}"
        raise InputError(wanted, "", "", map(str, table.columns))
    weights = pd.to_numeric(table[others[0]], errors="coerce")
    return pd.Series(weights.to_numpy(), pd.Index(table[topic].astype(str)), name=others[0])
