"""Scores of systems on topics: read, averaged, paired and resampled."""
