"""Planning of experiments: variance components, topics needed, replication, simulated tracks."""
