"""Work by dask: whether its workers can do it, and how far it is."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from irframe.errors import StoreError
from irframe.names import VERSION


@contextmanager
def shown(*, progress: bool) -> Iterator[None]:
    """Show dask's progress bar on the way, if that is asked for and no cluster has its own."""
    if not progress:
        yield
        return
    from dask.diagnostics import ProgressBar  # noqa: PLC0415 - only when asked for

    with ProgressBar():
        yield


def refuse_workers_without() -> None:
    """Raise if a cluster is to do the work whose workers lack this version of irframe."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return
    try:
        client = distributed.get_client()
    except ValueError:
        return

    def version() -> str:
        from importlib import import_module  # noqa: PLC0415 - runs on a worker

        try:
            return str(import_module("irframe").__version__)
        except ImportError:
            return "none"

    found = client.run(version)
    others = [f"{worker} has {each}" for worker, each in found.items() if each != VERSION]
    if others:
        raise StoreError(f"workers with irframe {VERSION}", "others", "install it there", others)
