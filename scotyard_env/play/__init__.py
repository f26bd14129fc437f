"""A person at the terminal: what is typed and shown, the saved game, and the command ``scotyard play``."""
