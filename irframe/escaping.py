"""Escape text for terminals, Markdown, HTML, LaTeX and CSV.

Names of systems, topics and documents come from files of other people. On a terminal, a name must
not move the cursor or change the reading direction. In a comment on a code host, a name must not
mention people or link to pages. In a spreadsheet, a name must not be a formula.
"""

import re
from html import escape

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ud800-\udfff]"
)
"""Pattern for invisible characters: control characters, characters that set the text direction,
line separators and lone surrogates."""
_MARKS = re.compile(r"([\\|`*\[\]~$]|(?<!\w)_|_(?!\w))")
"""Pattern for characters with a meaning in Markdown, except underscores inside words."""
_CALLS = re.compile(r"(://|\bwww(?=\.)|(?<!\w)@(?=\w)|@(?=[\w.-]+\.\w)|#(?=\d))")
"""Pattern for addresses, mentions and issue numbers, which code hosts turn into links."""
_LATEX = str.maketrans(
    {sign: rf"\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash ", "~": r"\textasciitilde ", "^": r"\textasciicircum "}
)


def visible(text: str) -> str:
    r"""Escape invisible characters, but not line breaks and tabs.

    Examples
    --------
    >>> visible("a\x1b[31mb"), visible("bm25\u202e")
    ('a\\x1b[31mb', 'bm25\\u202e')
    """
    return _HIDDEN.sub(lambda sign: repr(sign[0])[1:-1], text)


def encodable(text: str, stream: object) -> str:
    """Escape invisible characters and characters that cannot be encoded."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return visible(text).encode(encoding, "backslashreplace").decode(encoding)


def one_line(value: object) -> str:
    r"""Return a value as one line of visible characters.

    Examples
    --------
    >>> one_line("two\n  lines"), one_line("a\x00b")
    ('two lines', 'a\\x00b')
    """
    return visible(" ".join(str(value).split()))


def markdown(value: object) -> str:
    r"""Escape a value for Markdown, including cells of tables.

    Examples
    --------
    >>> markdown("a|b ~~c~~ <i>"), markdown("@user of https://x.org"), markdown("nDCG@10")
    ('a\\|b \\~\\~c\\~\\~ &lt;i&gt;', '@&#8203;user of https://&#8203;x.org', 'nDCG@10')
    """
    # HTML is escaped first, because the zero-width space is inserted as an HTML entity
    literal = _MARKS.sub(r"\\\1", escape(one_line(value), quote=False))
    # a zero-width space after the first character keeps code hosts from making a link
    return _CALLS.sub(r"\1&#8203;", literal)


def html(value: object) -> str:
    r"""Escape a value for HTML.

    Examples
    --------
    >>> html("<b>\x07")
    '&lt;b&gt;\\x07'
    """
    return escape(visible(str(value)))


def latex(value: object) -> str:
    r"""Escape a value for LaTeX.

    Examples
    --------
    >>> latex("50%_a^b")
    '50\\%\\_a\\textasciicircum b'
    """
    # invisible characters are escaped first, because their escapes contain backslashes
    return visible(str(value)).translate(_LATEX)


def cell(value: object) -> object:
    """Escape a string that spreadsheets would read as a formula.

    Numbers and other values that are not strings are returned unchanged.

    Examples
    --------
    >>> cell("=1+1"), cell("-0.5"), cell(-0.5), cell("bm25")
    ("'=1+1", '-0.5', -0.5, 'bm25')
    """
    if not isinstance(value, str):
        return value
    # a negative number in a string is no formula, although it begins with a minus
    try:
        float(value)
    except ValueError:
        return "'" * value.startswith(("=", "+", "-", "@", "\t", "\r")) + visible(value)
    return value
