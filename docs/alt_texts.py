"""Alternative texts of figures that cells draw."""

import inspect
import re

from docutils import nodes

from irframe import plots

FIGURE = re.compile(r"\bplots?\.(\w+)\(")


def setup(app):
    """Look at every page after it was read."""
    app.connect("doctree-read", describe_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def describe_figures(_, doctree):
    """Write an alternative text for every figure."""
    for cell in doctree.findall(nodes.container):
        if "cell" not in cell["classes"]:
            continue
        drawn = FIGURE.findall(
            " ".join(code.astext() for code in cell.findall(nodes.literal_block))
        )
        descriptions = [words(name) for name in dict.fromkeys(drawn) if name in plots.__all__]
        for image in cell.findall(nodes.image):
            if not image.get("alt"):
                image["alt"] = "; ".join(descriptions) or heading(cell)


def words(name):
    """Return the description of a figure from its docstring."""
    line = inspect.getdoc(getattr(plots, name)).partition("\n")[0]
    text = re.sub(r"^(?:Draw|Show|Plot) ", "", line).replace("`", "").rstrip(".")
    return f"{text[0].upper()}{text[1:]}"


def heading(node):
    """Return the heading under which a node stands."""
    while node and not isinstance(node, nodes.section):
        node = node.parent
    return node[0].astext() if node else "A figure"
