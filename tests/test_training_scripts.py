from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from small_runs import GAME, SMALL, read_tags, same

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from scotyard_baselines.networks.move_scorer import FileScorer  # noqa: E402
from scotyard_env.policy import SIDES, PolicyError, Side, make_policy  # noqa: E402
from scotyard_training import evaluate, export, sb3, selfplay  # noqa: E402
from scotyard_training.learning.checkpoint import load_checkpoint  # noqa: E402
from scotyard_training.learning.evaluation import win_rates  # noqa: E402
from scotyard_training.learning.opponents import read_opponents  # noqa: E402
from scotyard_training.learning.padded_inputs import pad_inputs  # noqa: E402
from scotyard_training.learning.sb3_policy import MoveDistribution, ScorerVecEnv  # noqa: E402
from scotyard_training.learning.session import begin  # noqa: E402

LEAGUE = selfplay.Command(
    **SMALL, mr_x="random,greedy", detectives="random,greedy", snapshot_interval=1024, eval_interval=2048
)
SB3 = sb3.Command(**SMALL, opponent="random,greedy", total_timesteps=1024, eval_interval=512)


# ---------------------------------------------------------------------------------------------------------- league


def make_league(args: selfplay.Command) -> dict[Side, selfplay.LeagueSide]:
    return {side: selfplay.LeagueSide(args, side) for side in SIDES}


def play_rounds(args: selfplay.Command, league: dict[Side, selfplay.LeagueSide], rounds: int) -> None:
    turns: tuple[Side, ...] = ("detectives", "detectives", "mr_x")
    with begin(args.out, args.total_timesteps) as session:
        for _ in range(rounds):
            for side in turns:
                selfplay.play_turn(league[side], session)
            for one in league.values():
                one.meet_all()


def test_a_resumed_league_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    args = [dataclasses.replace(LEAGUE, out=tmp_path / name) for name in ("whole", "parts")]
    whole, parts = (make_league(one) for one in args)
    play_rounds(args[0], whole, 5)
    play_rounds(args[1], parts, 3)
    selfplay.save(parts, args[1].out / "last.pt")
    again = make_league(args[1])
    kept = load_checkpoint(args[1].out / "last.pt", selfplay.made_for(again))
    for side, one in again.items():
        one.restore(kept[side])
    play_rounds(args[1], again, 2)
    assert all(same(one.learner.actor, again[side].learner.actor) for side, one in whole.items())
    assert len(whole["mr_x"].pool.policies) > 3  # scripts and snapshots


def test_the_league_meets_those_more_often_who_still_win(tmp_path: Path) -> None:
    one = selfplay.LeagueSide(dataclasses.replace(LEAGUE, out=tmp_path), "mr_x")
    one.learner.games.results[:2] = [[100, 95], [100, 10]]
    one.weigh_opponents()
    weak, strong = one.pool.weights
    assert strong > 5 * weak > 0


def test_the_league_runs_and_its_snapshots_are_rated(tmp_path: Path) -> None:
    args = dataclasses.replace(LEAGUE, out=tmp_path / "league", minutes=0.1, rate_games=4)
    selfplay.train(args)
    with pytest.raises(ValueError, match="--resume goes on with it"):
        selfplay.train(args)
    assert {"losses/approx_kl", "charts/SPS"} <= read_tags(args.out / "mr_x")
    dataclasses.replace(args, rate_only=True).run()
    picture = (args.out / "ratings.svg").read_text()
    assert len(picture) > 1000
    assert "<dc:date>" not in picture  # the same ratings make the same file
    export.Command(args.out / "last.pt", tmp_path / "player.npz", "mr_x").run()
    assert FileScorer(file=str(tmp_path / "player.npz")).weights.trunk.shape == (16, 16)
    with pytest.raises(ValueError, match="a league has --side"):
        export.Command(args.out / "last.pt", tmp_path / "player.npz").run()
    with pytest.raises(ValueError, match="detective_updates is 0: give a whole number from 1 to"):
        selfplay.train(dataclasses.replace(args, detective_updates=0))
    with pytest.raises(ValueError, match=r"script_share is 2\.0: give a number from 0 to 1"):
        selfplay.train(dataclasses.replace(args, script_share=2.0))
    with pytest.raises(ValueError, match="holds no snapshots of mr_x: train first"):
        dataclasses.replace(args, rate_only=True, out=tmp_path).run()


# ------------------------------------------------------------------------------------------------ Stable-Baselines3


