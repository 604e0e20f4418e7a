"""Experiments: runs that are joined to judgments and ranked."""
