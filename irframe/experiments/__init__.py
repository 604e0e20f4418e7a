"""Runs and judgments: read, joined, ranked and scored."""
