"""Loads the compiled rules when it is imported: the process that workers are forked off does so once for all."""

import contextlib

from scotyard_env.arena.deals import deal_game
from scotyard_env.board import Board
from scotyard_env.replay import Replay
from scotyard_env.ruleset import RuleSet

with contextlib.suppress(Exception):  # what is wrong will show itself where somebody can be told
    game = deal_game(Board.named("docklands"), RuleSet.named("docklands"), seed=0, number=0)
    while game.winner is None:
        game.play(game.view(game.seat).legal[0])
    Replay.of(game).to_line()
