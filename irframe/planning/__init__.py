"""Planning: variance components, topics needed, replication, simulated tracks."""
