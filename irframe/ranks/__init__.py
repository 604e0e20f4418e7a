"""Leaderboards, rank intervals, and the sheet of one system."""
