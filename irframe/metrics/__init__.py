"""Metrics: frozen dataclasses with kernels that score every depth.

Importing this package imports all of its modules, which registers their metrics.
"""

from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

from irframe.elsewhere import suggest, suggesting  # noqa: E402
from irframe.errors import MetricError  # noqa: E402
from irframe.metrics.base import ALIASES, METRICS  # noqa: E402
from irframe.metrics.base import Metric as Metric  # noqa: E402
from irframe.metrics.parse_metric import Preset  # noqa: E402
from irframe.metrics.spellings import SETTINGS  # noqa: E402
from irframe.quantities.block import Block as Block  # noqa: E402
from irframe.quantities.evidence import Evidence as Evidence  # noqa: E402

# `SETTINGS` contains names of classes, because the classes exist only after the imports above
ALIASES.update((name, Preset(METRICS[kind], **fixed)) for name, (kind, fixed) in SETTINGS.items())
globals().update(METRICS)
# ASCII order would list nDCG after all names that begin with a capital letter
_by_name = sorted(METRICS.items(), key=lambda item: item[0].lower())
METRICS.clear()
METRICS.update(_by_name)
# @dataclass adds __init__ after __init_subclass__ has run, so constructors are wrapped only here
for _kind in METRICS.values():
    suggesting(_kind, "__init__", _kind.__name__)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:

    def __getattr__(name: str) -> Any:
        """Return the metric class of an alias such as ``NDCG``."""
        if name in ALIASES:
            return ALIASES[name]
        from irframe.metrics.parse_metric import parse_metric as parse  # noqa: PLC0415 - a module

        hint = "" if name.startswith("_") else suggest(name, [*METRICS])
        with suppress(MetricError):
            hint = f" (write ir.parse_metric({str(parse(name))!r}))"
        raise AttributeError(f"module 'irframe.metrics' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = ["METRICS", "Block", "Evidence", "Metric"]
__all__ += METRICS  # noqa: PLE0605
