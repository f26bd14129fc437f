"""The benchmark: fixed tasks as data, result files that can be checked, and playing what a result lacks."""
