"""What an experiment takes: how many topics and judgments, and whether it can be repeated."""
