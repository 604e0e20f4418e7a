"""The lowest and the highest score over labelings, fillings and orders of ties."""
