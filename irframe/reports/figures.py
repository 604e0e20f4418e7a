"""Figures of a page as Vega-Lite specifications.

Colours are variables of the page's style sheet, so that figures follow its dark mode.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import pandas as pd

from irframe.errors import InputError, needing
from irframe.names import printable
from irframe.reports.words import ALONG, Values, bar_label, deep, percent, range_label, short, text
from irframe.stops import DEPTHS

HUES = 8
"""The number of colours for systems in the page's style sheet."""
INK = "var(--ink)"
QUIET = "var(--quiet)"
RULE = "var(--rule)"
WIDTH = 290
HEIGHT = 190
WIDE = 470
FULL = 980
"""The width of a figure that is as wide as the page, in pixels."""
NAMED = 20
"""The maximum number of systems for which a figure shows names."""
LINE = 20
"""The height of a row with a name, in pixels."""
ABOVE = {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleX": -32, "titleY": -12}
"""Options that put the title of a vertical axis above the axis and its labels."""
DIGITS = re.compile(r"(\.\d\d)\d{3,}")
"""Pattern of coordinates with at least five decimals, of which only the first two are kept.

Without the other decimals, which no screen shows, an SVG is a third smaller.
"""
MARKS = " role-mark "
"""A text that occurs once per layer of marks in an SVG drawn by Vega."""
LONGEST = 14
"""The maximum number of letters in a name at the end of a line."""
NAME_GAP = 0.075
"""The minimum distance between the names of lines, as a share of the figure's height."""
ROLES = re.compile(r' (?:role|aria-roledescription)="[^"]*"')
"""Pattern of the ARIA roles of marks, which an SVG does not need.

Screen readers read the table below the figure instead.
"""
DASHES = [
    *([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [14, 4]),
    *([2, 6], [12, 3, 2, 3, 2, 3], [4, 10]),
]
"""Dash patterns that distinguish lines of metrics, which have no colours."""
Spec = dict[str, Any]
"""The specification of a figure in Vega-Lite."""
Chart = Any
"""A chart or encoding of altair. Altair is optional, so its types are not imported."""


# the modules are cached, because the page of the example requests them 84 times
@cache
def _needed(name: str) -> ModuleType:
    """Import a module of the extra ``report``.

    The module is imported at its first use, because its import is slow.
    """
    with needing(name, "the report", '"irframe[report]"'):
        return import_module(name)


def drawing() -> ModuleType:
    """Return altair; check that vl-convert is installed."""
    _needed("vl_convert")
    return _needed("altair")


@cache
def script() -> str:
    """Return Vega, Vega-Lite and Vega-Embed, which draw in a browser."""
    return str(_needed("vl_convert").javascript_bundle())


def svg(figure: Spec) -> str:
    """Draw a figure as SVG.

    Characters that XML does not allow are replaced, because Vega would crash on them.

    Raises
    ------
    InputError
        If marks are missing in the SVG. When Vega fails, it omits marks and prints the reason on
        the terminal.
    """
    drawn = ROLES.sub("", str(_needed("vl_convert").vegalite_to_svg(printable(figure))))
    drawn = DIGITS.sub(r"\1", drawn)
    layers = [layer for layer in figure.get("layer", [figure]) if "data" in layer] or [figure]
    expected = sum(bool(figure["datasets"][layer["data"]["name"]]) for layer in layers)
    n_drawn = drawn.count(MARKS)
    if n_drawn < expected:
        advice = "read the reason that Vega printed on the terminal"
        got = f"only {n_drawn} layers"
        raise InputError(f"{expected} layers of marks in the figure", got, advice)
    return drawn


def styled(
    chart: Chart, data: dict[str, pd.DataFrame], width: int = WIDTH, height: int = HEIGHT
) -> Spec:
    """Return a chart's specification in the page's style."""
    ink: Spec = {"labelColor": INK, "titleColor": INK}
    axis = ink | {"gridColor": RULE, "domainColor": QUIET, "tickColor": QUIET}
    axis |= {"titleFontWeight": "normal", "labelFontSize": 12}
    sized = chart.properties(width=width, height=height)
    figure: Spec = sized.to_dict(validate=False)
    figure["config"] = {
        "view": {"stroke": None},
        "background": "transparent",
        # only marks with a description set `aria`, because screen readers read the tables
        "aria": False,
        "axis": axis | {"titleFontSize": 12},
        "axisY": ABOVE,
        "legend": ink | {"orient": "top", "title": None, "offset": 28},
        "text": {"color": INK, "fontSize": 12},
        "font": "sans-serif",
    }
    figure["datasets"] = {name: _records(frame) for name, frame in data.items()}
    return figure


def _records(frame: pd.DataFrame) -> list[Values]:
    # NaN is not valid in JSON, and None becomes null
    values = frame.rename(columns=str).astype(object).where(frame.notna().to_numpy(), None)
    return values.map(lambda x: round(x, 5) if isinstance(x, float) else x).to_dict("records")


def _x() -> Chart:
    axis = ALONG.get()
    scale = drawing().Scale(type="log", nice=False)
    ticks = [n * 10**power for power in range(3 if axis is DEPTHS else 7) for n in (1, 2, 5)]
    overlap = {"labelOverlap": "greedy", "labelSeparation": 4}
    shown = drawing().Axis(grid=False, format="d", values=[*ticks, 10 * ticks[-3]], **overlap)
    title = axis.dim + axis.describe(axis.title_end) * (axis is not DEPTHS)
    return drawing().X("depth:Q", title=title, scale=scale, axis=shown)


def _tooltips(*fields: str) -> list[Chart]:
    """Return the tooltips of a mark."""
    alt = drawing()
    forms = {field: {"format": ".3f"} for field in ("mean:Q", "value:Q", "difference:Q")}
    return [alt.Tooltip(field, **forms.get(field, {})) for field in fields]


def _marker() -> Chart:
    """Return a vertical line at the selected depth."""
    alt = drawing()
    rule = alt.Chart(alt.NamedData("now")).mark_rule(strokeDash=[4, 3], color=QUIET, tooltip=None)
    return rule.encode(x="depth:Q")


def curves(lines: pd.DataFrame, now: pd.DataFrame) -> Spec:
    """Draw each system's mean by depth as a line.

    Parameters
    ----------
    lines
        Columns ``depth``, ``mean``, ``system``, ``place`` (position of the system) and ``hue``
        (position of its colour).
    now
        Column ``depth`` with the selected depth.
    """
    alt = drawing()
    base = alt.Chart(alt.NamedData("lines"))
    colour = alt.Color("hue:O", scale=hues(), legend=None)
    line = base.mark_line(strokeWidth=2).encode(
        x=_x(),
        y=alt.Y("mean:Q", title="mean"),
        color=colour,
        detail="place:O",
        tooltip=_tooltips("system:N", "depth:Q", "mean:Q"),
    )
    named = alt.Chart(alt.NamedData("ends")).mark_text(align="left", dx=5)
    ends = named.encode(x="depth:Q", y="mean:Q", text="label:N", color=colour)
    data = {"lines": lines, "now": now, "ends": ends_of(lines)}
    return styled(_marker() + line + ends, data, WIDTH - 75)


def ends_of(lines: pd.DataFrame) -> pd.DataFrame:
    """Return the names of lines with their heights.

    A name is at the end of its line, or higher or lower if names would overlap.
    """
    last = lines[lines["depth"] == lines["depth"].max()].sort_values("mean")
    gap = NAME_GAP * ((lines["mean"].max() - min(0, lines["mean"].min())) or 1)
    heights = last["mean"].to_list()
    # like charts.js, the first loop moves names up, and the second loop moves names down
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + gap)
    limit = lines["mean"].max()  # a name above the highest mean would stretch the axis beyond 1
    for i in reversed(range(len(heights))):
        heights[i] = min(heights[i], limit)
        limit = heights[i] - gap
    ends: pd.DataFrame = last.assign(
        mean=heights, label=[short(name, LONGEST) for name in last["system"]]
    )
    return ends


def hues() -> Chart:
    """Return the colour scale of systems."""
    colours = list(range(HUES))
    return drawing().Scale(domain=colours, range=[f"var(--c{n})" for n in colours])


def by_depth(
    lines: pd.DataFrame, now: pd.DataFrame, title: str, *, low: float | None = None
) -> Spec:
    """Draw values up to 1 by depth and metric.

    Parameters
    ----------
    lines
        Columns ``depth``, ``value`` and ``metric``.
    now
        Column ``depth`` with the selected depth.
    title
        Name of the quantity that is drawn.
    low
        Lower end of the vertical axis. The default is near the lowest value. The upper end is 1.
    """
    alt = drawing()
    begins = {} if low is None else {"domainMin": low}
    y = alt.Y("value:Q", title=title, scale=alt.Scale(zero=False, domainMax=1, **begins))
    line = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2, color=INK)
    tooltips = _tooltips("metric:N", "depth:Q", "value:Q")
    chart = _marker() + line.encode(x=_x(), y=y, strokeDash=dashed("metric:N"), tooltip=tooltips)
    return styled(chart, {"lines": lines, "now": now})


