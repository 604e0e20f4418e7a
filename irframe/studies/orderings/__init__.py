"""What can be said of systems without choosing a metric."""
