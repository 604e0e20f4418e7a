"""The gallery of figures, drawn by the examples of docstrings."""

import doctest
import inspect
import re
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
from stamps import key_of_code
from verbs import GUIDES, HERE, calls, pages, showing, title

from irframe import plots

CARD = """\
:::{{grid-item-card}} {line}
:link: _generated/api/irframe.plots.{name}
:link-type: doc
:class-card: figure-card

```{{image}} _generated/gallery/{name}.png
:alt: {line}
```

```python
{call}
```
:::
"""
FURTHER = "Further figures"
"""Title above those that are the only one of their question."""

FRONT = {
    "questions/comparing": ("scores", "topic_differences(a, b)"),
    "questions/how-deep": ("scores.ireval.volatility()", "volatility_map()"),
    "questions/where-did-the-points-go": ('runs.ireval.losses(qrels, "nDCG@10")', "loss_bars()"),
    "questions/how-sure": ("scores.ireval.rank_intervals()", "ladder()"),
    "questions/trust": ("cube.ireval.pool_growth()", "pool_curves()"),
    "questions/state-of-the-art": (
        'cube.ireval.outcomes(baseline=b, relevant="first").summary',
        "outcome_shares()",
    ),
    "questions/hedge": ('cube.ireval.side_by_side(a, b, "AP")', "orderings()"),
}
"""Page of a question -> what the front page draws of it: of what, and the figure."""
QUESTION = """\
:::{{grid-item-card}} {title}
:link: {page}
:link-type: doc
:class-card: figure-card

```{{image}} _generated/gallery/{figure}.png
:alt: {alt}
```

{line}

```python
{chain}
```
:::
"""


def draw_gallery(folder: Path):
    """Draw every figure, if the code changed."""
    stamp, key = folder / "drawn-from", key_of_code(__file__)
    if stamp.exists() and stamp.read_text() == key:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name in plots.__all__:
        draw(name).savefig(folder / f"{name}.png", dpi=110, bbox_inches="tight")
        plt.close("all")
    stamp.write_text(key)


def draw(name):
    """Return the last figure of a docstring's example."""
    figure = getattr(plots, name)
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(figure))
    code = "".join(example.source for example in examples)
    plt.close("all")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, dict(inspect.getmodule(figure).__dict__))  # noqa: S102 - our own docstring
    return plt.gcf()


def gallery_page():
    """Return the cards of all figures by question."""
    of = {name: question_of(name) for name in sorted(plots.__all__)}
    lines, alone = [], []
    for page, text in pages(*GUIDES).items():
        names = [name for name in of if of[name] == page]
        alone += names if len(names) == 1 else []
        if len(names) > 1:
            lines += [f"## [{title(text)}](/{page.as_posix()})", "", *cards_of(names)]
    return "\n".join([*lines, f"## {FURTHER}", "", *cards_of(alone)])


def cards_of(names):
    """Return a grid of figures without a last single figure."""
    wide = next(wide for wide in (3, 4, 2, 1) if len(names) % wide != 1 or len(names) == 1)
    cards = [CARD.format(name=name, line=line_of(name), call=call_of(name)) for name in names]
    grid = ["::::{grid} 1 2 2 " + str(wide), ":gutter: 3", ":class-container: figure-cards", ""]
    return [*grid, *cards, "::::", ""]


def call_of(name):
    """Return the line of an example that draws a figure."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(getattr(plots, name)))
    sources = [example.source for example in examples if f"{name}(" in example.source]
    source = re.sub(r"\s*\n\s*", "", re.sub(r",\n", ", ", sources[-1]))
    inside = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"  # brackets within brackets
    before = rf"[a-z]\w*(?:\.\w+|{inside})*?\.plots?\."
    match = re.search(rf"(?:{before}|\b){name}{inside}", source)
    return (match[0] if match else source).replace(".ireval.plot.", ".ireval\n.plot.")


def question_of(name):
    """Return the page that draws a figure most often."""
    drawn = (showing(calls("irframe.plots", name), folder) for folder in GUIDES)
    return next((page for found in drawn for page in found), Path("guide/figures-and-tables.md"))


def line_of(name):
    """Return the description of a figure from its docstring."""
    line = inspect.getdoc(getattr(plots, name)).partition("\n")[0]
    text = line.removeprefix("Draw ").removesuffix(".").replace("``", "`")
    return text[0].upper() + text[1:]


def front_page():
    """Return the cards of the front page."""
    cards = [question_card(page, *drawn) for page, drawn in FRONT.items()]
    return "\n".join(
        [
            "::::{grid} 1 2 3 3",
            ":gutter: 3",
            ":class-container: figure-cards",
            "",
            *cards,
            "::::",
            "",
        ]
    )


def question_card(page, subject, figure):
    """Return the card of one question."""
    folder, _, name = page.partition("/")
    listed = (HERE / folder / "index.md").read_text()
    question, answer = re.search(
        rf"^\| \[(.+)\]\({name}\.md\) \| (.+) \|$", listed, re.MULTILINE
    ).groups()
    drawn = figure.partition("(")[0]
    return QUESTION.format(
        title=question,
        page=page,
        figure=drawn,
        alt=line_of(drawn),
        line=answer,
        chain=f"{subject}.ireval\n.plot.{figure}",
    )
