"""The arena: who is stronger, by how much, and how sure are we."""

from scotyard_env.arena.match import Match, play_match

__all__ = ["Match", "play_match"]
