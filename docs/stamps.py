"""Stamps of code, which change with it."""

import hashlib
from pathlib import Path

import irframe


def key_of_code(*files):
    """Return a digest of the code of the package."""
    home = Path(irframe.__file__).parent
    code = {path for path in home.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    digest = hashlib.sha256()
    for path in [*sorted(code), *map(Path, files)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
