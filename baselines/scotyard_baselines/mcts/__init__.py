"""Monte-Carlo tree search with determinization, and the playouts of either side."""
