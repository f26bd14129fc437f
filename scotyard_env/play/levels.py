"""How strong an opponent is, in one word, and who is asked for advice: policies by the tables in docs/results.md."""

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
        "best": "bayes",
    },
}
ADVISERS: "dict[Side, tuple[str, ...]]" = {  # who is asked what to play, by the side to play, the strongest first
    "mr_x": ("phantom", "ppo_mr_x", "hider", "greedy"),
    "detectives": ("bayes", "hunters", "minimax", "greedy"),
}
