"""Rollouts against modelled opponents, and the value function where they end."""
