"""The picture of the landing page and the README: a cube, a chain, a figure.

Usage: python docs/_static/picture.py
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import irframe as ir
from irframe.plots.canvas import COLOURS

HERE = Path(__file__).parent
CHAIN = """\
import irframe as ir
runs = ir.read_runs("runs/*.gz")
qrels = ir.read_qrels("qrels.txt")

cube = runs.ireval.cube(qrels)
scores = cube.ireval.score("nDCG", "AP")
scores.ireval.summary()"""
STYLES = {"light": ("#1a1a1a", COLOURS[0]), "dark": ("#e6e6e6", COLOURS[-1])}
"""Name -> the colour of lines and text, and that of the cube."""
RIGHT, UP, BACK = np.array([1.0, 0]), np.array([0, 1.0]), np.array([0.45, 0.33])
CELLS = 5


def draw_cube(ax, ink, colour):
    """Draw a cube of cells, with the names of its edges and one depth of it filled."""
    faces = [(np.zeros(2), RIGHT, UP), (UP, RIGHT, BACK), (RIGHT, BACK, UP)]
    for shade, (corner, one, other) in zip((0.16, 0.28, 0.4), faces, strict=True):
        ax.add_patch(plt.Polygon(square(corner, one, other), fc=colour, alpha=shade, lw=0))
        for share in np.linspace(0, 1, CELLS + 1):
            for start, along in ((corner + share * one, other), (corner + share * other, one)):
                ax.plot(*zip(start, start + along, strict=True), color=colour, lw=0.8)
    slab = RIGHT * 2 / CELLS, RIGHT / CELLS
    for corner, one, other in ((slab[0], slab[1], UP), (slab[0] + UP, slab[1], BACK)):
        ax.add_patch(plt.Polygon(square(corner, one, other), fc=colour, alpha=0.85, lw=0))
    ax.text(-0.06, 0.5, "system", rotation=90, ha="right", va="center", color=ink)
    ax.text(0.5, -0.07, "depth", ha="center", va="top", color=ink)
    ax.text(1.27, 0.11, "topic", rotation=36, ha="left", va="center", color=ink)
    ax.set(xlim=(-0.2, 1.55), ylim=(-0.2, 1.4), aspect="equal")
    ax.set_axis_off()


def square(corner, one, other):
    """Return the corners of a parallelogram."""
    return [corner, corner + one, corner + one + other, corner + other]


def draw_figure(ax, ink):
    """Draw the means of three systems at every depth, each with its confidence interval."""
    cube = ir.cube(*ir.example_track())
    summary = cube.ireval.score("nDCG").ireval.summary().squeeze("metric")
    for name, colour in zip(("monot5", "bm25+rm3", "bm25"), COLOURS, strict=False):
        rows = summary.sel(system=name)
        ax.fill_between(
            rows["depth"], rows["ci_low"], rows["ci_high"], color=colour, alpha=0.2, lw=0
        )
        ax.plot(rows["depth"], rows["mean"], color=colour, lw=2)
        ax.text(51, rows["mean"][-1], name, color=colour, va="center", fontsize="small")
    ax.set(xlabel="evaluation depth", ylim=(0, 1), xlim=(1, 50))
    ax.set_title("mean nDCG with its interval at 95 %", fontsize="medium", color=ink, loc="left")
    ax.spines[["top", "right"]].set_visible(False)


def draw(ink, colour):
    """Return the whole picture in the colours of a style."""
    settings = dict.fromkeys(
        ("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor"), ink
    )
    with mpl.rc_context(settings | {"font.size": 11, "axes.facecolor": "none"}):
        figure = plt.figure(figsize=(11, 3.1))
        draw_cube(figure.add_axes((0, 0.02, 0.25, 0.96)), ink, colour)
        figure.text(
            0.275, 0.5, CHAIN, family="monospace", fontsize=10.5, va="center", linespacing=1.6
        )
        draw_figure(figure.add_axes((0.655, 0.19, 0.26, 0.66)), ink)
        return figure


if __name__ == "__main__":
    for style, colours in STYLES.items():
        draw(*colours).savefig(HERE / f"picture-{style}.png", dpi=150, transparent=True)
