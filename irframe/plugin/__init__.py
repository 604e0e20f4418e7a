"""Plugin of pytest, installed beside the package."""
