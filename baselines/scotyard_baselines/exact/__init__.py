"""Exact solutions of small games."""
