"""HTML page filled from templates, sentences, tables and figures."""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.cubes.view import OURS, experiment_of, of_spans
from irframe.errors import cautions_of, united
from irframe.escaping import visible
from irframe.names import SYSTEM, TOPIC, VERSION, plural, printable
from irframe.reports import figures, ladder
from irframe.reports.beside import Duel, Snippets, TopLists
from irframe.reports.setting import DOCS, PagePart, Setting
from irframe.reports.trust import sentences, what_judging_could_change
from irframe.reports.view import View, arrays, rounded_in_order
from irframe.reports.words import SCRIPTED, Values, say, short, spoken, texts
from irframe.tables.captions import significance_text

ALIGNED = 4
"""Each array starts at a byte whose position is a multiple of this number, as JavaScript requires.
"""


def pack(arrays: Mapping[str, Array]) -> tuple[str, dict[str, Values]]:
    """Pack arrays into text.

    Parameters
    ----------
    arrays
        Arrays of integers or of float32, by name.

    Returns
    -------
    text : str
        All arrays in sequence, compressed by gzip, in base64.
    contents : dict
        JavaScript type, first byte and shape of each array.

    Examples
    --------
    >>> packed, contents = pack({"a": np.array([1, 2], np.uint8), "b": np.zeros(3, np.float32)})
    >>> contents["b"]
    {'kind': 'Float32Array', 'start': 4, 'shape': [3]}
    """
    contents = {}
    blocks: list[bytes] = []
    start = 0
    for name, array in arrays.items():
        kind = f"{array.dtype.name.capitalize()}Array"
        contents[name] = {"kind": kind, "start": start, "shape": list(array.shape)}
        # typed arrays of JavaScript are little-endian on all common machines
        data = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes()
        blocks.append(data + bytes(-len(data) % ALIGNED))
        start += len(blocks[-1])
    return pack_bytes(b"".join(blocks)), contents


def pack_bytes(data: bytes) -> str:
    """Return bytes compressed by gzip, in base64.

    Examples
    --------
    >>> gzip.decompress(base64.b64decode(pack_bytes(b"abc")))
    b'abc'
    """
    # without mtime=0, the time of the compression would change the page
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def rules(*scripts: str) -> str:
    """Return the page's Content-Security-Policy.

    The policy allows only the given scripts, and no network requests.

    Examples
    --------
    >>> rules("").split("; ")[:2]
    ["default-src 'none'", "script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"]
    """
    # browsers compare each hash with the exact text between the script tags
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()) for script in scripts]
    sources = " ".join(f"'sha256-{digest.decode()}'" for digest in digests)
    # bars are placed by style attributes, to which the hashes in a policy do not apply
    directives = {"default-src": "'none'", "script-src": sources, "style-src": "'unsafe-inline'"}
    directives |= {"img-src": "data:", "base-uri": "'none'", "form-action": "'none'"}
    return "; ".join(f"{name} {value}" for name, value in directives.items())


STYLES = ("colours", "page", "ladder", "sheet", "topics", "duel", "print")
SCRIPTS = (
    *("numbers", "state", "tables", "ladder", "matrix", "charts"),
    *("duel", "sheet", "topics", "main"),
)
"""Files of `irframe/reports/page`, in their order on the page."""
DRAWN = 5
"""Number of curves in the opening figure, besides those of baselines."""


