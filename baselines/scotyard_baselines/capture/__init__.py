"""Exact capture times by retrograde analysis, kept on disk."""
