"""What happens to files: they are lost, cut and changed, and processes end while writing them."""

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


def kill_at(monkeypatch, number, *, after):
    """Let a process end while it writes a file, or when it has; the list tells whether it did."""
    calls, killed, replace = [], [], Path.replace

    def deadly(self, target):
        calls.append(target)
        if len(calls) == number + 1:
            killed.append(replace(self, target) if after else target)
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", deadly)
    return killed
