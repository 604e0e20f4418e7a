"""The report of the example track."""

from pathlib import Path

from stamps import key_of_code

import irframe as ir


def write_report(folder):
    """Write ``report.html`` into a folder, if the code changed.

    The last line of the page, a comment, says of which code it was made.
    """
    page = Path(folder) / "report.html"
    mark = f"\n<!-- made by {key_of_code(__file__)} -->\n".encode()
    if page.exists() and page.read_bytes().endswith(mark):
        return
    page.parent.mkdir(parents=True, exist_ok=True)
    ir.report(*ir.example_track(), page, baseline="bm25", title="The example track")
    with page.open("ab") as file:
        file.write(mark)
