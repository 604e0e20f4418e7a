"""Analyses by depth."""
