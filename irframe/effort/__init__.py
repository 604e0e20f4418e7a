"""Search lengths, outcomes, misplacement, losses and risk-coverage."""
