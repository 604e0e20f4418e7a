"""How a cube is to be made: the choices about rankings, topics and the pool, as one value."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from irframe.checks import choice, whole
from irframe.errors import DepthError, ParameterError
from irframe.experiments.sampling import HIGHEST_SEED
from irframe.names import DEFAULT_DTYPE, DEFAULT_TIES, SCORE_DTYPES, TIES, ScoreDtype, Ties

Topics = str | Sequence[Hashable]
Contributing = str | Sequence[Hashable] | None
PoolDepth = int | Mapping[Hashable, int] | None


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The choices that decide a cube; fields as the arguments of `irframe.cube`."""

    depth: int | None = None
    ties: Ties = DEFAULT_TIES
    score_dtype: ScoreDtype = DEFAULT_DTYPE
    topics: Topics = "qrels"
    contributing: Contributing = None
    pool_depth: PoolDepth = None
    collection: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        choice("ties", self.ties, TIES)
        choice("score_dtype", self.score_dtype, SCORE_DTYPES)
        if self.depth is not None:
            whole("depth", self.depth, low=1, error=DepthError)
        whole("seed", self.seed, low=0, high=HIGHEST_SEED)
        given = self.pool_depth
        depths = given.values() if isinstance(given, Mapping) else [given]
        for depth in depths:
            if depth is not None:
                whole("pool_depth", depth, low=0, error=DepthError)
        if isinstance(given, Mapping) and self.collection is None:
            wanted = "one pool_depth, or collection= to say which topics each one is of"
            raise ParameterError(wanted, repr(dict(given)))

    @property
    def attributes(self) -> dict[str, Any]:
        """What a cube made by this policy says of itself."""
        chosen = self.topics if isinstance(self.topics, str) else "listed"
        named = {
            "ties": self.ties,
            "score_dtype": self.score_dtype,
            "topics": chosen,
            "depth": self.depth,
            "collection": self.collection,
            "seed": self.seed if self.ties == "random" else None,
        }
        return {name: value for name, value in named.items() if value is not None}
