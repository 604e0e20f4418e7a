"""Results as tables for pages and papers."""
