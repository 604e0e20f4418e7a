"""Lowest and highest scores over labels and tied orders."""
