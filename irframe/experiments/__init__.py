"""Runs and judgments coded once: joined, ranked and scored without labels in between."""