def dashed(field: str) -> Chart:
    """Return the dash patterns of lines without a system's colour."""
    alt = drawing()
    scale = alt.Scale(range=DASHES)
    legend = alt.Legend(symbolStrokeColor=INK, symbolSize=900, columns=2, labelLimit=110)
    return alt.StrokeDash(field, sort=None, scale=scale, legend=legend)


def differences(bars: pd.DataFrame, title: str) -> Spec:
    """Draw the differences between two systems by topic.

    Parameters
    ----------
    bars
        Columns ``topic``, ``difference``, ``place`` (row), and ``hue`` (position of the colour
        of the better system).
    title
        Name of the quantity that is drawn.
    """
    alt = drawing()
    # Vega draws no mark at a position called "constructor", so positions are numbers with labels
    axis = alt.Axis(labelOverlap=True, labelExpr="data('bars')[datum.value].topic")
    chart = alt.Chart(alt.NamedData("bars")).mark_bar()
    chart = chart.encode(
        x=alt.X("place:O", title="topic", axis=axis),
        y=alt.Y("difference:Q", title=title),
        color=alt.Color("hue:O", scale=hues(), legend=None),
        tooltip=_tooltips("topic:N", "difference:Q"),
    )
    return styled(chart, {"bars": bars}, FULL)


