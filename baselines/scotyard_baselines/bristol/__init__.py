"""The game tree of the Bristol report."""
