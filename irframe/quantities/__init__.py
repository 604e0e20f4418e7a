"""Rankings as arrays, and quantities that metrics compute from them."""
