"""What to judge next, and what a budget of judgments buys."""
