"""What a user runs on the baselines: each module is a command of ``scotyard`` (scotyard_env/commands.py)."""
