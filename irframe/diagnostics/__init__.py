"""Checks of runs and judgments, descriptions of collections, and effects of ties."""
