"""The gallery: every figure of irframe.plots by question, drawn by the example in its docstring."""

import doctest
import inspect
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
from stamps import key_of_code
from verbs import GUIDES, calls, pages, showing, title

from irframe import plots

CARD = """\
:::{{grid-item-card}} {line}
:link: _generated/api/irframe.plots.{name}
:link-type: doc
:class-card: figure-card

```{{image}} _generated/gallery/{name}.png
:alt: {line}
```

`{name}`
:::
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
    """Return the cards of all figures under the questions that they answer, in their order."""
    of = {name: question_of(name) for name in sorted(plots.__all__)}
    parts = []
    for page, text in pages(*GUIDES).items():
        cards = [CARD.format(name=name, line=line_of(name)) for name in of if of[name] == page]
        if cards:
            heading = f"## [{title(text)}](/{page.as_posix()})"
            parts += [heading, "", "::::{grid} 1 2 2 3", ":gutter: 3", "", *cards, "::::", ""]
    return "\n".join(parts)


def question_of(name):
    """Return the page of a question that draws a figure most often, else of a guide."""
    drawn = (showing(calls("irframe.plots", name), folder) for folder in GUIDES)
    return next((page for found in drawn for page in found), Path("guide/figures-and-tables.md"))


def line_of(name):
    """Return what a figure shows, in the words of its docstring."""
    line = inspect.getdoc(getattr(plots, name)).partition("\n")[0]
    words = line.removeprefix("Draw ").removesuffix(".").replace("``", "`")
    return words[0].upper() + words[1:]
