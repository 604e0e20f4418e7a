"""Runs prepared, and scored at depths and stops."""
