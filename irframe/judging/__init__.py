"""Judges compared, what to judge next, and estimates from sampled judgments."""
