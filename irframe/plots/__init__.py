"""Figures: one per file; they draw and compute nothing."""