@dataclass(frozen=True, eq=False)
class Page:
    """Content of a page.

    Parameters
    ----------
    title
        Title of the page.
    setting
        Checked arguments of `irframe.report`.
    views
        Views of all topics and of each collection. The page opens with the first view.
    lists
        First documents of every ranking.
    trust, comparisons, verdicts
        Sections that do not change with the metric and the depth.
    origins
        Lists of settings and versions, and sections on papers and inputs.
    call
        Call that made the page.
    snippets
        Texts beside the two lists.
    """

    title: str
    setting: Setting
    views: list[View]
    lists: TopLists
    trust: list[PagePart]
    comparisons: list[PagePart]
    origins: Values
    call: str
    snippets: Snippets = field(default_factory=Snippets)
    verdicts: list[PagePart] = field(default_factory=list)

    @cached_property
    def systems(self) -> list[str]:
        """The names of all systems."""
        return texts(self.setting.cube[SYSTEM].to_numpy())

    @cached_property
    def topics(self) -> list[str]:
        """The names of all topics."""
        return texts(self.setting.cube[TOPIC].to_numpy())

    @cached_property
    def opening(self) -> View:
        """View that the page opens with."""
        return self.views[0]

    @cached_property
    def textual(self) -> bool:
        """Whether judgments are spans of text.

        With judgments of spans, no document is unjudged.
        """
        return of_spans(self.setting.full_cube)

    @cached_property
    def sentences(self) -> list[dict[str, list[list[str]]]]:
        """Sentences of each view."""
        return [sentences(view) for view in self.views]

    @cached_property
    def cautions(self) -> list[str]:
        """Cautions of all views without repetition, the most serious first."""
        cautions = cautions_of(united(*(view.ranks.attrs for view in self.views)))
        unknown = [] if self.opening.void else experiment_of(self.opening.full_cube).unknown
        sentences = [say("caution.text", text=text[0].upper() + text[1:]) for text in cautions]
        return [*([say("caution.void", names=unknown)] if unknown else []), *sentences]

    @cached_property
    def open(self) -> str:
        """Sentence on systems that further judgments could put first."""
        key = "now.track" if len(self.views) > 1 else "now.page"
        shown = {"metric": self.setting.metrics[0], "depth": self.setting.at}
        now = say(key, view=self.opening.name, **shown)
        return spoken([what_judging_could_change(self.opening, now)])[0]

    @cached_property
    def hues(self) -> list[int]:
        """Colour of each system in the opening charts.

        The value is -1 for systems that no chart shows.
        """
        chosen = dict.fromkeys([*self.drawn, self.duel.a, self.duel.b])
        hues = [-1] * len(self.systems)
        for number, system in enumerate(chosen):
            hues[system] = number % figures.HUES
        return hues

    @cached_property
    def coord_names(self) -> list[str]:
        """Names of the user coordinates that the leaderboard shows."""
        return list(ladder.user_coords(self.opening))

    @cached_property
    def rungs(self) -> list[Values]:
        """Rows of the opening leaderboard, the best system first."""
        return list(ladder.rungs(self.opening, self.systems))

    @cached_property
    def drawn(self) -> list[int]:
        """Positions of the systems whose curves the page opens with."""
        order = [rung["place"] for rung in self.rungs]
        return order[:DRAWN] + [system for system in order[DRAWN:] if system in self.baselines]

    @cached_property
    def repeat_word(self) -> str:
        """Word for repeats, such as seed, or "" if none."""
        names = [view.repeats.name for view in self.views if view.repeats is not None]
        return names[0] if names else ""

    @cached_property
    def repeat_words(self) -> str:
        """Plural of the word for repeats."""
        return plural(self.repeat_word)

    @cached_property
    def baselines(self) -> list[int]:
        """Positions of the baselines."""
        index = self.setting.cube.indexes[SYSTEM]
        return [int(pos) for pos in index.get_indexer(pd.Index(self.setting.baselines))]

    @cached_property
    def base_names(self) -> list[str]:
        """The names of the baselines."""
        return [self.systems[pos] for pos in self.baselines]

    @cached_property
    def duel(self) -> Duel:
        """The two systems that the page opens with."""
        pair = (self.systems.index(self.opening.systems[pos]) for pos in self.opening.pair)
        return Duel(self.opening, self.lists, *pair)

    @cached_property
    def sheet(self) -> ladder.Sheet:
        """The sheet of the first system."""
        return ladder.Sheet(self.opening, self.rungs[0])

    @cached_property
    def live(self) -> dict[str, figures.Spec]:
        """Interactive figures in their opening state."""
        setting = self.setting
        view = self.opening
        duel = self.duel
        now = pd.DataFrame({"depth": [setting.at]})
        mean = view.ranks["mean"].isel(metric=0).transpose(SYSTEM, ...)
        names = setting.cube[SYSTEM].to_numpy()
        positions = np.repeat(self.drawn, len(setting.depths))
        lines = pd.DataFrame(
            {
                "depth": setting.depths * len(self.drawn),
                "mean": mean.sel({SYSTEM: names[self.drawn]}).to_numpy().ravel(),
                SYSTEM: np.array(self.systems, object)[positions],
                "place": positions,
                "hue": np.array(self.hues)[positions],
            }
        )
        behind = duel.bars["ahead"] == "b"
        hues = np.where(behind, self.hues[duel.b], self.hues[duel.a])
        bars = duel.bars.assign(place=np.arange(len(behind)), hue=hues)
        pairs = self._by_metric(view.differing)
        order = self._by_metric(view.agreement[:, :, setting.pos])
        return {
            "curves": figures.curves(lines, now),
            "told": figures.by_depth(pairs, now, "significant pairs", low=0),
            "order": figures.by_depth(order, now, "Kendall's tau"),
            "differences": figures.differences(bars, "difference"),
        }

    def _by_metric(self, values: Array) -> pd.DataFrame:
        frame = pd.DataFrame(values.T, columns=list(self.setting.metrics))
        frame.insert(0, "depth", self.setting.depths)
        return frame.melt("depth", var_name="metric")

    @property
    def facts(self) -> Values:
        """Settings and labels that the script reads."""
        setting = self.setting
        return {
            "title": self.title,
            "metrics": setting.metrics,
            "signs": setting.signs.ravel().tolist(),
            "depths": setting.depths,
            "at": setting.pos,
            "levels": self.opening.levels,
            "systems": self.systems,
            "topics": self.topics,
            "hues": self.hues,
            "baselines": self.baselines,
            "drawn": self.drawn,
            "duel": [self.duel.a, self.duel.b, self.topics.index(self.duel.topic)],
            "own": self.sheet.rung["place"],
            "sure": f"{100 * (1 - self.setting.alpha):g} %",
            "views": self.spans,
            "unit": setting.axis.unit,
            "along": plural(setting.axis.dim),
            "repeated": self.repeat_word and [self.repeat_word, self.repeat_words],
            "figures": {  # the data are in another part of the page
                name: figure | {"datasets": {name: [] for name in figure["datasets"]}}
                for name, figure in self.live.items()
            },
            "known": self.coord_names,
            "limits": ladder.limits_of(self.opening),
            "words": SCRIPTED,
            "groups": _group_labels(self.setting, SYSTEM),
            "properties": _group_labels(self.setting, TOPIC),
        }

    @cached_property
    def spans(self) -> list[Values]:
        """Name of each view, with its systems and topics."""
        systems = pd.Index(self.systems)
        topics = pd.Index(self.topics)
        return [
            {
                "name": view.name,
                "systems": systems.get_indexer(pd.Index(view.systems)).tolist(),
                "topics": topics.get_indexer(pd.Index(view.topics)).tolist(),
                "repeats": view.repeats_of,
            }
            for view in self.views
        ]

    @property
    def numbers(self) -> dict[str, Array]:
        """Arrays of the page: views, scores by topic, and lists."""
        numbers = {
            f"{number}/{name}": values
            for number, view in enumerate(self.views)
            for name, values in arrays(view).items()
        }
        # texts are packed with the arrays, because the JSON of `facts` is not compressed
        texts = json.dumps(printable(self.texts)).encode()
        return numbers | {
            **self._scores(),
            "doc": self.lists.doc,
            "grade": self.lists.grade,
            "texts": np.frombuffer(texts, np.uint8),
        }

    @property
    def texts(self) -> Values:
        """Long texts of the page: sentences, documents, tables."""
        sections = [*self.verdicts, *self.trust, *self.comparisons, *self.origins["parts"]]
        return {
            "said": self.sentences,
            "documents": self.lists.names,
            "snippets": self.snippets.documents,
            "queries": self.snippets.queries,
            "csv": {section.key: section.csv for section in sections},
        }

    def _scores(self) -> dict[str, Array]:
        """Return scores and quartiles of all views.

        Scores are indexed (metric, system, topic, depth). Missing scores are NaN. In place of
        systems, quartiles have three rows per view. Scores and quartiles are rounded together, so
        that comparisons of a score with a median stay correct.
        """
        shape = len(self.setting.metrics), len(self.topics), len(self.setting.depths)
        systems = len(self.systems)
        every = np.full((shape[0], systems + 3 * len(self.views), *shape[1:]), np.nan)
        for number, (view, span) in enumerate(zip(self.views, self.spans, strict=True)):
            rows = [*span["systems"], *(systems + 3 * number + np.arange(3))]
            values = np.concatenate([view.scores.to_numpy(), view.quarters[:, 1:-1]], axis=1)
            every[np.ix_(range(shape[0]), rows, span["topics"])] = values
        scores, quartiles = np.split(rounded_in_order(every, axis=1), [systems], axis=1)
        return {"scores": scores, "quartiles": quartiles}

    def render(self) -> str:
        """Return the page as HTML."""
        from jinja2 import Environment, PackageLoader  # noqa: PLC0415 - when a page is made
        from markupsafe import Markup  # noqa: PLC0415 - the same

        loader = PackageLoader("irframe.reports", "page")
        env = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
        packed, contents = pack(self.numbers)
        setting = self.setting
        view = self.opening
        key = "now.track" if len(self.views) > 1 else "now.page"
        at_first = {"metric": setting.metrics[0], "depth": setting.at}
        script = _joined_files(SCRIPTS, "js")
        library = figures.script()
        names = self.lists.names
        unit = {setting.axis.attribute: setting.axis.unit} if setting.axis.unit else {}
        html = env.get_template("page.html").render(
            page=self,
            version=VERSION,
            say=say,
            short=short,
            now=[say(key, view=shown.name, **at_first) for shown in self.views],
            rungs=self.rungs,
            hard=ladder.HardTopics(view, 0, setting.pos),
            shown={name: self.sentences[0][name][0][setting.pos] for name in self.sentences[0]},
            tested=significance_text(setting.pairing.described | unit),
            levels=", ".join(f"{level:g}" for level in view.levels),
            numbered=", ".join(f"{n} {short(name)}" for n, name in enumerate(self.base_names, 1)),
            about=self._about(self.topics.index(self.duel.topic)),
            snippet_of={names[pos]: start for pos, start in self.snippets.documents.items()},
            facts=printable(self.facts | {"contents": contents}),
            packed=packed,
            matrix=ladder.picture(ladder.matrix(view, 0, setting.pos), len(view.levels)),
            signed=ladder.SIGNED,
            drawn=lambda figure: Markup(figures.svg(figure)),  # noqa: S704 - drawn by Vega
            rules=rules(script, library),
            docs=DOCS,
            style=Markup(_joined_files(STYLES, "css")),  # noqa: S704 - our own
            script=Markup(script),  # noqa: S704 - our own
            vega=pack_bytes(library.encode()),
        )
        # invisible characters and those that XML forbids are replaced once, in the whole page
        return str(printable(visible(html)))

    def _about(self, topic: int) -> str:
        """Return the query and the user coordinates of a topic."""
        properties = _group_labels(self.setting, TOPIC)
        # the scripts of the page use the same order
        ordered = [f"{name} {properties[name][topic]}" for name in sorted(properties)]
        return ", ".join([*filter(None, [self.snippets.queries.get(topic)]), *ordered])


def _joined_files(names: tuple[str, ...], suffix: str) -> str:
    home = files("irframe.reports") / "page"
    return "\n".join((home / f"{name}.{suffix}").read_text(encoding="utf-8") for name in names)


def _group_labels(setting: Setting, dim: str) -> dict[str, list[str]]:
    """Return the user coordinates of a dimension."""
    return {
        str(name): texts(coordinate.to_numpy())
        for name, coordinate in setting.cube.coords.items()
        if coordinate.dims == (dim,) and name not in OURS
    }
