"""Comparison of judges, choice of documents to judge, and nuggets."""
