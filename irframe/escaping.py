"""Where text leaves: names, ids and messages as each medium takes them, one function per medium.

Names come from files of strangers. On a terminal they must not move the cursor or turn the reading
direction; in a comment not call people or link anywhere; in a spreadsheet not be a formula.
"""

import re
from html import escape
from typing import Any

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ud800-\udfff]"
)
"""Characters that are seen by what they do: controls, directions, breaks, lone surrogates."""
_MARKS = re.compile(r"([\\|`*\[\]~$]|(?<!\w)_|_(?!\w))")
"""What Markdown reads as its own; an underscore inside a word is one."""
_CALLS = re.compile(r"(://|\bwww(?=\.)|(?<!\w)@(?=\w)|@(?=[\w.-]+\.\w)|#(?=\d))")
"""After these a code host links: addresses, people, and issues by their numbers."""
_LATEX = str.maketrans(
    {sign: rf"\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash ", "~": r"\textasciitilde ", "^": r"\textasciicircum "}
)


def visible(text: str) -> str:
    r"""Return text for a terminal, lines and tabs as they are: what cannot be seen is spelled.

    Examples
    --------
    >>> visible("a\x1b[31mb"), visible("bm25\u202e")
    ('a\\x1b[31mb', 'bm25\\u202e')
    """
    return _HIDDEN.sub(lambda sign: repr(sign[0])[1:-1], text)


def encodable(text: str, stream: Any) -> str:
    """Return text for a terminal, what its encoding lacks spelled, too."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return visible(text).encode(encoding, "backslashreplace").decode(encoding)


def one_line(value: object) -> str:
    r"""Return a value as a line of a terminal.

    Examples
    --------
    >>> one_line("two\n  lines"), one_line("a\x00b")
    ('two lines', 'a\\x00b')
    """
    return visible(" ".join(str(value).split()))


def markdown(value: object) -> str:
    r"""Return a value as Markdown shows it literally, also in a cell of a table.

    Examples
    --------
    >>> markdown("a|b ~~c~~ <i>"), markdown("@user of https://x.org"), markdown("nDCG@10")
    ('a\\|b \\~\\~c\\~\\~ &lt;i&gt;', '@&#8203;user of https://&#8203;x.org', 'nDCG@10')
    """
    literal = _MARKS.sub(r"\\\1", escape(one_line(value), quote=False))
    return _CALLS.sub(r"\1&#8203;", literal)  # a space of no width


def html(value: object) -> str:
    r"""Return a value as a page shows it.

    Examples
    --------
    >>> html("<b>\x07")
    '&lt;b&gt;\\x07'
    """
    return escape(visible(str(value)))


def latex(value: object) -> str:
    r"""Return a value as LaTeX typesets it.

    Examples
    --------
    >>> latex("50%_a^b")
    '50\\%\\_a\\textasciicircum b'
    """
    return visible(str(value)).translate(_LATEX)


def cell(value: Any) -> Any:
    """Return a value of CSV or TSV, in which no text is a formula; what is no text as it is.

    Examples
    --------
    >>> cell("=1+1"), cell("-0.5"), cell(-0.5), cell("bm25")
    ("'=1+1", '-0.5', -0.5, 'bm25')
    """
    if not isinstance(value, str):
        return value
    try:
        float(value)
    except ValueError:
        return "'" * value.startswith(("=", "+", "-", "@", "\t", "\r")) + visible(value)
    return value
