"""The figures of a page, as specifications of Vega-Lite; they draw and compute nothing.

Colours are those of the page's style, by name, so that they follow it into the dark.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

import pandas as pd

from irframe.errors import InputError
from irframe.names import printable
from irframe.reports.setting import ALONG, deep, fixed, percent, short, text
from irframe.stops import DEPTHS

HUES = 8
"""Colours of systems that the style of the page knows."""
INK, QUIET, RULE = "var(--ink)", "var(--quiet)", "var(--rule)"
WIDTH, HEIGHT, WIDE = 290, 190, 470
FULL = 980
"""Width of a figure that has a row of the page to itself."""
NAMED, LINE = 20, 20
"""Up to how many systems a figure names, and the height of one that it names, in pixels."""
ABOVE = {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleX": -32, "titleY": -12}
"""Where the title of an upright axis stands: above it, clear of its labels."""
DIGITS = re.compile(r"(\.\d\d)\d{3,}")
"""Places to more than a hundredth of a pixel, which are a third of a figure's bytes."""
MARKS = " role-mark "
"""What Vega writes of each kind of marks."""
LONGEST = 14
"""Letters of a name beside a line."""
APART = 0.075
"""How far the names of lines are apart, as a share of the height."""
ROLES = re.compile(r' (?:role|aria-roledescription)="[^"]*"')
"""What Vega writes of marks that are told of; nobody is read them, as a table follows."""
DASHES = [
    *([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [14, 4]),
    *([2, 6], [12, 3, 2, 3, 2, 3], [4, 10]),
]
"""How lines of series that have no colour are dashed."""
MISSING = "the extra report: pip install 'irframe[report]'"


def _needed(name: str) -> Any:
    """Return a module of the extra, which costs time at import."""
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError("altair and vl-convert-python", "none", f"install {MISSING}") from error


def drawing() -> Any:
    """Return altair, once all that draws is there."""
    _needed("vl_convert")
    return _needed("altair")


@cache
def script() -> str:
    """Return Vega, Vega-Lite and Vega-Embed, which draw in a browser."""
    return str(_needed("vl_convert").javascript_bundle())


def svg(figure: dict[str, Any]) -> str:
    """Draw a figure, with names that are fit for it: Vega ends the process on others.

    Raises
    ------
    InputError
        If Vega leaves marks out, as it does where it fails: it says so to the terminal alone.
    """
    drawn = ROLES.sub("", str(_needed("vl_convert").vegalite_to_svg(printable(figure))))
    drawn = DIGITS.sub(r"\1", drawn)
    layers = [layer for layer in figure.get("layer", [figure]) if "data" in layer] or [figure]
    wanted = sum(bool(figure["datasets"][layer["data"]["name"]]) for layer in layers)
    found = drawn.count(MARKS)
    if found < wanted:
        advice = "Vega, which draws them, says on the terminal why"
        raise InputError(f"{wanted} kinds of marks in a figure", f"{found}", advice)
    return drawn


def styled(
    chart: Any, data: dict[str, pd.DataFrame], width: int = WIDTH, height: int = HEIGHT
) -> dict[str, Any]:
    """Return the specification of a chart in the page's style, with named data."""
    ink: dict[str, Any] = {"labelColor": INK, "titleColor": INK}
    axis = ink | {"gridColor": RULE, "domainColor": QUIET, "tickColor": QUIET}
    axis |= {"titleFontWeight": "normal", "labelFontSize": 12}
    sized = chart.properties(width=width, height=height)
    figure: dict[str, Any] = sized.to_dict(validate=False)
    figure["config"] = {
        "view": {"stroke": None},
        "background": "transparent",
        "aria": False,
        "axis": axis | {"titleFontSize": 12},
        "axisY": ABOVE,
        "legend": ink | {"orient": "top", "title": None, "offset": 28},
        "text": {"color": INK, "fontSize": 12},
        "font": "sans-serif",
    }
    figure["datasets"] = {name: _records(frame) for name, frame in data.items()}
    return figure


def _records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    whole = frame.rename(columns=str).astype(object).where(frame.notna().to_numpy(), None)
    return whole.map(lambda x: round(x, 5) if isinstance(x, float) else x).to_dict("records")


def _x() -> Any:
    axis = ALONG.get()
    scale = drawing().Scale(type="log", nice=False)
    ticks = [n * 10**power for power in range(3 if axis is DEPTHS else 7) for n in (1, 2, 5)]
    apart = {"labelOverlap": "greedy", "labelSeparation": 4}
    shown = drawing().Axis(grid=False, format="d", values=[*ticks, 10 * ticks[-3]], **apart)
    title = axis.dim + axis.describe(axis.title_end) * (axis is not DEPTHS)
    return drawing().X("depth:Q", title=title, scale=scale, axis=shown)


def _tooltips(*fields: str) -> list[Any]:
    """Return what is told of a mark that is pointed at."""
    alt = drawing()
    forms = {field: {"format": ".3f"} for field in ("mean:Q", "value:Q", "difference:Q")}
    return [alt.Tooltip(field, **forms.get(field, {})) for field in fields]


def _marker() -> Any:
    """Return the line at the depth that the page shows."""
    alt = drawing()
    rule = alt.Chart(alt.NamedData("now")).mark_rule(strokeDash=[4, 3], color=QUIET, tooltip=None)
    return rule.encode(x="depth:Q")


def curves(lines: pd.DataFrame, now: pd.DataFrame) -> dict[str, Any]:
    """Draw the means of some systems by depth, each line named at its end.

    Parameters
    ----------
    lines
        ``depth``, ``mean``, ``system``, ``place``, its position, and ``hue``, that of its colour.
    now
        ``depth``, the one that the page shows.
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


def ends_of(lines: pd.DataFrame) -> Any:
    """Return where the names of lines stand: at their ends, far enough apart to be read."""
    last = lines[lines["depth"] == lines["depth"].max()].sort_values("mean")
    gap = APART * ((lines["mean"].max() - min(0, lines["mean"].min())) or 1)
    places = last["mean"].to_list()
    for place in range(1, len(places)):
        places[place] = max(places[place], places[place - 1] + gap)
    roof = lines["mean"].max()  # above the highest mean the axis would go beyond 1
    for place in reversed(range(len(places))):
        places[place] = min(places[place], roof)
        roof = places[place] - gap
    return last.assign(mean=places, label=[short(name, LONGEST) for name in last["system"]])


def hues() -> Any:
    """Return the scale of systems' colours."""
    places = list(range(HUES))
    return drawing().Scale(domain=places, range=[f"var(--c{place})" for place in places])


def by_depth(
    lines: pd.DataFrame, now: pd.DataFrame, title: str, *, low: float | None = None
) -> dict[str, Any]:
    """Draw values of at most 1 by depth for every metric.

    Parameters
    ----------
    lines
        ``depth``, ``value`` and ``metric``.
    now
        ``depth``, the one that the page shows.
    title
        What is drawn.
    low
        Where the upright axis begins; by default near the lowest value. It ends at 1.
    """
    alt = drawing()
    begins = {} if low is None else {"domainMin": low}
    y = alt.Y("value:Q", title=title, scale=alt.Scale(zero=False, domainMax=1, **begins))
    line = alt.Chart(alt.NamedData("lines")).mark_line(strokeWidth=2, color=INK)
    told = _tooltips("metric:N", "depth:Q", "value:Q")
    chart = _marker() + line.encode(x=_x(), y=y, strokeDash=dashed("metric:N"), tooltip=told)
    return styled(chart, {"lines": lines, "now": now})


def dashed(field: str) -> Any:
    """Return what tells lines apart that no system owns: their dashes."""
    alt = drawing()
    scale = alt.Scale(range=DASHES)
    legend = alt.Legend(symbolStrokeColor=INK, symbolSize=900, columns=2, labelLimit=110)
    return alt.StrokeDash(field, sort=None, scale=scale, legend=legend)


def differences(bars: pd.DataFrame, title: str) -> dict[str, Any]:
    """Draw by how much one system is ahead of another on every topic.

    Parameters
    ----------
    bars
        ``topic``, ``difference``, ``place``, the row, and ``hue``, the position of the colour of
        who is ahead.
    title
        What is drawn.
    """
    alt = drawing()
    axis = alt.Axis(labelOverlap=True, labelExpr="data('bars')[datum.value].topic")
    chart = alt.Chart(alt.NamedData("bars")).mark_bar()
    chart = chart.encode(
        x=alt.X("place:O", title="topic", axis=axis),
        y=alt.Y("difference:Q", title=title),
        color=alt.Color("hue:O", scale=hues(), legend=None),
        tooltip=_tooltips("topic:N", "difference:Q"),
    )
    return styled(chart, {"bars": bars}, FULL)


def _pointed(base: Any, y: str) -> Any:
    """Return what is pointed at of lines and bands: nothing that is seen, with what it says."""
    point = base.mark_point(opacity=0, size=150, filled=True, aria=True)
    return point.encode(y=y, description="told:N")


def unjudged(shares: pd.DataFrame) -> dict[str, Any]:
    """Draw the share of unjudged documents: the median system, half of them, all."""
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
    said = (", ".join(f"{name} {each}" for name, each in row.items()) for row in percents)
    told = [f"{deep(at)}: {each}" for at, each in zip(shares["depth"], said, strict=True)]
    chart = alt.layer(*bands, line, _pointed(base, "median:Q"))
    return styled(chart, {"shares": shares.assign(told=told)}, WIDE)


def pool(growth: pd.DataFrame) -> dict[str, Any]:
    """Draw the judged and the relevant documents per topic by depth of the pool."""
    alt = drawing()
    long = growth.melt("depth", ["judged", "relevant"], "documents", "number")
    kinds, values = long["documents"], long["number"].map("{:.1f}".format)
    long["told"] = "depth " + long["depth"].astype(str) + ": " + values + " " + kinds
    base = alt.Chart(alt.NamedData("long")).encode(x=alt.X("depth:Q", title="depth of the pool"))
    y = alt.Y("number:Q", title="documents per topic")
    line = base.mark_line(strokeWidth=2, color=INK).encode(y=y, strokeDash=dashed("documents:N"))
    return styled(line + _pointed(base, "number:Q"), {"long": long}, WIDE)


def ranges(
    ends: pd.DataFrame, title: str, lines: Sequence[float] = (), width: int = WIDE
) -> dict[str, Any]:
    """Draw from where to where something goes, system by system, the first at the top.

    Parameters
    ----------
    ends
        ``system``, ``lower``, ``upper`` and ``mean``, which is marked; ``low`` and ``high``, the
        ends of a thin line beside, and ``verdict``, if there are some.
    title
        What is drawn.
    lines
        Values at which a line is drawn across.
    width
        How wide the figure is with its names, about.
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
    frame["told"] = [_told_range(row, title) for row in frame.to_dict("records")]
    frame["place"] = range(len(frame))
    known = frame.get("verdict", pd.Series("", frame.index))
    frame["verdict"] = known.where(known.isin(["better", "worse"]), "")
    x = alt.X("lower:Q", title=title, scale=scale, axis=head)
    bar = base.mark_rule(strokeWidth=6 if named else 2, opacity=0.6)
    parts = [bar.encode(x=x, x2="upper:Q", color=colour)]
    if "low" in ends:
        parts.append(base.mark_rule(color=QUIET).encode(x="low:Q", x2="high:Q"))
    parts.append(base.mark_point(color=INK, filled=True, size=24).encode(x="mean:Q"))
    data = {"ends": frame.drop(columns="system")}
    if len(lines):
        rule = alt.Chart(alt.NamedData("lines")).mark_rule(color=QUIET, strokeDash=[4, 3])
        parts.append(rule.encode(x="value:Q"))
        data["lines"] = pd.DataFrame({"value": lines})
    parts.append(base.mark_rect(opacity=0, aria=True).encode(description="told:N"))
    figure = styled(alt.layer(*parts), data, width - 90 * named, height)
    return figure | {"padding": {"left": 14, "top": 5, "right": 5, "bottom": 5}}


def stacked(parts: pd.DataFrame, title: str) -> dict[str, Any]:
    """Draw parts of a score as one bar for each system, the first at the top.

    Parameters
    ----------
    parts
        A row for each system, and a column for each part, the leftmost first.
    title
        What is drawn.
    """
    alt = drawing()
    names = [str(name).replace("_", " ") for name in parts]
    frame = parts.set_axis(names, axis=1).rename_axis("system").reset_index()
    frame["name"] = [short(text(name), 2 * LONGEST) for name in frame["system"]]
    long = frame.melt(["system", "name"], names, "part", "value")
    long["told"] = [_told_part(row, title) for row in long.to_dict("records")]
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
        order="rank:Q",
        description="told:N",
    )
    data = {"parts": long.drop(columns="system")}
    return styled(chart, data, WIDE - 90, LINE * len(parts))


def _told_part(row: dict[Any, Any], title: str) -> str:
    """Return what is said of a part that is pointed at."""
    return f"{text(row['system'])}: {row['part']} {fixed(row['value'])} of {title}"


def _told_range(row: dict[Any, Any], title: str) -> str:
    """Return what is said of a system that is pointed at."""
    ends = f"{fixed(row['lower'])} to {fixed(row['upper'])}"
    verdict = f"{row['verdict']}, " if row.get("verdict") else ""
    return f"{text(row['system'])}: {verdict}{title} {fixed(row['mean'])} ({ends})"
