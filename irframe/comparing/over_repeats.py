"""A comparison of systems that were run several times: over topics, over repeats, or over both."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from irframe.arrays import Array
from irframe.comparing.corrections import Parsed
from irframe.errors import ParameterError
from irframe.names import plural
from irframe.paired import MaxT, PairedT, PairedTest
from irframe.scores.repeats import OVERS, Over
from irframe.scores.scores import Scores


def refuse_over(
    parts: Iterable[Scores], over: Over, test: PairedTest, adjust: Parsed, *, drawn: str = ""
) -> None:
    """Raise for tests and corrections that know nothing of repeats, and where there are none.

    Parameters
    ----------
    parts
        The scores of every group.
    over
        What is generalised over.
    test, adjust
        How pairs are tested.
    drawn
        A method of rank intervals that knows nothing of repeats, or "".
    """
    for part in parts:
        known = part.repeats
        if known is None:
            if over == "repeat":
                advice = "name repeats in a column such as repeat or seed"
                raise ParameterError("repeats for over='repeat'", "one of every system", advice)
            continue
        if not known.crossing:
            continue
        if over == "repeat" and known.counts.max() < 2:
            raise ParameterError(
                f"several {plural(known.word)} for over='repeat'", "one of every system"
            )
        named = [] if isinstance(test, PairedT) else [f"test={test.name!r}"]
        named += ["adjust='max-t'"] * isinstance(adjust, MaxT) + [f"method={drawn!r}"] * bool(drawn)
        named += ["weights="] * (part.weights is not None)
        if named:
            wanted = f"the test t, over={known.over!r} {plural(known.word)} and topics"
            advice = f"over='topic' works on means over {plural(known.word)}"
            raise ParameterError(wanted, "", advice, named)


def with_repeats(
    found: dict[str, Array], group: Scores, pairs: Array, alpha: float
) -> dict[str, Array]:
    """Return columns of a comparison in which repeats count, each (metric, depth, pair).

    Parameters
    ----------
    found
        Those of the means over repeats.
    group, pairs
        The scores, and the pairs of systems.
    alpha
        One minus the confidence level.
    """
    known = group.repeats
    shape = found["p"].shape
    counted = np.broadcast_to(known.counts[pairs], (*shape, 2))
    freedom = found["n_topics"] - 1.0
    told = {"n_repeats_a": counted[..., 0], "n_repeats_b": counted[..., 1], "df": freedom}
    if known.layout == "topic":
        return {**found, **told}
    columns: dict[str, Any] = {name: np.empty(shape) for name in ("repeat_share", *_REPLACED)}
    for row, block in group.pieces(len(pairs)):
        crossed = known.crossed(group, row, block, pairs)
        tested, ends = crossed.test(), crossed.interval(alpha=alpha)
        topics = found["n_topics"][row, block].T
        each = *ends, *tested, crossed.freedom, np.sqrt(crossed.variance * topics)
        columns["repeat_share"][row, block] = crossed.share.T
        for name, values in zip(_REPLACED, each, strict=True):
            columns[name][row, block] = values.T
    share = {"repeat_share": columns.pop("repeat_share")}
    if not known.crossing:
        return {**found, **told, **share}
    columns["df"] = columns["freedom"]
    if "sd" not in found:
        del columns["sd"], columns["freedom"]
    lost = np.isnan(found["ci_low"]) & ~np.isnan(found["effect_size"])  # not averaged plainly
    for name in ("ci_low", "ci_high"):
        columns[name][lost] = np.nan
    return {**found, **told, **columns, **share}


_REPLACED = ("ci_low", "ci_high", "statistic", "p", "freedom", "sd")
__all__ = ["OVERS", "refuse_over", "with_repeats"]
