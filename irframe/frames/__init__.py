"""Columns and tables: ids, numbers, roles and kinds."""
