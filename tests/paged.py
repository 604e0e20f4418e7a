"""A track with dangerous names, and a parser of reports."""

import base64
import gzip
import json
from functools import cached_property
from html.parser import HTMLParser
from inspect import signature

import numpy as np

import irframe as ir
from irframe.option_values import gathered
from irframe.reports.setting import Setting
from irframe.reports.view import View

SYSTEM = "<script>alert(1)</script>"
TOPIC = "<img src=x onerror=alert(2)>"
DOC = "</script><b>d</b>"
TITLE = "{{ 7 * 7 }} & <i>more</i>"
"""Title with template code and HTML. A report must show both as text."""
BUILT_IN = {
    "colbert": "constructor",
    "doct5query": "__proto__",
    "102": "__proto__",
    "103": "toString",
}
"""Mapping from names in the example track to the JavaScript built-ins that replace them."""
METRICS = ["nDCG", "AP(norm='min')"]
DEPTHS = [1, 5, 10, 20]
OPENING_FIRST = [10, 1, 5, 20]
ASKED = {"test": "t", "adjust": "holm", "alpha": 0.05, "samples": 100, "seed": 0, "baseline": None}


def attacked():
    """Return the example track with dangerous names."""
    runs, qrels = ir.example_track()
    first = runs.loc[(runs["system"] == "monot5") & (runs["topic"] == "101"), "doc"].iloc[0]
    runs["system"] = runs["system"].replace(BUILT_IN | {"monot5": SYSTEM})
    for frame in (runs, qrels):
        frame["topic"] = frame["topic"].replace(BUILT_IN | {"101": TOPIC})
        frame["doc"] = frame["doc"].replace(first, DOC)
    return runs, qrels


class Page(HTMLParser):
    """Parser of a report, which does not run the scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.words = [], [], []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.inside = tag
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, _):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data
        elif self.inside != "style":
            self.words.append(data)

    def count(self, tag):
        return sum(name == tag for name, _ in self.tags)

    @cached_property
    def facts(self):
        return json.loads(self.scripts[0])

    @cached_property
    def numbers(self):
        data = gzip.decompress(base64.b64decode(self.scripts[1]))
        numbers = {}
        for name, block in self.facts["contents"].items():
            kind, size = block["kind"].removesuffix("Array").lower(), int(np.prod(block["shape"]))
            numbers[name] = np.frombuffer(data, kind, size, block["start"]).reshape(block["shape"])
        return numbers

    @cached_property
    def texts(self):
        return json.loads(self.numbers["texts"].tobytes())

    @cached_property
    def text(self):
        return " ".join(" ".join(self.words).split())


def view_of(cube, metrics, at, **options):
    """Return the data that a report about a cube shows."""
    arguments = gathered(signature(ir.report), ASKED | options)
    return View("all", Setting.read(cube, metrics, at, arguments), cube)


def report_of(folder, runs, qrels, **options):
    """Write a small report, and return the parsed page."""
    named = {"metrics": ["AP"], "at": [10, 5], "samples": 100} | options
    path = ir.report(runs, qrels, folder / "page.html", **gathered(signature(ir.report), named))
    return Page(path.read_text(encoding="utf-8"))
