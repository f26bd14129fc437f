"""Monte-Carlo tree search and its playouts."""
