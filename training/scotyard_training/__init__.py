"""Training scripts, one per method, and ``learning``, what they share; they need the extra ``train``."""
