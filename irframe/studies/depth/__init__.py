"""How deep to evaluate."""
