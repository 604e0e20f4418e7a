"""Frames as the objects that ranx takes."""

from typing import Any

import pandas as pd

from irframe.errors import InputError
from irframe.experiments.to_pytrec_eval import to_pytrec_eval
from irframe.files.foreign import columns_of
from irframe.names import GRADE, SYSTEM, roles

__all__ = ["to_ranx"]


def to_ranx(frame: pd.DataFrame) -> Any:
    """Make the `ranx.Run`, or `ranx.Qrels`, of a run frame or a qrels frame.

    Parameters
    ----------
    frame
        A qrels frame, if it has grades; else a run frame.

    Returns
    -------
    ranx.Qrels, ranx.Run or list of ranx.Run
        Of several systems a run for each, named after it. Ids are text, as ranx needs it.

    Raises
    ------
    InputError
        If the package ranx is not installed, or for a frame that is neither.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, _ = ir.example_track()
    >>> runs.ireval.to_ranx()[0].name  # doctest: +SKIP
    'bm25'
    """
    try:
        import ranx  # noqa: PLC0415 - only what makes its objects needs it
    except ImportError as error:
        raise InputError("the package ranx", "none", "install it: pip install ranx") from error
    nested = to_pytrec_eval(frame)
    table = columns_of(frame)
    found = {} if table is None else roles(table.columns)
    if GRADE in found:
        return ranx.Qrels(nested)
    if SYSTEM not in found or table is None:
        return ranx.Run(nested)
    systems = [str(system) for system in table[found[SYSTEM]].unique()]
    if len(systems) == 1:
        return ranx.Run(nested, name=systems[0])
    return [ranx.Run(run, name=system) for system, run in nested.items()]
