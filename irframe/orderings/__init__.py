"""Innate orderings, preferences, and comparisons with metrics."""
