"""The networks of the learned players, without torch."""
