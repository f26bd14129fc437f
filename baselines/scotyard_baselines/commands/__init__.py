"""What a user runs on the baselines."""
