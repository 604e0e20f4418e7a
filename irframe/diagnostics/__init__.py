"""Checks and descriptions of runs, judgments and ties."""
