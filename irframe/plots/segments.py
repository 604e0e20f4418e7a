"""How outcomes look, wherever they are drawn."""

SEGMENTS = {
    "both": ("#56B4E9", "both"),
    "a_only": ("#D55E00", "a only"),
    "b_only": ("#009E73", "b only"),
    "neither": ("#D5DAE0", "neither"),
}
"""Outcome -> colour and label, in the order of the bars."""
