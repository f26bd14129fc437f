"""How strong an opponent is, in one word: policies by the ratings of the tournament of everyone in docs/results.md."""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from scotyard_env.policy import Side

Level = Literal["easy", "normal", "hard", "best"]
DEFAULT: Level = "normal"
OPPONENTS: "dict[Side, dict[Level, str]]" = {  # by the side that the opponent plays
    "mr_x": {"easy": "greedy", "normal": "hider", "hard": "pimbot", "best": "phantom"},
    "detectives": {
        "easy": "last_known",
        "normal": "astar_greedy",
        "hard": "minimax:belief=evasive",
        "best": "hunters",
    },
}
ADVISERS: "dict[Side, str]" = {"mr_x": "ppo_mr_x", "detectives": "hunters"}  # who gives hints, by the person's side
