"""Scores of systems on topics as one object: who has them, averages, pairs; whole or by blocks."""
