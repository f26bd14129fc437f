"""Scripts that train agents, one per method; they need the extra ``train``."""
