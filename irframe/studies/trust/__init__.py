"""What judgments, pools and ties allow to say."""
