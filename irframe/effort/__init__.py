"""Search lengths, outcomes of search lengths, misplacement and Twist, risk against coverage."""
