"""Strategies for run files, and a reference reader."""

import re

from hypothesis import assume
from hypothesis import strategies as st

RUN = ["topic", "Q0", "doc", "rank", "score", "system"]


LINES = "301 Q0 d7 1 2.5 bm25\n301 Q0 d3 2 1.25 bm25\n"


def slow_rows(text, names):
    """Read a run file, and map columns to values."""
    lines = [line.strip(" \t\v\f") for line in re.split("\r\n|\r|\n", text)]
    rows = [re.split("[ \t\v\f]+", line) for line in lines if line and not line.startswith("#")]
    assert all(len(row) == len(names) for row in rows)
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def assert_holds(frame, columns):
    for name, values in columns.items():
        if name == "Q0":
            continue
        kind = {"rank": int, "grade": int, "score": float}.get(name, str)
        assert frame[name].tolist() == [kind(value) for value in values]


def write(folder, text, name="a.run"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


ids = st.one_of(
    st.sampled_from(["001", "1e5", "NA", "nan", "null", "None", "-1", '"q', "'", "a,b", "x#", "é"]),
    st.text("abcXYZ0189.-_:/", min_size=1, max_size=8),
)


numbers = st.integers(-3, 10**12).map(str)


scores = st.floats(allow_nan=False).map(repr)


gaps = st.sampled_from([" ", "\t", "  ", " \t", "\t\t ", "\v", " \f"])


edges = st.sampled_from(["", "", " ", "\t ", "\f", "\v\t"])


ends = st.sampled_from(["\n", "\r\n", "\n\n", "\n \t\n", "\n# a comment\n", "\n  #\n"])


@st.composite
def files(draw, *fields):
    """Draw a run file with random white space."""
    rows = draw(st.lists(st.tuples(*fields), min_size=1, max_size=6))
    text = draw(st.sampled_from(["", "\ufeff", "# made by hand\n", "\n\r\n"]))
    for row in rows:
        line = draw(edges) + row[0]
        line += "".join(draw(gaps) + field for field in row[1:]) + draw(edges)
        text += line + draw(ends)
    plain = draw(st.sampled_from([" ", "\t"]))
    regular = "\n".join(plain.join(row) for row in rows)
    content = draw(st.sampled_from([text, text.rstrip(), regular, regular + "\n"]))
    between = [re.findall(r"(?<=\S)[ \t\v\f]+(?=\S)", line) for line in content.splitlines()]
    tabs = all("".join(gaps).count("\t") == len(fields) - 1 for gaps in between if gaps)
    # files with one tab between fields are split at tabs only, so other white space would become
    # part of ids
    assume(not tabs or set("".join(map("".join, between))) <= {"\t"})
    return content


writable = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=6
).filter(lambda text: not text.startswith(("#", "\ufeff")))


integers = st.integers(-(2**40), 2**40)
