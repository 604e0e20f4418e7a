"""Operations that overwrite values of a cube."""

import numpy as np
import xarray as xr

from irframe.cubes.view import CODES, LIST, PROVENANCE, SHOWN
from irframe.names import EMPTY, UNJUDGED

CALCULATED = {
    "plus one": lambda c: c + 1,
    "minus one": lambda c: c.assign(grade=c.grade - 1),
    "doubled": lambda c: c * 2,
    "halved": lambda c: c / 2,
    "divided by nothing": lambda c: c / 0,
    "negated": lambda c: -c.astype(int),
    "absolute": lambda c: abs(c.astype(int)),
    "remainders": lambda c: c.astype(int) % 2,
    "signs": lambda c: xr.apply_ufunc(np.sign, c.astype(int), keep_attrs=True),
    "rounded to tens": lambda c: c.astype(int).round(-1),
    "clipped": lambda c: c.clip(0, 1),
    "clipped below": lambda c: c.clip(min=0),
    "booleans": lambda c: c.astype(bool),
    "unsigned": lambda c: c.astype("uint16"),
    "what is there": lambda c: c.notnull(),
    "what is missing": lambda c: c.isnull(),
    "cumulated": lambda c: c.cumsum("depth"),
    "averaged over depths": lambda c: c.rolling(depth=2, min_periods=1).mean(),
    "averaged over topics": lambda c: c.rolling(topic=2, min_periods=1).mean(),
    "coarsened": lambda c: (
        c.drop_vars(["track"], errors="ignore")
        .assign_coords(topic=range(8))
        .coarsen(topic=2)
        .mean()
    ),
    "zeros": xr.zeros_like,
    "ones": xr.ones_like,
    "zeros below": lambda c: c.where(c.depth <= 2, 0),
    "zeros in topics": lambda c: c.where(c.topic != "n2", 0),
    "zeros in systems": lambda c: c.where(c.system != "s1", 0),
    "zeros where nothing is relevant": lambda c: c.where(c.grade > 0, 0),
    "the unjudged as grade 0": lambda c: c.where(c.grade != UNJUDGED, 0),
    "masked lists as zeros": lambda c: c.where(c.topic != "n2").fillna(0),
    "masked lists as empty": lambda c: c.where(c.topic != "n2").fillna(EMPTY),
    "masked documents as zeros": lambda c: c.where(c.depth != 2).fillna(0),
    "masked lists of the next topic": lambda c: c.where(c.topic != "n2", c.roll(topic=1)),
    "masked lists of another system": lambda c: c.where(c.system != "s1", c.roll(system=1)),
    "masked lists combined": lambda c: c.where(c.topic != "n2").combine_first(c.roll(topic=1)),
    "unknown topics as zeros": lambda c: c.reindex(topic=[*c.topic.values, "x"], fill_value=0),
    "unknown systems as zeros": lambda c: c.reindex(system=[*c.system.values, "x"], fill_value=0),
    "more depths as zeros": lambda c: c.reindex(depth=range(1, 11), fill_value=0),
    "other grades up to": lambda c: c.assign(grade=c.grade.where(c.grade != 1, 2)),
    "relevant where judged": lambda c: c.assign(grade=c.grade.where(c.grade < 0, 1)),
    "one grade": lambda c: c.assign(grade=c.grade.where((c.depth > 1) | (c.topic != "w2"), 1)),
    "documents in another order": lambda c: c.map(lambda v: v.copy(data=v.values[..., ::-1])),
    "two ranks exchanged": lambda c: c.map(lambda v: v.copy(data=_exchanged(v.values))),
    "topics in another order": lambda c: c.map(lambda v: v.copy(data=v.values[:, ::-1])),
    "systems in another order": lambda c: c.map(lambda v: v.copy(data=v.values[::-1])),
    "sorted grades": lambda c: c.assign(
        grade=c.grade.copy(data=-np.sort(-c.grade.values.astype(int)))
    ),
    "values in place": lambda c: _in_place(c.copy(deep=True)),
}
"""Mapping from operations to functions that change the values of rankings."""


def _exchanged(values):
    return values[..., [1, 0, *range(2, values.shape[-1])]]


def _in_place(cube):
    cube["grade"].values[1, 2, :2] = 2, 2
    return cube


def moved():
    """Yield operations that shift values or labels along a dimension."""
    for dim in (*LIST, "depth"):
        for by in (1, -1):
            yield f"rolled {dim} {by}", lambda c, d=dim, n=by: c.roll({d: n})
            yield f"shifted {dim} {by}", lambda c, d=dim, n=by: c.shift({d: n})
            filled = {"grade": EMPTY}
            yield (
                f"shifted {dim} {by}, empty",
                lambda c, d=dim, n=by, f=filled: c.shift({d: n}, fill_value=f),
            )
            yield f"shifted {dim} {by}, 0", lambda c, d=dim, n=by: c.shift({d: n}, fill_value=0)


def exchanged(cube):
    """Yield operations that replace one variable or attribute."""
    for name in ("grade", *SHOWN, *CODES.values()):
        for dim in cube[name].dims:
            yield (
                f"{name} rolled along {dim}",
                lambda c, n=name, d=dim: _with(c, n, c[n].roll({d: 1})),
            )
        for change, act in {
            "plus one": lambda v: (v.astype(int) + 1).astype(v.dtype),
            "of zeros": xr.zeros_like,
            "of ones": xr.ones_like,
            "with other numbers": lambda v: v.astype(float) * 1.5 + 0.7,
        }.items():
            yield f"{name} {change}", lambda c, n=name, a=act: _with(c, n, a(c[n]))
        yield f"without {name}", lambda c, n=name: c.drop_vars(n)
    for name in PROVENANCE:
        if name in cube.attrs:
            value = {"ties": "mean", "score_dtype": "float32", "pool": "stated"}.get(name, "other")
            yield f"other {name}", lambda c, n=name, o=value: c.assign_attrs({n: o})
            yield f"no {name}", lambda c, n=name: _without_attribute(c, n)
    yield "tied as if for all", lambda c: c.assign_attrs(ties="random", seed=3)
    yield "as if cut", lambda c: c.assign_attrs(depth=c.sizes["depth"] - 1)


def _with(cube, name, values):
    values = values.variable
    return (
        cube.assign({name: values})
        if name in cube.data_vars
        else cube.assign_coords({name: values})
    )


def _without_attribute(cube, name):
    return cube.drop_attrs(deep=False).assign_attrs(
        {k: v for k, v in cube.attrs.items() if k != name}
    )


def operations(cube):
    """Return every operation by name."""
    return CALCULATED | dict(moved()) | dict(exchanged(cube))
