"""The networks of the learned players, without torch: inputs, belief features, the move scorer and its weights."""
