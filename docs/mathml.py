"""Equations as MathML, which browsers draw without scripts."""

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml


def setup(app):
    """Register the renderer; `html_math_renderer` names it."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(translator, node):
    """Write an equation that stands in a line of text."""
    write(translator, node, as_block=False)


def block(translator, node):
    """Write an equation that stands by itself."""
    write(translator, node, as_block=True)


def write(translator, node, *, as_block):
    """Write an equation in place of a node."""
    translator.body.append(tex2mathml(node.astext(), as_block=as_block))
    raise SkipNode
