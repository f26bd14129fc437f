"""Where Mr. X is likely to be."""
