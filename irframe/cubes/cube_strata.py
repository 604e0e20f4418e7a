"""What metrics of strata read of a cube."""

from collections.abc import Iterable

import xarray as xr

from irframe.cubes.layout import JUDGED, LEVEL, variable
from irframe.cubes.recall_base import topic_of
from irframe.experiments.judged_strata import reads_strata, strata_of
from irframe.metrics import Metric
from irframe.names import STRATUM, TOPIC


def stratum_fields(cube: xr.Dataset, metrics: Iterable[Metric]) -> dict[str, xr.DataArray]:
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
    fields = {
        "start": ((TOPIC,), cube["judged_start"].to_numpy()),
        "stratum": ((JUDGED,), found["stratum"]),
        "stratum_count": ((TOPIC, STRATUM, LEVEL), found["stratum_count"]),
    }
    arrays = {name: xr.DataArray(variable(dims, values)) for name, (dims, values) in fields.items()}
    return {"doc": cube["doc"].reset_coords(drop=True)} | arrays
