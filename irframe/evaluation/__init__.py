"""Runs evaluated: units prepared, lists scored at depths or stops, scorers."""
