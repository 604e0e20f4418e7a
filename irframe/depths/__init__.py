"""What depends on the depth: how many differences are found, and how stable orderings are."""
