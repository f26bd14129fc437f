"""What is spent on a best response: budgets by name, so that bounds of different policies can be compared."""

from typing import Literal, NamedTuple, get_args

from scotyard_baselines.networks.move_scorer import FileScorer, shipped_scorer
from scotyard_baselines.robustness.challenge import Budget
from scotyard_env.policy import Side
from scotyard_training.learning.opponents import other_side

Start = Literal["blank", "linear_skip", "shipped"]
BudgetName = Literal["quick", "scripts", "networks", "planners"]
OWN = "own"  # the name of a budget that is none of these


class Preset(NamedTuple):
    """A budget by its name."""

    total_timesteps: int  # decisions of a run
    seeds: int  # runs of each start
    starts: tuple[Start, ...]


STARTS: tuple[Start, ...] = "blank", "shipped"  # where no network that ships fits the board: linear_skip in its place
BUDGETS: dict[BudgetName, Preset] = {
    "quick": Preset(300_000, 1, STARTS),  # a first bound
    "scripts": Preset(1_000_000, 2, STARTS),
    "networks": Preset(2_000_000, 3, STARTS),
    "planners": Preset(1_000_000, 3, STARTS),  # hunters and the like, who take their time
}


def shipped_start(side: Side) -> FileScorer:
    """Return the network that ships with us for the side that answers a policy of this one."""
    return shipped_scorer(f"ppo_{other_side(side)}")


def choose_starts(preset: Preset, asked: tuple[Start, ...] | None, stations: int, side: Side) -> tuple[Start, ...]:
    """Return the starts that are asked for, else those of the budget, or what takes their place on the board."""
    shipped = len(shipped_start(side).weights.belief)
    if asked is None:
        return preset.starts if shipped == stations else tuple(_without_shipped(start) for start in preset.starts)
    if not asked:
        raise ValueError(f"starts are none: give --starts with some of {', '.join(get_args(Start))}")
    if "shipped" in asked and shipped != stations:
        raise ValueError(f"the network that ships is for {shipped} stations, not {stations}: give other --starts")
    return tuple(dict.fromkeys(asked))


def _without_shipped(start: Start) -> Start:
    """Return the start that a run has where no network that ships fits the board."""
    return "linear_skip" if start == "shipped" else start


def make_budget(name: BudgetName, steps: int | None, seeds: range, starts: tuple[Start, ...]) -> Budget:
    """Return what is spent; it keeps its name only if nothing in it was changed."""
    preset = BUDGETS[name]
    asked = Preset(steps or preset.total_timesteps, len(seeds), starts)
    return Budget(name if asked == preset else OWN, asked.total_timesteps, tuple(seeds), starts)
