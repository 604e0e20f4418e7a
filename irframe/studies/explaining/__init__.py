"""Why one system scores higher than another: the documents behind a difference."""
