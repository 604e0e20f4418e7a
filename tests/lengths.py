"""Frames of search lengths, for tests."""

import pandas as pd


def lengths_frame(by_system):
    """Build a frame of search lengths; None is not retrieved, at search length 50."""
    rows = [
        (system, "1", f"d{place}", 1, length, 50 if length is None else length, 0.0)
        for system, lengths in by_system.items()
        for place, length in enumerate(lengths)
    ]
    columns = ["system", "topic", "doc", "grade", "rank", "search_length", "precision"]
    return pd.DataFrame(rows, columns=columns).astype({"rank": "Int32"})
