"""Documents that share an id, and documents that should."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.experiments.coded_tables import QrelsTable, RunTable
from irframe.files.ids import Codes, is_text
from irframe.names import DOC

TEXT_COLUMNS = ("text", "contents", "content", "body", "passage_text", "document")
"""Columns of the texts of documents."""


def like_spelled(table: RunTable, judgments: QrelsTable, rows: Codes) -> Codes:
    """Return the rows, of some, whose name is a judged document's but for how it is spelled.

    Names differ by case, by their form in Unicode, or by ``./`` at the beginning.
    """
    if not len(rows) or not (is_text(table.doc.type) and is_text(judgments.doc.type)):
        return rows[:0]
    names, known = table.doc.take(pa.array(rows)), pc.unique(judgments.doc.cast(pa.large_string()))
    plain, plain_known = (
        pc.replace_substring_regex(pc.utf8_lower(pc.utf8_normalize(each, "NFKC")), r"^(\./)+", "")
        for each in (names.cast(pa.large_string()), known)
    )
    alike = pc.is_in(plain, value_set=plain_known)
    return np.asarray(rows[pc.and_(alike, pc.invert(pc.is_in(names, value_set=known))).to_numpy()])


def with_other_texts(table: RunTable) -> Codes:
    """Return the rows whose document has another text in an earlier row."""
    own = table.columns.get(DOC)
    name = next((n for n in TEXT_COLUMNS if n in table.frame.columns and n != own), None)
    if name is None:
        return np.arange(0)
    texts = table.frame[name].astype(str).to_numpy(object)
    pairs = pd.DataFrame({"doc": table.doc.to_numpy(), "text": texts})
    first = pairs.groupby("doc", sort=False)["text"].transform("first")
    return np.flatnonzero((pairs["text"] != first).to_numpy())
