"""Analyses by depth: discrimination, coverage, volatility, agreement, pool growth, leaving out."""
