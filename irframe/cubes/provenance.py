"""Where numbers come from: what a cube, scores and results say of themselves."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from irframe.checks import listed
from irframe.cubes.layout import CODES, EXPERIMENT, PROVENANCE
from irframe.cubes.view import experiment_of
from irframe.experiments.scorer import one_or_several
from irframe.names import GRADE, METRICS, RESULT
from irframe.record import FACTS, SOURCES, applied, plain_options, with_step

CAUTION = "caution"
"""The attribute of a result that says what to beware of; tables and reports print it."""


POLICY = {"ties", "score_dtype", "topics"}
"""Arguments of verbs of frames that a cube has settled."""


def stamped(
    result: Any, name: str, whole: Any, options: Mapping[str, Any], subject: Any = None
) -> Any:
    """Say in a result's attributes which verb made it, from what, and by which options.

    Cubes have the record alone; other results each option that is a number or a text, too.
    """
    subject = whole if subject is None else subject
    if isinstance(result, xr.DataTree) or (isinstance(result, xr.Dataset) and GRADE in result):
        return with_step(result, subject, name, options)
    if hasattr(result, "attrs"):
        if isinstance(whole, xr.Dataset) and GRADE in whole:  # made by a policy of its own
            given = options.items()
            options = {k: v for k, v in given if k not in POLICY or not isinstance(v, str)}
        kept = result.attrs
        before = getattr(whole, "attrs", {})
        facts = {key for key in FACTS & kept.keys() if kept[key] != before.get(key)}
        options = applied(options, kept, whole)
        chosen = {k: v for k, v in plain_options(options).items() if k not in facts}
        if isinstance(result, xr.Dataset | xr.DataArray):  # which is of no experiment any more
            result = result.drop_vars(CODES.values(), errors="ignore")
        result.attrs = {**provenance(whole), **_decided(whole), **kept, **chosen, RESULT: name}
        return with_step(result, subject, name, options)
    return result


def _decided(whole: Any) -> dict[Any, Any]:
    """Return what decided a result that is looked at further; of cubes and scores nothing."""
    attributes = getattr(whole, "attrs", {})
    result = attributes.get(RESULT) not in {None, *SOURCES}
    return {k: v for k, v in attributes.items() if k != METRICS} if result else {}


def provenance(whole: Any) -> dict[Any, Any]:
    """Return what decided the numbers of a cube, of scores or of a result."""
    attributes = getattr(whole, "attrs", {})
    found = {name: attributes[name] for name in PROVENANCE if name in attributes}
    for name in ("top", "pool_depth"):
        if name in attributes:
            found[name] = attributes[name]
    if EXPERIMENT in attributes:
        experiment = experiment_of(whole)
        for name, values in (("top", experiment.tops), ("pool_depth", experiment.known_pool.depth)):
            found |= {name: one_or_several(values)} if len(values) else {}
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
