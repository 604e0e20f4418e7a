"""Readers and writers of runs and judgments."""
