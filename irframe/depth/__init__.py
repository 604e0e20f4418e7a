"""Analyses of scores and pools by depth."""
