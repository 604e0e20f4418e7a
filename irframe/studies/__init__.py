"""Studies of labelled scores and cubes, one question per file."""
