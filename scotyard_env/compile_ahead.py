"""scotyard compile: compile ahead of time what environments and policies need, for images and clusters."""

import dataclasses
import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

from scotyard_env.policy import SIDES, PolicyLike, Side

ENVIRONMENTS = "environments"  # the piece of work that is no policy


@dataclasses.dataclass(frozen=True)
class Command:
    """Compile the kernels of all environments and policies ahead of time, so that the first use need not wait.

    Code is kept for this kind of processor, and for boards with as many stations. Where it is kept: in the folder
    named by NUMBA_CACHE_DIR, else beside the source, else in the user's cache folder.
    """

    policies: str | None = None
    """Policies, separated by commas; by default all that are installed."""
    board: str | None = None
    """Name of a board, or a file such as my_board.json; by default the board of the rules."""
    rules: str | None = None
    """Name of a rule set, or a file such as my_rules.json; by default the rules of the board."""
    workers: int = os.cpu_count() or 1
    """Processes that compile; by default as many as there are cores."""

    def run(self) -> None:
        """Compile, and say how far it is."""
        from scotyard_env.arena.contenders import split_names
        from scotyard_env.arena.engine import check_count
        from scotyard_env.policy import make_policy, policy_names, sides_of
        from scotyard_env.ruleset import resolve

        check_count("workers", self.workers)
        resolve(self.board, self.rules)
        names = policy_names() if self.policies is None else split_names(self.policies)
        pieces = [(name, side) for name in names for side in sides_of(make_policy(name))]
        compile_piece(ENVIRONMENTS, "mr_x", self.board, self.rules)  # the rest is built on it
        print(f"{ENVIRONMENTS}: done", flush=True)
        failed = 0
        for number, (piece, error) in enumerate(self._compile(pieces), 1):
            failed += error is not None
            print(f"{number} of {len(pieces)}: {piece}{'' if error is None else f' failed: {error}'}", flush=True)
        if failed:
            sys.exit(1)

    def _compile(self, pieces: list[tuple[str, Side]]) -> Iterator[tuple[str, BaseException | None]]:
        """Compile policies in processes; tell of each as it is done, and what it raised."""
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self.workers, mp_context=context) as pool:
            waiting = {pool.submit(compile_piece, *piece, self.board, self.rules): piece for piece in pieces}
            for done in as_completed(waiting):
                yield " as ".join(waiting[done]), done.exception()


def compile_piece(policy: PolicyLike, side: Side, board: str | None, rules: str | None) -> None:
    """Use the environments, or let a policy decide once by itself and once in a batch: all it calls is compiled."""
    import numpy as np

    from scotyard_env.aec import make
    from scotyard_env.batch import Batch
    from scotyard_env.duel import decide
    from scotyard_env.game import Game
    from scotyard_env.policy import make_policy
    from scotyard_env.state import MR_X
    from scotyard_env.vector import make_vec

    if policy == ENVIRONMENTS:
        env = make(board=board, rules=rules)
        env.reset(seed=0)
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
        for learner in SIDES:
            envs = make_vec(2, side=learner, opponent="random", board=board, rules=rules)
            observations, _ = envs.reset(seed=0)
            envs.step(observations["action_mask"].argmax(axis=1))
        use_arena(board, rules)
        return
    player, other = make_policy(policy, side=side), make_policy("random")
    rng = np.random.default_rng(0)
    batch = Batch(2, board, rules, seed=0)
    while side == "detectives" and len(his := np.flatnonzero(batch.seats == MR_X)):  # he may play a double move
        batch.play(his, decide(other, batch.views(his), rng))
    game = Game(board, rules, seed=0)
    while side == "detectives" and game.seat == MR_X:
        game.play(game.legal[0])
    player.act(game.view(game.seat), rng)
    batch.play(batch.games, decide(player, batch.views(batch.games), rng))


def use_arena(board: str | None, rules: str | None) -> None:
    """Deal as a tournament does, play a match and make the page of it: what a report needs is compiled too."""
    from scotyard_env.arena.deals import deal_game
    from scotyard_env.arena.match import play_match
    from scotyard_env.replay import Replay
    from scotyard_env.rules import can_any_detective_move
    from scotyard_env.ruleset import resolve
    from scotyard_env.web.page import write_page

    deal_game(*resolve(board, rules), 0, 0)
    match = play_match("random", "random", board=board, rules=rules, seed=0)
    write_page(Replay.from_line(Replay.of(match.game).to_line()))
    can_any_detective_move(match.game.board.arrays, match.game.state)  # asked by some pages only
