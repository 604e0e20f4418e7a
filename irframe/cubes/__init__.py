"""The cube system x topic x depth: the only place where a metric meets labels."""
