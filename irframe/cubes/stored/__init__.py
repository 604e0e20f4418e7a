"""Cubes on disk: saved whole, or made of stored blocks of topics when they are wanted."""
