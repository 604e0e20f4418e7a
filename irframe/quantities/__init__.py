"""Rankings as arrays, and the quantities that kernels read."""
