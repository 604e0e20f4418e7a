"""Pairs of systems compared: tests, corrections, margins, and the documents behind a difference."""
