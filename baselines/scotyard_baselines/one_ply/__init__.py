"""Policies that look one move ahead."""
