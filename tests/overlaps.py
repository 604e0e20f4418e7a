"""Detection of overlapping or cut texts in figures."""

from itertools import combinations

import numpy as np
from matplotlib.transforms import Bbox

SLACK = 0.12
"""Share of a text's height that another text may overlap, because only the descenders of letters
extend into it.
"""
DRAWN = 0.4
"""Minimum width and height of axes, relative to the figure."""


def faults(figure):
    """Return descriptions of overlapping and cut texts in a figure."""
    figure.draw_without_rendering()
    texts = list(texts_of(figure))
    boxes = [box(text) for _, text in texts]
    named = [f"{kind} {' '.join(text.get_text().split())[:40]!r}" for kind, text in texts]
    faulty = [
        f"cut: {name}"
        for name, corners in zip(named, boxes, strict=True)
        if outside(corners, figure.bbox)
    ]
    faulty += [
        f"overlap: {named[i]} and {named[j]}"
        for i, j in combinations(range(len(boxes)), 2)
        if near(boxes[i], boxes[j]) and overlapping(boxes[i], boxes[j])
    ]
    faulty += [f"cut: {name}" for name in clipped(texts)]
    return [*faulty, *legends_over(figure, texts, boxes), *squeezed(figure)]


def every_axes(figure):
    """Yield all axes of a figure, including child axes."""
    for ax in figure.axes:
        yield ax
        yield from ax.child_axes


def texts_of(figure):
    """Yield the kind and the text of drawn texts."""
    for ax in every_axes(figure):
        if not ax.get_visible():
            continue
        yield from (("title", text) for text in (ax.title, ax._left_title, ax._right_title))
        yield from (("text", text) for text in ax.texts)
        shown = [axis for axis in (ax.xaxis, ax.yaxis) if ax.axison and axis.get_visible()]
        yield from (("axis", text) for axis in shown for text in axis_texts(axis))
    for legend in legends(figure):
        yield from (("legend", text) for text in [*legend.get_texts(), legend.get_title()])
    yield from (("figure", text) for text in figure.texts)


def axis_texts(axis):
    for tick in axis._update_ticks():
        yield from (tick.label1, tick.label2)
    yield from (axis.label, axis.offsetText)


def legends(figure):
    inner = [ax.get_legend() for ax in every_axes(figure)]
    return [legend for legend in [*inner, *figure.legends] if legend is not None]


def is_visible(text):
    return text.get_visible() and bool(text.get_text().strip())


def box(text):
    """Return the corners of a rotated text, None if invisible."""
    if not is_visible(text):
        return None
    turn = text.get_rotation()
    around = text.get_window_extent()
    centre = np.array([(around.x0 + around.x1) / 2, (around.y0 + around.y1) / 2])
    text.set_rotation(0)
    flat = text.get_window_extent()
    text.set_rotation(turn)
    half = np.array([flat.width / 2, flat.height / 2])
    lines = 1 + text.get_text().count("\n")
    half = np.maximum(half - SLACK * flat.height / lines, 0.1)
    angle = np.deg2rad(turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    return centre + corners @ spin.T


def outside(corners, bounds):
    """Return whether a box extends beyond the figure."""
    if corners is None:
        return False
    low, high = corners.min(axis=0), corners.max(axis=0)
    return bool((low < [bounds.x0, bounds.y0]).any() or (high > [bounds.x1, bounds.y1]).any())


def near(first, second):
    if first is None or second is None:
        return False
    disjoint = (first.max(axis=0) <= second.min(axis=0)) | (second.max(axis=0) <= first.min(axis=0))
    return not disjoint.any()


def overlapping(first, second):
    """Return whether two rotated boxes overlap.

    By the separating axis theorem, two boxes do not overlap if their projections on some side do
    not overlap.
    """
    for corners in (first, second):
        for side in (corners[1] - corners[0], corners[3] - corners[0]):
            a, b = first @ side, second @ side
            if a.max() <= b.min() or b.max() <= a.min():
                return False
    return True


def clipped(texts):
    """Yield the texts that the border of their axes cuts."""
    for kind, text in texts:
        border = text.get_clip_box() if is_visible(text) and text.get_clip_on() else None
        if border is not None and outside(box(text), border):
            yield f"{kind} {text.get_text()[:40]!r}"


def legends_over(figure, texts, boxes):
    """Return the legends that cover titles, labels or ticks."""
    faulty = []
    for legend in legends(figure):
        inner = {id(text) for text in [*legend.get_texts(), legend.get_title()]}
        frame = legend.get_window_extent()
        corners = np.array(
            [(frame.x0, frame.y0), (frame.x1, frame.y0), (frame.x1, frame.y1), (frame.x0, frame.y1)]
        )
        faulty += [
            f"legend over {kind} {text.get_text()[:40]!r}"
            for (kind, text), box in zip(texts, boxes, strict=True)
            if id(text) not in inner and near(corners, box) and overlapping(corners, box)
        ]
    return faulty


def squeezed(figure):
    """Return descriptions of axes that are too small."""
    around = Bbox.union([ax.bbox for ax in figure.axes])
    shares = around.width / figure.bbox.width, around.height / figure.bbox.height
    share = min(shares) if figure.axes[0].get_aspect() == "auto" else max(shares)
    text = f"squeezed: axes have {shares[0]:.0%} of the width, {shares[1]:.0%} of the height"
    return [text] if share < DRAWN else []
