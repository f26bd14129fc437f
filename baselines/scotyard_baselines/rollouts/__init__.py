"""Rollouts of Mr. X: his turns, the detectives he expects, the value function where play stops, sequential halving."""
