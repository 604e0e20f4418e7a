"""What a result is to be read with: what it was warned of, in its attributes, the gravest first."""

from collections.abc import Iterable, Mapping
from typing import Any

from irframe.errors import singular
from irframe.names import CAUTION

GRAVEST = (
    "no retrieved document",
    "systems without a list for any judged topic",
    "no system has a list",
    "systems of no judged collection",
    "systems have means over different topics",
    "topics on which some system has no score",
    "lists that systems lack",
)
"""How cautions begin that stand before others, the first of which make scores void."""
BETWEEN = "\n"


def caution(messages: Iterable[str]) -> dict[str, str]:
    r"""Return the attribute that says what a result is to be read with, if there is something.

    Each thing once, and by its weight; what is said of groups, too, with these.

    Examples
    --------
    >>> caution(["few topics", "lists that systems lack count as empty", "few topics"])
    {'caution': 'lists that systems lack count as empty\nfew topics'}
    """
    distinct = list(dict.fromkeys(map(singular, messages)))
    told = [one for one in distinct if not any(other.startswith(f"{one} (") for other in distinct)]
    return {CAUTION: BETWEEN.join(sorted(told, key=_weight))} if told else {}


def _weight(message: str) -> int:
    places = [place for place, begins in enumerate(GRAVEST) if message.startswith(begins)]
    return min(places, default=len(GRAVEST))


def united(*attributes: Mapping[Any, Any]) -> dict[Any, Any]:
    r"""Return attributes as one, later ones first, with what each says to beware of.

    Examples
    --------
    >>> united({"n": 3, "caution": "few"}, {"caution": "old"})
    {'n': 3, 'caution': 'few\nold'}
    """
    joined = {name: value for part in attributes for name, value in part.items()}
    return joined | caution(message for part in attributes for message in cautions_of(part))


def cautions_of(attributes: Mapping[Any, Any]) -> list[str]:
    """Return what a result says it is to be read with, if it says something."""
    return str(attributes[CAUTION]).split(BETWEEN) if attributes.get(CAUTION) else []
