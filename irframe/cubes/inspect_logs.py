"""Samples of Inspect's logs, as `inspect_ai.analysis.samples_df` gives them, as scores."""

from typing import Any

import numpy as np
import pandas as pd

from irframe.errors import InputError
from irframe.names import METRICS, REPEATS, SYSTEM, TOPIC

__all__ = ["is_inspect", "of_inspect"]

NAMED = {"sample_id", "eval_id", "id", "epoch"}
"""Columns by which samples are known; `id` is that of the question, in every epoch."""
SCORED = "score_"
"""How columns of scores begin."""
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partially correct, incorrect and no answer, in numbers."""
ONE = "run"
MODEL, EPOCH = "model", "epoch"


def is_inspect(frame: pd.DataFrame) -> bool:
    """Tell whether a frame holds samples of Inspect's logs.

    Examples
    --------
    >>> is_inspect(pd.DataFrame(columns=["sample_id", "eval_id", "id", "epoch", "score_match"]))
    True
    """
    names = [name for name in frame.columns if isinstance(name, str)]
    return {*names} >= NAMED and any(name.startswith(SCORED) for name in names)


def of_inspect(frame: pd.DataFrame) -> pd.DataFrame:
    """Return scores of samples: index (model, epoch, topic), a column for each scorer.

    Epochs are answers sampled again, repeats inside their topics. A sample without a score, as
    after an error, has none.

    Parameters
    ----------
    frame
        What ``samples_df(logs, columns=SampleSummary + EvalModel)`` gives.

    Raises
    ------
    InputError
        For logs of several runs that do not say of which model, and scores that are no numbers.
    """
    several = len(frame["eval_id"].unique()) > 1
    if MODEL not in frame.columns and several:
        advice = "samples_df(logs, columns=SampleSummary + EvalModel) has it"
        raise InputError("a column model beside samples of several runs", "none", advice)
    names = [name for name in frame.columns if str(name).startswith(SCORED)]
    scores = {str(name).removeprefix(SCORED): _numbers(frame[name]) for name in names}
    systems = frame[MODEL] if MODEL in frame.columns else pd.Series(ONE, frame.index)
    levels: list[Any] = [systems.astype(str), frame[EPOCH].astype("int64"), frame["id"].astype(str)]
    names_of: list[Any] = [MODEL if MODEL in frame.columns else SYSTEM, EPOCH, TOPIC]
    index = pd.MultiIndex.from_arrays(levels, names=names_of)
    found = pd.DataFrame(scores, index)
    found.attrs = {METRICS: list(scores)} | ({REPEATS: "topic"} if index.levels[1].size > 1 else {})
    return found


def _numbers(column: pd.Series) -> Any:
    """Return scores as numbers, letters as Inspect's own metrics count them."""
    values = column.astype(object).where(column.notna(), np.nan)
    letters = values.map(LETTERS)
    numbers = pd.to_numeric(values.where(letters.isna()), errors="coerce")
    found = letters.where(letters.notna(), numbers).to_numpy(np.float64)
    strange = values[np.isnan(found) & values.notna().to_numpy()]
    if len(strange):
        wanted = f"numbers, or the letters {', '.join(LETTERS)}, in column {column.name!r}"
        raise InputError(wanted, f"{len(strange)} that are none", "", map(repr, strange))
    return found
