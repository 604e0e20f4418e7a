"""Where numbers come from: what a cube, scores and results say of themselves."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from irframe.checks import listed
from irframe.cubes.layout import PROVENANCE
from irframe.names import GRADE, RESULT

SETTINGS = ("test", "adjust", "family", "alpha", "method", "margin", "power", "weighted_by")
"""Arguments of verbs that their results tell of."""
NUMBERS = ("alpha", "margin", "power")


def stamped(result: Any, name: str, whole: Any, arguments: Mapping[str, Any]) -> Any:
    """Say in a result's attributes which verb made it, from what, and by which test."""
    if isinstance(result, xr.Dataset) and GRADE in result:
        return result
    if hasattr(result, "attrs"):
        given = {key: arguments[key] for key in SETTINGS if key in arguments}
        given = {key: each for key, each in given.items() if not _left_to_verb(each)}
        plain = {key: each for key, each in given.items() if key in NUMBERS}
        chosen = {key: _text(each) for key, each in given.items()} | plain
        result.attrs = {**provenance(whole), **chosen, **result.attrs, RESULT: name}
    return result


def _left_to_verb(value: Any) -> bool:
    """Tell an argument for which the verb decides, and whose result says what it did."""
    return isinstance(value, str) and value == "auto"


def _text(value: Any) -> str:
    return ", ".join(map(str, listed(value)))


CAUTION = "caution"
"""The attribute of a result that says what to beware of; tables and reports print it."""
WORDS = {
    CAUTION: "{}",
    "ties": "ties {}",
    "seed": "seed {}",
    "weighted_by": "topics weighted by {}",
    "score_dtype": "scores as {}",
    "topics": "topics {}",
    "collection": "collections by {}",
    "rel": "relevant from grade {}",
    "depth": "lists cut at {}",
    "top": "top grade {}",
    "pool_depth": "pool depth {}",
    "irframe": "irframe {}",
}
"""How a caption tells of each attribute."""


def caption(attributes: Mapping[Any, Any]) -> str:
    """Return a line that says what decided some numbers, for under a table or figure.

    Examples
    --------
    >>> import irframe as ir
    >>> caption(ir.verbs.score(ir.cube(*ir.example_track()), "AP").attrs)
    'ties trec; scores as float64; topics qrels; top grade 3; pool depth 10; irframe 0.1.0'
    """
    told = {name: attributes[name] for name in WORDS if name in attributes}
    if np.array_equal(told.get("pool_depth", ""), 0):
        del told["pool_depth"]  # nobody knows it
    texts = {name: " and ".join(map(str, np.atleast_1d(value))) for name, value in told.items()}
    return "; ".join(WORDS[name].format(text) for name, text in texts.items())


def provenance(whole: Any) -> dict[Any, Any]:
    """Return what decided the numbers of a cube, of scores or of a result."""
    attributes = getattr(whole, "attrs", {})
    found = {name: attributes[name] for name in PROVENANCE if name in attributes}
    for name in ("top", "pool_depth"):
        if name in attributes:
            found[name] = attributes[name]
        elif isinstance(whole, xr.Dataset) and name in whole.coords and whole[name].size:
            values = np.unique(whole[name].to_numpy()).tolist()
            found[name] = values[0] if len(values) == 1 else values
    return found


def joined_attributes(parts: Iterable[Mapping[Any, Any]]) -> dict[Any, Any]:
    """Return the attributes of the results of groups as those of one.

    What differs becomes a list, a value for each group; what some groups lack is left out, but for
    cautions, of which each is said once.

    Examples
    --------
    >>> joined_attributes([{"alpha": 0.05, "n": 3}, {"alpha": 0.05, "n": 4, "caution": "few"}])
    {'alpha': 0.05, 'n': [3, 4], 'caution': 'few'}
    """
    every = list(parts)
    shared = [name for name in every[0] if all(name in one for one in every)]
    values = {name: [one[name] for one in every] for name in shared}
    found = {
        name: each[0] if all(np.array_equal(each[0], one) for one in each) else each
        for name, each in values.items()
    }
    told = [part for one in every if CAUTION in one for part in str(one[CAUTION]).split("; ")]
    return found | ({CAUTION: "; ".join(dict.fromkeys(told))} if told else {})


def shared_provenance(parts: Iterable[Any]) -> dict[Any, Any]:
    """Return what decided the numbers of several cubes, with all their top grades and pools."""
    told = [provenance(part) for part in parts]
    values = {
        name: np.unique([each for one in told for each in listed(one.get(name))]).tolist()
        for name in ("top", "pool_depth")
        if any(name in one for one in told)
    }
    several = {name: each if len(each) > 1 else each[0] for name, each in values.items()}
    return {**(told[0] if told else {}), **several}
