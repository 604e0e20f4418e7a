"""Configuration of the documentation."""

import inspect
import os
import re
import sys
from importlib import import_module
from operator import attrgetter
from pathlib import Path

HERE = Path(__file__).parent
# Every page with cells imports pandas anew, so compile it once.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.pycache_prefix = os.environ.setdefault("PYTHONPYCACHEPREFIX", str(HERE / "_build" / "bytecode"))
sys.dont_write_bytecode = False

import irframe  # noqa: E402

sys.path.insert(0, str(HERE))

from example_report import write_report  # noqa: E402
from generate import write_pages  # noqa: E402
from notebooks import write_notebooks  # noqa: E402
from parameter_types import LINKED, UNLINKED, add_types  # noqa: E402
from stamps import key_of_code  # noqa: E402
from verbs import beside, typed  # noqa: E402

CODE = key_of_code()
DOI = re.compile(r"\bdoi:(10\.\S*[^\s.,;])")

REPOSITORY = "https://github.com/irframe/irframe"
NEIGHBOURS = {
    "dask": "https://docs.dask.org/en/stable/",
    "matplotlib": "https://matplotlib.org/stable/",
    "numpy": "https://numpy.org/doc/stable/",
    "pandas": "https://pandas.pydata.org/docs/",
    "xarray": "https://docs.xarray.dev/en/stable/",
}
"""Projects with links to their documentation.

Their objects are listed in inventories/, so that a build needs no network.
"""

project = "irframe"
copyright = "2026, the irframe developers"  # noqa: A001
author = "The irframe developers"
release = version = irframe.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.linkcode",
    "numpydoc",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_llms_txt",
    "alt_texts",
    "searched",
    "kernels",
    "mathml",
]
exclude_patterns = ["_build", "_generated/*.md", "_templates", "jupyter_execute", "real/*.md"]
exclude_patterns += ["_generated/notebooks"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = "irframe"
html_theme_options = {
    "logo": {
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
        "text": f"irframe {irframe.__version__}",
        "alt_text": "",
    },
    "header_links_before_dropdown": 8,
    "show_nav_level": 2,
    "collapse_navigation": True,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "github_url": REPOSITORY,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}  # otherwise every page has a warning
html_baseurl = "https://irframe.readthedocs.io/en/latest/"
html_math_renderer = "mathml"
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_static_path = ["_static"]
html_extra_path = ["_generated/report"]
html_css_files = ["irframe.css"]
html_js_files = [("search.js", {"defer": "defer"})]  # after what it replaces
html_sidebars = {page: [] for page in ("index", "gallery", "reference/verbs", "_generated/api/*")}

default_role = "py:obj"
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "alphabetical"
numpydoc_show_class_members = False
numpydoc_validation_checks: set[str] = set()
numpydoc_xref_param_type = True
numpydoc_xref_aliases = LINKED
numpydoc_xref_ignore = UNLINKED
intersphinx_mapping = {
    name: (address, f"inventories/{name}.txt") for name, address in NEIGHBOURS.items()
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "  # without prompts and output
copybutton_prompt_is_regexp = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3
nb_execution_mode = "cache"  # until the code of the package changes
nb_execution_cache_path = str(HERE / "_build" / "cells" / CODE)
nb_execution_show_tb = True  # a build lists all pages that fail
nb_execution_timeout = 300
nb_merge_streams = True
suppress_warnings = ["autosectionlabel.*", "mystnb.unknown_mime_type"]


def linkcode_resolve(_, info):
    """Return the address of the code of an object."""
    try:
        target = attrgetter(info["fullname"])(import_module(info["module"]))
        lines, first = inspect.getsourcelines(inspect.unwrap(target))
        file = Path(inspect.getsourcefile(inspect.unwrap(target))).relative_to(HERE.parent)
    except (AttributeError, TypeError, ValueError):  # no code, or code of another package
        return None
    return f"{REPOSITORY}/blob/main/{file.as_posix()}#L{first}-L{first + len(lines) - 1}"


def link_dois(*arguments):
    """Turn the DOIs of a docstring into links."""
    lines = arguments[-1]
    lines[:] = [DOI.sub(r"`\g<0> <https://doi.org/\1>`__", line) for line in lines]


def link_neighbours(_, __, name, function, ___, lines):
    """Add the call of a verb, and links to pages."""
    if inspect.isfunction(function) and name.startswith(("irframe.verbs.", "irframe.plots.")):
        lines[:0] = typed(name, function)
        lines += beside(name, function)


def link_verb(app, env, node, text):
    """Resolve ``irframe.cube`` to the page of the verb."""
    home, _, name = node.get("reftarget", "").rpartition(".")
    if home == "irframe":
        py, target = env.domains["py"], f"irframe.verbs.{name}"
        return py.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, text)
    return None


def setup(app):
    """Connect the functions that write pages and docstrings."""
    app.add_config_value("code", CODE, "env")
    app.connect("config-inited", lambda *_: write_pages(HERE / "_generated"))
    app.connect("config-inited", lambda *_: write_report(HERE / "_generated" / "report"))
    app.connect("config-inited", lambda *_: write_notebooks(HERE / "_generated" / "notebooks"))
    app.connect("autodoc-process-docstring", add_types, priority=400)  # before numpydoc
    app.connect("autodoc-process-docstring", link_dois, priority=900)  # after numpydoc
    app.connect("autodoc-process-docstring", link_neighbours, priority=900)
    app.connect("missing-reference", link_verb)
