"""What trec_eval prints that is no measure: the name of a run, and the grades of its documents."""

import re
from argparse import Namespace
from collections.abc import Sequence

import numpy as np
import pandas as pd

import irframe as ir
from irframe.errors import ParameterError
from irframe.metrics.spellings import RELSTRING, split_level
from irframe.names import DOC, GRADE, RANK, SYSTEM, TOPIC

RUNID = "runid"
_FORM = re.compile(rf"{RELSTRING}(?:[._](\d+(?:\.\d*)?))?")
_DEFAULT = 10
_IN_SET = "all_trec"
LETTERS = np.array([*".0123456789>-"])
"""Letters of grades from -1 to 10, and of none."""


def measures(asked: Sequence[str]) -> list[str]:
    """Return the names asked for without those that are no measures.

    Examples
    --------
    >>> measures(["map", "relstring.20", "runid"])
    ['map']
    """
    return [name for name in asked if name != RUNID and not _FORM.fullmatch(name)]


def relstrings(
    asked: Sequence[str], runs: pd.DataFrame, qrels: pd.DataFrame, options: Namespace
) -> dict[str, pd.Series]:
    """Spell the grades of the first documents of every list, if ``relstring`` is asked for.

    Parameters
    ----------
    asked
        The names asked for; of several with a length the first counts, as in trec_eval.
    runs, qrels
        Runs and judgments as they are read.
    options
        How lists are ranked and cut.

    Returns
    -------
    dict
        Label -> a letter per document by system and topic: the grade, ``>`` above 9, ``.`` below
        0, ``-`` where there is none.
    """
    lengths = [found[1] for name in asked if (found := _FORM.fullmatch(name))]
    if not lengths and _IN_SET not in {split_level(name)[0] for name in asked}:
        return {}
    if options.ties == "random":
        raise ParameterError("ties that come out alike twice, for relstring", "random")
    written = next(filter(None, lengths), None)
    length = int(float(written)) if written else _DEFAULT
    ranked = ir.verbs.rank(runs, ties=options.ties, score_dtype=options.score_dtype)
    first = ranked[ranked[RANK] <= min(length, options.depth or length)]
    first = first[[SYSTEM, TOPIC, DOC]].merge(qrels[[TOPIC, DOC, GRADE]], how="left")
    grade = first[GRADE].to_numpy(np.float64)
    letters = LETTERS[np.where(np.isnan(grade), 11, np.clip(grade, -1, 10)).astype(int) + 1]
    spelled = first.assign(letter=letters).groupby([SYSTEM, TOPIC])["letter"].agg("".join)
    return {f"{RELSTRING}_{written}" if written else RELSTRING: spelled}
