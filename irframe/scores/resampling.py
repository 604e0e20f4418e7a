"""The number of resamples and their seed."""

from dataclasses import KW_ONLY, dataclass

from irframe.checks import check_int
from irframe.option_values import OptionValue


@dataclass(frozen=True, repr=False)
class Resampling(OptionValue):
    """The number of resamples, and the seed of their generator.

    Verbs take one as ``resamples=``. With the default seed the number is enough. Tests that
    resample have samples and a seed of their own.

    Parameters
    ----------
    samples
        How many resamples, at least 1; by default those of the verb.
    seed
        Seed of the generator, at least 0. The same seed gives the same result.

    Raises
    ------
    ParameterError
        For numbers out of range.

    Examples
    --------
    >>> Resampling(5000, seed=3)
    Resampling(5000, seed=3)
    """

    samples: int | None = None
    _: KW_ONLY
    seed: int = 0

    def __post_init__(self) -> None:
        """Check both numbers."""
        if self.samples is not None:
            check_int("samples", self.samples, low=1)
        check_int("seed", self.seed, low=0)
