"""How far users search for every relevant document."""
