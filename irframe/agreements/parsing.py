"""Methods of agreement by name."""

from typing import Literal

from irframe.agreements.base import Agreement
from irframe.agreements.kendall import Kendall
from irframe.agreements.pearson import Pearson
from irframe.agreements.rbo import RBO
from irframe.agreements.rmse import RMSE
from irframe.agreements.spearman import Spearman
from irframe.agreements.tau_ap import TauAP
from irframe.checks import as_written, choice

AgreementName = Literal[
    "kendall", "pearson", "rbo", "rbo_a", "rbo_b", "rmse", "spearman", "tau_a", "tau_ap",
    "tau_ap_b", "tau_b",
]  # fmt: skip
Method = AgreementName | Agreement
"""A method of agreement, or its name."""

AGREEMENTS: dict[str, Agreement] = {
    "kendall": Kendall(),
    "pearson": Pearson(),
    "rbo": RBO(),
    "rbo_a": RBO(ties="a"),
    "rbo_b": RBO(ties="b"),
    "rmse": RMSE(),
    "spearman": Spearman(),
    "tau_a": Kendall(variant="a"),
    "tau_ap": TauAP(),
    "tau_ap_b": TauAP(ties="b"),
    "tau_b": Kendall(),
}
"""Every name a method of agreement answers to, and what it stands for."""


def parse_agreement(method: Method) -> Agreement:
    """Find the method of agreement that a name stands for.

    Parameters
    ----------
    method
        A name of `AGREEMENTS`, or a value such as ``RBO(p=0.8)``, or its text.

    Returns
    -------
    Agreement
        The method.

    Examples
    --------
    >>> from irframe.agreements import RBO, parse_agreement
    >>> parse_agreement("kendall"), parse_agreement(RBO(p=0.8))
    (Kendall(variant='b'), RBO(p=0.8, ties='w'))
    """
    if isinstance(method, Agreement):
        return method
    kinds = {type(each).__name__: type(each) for each in AGREEMENTS.values()}
    written: Agreement | None = as_written(method, kinds)
    if written is not None:
        return written
    return AGREEMENTS[choice("a method such as RBO(p=0.8), or its name", method, AGREEMENTS)]
