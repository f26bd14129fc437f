"""What the training scripts share: games of one side, rollouts, networks in torch, checkpoints, sessions."""
