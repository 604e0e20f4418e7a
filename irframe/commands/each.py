"""An answer as one file per system, in a folder."""

from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from irframe.commands.answer import SUFFIXES
from irframe.errors import IdError, ParameterError
from irframe.files.atomic import write_whole


def folder_of(options: Namespace, kind: str) -> Path:
    """Return the folder that ``-o`` names, and settle the format, by default of some kind."""
    if options.output is None:
        raise ParameterError("a folder to write a file per system to", "none", "name it with -o")
    options.format = options.format or kind
    return Path(options.output)


def refuse_paths(systems: Iterable[str]) -> None:
    """Raise for systems that cannot be called so in a folder."""
    refused = [repr(name) for name in systems if name in {"", ".", ".."} or {*name} & {*"/\\\0"}]
    if refused:
        advice = "name systems after their files with --system file"
        raise IdError("systems whose names can be those of files", "", advice, refused)


def write_each(folder: Path, kind: str, answers: Iterable[tuple[str, str | bytes]]) -> None:
    """Write the answer for each system, in a format, to a file that is called after it."""
    suffix = {name: suffix for suffix, name in SUFFIXES.items()}.get(kind, f".{kind}")
    folder.mkdir(parents=True, exist_ok=True)
    for system, content in answers:
        write_whole(folder / f"{system}{suffix}", content)
