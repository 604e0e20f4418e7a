"""Methods of agreement by name."""

from irframe.agreements.base import Agreement
from irframe.agreements.kendall import Kendall
from irframe.agreements.pearson import Pearson
from irframe.agreements.rbo import RBO
from irframe.agreements.rmse import RMSE
from irframe.agreements.spearman import Spearman
from irframe.agreements.tau_ap import TauAP
from irframe.errors import ParameterError

AGREEMENTS: dict[str, Agreement] = {
    "kendall": Kendall(),
    "pearson": Pearson(),
    "rbo": RBO(),
    "rmse": RMSE(),
    "spearman": Spearman(),
    "tau_a": Kendall(variant="a"),
    "tau_ap": TauAP(),
    "tau_b": Kendall(),
}
"""Every name a method of agreement answers to, and what it stands for."""


def parse_agreement(method: str | Agreement) -> Agreement:
    """Find the method of agreement that a name stands for.

    Parameters
    ----------
    method
        A name of `AGREEMENTS`, or a value such as ``RBO(p=0.8)``, which is returned as it is.

    Returns
    -------
    Agreement
        The method.

    Examples
    --------
    >>> from irframe.agreements import TauAP, parse_agreement
    >>> parse_agreement("kendall"), parse_agreement(TauAP(symmetric=True))
    (Kendall(variant='b'), TauAP(symmetric=True))
    """
    if isinstance(method, Agreement):
        return method
    if isinstance(method, str) and method in AGREEMENTS:
        return AGREEMENTS[method]
    names = ", ".join(map(repr, AGREEMENTS))
    advice = "pass one of these names, or a value such as RBO(p=0.8)"
    raise ParameterError(f"a method of agreement, one of {names}", repr(method), advice)
