from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from small_runs import GAME, SMALL, same

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from scotyard_baselines.networks.move_scorer import FileScorer  # noqa: E402
from scotyard_env.policy import PolicyError, make_policy  # noqa: E402
from scotyard_training import evaluate, export, sb3, selfplay  # noqa: E402
from scotyard_training.opponents import read_opponents  # noqa: E402
from scotyard_training.sb3_policy import Draw, ScorerVecEnv, pad_inputs  # noqa: E402

LEAGUE = selfplay.Args(**SMALL, mr_x="random,greedy", detectives="random,greedy", snapshot=1024, evaluate=2048, turns=2)
SB3 = sb3.Args(**SMALL, opponent="random,greedy", steps=1024, evaluate=512)


# ---------------------------------------------------------------------------------------------------------- league


def play_rounds(args: selfplay.Args, clubs: dict[str, selfplay.Club], rounds: int) -> None:
    with selfplay.begin(args.out, args.steps) as session:
        for _ in range(rounds):
            for side in ("detectives", "detectives", "mr_x"):
                selfplay.play_turn(clubs[side], session)
            for club in clubs.values():
                club.meet_all()


def test_a_resumed_league_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    args = [dataclasses.replace(LEAGUE, out=tmp_path / name) for name in ("whole", "parts")]
    whole, parts = ({side: selfplay.Club(one, side) for side in ("mr_x", "detectives")} for one in args)
    play_rounds(args[0], whole, 5)
    play_rounds(args[1], parts, 3)
    selfplay.save(parts, args[1].out / "last.pt")
    again = {side: selfplay.Club(args[1], side) for side in ("mr_x", "detectives")}
    kept = selfplay.load_checkpoint(args[1].out / "last.pt", selfplay.describe(again))
    for side, club in again.items():
        club.restore(kept[side])
    play_rounds(args[1], again, 2)
    assert all(same(club.learner.actor, again[side].learner.actor) for side, club in whole.items())
    assert len(whole["mr_x"].learner.duel.pool.policies) > 3  # scripts and snapshots


def test_the_league_meets_those_more_often_who_still_win(tmp_path: Path) -> None:
    club = selfplay.Club(dataclasses.replace(LEAGUE, out=tmp_path), "mr_x")
    club.learner.played[:2] = [[100, 95], [100, 10]]
    club.choose()
    weak, strong = club.learner.duel.pool.weights
    assert strong > 5 * weak > 0


def test_the_league_runs_and_its_snapshots_are_rated(tmp_path: Path) -> None:
    args = dataclasses.replace(LEAGUE, out=tmp_path / "league", minutes=0.1, rate_games=4)
    selfplay.train(args)
    with pytest.raises(ValueError, match="--resume goes on with it"):
        selfplay.train(args)
    assert selfplay.rate(args).stat().st_size > 1000
    export.main(export.Args(args.out / "last.pt", tmp_path / "player.npz", "mr_x"))
    assert FileScorer(file=str(tmp_path / "player.npz")).weights.trunk.shape == (16, 16)
    with pytest.raises(ValueError, match="a league has --side"):
        export.main(export.Args(args.out / "last.pt", tmp_path / "player.npz"))
    with pytest.raises(ValueError, match="only is 'thieves'"):
        selfplay.train(dataclasses.replace(args, only="thieves"))
    with pytest.raises(ValueError, match="turns is 0: give a whole number of at least 1"):
        selfplay.train(dataclasses.replace(args, turns=0))
    with pytest.raises(ValueError, match="holds no snapshots of mr_x: train first"):
        selfplay.rate(dataclasses.replace(args, out=tmp_path))


# ------------------------------------------------------------------------------------------------ Stable-Baselines3


@pytest.mark.parametrize("policy", ["scorer", "flat"])
def test_resumed_maskable_ppo_equals_an_uninterrupted_one(policy: str, tmp_path: Path) -> None:
    args = dataclasses.replace(SB3, policy=policy, out=tmp_path / "whole")
    whole = sb3.main(args)
    parts = dataclasses.replace(args, out=tmp_path / "parts")
    sb3.main(dataclasses.replace(parts, steps=512))
    resumed = sb3.main(dataclasses.replace(parts, resume=True))
    assert whole.num_timesteps == resumed.num_timesteps == 1024
    assert same(whole.policy, resumed.policy)
    with pytest.raises(ValueError, match="was made for units"):
        sb3.main(dataclasses.replace(parts, resume=True, units=32))


def test_maskable_ppo_with_the_scorer_learns(tmp_path: Path) -> None:
    args = dataclasses.replace(
        SB3, opponent="random", games=128, horizon=32, minibatch=512, units=32, rate=3e-3, steps=50_000, out=tmp_path
    )
    blank = sb3.player_of(sb3.make_model(args, ScorerVecEnv(2, side="detectives", opponent="random", **GAME)))
    trained = sb3.player_of(sb3.main(args))
    opponents = {"greedy": make_policy("greedy")}
    before, after = (
        sb3.win_rates(player, "detectives", opponents, 300, "docklands", "docklands")["greedy"]
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


def test_chances_among_legal_moves_are_those_of_a_distribution_over_all_actions() -> None:
    ids, scores = torch.tensor([[3, 1, -1], [0, 2, 4]]), torch.randn(2, 3)
    logs = scores.masked_fill(ids < 0, -torch.inf).log_softmax(1)
    draw, everything = Draw(ids, logs), torch.full((2, 5), -torch.inf)
    for row, slot in (ids >= 0).nonzero():
        everything[row, ids[row, slot]] = scores[row, slot]
    wanted = torch.distributions.Categorical(logits=everything)
    torch.testing.assert_close(draw.entropy(), wanted.entropy())
    for actions in (draw.get_actions(), draw.get_actions(deterministic=True)):
        torch.testing.assert_close(draw.log_prob(actions), wanted.log_prob(actions))
    assert draw.get_actions(deterministic=True).tolist() == everything.argmax(1).tolist()


# -------------------------------------------------------------------------------------------------------- evaluate


def test_a_player_is_evaluated_in_the_arena_with_intervals(tmp_path: Path) -> None:
    args = dataclasses.replace(SB3, out=tmp_path / "run", steps=512)
    sb3.main(args)
    asked = evaluate.Args(
        str(args.out / "last.npz"), side="detectives", opponents="random,greedy", games=6, out=tmp_path / "kept", **GAME
    )
    rates = evaluate.main(asked)
    assert rates.keys() == {"random", "greedy"}
    assert evaluate.main(asked) == rates
    with pytest.raises(ValueError, match="say which side"):
        evaluate.main(dataclasses.replace(asked, side=""))
    with pytest.raises(ValueError, match="there is no checkpoint"):
        evaluate.main(dataclasses.replace(asked, checkpoint="nobody"))


def test_opponents_are_read_with_their_parameters_and_weights() -> None:
    pool = read_opponents("random@0.5,hunters:particles=8,starts=1@2,greedy", "detectives")
    assert [*pool.values()] == [0.5, 2.0, 1.0]
    assert make_policy("hunters:particles=8,starts=1") in pool
    with pytest.raises(PolicyError, match="is no opponent"):
        read_opponents("hider", "detectives")
    with pytest.raises(PolicyError, match="no opponent given"):
        read_opponents("", "detectives")
