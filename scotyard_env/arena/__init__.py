"""The arena: who is stronger, by how much, and how sure are we."""

from scotyard_env.arena.forfeit import ForfeitError
from scotyard_env.arena.match import Match, play_match
from scotyard_env.arena.tournament import Tournament, evaluate, tournament

__all__ = ["ForfeitError", "Match", "Tournament", "evaluate", "play_match", "tournament"]
