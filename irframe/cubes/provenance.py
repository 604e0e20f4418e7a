"""Where numbers come from: what a cube, scores and results say of themselves."""

from typing import Any

import numpy as np
import xarray as xr

from irframe.cubes.layout import PROVENANCE
from irframe.names import GRADE, RESULT


def stamped(result: Any, name: str, whole: Any) -> Any:
    """Say in a result's attributes which verb made it, and from what."""
    if isinstance(result, xr.Dataset) and GRADE in result:
        return result
    if hasattr(result, "attrs"):
        result.attrs = {**provenance(whole), **result.attrs, RESULT: name}
    return result


def provenance(whole: Any) -> dict[Any, Any]:
    """Return what decided the numbers of a cube, of scores or of a result."""
    attributes = getattr(whole, "attrs", {})
    found = {name: attributes[name] for name in PROVENANCE if name in attributes}
    for name in ("top", "pool_depth"):
        if name in attributes:
            found[name] = attributes[name]
        elif isinstance(whole, xr.Dataset) and name in whole.coords and whole[name].size:
            values = np.unique(whole[name].to_numpy()).tolist()
            found[name] = values[0] if len(values) == 1 else values
    return found
