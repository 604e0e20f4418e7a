"""Cubes over system, topic and depth.

Only this package applies metrics to labelled data.
"""
