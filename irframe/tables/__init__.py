"""Results as tables for a page or a paper: marks, intervals, captions."""
