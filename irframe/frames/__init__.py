"""Long tables in, long tables out: reading, ranking, judging."""
