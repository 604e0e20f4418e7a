"""Innate orderings, preferences, and comparisons of orderings."""
