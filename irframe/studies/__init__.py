"""Studies of labelled scores and cubes, one paper's question per file."""
