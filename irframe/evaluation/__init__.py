"""Evaluation of runs at depths and at other stops."""
