"""What metrics of strata read of a cube."""

from collections.abc import Iterable

import xarray as xr

from irframe.arrays import Array
from irframe.cubes.layout import LEVEL
from irframe.cubes.recall_base import topic_of
from irframe.experiments.judged_strata import reads_strata, strata_of
from irframe.metrics import Metric
from irframe.names import STRATUM, TOPIC


def stratum_fields(cube: xr.Dataset, metrics: Iterable[Metric]) -> dict[str, Array]:
    """Return what metrics of strata read, as fields of a `Block`; nothing where there are none.

    Raises
    ------
    GradeError
        If no document of a stratum was judged.
    """
    if STRATUM not in cube.variables or not reads_strata(metrics):
        return {}
    labels, grade, levels = (cube[name].to_numpy() for name in (STRATUM, "judged_grade", LEVEL))
    found = strata_of(labels, grade, topic_of(cube), cube.indexes[TOPIC], levels)
    return found | {"doc": cube["doc"].variable.data, "start": cube["judged_start"].to_numpy()}
