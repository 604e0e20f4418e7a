"""Metrics with some of their parameters set, which have names of their own."""

from functools import partial
from typing import Any

from irframe.metrics.base import Metric


class Setting(partial[Metric]):
    """A metric with some of its parameters set, for a name of its own; used as a class is.

    Examples
    --------
    >>> from irframe.metrics import GMAP
    >>> GMAP @ 10
    AP(average='geometric')@10
    """

    @property
    def at(self) -> str:
        """The parameter that stands behind ``@``."""
        at: str = self.kind.at
        return at

    @property
    def kind(self) -> Any:
        """The metric."""
        return self.func

    def __matmul__(self, depth: float) -> Metric:
        return self(**{self.at: depth})
