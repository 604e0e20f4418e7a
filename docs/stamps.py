"""What a made file was made from, so that nothing is made again for nothing."""

import hashlib
from pathlib import Path

import irframe


def key_of_code(*files):
    """Return a text that changes with the code of the package, or of some files besides."""
    home = Path(irframe.__file__).parent
    found = hashlib.sha256()
    for path in [*sorted(home.rglob("*.py")), *map(Path, files)]:
        found.update(path.read_bytes())
    return found.hexdigest()[:16]
