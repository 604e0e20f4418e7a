"""Comparison of systems: tests, corrections, margins and explanations."""
