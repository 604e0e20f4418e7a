"""Reports: one HTML page about an experiment, and Markdown summaries."""
