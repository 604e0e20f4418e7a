"""Figures of the gallery: every figure of irframe.plots, drawn by the example in its docstring."""

import doctest
import inspect
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
from stamps import key_of_code

from irframe import plots

CARD = """\
:::{{grid-item-card}} `{name}`
:link: api/irframe.plots.{name}
:link-type: doc
:class-card: figure-card

```{{image}} gallery/{name}.png
:alt: {line}
```

{line}
:::
"""
PAGE = """---
html_theme.sidebar_secondary.remove: true
---

# Gallery

Every figure that irframe draws, on simulated tracks. It hangs on what it shows,
`scores.ireval.plot.depth_curves()`, or is called with it, `ir.plots.depth_curves(scores)`, and it
returns matplotlib's `Axes`: the rest is yours to change. A click leads to the code that drew it.

Within `with ir.plots.paper(columns=1):` figures have the size and type of a paper's column. At any
size, long names are shortened, and a list shows as many systems as there is room for and says so.

::::{{grid}} 1 2 2 3
:gutter: 3

{cards}
::::
"""


def draw_gallery(folder: Path):
    """Draw every figure, unless they stand there already as the code has them."""
    stamp, key = folder / "drawn-from", key_of_code(__file__)
    if stamp.exists() and stamp.read_text() == key:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name in plots.__all__:
        draw(name).savefig(folder / f"{name}.png", dpi=110, bbox_inches="tight")
        plt.close("all")
    stamp.write_text(key)


def draw(name):
    """Return the last figure that the example of a docstring draws."""
    figure = getattr(plots, name)
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(figure))
    code = "".join(example.source for example in examples)
    plt.close("all")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, dict(inspect.getmodule(figure).__dict__))  # noqa: S102 - our own docstring
    return plt.gcf()


def gallery_page():
    """Return the page that shows all figures."""
    cards = [CARD.format(name=name, line=line_of(name)) for name in sorted(plots.__all__)]
    return PAGE.format(cards="\n".join(cards))


def line_of(name):
    """Return what a figure shows, in the words of its docstring."""
    return inspect.getdoc(getattr(plots, name)).partition("\n")[0].replace("``", "`")
