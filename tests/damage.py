"""What happens to files: they are lost, cut and changed."""

from pathlib import Path


def cut(file):
    """Take the last byte of a file away."""
    file.write_bytes(file.read_bytes()[:-1])


def flip(file):
    """Change a bit in the middle of a file."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)


DAMAGES = [Path.unlink, cut, flip]


def files_in(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())
