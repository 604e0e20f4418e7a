"""The dimensions of a cube, and what decides its numbers."""

from functools import partial
from typing import Any

import xarray as xr

from irframe.names import DEPTH, SYSTEM, TOPIC

variable = partial(xr.Variable, fastpath=True)
"""A variable of an array as it is: xarray would first import dask to see whether it is lazy."""

labels: Any = partial(xr.IndexVariable, fastpath=True)
"""The labels of a dimension, likewise."""

CELL = (SYSTEM, TOPIC, DEPTH)
LIST = (SYSTEM, TOPIC)

EXPERIMENT = "experiment"
"""Attribute of a cube: what it is a view of."""
CODES = {SYSTEM: "system_code", TOPIC: "topic_code"}
"""Coordinates that say which systems and topics of which experiment there are."""
SHOWN = ("retrieved", "unjudged")
"""How many documents a list has, and how many of them are unjudged."""
OURS = frozenset((*LIST, DEPTH, *CODES.values(), *SHOWN, "took_part"))
"""Coordinates of cubes and scores that no user has put there."""

PROVENANCE = (
    "ties",
    "score_dtype",
    "seed",
    "topics",
    "collection",
    "rel",
    "depth",
    "pool",
    "irframe",
)
"""Attributes of a cube that say how it was made, and that scores and results carry on."""
