"""How badly a policy can be beaten: learned best responses as files, and every other lower bound."""
