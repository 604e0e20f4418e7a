"""Conclusions from labelled scores: summaries, comparisons, ratios by depth."""