@pytest.mark.parametrize("policy", ["scorer", "flat"])
def test_resumed_maskable_ppo_equals_an_uninterrupted_one(policy: str, tmp_path: Path) -> None:
    args = dataclasses.replace(SB3, policy=policy, out=tmp_path / "whole")
    whole = sb3.train(args)
    parts = dataclasses.replace(args, out=tmp_path / "parts")
    sb3.train(dataclasses.replace(parts, total_timesteps=512))
    resumed = sb3.train(dataclasses.replace(parts, resume=True))
    assert whole.num_timesteps == resumed.num_timesteps == 1024
    assert same(whole.policy, resumed.policy)
    wanted = {"train/approx_kl", "train/value_loss", "rollout/success_rate", "time/fps", "eval/win_rate/greedy"}
    assert wanted <= read_tags(args.out)
    with pytest.raises(ValueError, match="was made for hidden_size"):
        sb3.train(dataclasses.replace(parts, resume=True, hidden_size=32))


def test_maskable_ppo_with_the_scorer_learns(tmp_path: Path) -> None:
    args = dataclasses.replace(
        SB3,
        opponent="random",
        num_envs=128,
        num_steps=32,
        minibatch_size=512,
        hidden_size=32,
        learning_rate=3e-3,
        total_timesteps=50_000,
        out=tmp_path,
    )
    blank = sb3.player_of(sb3.make_model(args, ScorerVecEnv(2, side="detectives", opponent="random", **GAME)))
    trained = sb3.player_of(sb3.train(args))
    opponents = {"greedy": make_policy("greedy")}
    before, after = (
        win_rates(player, "detectives", opponents, 300, "docklands", "docklands")["greedy"]
        for player in (blank, trained)
    )
    assert after > before + 0.12


def test_what_the_scorer_is_shown_under_stable_baselines_is_what_it_reads_elsewhere() -> None:
    games = ScorerVecEnv(5, side="mr_x", opponent="greedy", **GAME)
    shown = games.reset()
    assert games.observation_space.contains({name: array[0] for name, array in shown.items()})
    again = pad_inputs(games.games.batch.views())
    for name, array in shown.items():
        np.testing.assert_array_equal(array, again[name])
    legal = [set(np.flatnonzero(mask)) for mask in games.action_masks()]
    assert legal == [{*row[row >= 0].tolist()} for row in shown["ids"]]


def test_probabilities_of_legal_moves_are_those_of_a_distribution_over_all_actions() -> None:
    ids, scores = torch.tensor([[3, 1, -1], [0, 2, 4]]), torch.randn(2, 3)
    logs = scores.masked_fill(ids < 0, -torch.inf).log_softmax(1)
    moves, everything = MoveDistribution(ids, logs), torch.full((2, 5), -torch.inf)
    for row, slot in (ids >= 0).nonzero():
        everything[row, ids[row, slot]] = scores[row, slot]
    wanted = torch.distributions.Categorical(logits=everything)
    torch.testing.assert_close(moves.entropy(), wanted.entropy())
    for actions in (moves.get_actions(), moves.get_actions(deterministic=True)):
        torch.testing.assert_close(moves.log_prob(actions), wanted.log_prob(actions))
    assert moves.get_actions(deterministic=True).tolist() == everything.argmax(1).tolist()


# -------------------------------------------------------------------------------------------------------- evaluate


def test_a_player_is_evaluated_in_the_arena_with_intervals(tmp_path: Path) -> None:
    args = dataclasses.replace(SB3, out=tmp_path / "run", total_timesteps=512)
    sb3.train(args)
    asked = evaluate.Command(
        str(args.out / "last.npz"), side="detectives", opponents="random,greedy", games=6, out=tmp_path / "kept", **GAME
    )
    rates = evaluate.evaluate_player(asked)
    assert rates.keys() == {"random", "greedy"}
    assert evaluate.evaluate_player(asked) == rates
    with pytest.raises(ValueError, match="say which side"):
        evaluate.evaluate_player(dataclasses.replace(asked, side=None))
    with pytest.raises(ValueError, match="there is no checkpoint"):
        evaluate.evaluate_player(dataclasses.replace(asked, checkpoint="nobody"))


def test_opponents_are_read_with_their_parameters_and_weights() -> None:
    pool = read_opponents("random@0.5,hunters:particles=8,starts=1@2,greedy", "detectives")
    assert [*pool.values()] == [0.5, 2.0, 1.0]
    assert make_policy("hunters:particles=8,starts=1") in pool
    with pytest.raises(PolicyError, match="is no opponent"):
        read_opponents("hider", "detectives")
    with pytest.raises(PolicyError, match="no opponent given"):
        read_opponents("", "detectives")
