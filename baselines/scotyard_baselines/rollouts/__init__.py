"""Rollouts of Mr. X: his turns, the detectives he expects, the value where play stops, the policy drawn from."""
