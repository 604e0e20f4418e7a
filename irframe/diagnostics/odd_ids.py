"""Documents with similar ids, different texts, or outside a collection."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import listing
from irframe.experiments.coded_tables import QrelsTable, RunTable, read_qrels_table
from irframe.files.as_runs import Qrels
from irframe.files.ids import Codes, is_text
from irframe.names import DOC

TEXT_COLUMNS = ("text", "contents", "content", "body", "passage_text", "document")
"""Names of columns with texts of documents."""


def like_spelled(table: RunTable, judgments: QrelsTable, rows: Codes) -> Codes:
    """Return the rows whose names nearly equal judged documents.

    Only the given rows are searched. Spellings differ by case, Unicode form, or ``./`` at the
    beginning.
    """
    if not len(rows) or not (is_text(table.doc.type) and is_text(judgments.doc.type)):
        return rows[:0]
    names, judged_names = (
        table.doc.take(pa.array(rows)),
        pc.unique(judgments.doc.cast(pa.large_string())),
    )
    plain, plain_judged = (
        pc.replace_substring_regex(pc.utf8_lower(pc.utf8_normalize(each, "NFKC")), r"^(\./)+", "")
        for each in (names.cast(pa.large_string()), judged_names)
    )
    alike = pc.is_in(plain, value_set=plain_judged)
    return np.asarray(
        rows[pc.and_(alike, pc.invert(pc.is_in(names, value_set=judged_names))).to_numpy()]
    )


def with_other_texts(table: RunTable) -> Codes:
    """Return the rows whose document has a different text earlier."""
    doc_column = table.columns.get(DOC)
    name = next((n for n in TEXT_COLUMNS if n in table.frame.columns and n != doc_column), None)
    if name is None:
        return np.arange(0)
    texts = table.frame[name].astype(str).to_numpy(object)
    pairs = pd.DataFrame({"doc": table.doc.to_numpy(), "text": texts})
    first = pairs.groupby("doc", sort=False)["text"].transform("first")
    return np.flatnonzero((pairs["text"] != first).to_numpy())


def judgment_cautions(
    judgments: QrelsTable, documents: Iterable[Any] | None, train: Qrels | None
) -> Iterator[str]:
    """Yield cautions about judged documents outside collection or in training."""
    topics = judgments.topics.astype(str)
    docs = _docs_of(judgments)
    if documents is not None and len(missing := docs[~docs.isin([*map(str, documents)])]):
        counts = f"{len(missing)} of {len(docs)} ({listing(missing)})"
        yield f"judged documents outside the collection: {counts}"
    if train is None:
        return
    seen = read_qrels_table(train)
    trained = topics[topics.isin(seen.topics.astype(str))]
    n_docs = int(docs.isin(_docs_of(seen)).sum())
    if len(trained) or n_docs:
        named = f" ({listing(trained)})" * bool(len(trained))
        counts = f"{len(trained)} of {len(topics)} judged topics{named}"
        yield f"training data contain {counts} and {n_docs} of {len(docs)} judged documents"


def _docs_of(judgments: QrelsTable) -> pd.Index:
    """Return the distinct judged documents as text."""
    named: pd.Index = pd.Index(judgments.doc.unique().to_pandas(), dtype=str)
    return named
