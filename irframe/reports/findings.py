"""All that is to be known before a number of a report is trusted, with every place."""

from collections.abc import Iterator

import pandas as pd
import xarray as xr

from irframe.errors import IrframeError
from irframe.experiments.coded_tables import read_qrels_table, read_table
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DEPTH
from irframe.studies.diagnose import DECIDED, check_cube, check_frames
from irframe.studies.tie_ranges import Finding, every_place, finding_of, to_frame
from irframe.warned import unsaid


def findings(
    cube: xr.Dataset, metrics: tuple[str, ...], frames: dict[str, pd.DataFrame]
) -> pd.DataFrame:
    """Return what `diagnose` looks for, of a cube and of the frames it was built from.

    What decides the numbers stands at the end of the page.

    Parameters
    ----------
    cube
        The cube.
    metrics
        The metrics of the report.
    frames
        ``runs`` and ``qrels``, or nothing.
    """
    with every_place(), unsaid():
        found = to_frame([*_of_frames(cube, frames), *_of_cube(cube, metrics)])
    return found[found["what"] != DECIDED].reset_index(drop=True)


def _of_frames(cube: xr.Dataset, frames: dict[str, pd.DataFrame]) -> Iterator[Finding]:
    if frames:
        runs, qrels = read_table(frames["runs"]), read_qrels_table(frames["qrels"])
        yield from check_frames(runs, qrels, cube.sizes[DEPTH])


def _of_cube(cube: xr.Dataset, metrics: tuple[str, ...]) -> Iterator[Finding]:
    try:
        yield from check_cube(cube, [parse_metric(name) for name in metrics], cube.sizes[DEPTH])
    except IrframeError as error:
        yield finding_of(error)