def _pointed(base: Chart, y: str) -> Chart:
    """Return invisible points that describe lines to screen readers."""
    point = base.mark_point(opacity=0, size=150, filled=True, aria=True)
    return point.encode(y=y, description="label:N")


def unjudged(shares: pd.DataFrame) -> Spec:
    """Draw the share of unjudged documents by depth.

    The line shows the median system. One band covers the middle half of the systems, and the other
    band covers all systems.
    """
    alt = drawing()
    base = alt.Chart(alt.NamedData("shares")).encode(x=_x())
    sides = ("lowest", "highest", 0.2), ("lower quartile", "upper quartile", 0.4)
    bands = [
        base.mark_area(color=QUIET, opacity=opacity).encode(
            y=alt.Y(f"{low}:Q", title="unjudged", axis=alt.Axis(format="%")), y2=f"{high}:Q"
        )
        for low, high, opacity in sides
    ]
    line = base.mark_line(color=INK, strokeWidth=2).encode(y="median:Q")
    percents = shares.set_index("depth").map(percent).to_dict("records")
    quantiles = [", ".join(f"{name} {share}" for name, share in row.items()) for row in percents]
    labels = [f"{deep(at)}: {share}" for at, share in zip(shares["depth"], quantiles, strict=True)]
    chart = alt.layer(*bands, line, _pointed(base, "median:Q"))
    return styled(chart, {"shares": shares.assign(label=labels)}, WIDE)


def pool(growth: pd.DataFrame) -> Spec:
    """Draw judged and relevant documents per topic by pool depth."""
    alt = drawing()
    long = growth.melt("depth", ["judged", "relevant"], "documents", "number")
    values = long["number"].map("{:.1f}".format) + " " + long["documents"]
    long["label"] = "depth " + long["depth"].astype(str) + ": " + values
    base = alt.Chart(alt.NamedData("long")).encode(x=alt.X("depth:Q", title="depth of the pool"))
    y = alt.Y("number:Q", title="documents per topic")
    line = base.mark_line(strokeWidth=2, color=INK).encode(y=y, strokeDash=dashed("documents:N"))
    return styled(line + _pointed(base, "number:Q"), {"long": long}, WIDE)


