"""Whose judgments: how alike judges are, and what changes with them."""
