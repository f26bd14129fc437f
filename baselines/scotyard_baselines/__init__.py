"""The policies that ship with scotyard_env: one file per algorithm, found by name through the entry points."""