def ranges(ends: pd.DataFrame, title: str, lines: Sequence[float] = (), width: int = WIDE) -> Spec:
    """Draw one interval per system, the first at the top.

    Parameters
    ----------
    ends
        Columns ``system``, ``lower``, ``upper`` and ``mean``. Optional columns are ``verdict``, and
        ``low`` and ``high``, the ends of a thin line.
    title
        Name of the quantity that is drawn.
    lines
        Values at which vertical lines are drawn.
    width
        Approximate width of the figure including names, in pixels.
    """
    alt = drawing()
    named = len(ends) <= NAMED
    height = LINE * len(ends) if named else min(HEIGHT + 2 * len(ends), 3 * HEIGHT)
    axis = alt.Axis(labelExpr="data('ends')[datum.value].name", ticks=False, labelLimit=150)
    scale = alt.Scale(zero=False, nice=False, padding=8)
    head = alt.Axis(tickCount=width // 80, labelOverlap=True)
    base = alt.Chart(alt.NamedData("ends")).encode(
        y=alt.Y("place:O", title=None, axis=axis if named else None)
    )
    colour = alt.Color(
        "verdict:N",
        legend=None,
        scale=alt.Scale(
            domain=["", "better", "worse"], range=[QUIET, "var(--better)", "var(--worse)"]
        ),
    )
    columns = ["system", "lower", "upper", "mean"]
    columns += [name for name in ("low", "high", "verdict") if name in ends]
    frame = ends[columns].reset_index(drop=True)
    frame["name"] = [short(name, 2 * LONGEST) for name in frame["system"].map(text)]
    # labels contain every verdict, but only the verdicts better and worse have a colour
    frame["label"] = [range_label(row, title) for row in frame.to_dict("records")]
    frame["place"] = range(len(frame))
    verdicts = frame.get("verdict", pd.Series("", frame.index))
    frame["verdict"] = verdicts.where(verdicts.isin(["better", "worse"]), "")
    x = alt.X("lower:Q", title=title, scale=scale, axis=head)
    bar = base.mark_rule(strokeWidth=6 if named else 2, opacity=0.6)
    layers = [bar.encode(x=x, x2="upper:Q", color=colour)]
    if "low" in ends:
        layers.append(base.mark_rule(color=QUIET).encode(x="low:Q", x2="high:Q"))
    layers.append(base.mark_point(color=INK, filled=True, size=24).encode(x="mean:Q"))
    data = {"ends": frame.drop(columns="system")}
    if len(lines):
        rule = alt.Chart(alt.NamedData("lines")).mark_rule(color=QUIET, strokeDash=[4, 3])
        layers.append(rule.encode(x="value:Q"))
        data["lines"] = pd.DataFrame({"value": lines})
    # invisible rectangles show the label for the whole row, not only for its thin lines
    layers.append(base.mark_rect(opacity=0, aria=True).encode(description="label:N"))
    figure = styled(alt.layer(*layers), data, width - 90 * named, height)
    return figure | {"padding": {"left": 14, "top": 5, "right": 5, "bottom": 5}}


def stacked(components: pd.DataFrame, title: str) -> Spec:
    """Draw a stacked bar of score components per system.

    The first system is at the top.

    Parameters
    ----------
    components
        A row for each system and a column for each component. The first component is at the left.
    title
        Name of the quantity that is drawn.
    """
    alt = drawing()
    names = [str(name).replace("_", " ") for name in components]
    frame = components.set_axis(names, axis=1).rename_axis("system").reset_index()
    frame["name"] = [short(text(name), 2 * LONGEST) for name in frame["system"]]
    long = frame.melt(["system", "name"], names, "part", "value")
    long["label"] = [bar_label(row, title) for row in long.to_dict("records")]
    rank = {name: number for number, name in enumerate(names)}
    long["rank"] = long["part"].map(rank)
    shades = [
        f"color-mix(in srgb, {INK} {100 - 85 * number // (len(names) - 1)}%, var(--page))"
        for number in range(len(names))
    ]
    legend = alt.Legend(symbolType="square", columns=2, labelLimit=110)
    chart = alt.Chart(alt.NamedData("parts")).mark_bar(stroke=QUIET, strokeWidth=0.5, aria=True)
    chart = chart.encode(
        x=alt.X("value:Q", title=f"mean {title}", scale=alt.Scale(domainMax=1)),
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=150, ticks=False)),
        color=alt.Color("part:N", scale=alt.Scale(domain=names, range=shades), legend=legend),
        # without `order`, Vega-Lite stacks components by name
        order="rank:Q",
        description="label:N",
    )
    data = {"parts": long.drop(columns="system")}
    return styled(chart, data, WIDE - 90, LINE * len(components))
