"""How systems answer queries that have one answer."""
