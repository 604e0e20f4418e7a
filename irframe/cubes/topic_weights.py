"""How much each topic counts, as verbs are told it: by name, or topic by topic."""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
import xarray as xr

from irframe.cubes.as_scores import score_frame
from irframe.errors import InputError, ParameterError
from irframe.names import TOPIC, roles
from irframe.record import GIVEN

TopicWeights = str | Mapping[Any, float] | pd.Series | None
"""The name of a coordinate, column or index level; or topic -> weight."""


def topic_weights(subject: Any, weights: Any, by: Any = None) -> tuple[Any, pd.Series]:
    """Return scores without the column of weights, and the weights by topic, by their name.

    Parameters
    ----------
    subject
        Scores, as a verb takes them.
    weights
        The name of a coordinate of topics, of a column or of an index level; or topic -> weight.
    by
        A column of groups, which stays.

    Raises
    ------
    ParameterError
        For an unknown name, and topics with several weights.

    Examples
    --------
    >>> names = ["system", "topic"]
    >>> index = pd.MultiIndex.from_product([["bm25", "ance"], ["1", "2"]], names=names)
    >>> scores = pd.DataFrame({"AP": [0.1, 0.2, 0.3, 0.4], "frequency": [9, 1] * 2}, index)
    >>> rest, weights = topic_weights(scores, "frequency")
    >>> list(rest.columns), weights.to_dict()
    (['AP'], {'1': 9, '2': 1})
    """
    if isinstance(weights, pd.Series | Mapping):
        series = isinstance(weights, pd.Series)
        found: Any = weights if series else pd.Series(dict(weights), dtype=object)
        return subject, _once(found.rename(GIVEN if found.name is None else found.name))
    if not isinstance(weights, Hashable):
        wanted = "weights, a name or a mapping or Series of topics"
        raise ParameterError(wanted, type(weights).__name__)
    if isinstance(subject, xr.DataArray | xr.Dataset):
        return subject, _of_coordinate(subject, weights)
    return _of_column(score_frame(subject), weights, by)


def _of_coordinate(scores: xr.DataArray | xr.Dataset, name: Any) -> pd.Series:
    known = [each for each, part in scores.coords.items() if part.dims == (TOPIC,)]
    if name not in known or name == TOPIC:
        others = [str(each) for each in known if each != TOPIC]
        raise ParameterError("weights to be a coordinate of the topics", repr(name), "", others)
    return _once(pd.Series(scores[name].to_numpy(), scores.indexes[TOPIC], name=name))


def _of_column(frame: pd.DataFrame, name: Any, by: Any) -> tuple[pd.DataFrame, pd.Series]:
    levels = [each for each in frame.index.names if each is not None]
    known = [*frame.columns, *levels]
    topic: Any = roles(known).get(TOPIC)
    if topic is None:
        raise InputError("scores with topics, for weights=", ", ".join(map(str, known)))
    if name not in known or name == topic:
        wanted = "weights to be a column or index level"
        raise ParameterError(wanted, repr(name), "", [str(each) for each in known if each != topic])
    values, topics = (
        frame[each].array if each in frame.columns else frame.index.get_level_values(each)
        for each in (name, topic)
    )
    pairs = pd.DataFrame({TOPIC: topics, "weight": values}).drop_duplicates()
    weights = _once(pd.Series(pairs["weight"].to_numpy(), pd.Index(pairs[TOPIC]), name=name))
    return frame if name == by or name in levels else frame.drop(columns=name), weights


def _once(weights: pd.Series) -> pd.Series:
    again = weights.index[weights.index.duplicated()].unique()
    if len(again):
        advice = (
            "weights are of topics; topics of one name in several groups need names of their own"
        )
        raise ParameterError(
            "one weight for every topic", f"several for {len(again)}", advice, again
        )
    return weights
